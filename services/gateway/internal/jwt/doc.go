// Package jwt authenticates callers by a JSON Web Token.
//
// It takes one or several configurations of the wire format, finds the token of a request
// at the place that a configuration names, verifies it with the configured key or with the
// keys of a JWK set, which it keeps fresh, and turns the claims into a session. Whether a
// request needs a token at all is the caller's business.
package jwt
