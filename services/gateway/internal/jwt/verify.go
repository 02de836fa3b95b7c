package jwt

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
)

// Identity is the caller that a token names.
type Identity struct {
	Session *session.Session
	// Expires is when the token ends for this engine, the allowed skew included; zero for never.
	Expires time.Time
}

// ErrNoToken reports that a request carries no token at all.
var ErrNoToken = apierror.New(apierror.InvalidHeaders, "Missing 'Authorization' or 'Cookie' header in JWT authentication mode")

// Authenticate finds and verifies the token of a request. role is the requested role, ""
// for the token's default. Without a token it fails with ErrNoToken; a token that is there
// but not valid is never taken for none.
func (v *Verifier) Authenticate(header http.Header, role string) (*Identity, error) {
	type candidate struct {
		issuer *issuer
		token  string
	}
	var found, left []candidate
	for _, i := range v.issuers {
		tokens, err := i.config.location.tokens(header)
		if err != nil {
			return nil, err
		}
		for _, token := range tokens {
			found = append(found, candidate{i, token})
			if i.config.mayIssue(token) {
				left = append(left, candidate{i, token})
			}
		}
	}
	switch {
	case len(found) == 0:
		return nil, ErrNoToken
	case len(left) == 0:
		return nil, unverified("JWTNotInIssuer")
	case len(left) > 1:
		return nil, apierror.New(apierror.InvalidHeaders, "Could not verify JWT: Multiple JWTs found")
	}
	return left[0].issuer.verify(left[0].token, role, v.now())
}

// tokens are the tokens at the location. An empty cookie counts.
func (l location) tokens(header http.Header) ([]string, error) {
	var tokens []string
	switch l.kind {
	case inAuthorization:
		for _, value := range header.Values("Authorization") {
			words := strings.Fields(value)
			if len(words) != 2 || words[0] != "Bearer" {
				return nil, apierror.New(apierror.InvalidHeaders, "Malformed Authorization header")
			}
			tokens = append(tokens, words[1])
		}
	case inCookie:
		request := http.Request{Header: header}
		for _, cookie := range request.CookiesNamed(l.name) {
			tokens = append(tokens, cookie.Value)
		}
	case inHeader:
		tokens = header.Values(l.name)
	}
	return tokens, nil
}

// mayIssue compares issuers without verifying.
func (c *Config) mayIssue(token string) bool {
	if c.issuer == "" {
		return true
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return true // verification reports what is wrong with it
	}
	payload, err := decodeObject(parts[1])
	if err != nil {
		return true
	}
	return c.isIssuer(payload["iss"])
}

// isIssuer reports whether an issuer fits, nil for a token that names none.
func (c *Config) isIssuer(issuer any) bool {
	return c.issuer == "" || issuer == c.issuer || issuer == nil && !c.requireIssuer
}

// verify checks a token in the order of the wire format: signature, then times, then
// issuer and audience.
func (i *issuer) verify(token, role string, now time.Time) (*Identity, error) {
	id := tokenID(sha256.Sum256([]byte(token)))
	keys := i.keys.Load()
	payload, known := i.cache.find(id, keys)
	if !known {
		var err error
		if payload, err = i.payload(token, keys); err != nil {
			return nil, err
		}
		if len(token) <= longestCached {
			i.cache.add(id, verified{keys: keys, payload: payload})
		}
	}
	if err := i.config.checkRegistered(payload, now); err != nil {
		i.cache.drop(id)
		return nil, err
	}
	s, err := i.config.sessionOf(payload, role)
	if err != nil {
		return nil, err
	}
	identity := &Identity{Session: s}
	if expires, ok := number(payload["exp"]); ok {
		identity.Expires = time.UnixMilli(int64((expires + i.config.skew) * 1000))
	}
	return identity, nil
}

// payload verifies the signature of a token and decodes what it signs.
func (i *issuer) payload(token string, keys *[]*key) (map[string]any, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, unverified(fmt.Sprintf("JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got %d)", len(parts)))
	}
	head, err := decodeObject(parts[0])
	for _, part := range parts[1:] {
		if err == nil {
			_, err = base64.RawURLEncoding.DecodeString(part)
		}
	}
	if err != nil {
		return nil, unverified(fmt.Sprintf("JWSError (JSONDecodeError %q)", err))
	}
	if err := checkCritical(head); err != nil {
		return nil, err
	}
	if err := i.checkSignature(token, head, keys); err != nil {
		return nil, err
	}
	payload, err := decodeObject(parts[1])
	if err != nil {
		return nil, unverified(fmt.Sprintf("JWTClaimsSetDecodeError %q", err))
	}
	return payload, nil
}

// checkCritical refuses a header that changes how the token is to be read in a way that isn't
// supported (RFC 7515, 4.1.11, and RFC 7797): no extension is.
func checkCritical(head map[string]any) error {
	if _, ok := head["crit"]; ok {
		return unverified("JWSError (crit names extensions that are not supported)")
	}
	if encoded, ok := head["b64"]; ok && encoded != true {
		return unverified("JWSError (payloads that are not base64url-encoded are not supported)")
	}
	return nil
}

func (i *issuer) checkSignature(token string, head map[string]any, set *[]*key) error {
	name, _ := head["alg"].(string)
	alg := jwa.SignatureAlgorithm(name)
	id, _ := head["kid"].(string)
	keys := keysFor(set, id, alg)
	if len(keys) == 0 {
		if i.config.key != nil {
			return unverified("JWSError JWSInvalidSignature") // the algorithm does not fit the key
		}
		return unverified("JWSError NoUsableKeys")
	}
	for _, k := range keys {
		if k.verify([]byte(token), alg) == nil {
			return nil
		}
	}
	return unverified("JWSError JWSInvalidSignature")
}

// checkRegistered checks the registered claims: the times and the issuer that are there, and the audience that is
// configured. A token without an audience was not made for this one (RFC 7519, 4.1.3).
func (c *Config) checkRegistered(payload map[string]any, now time.Time) error {
	for _, claim := range []string{"exp", "nbf", "iat"} {
		if v := payload[claim]; v != nil { // null is as good as missing
			if _, ok := number(v); !ok {
				return unverified(fmt.Sprintf("JWTClaimsSetDecodeError %q", claim+" is not a number"))
			}
		}
	}
	at := float64(now.UnixMilli()) / 1000
	if exp, ok := number(payload["exp"]); ok && exp <= at-c.skew {
		return unverified("JWTExpired")
	}
	if nbf, ok := number(payload["nbf"]); ok && nbf > at+c.skew {
		return unverified("JWTNotYetValid")
	}
	if iat, ok := number(payload["iat"]); ok && iat > at+c.skew {
		return unverified("JWTIssuedAtFuture")
	}
	if !c.isIssuer(payload["iss"]) {
		return unverified("JWTNotInIssuer")
	}
	if c.audience != nil && !c.hears(payload["aud"]) {
		return unverified("JWTNotInAudience")
	}
	return nil
}

func (c *Config) hears(audience any) bool {
	list, ok := audience.([]any)
	if !ok {
		list = []any{audience}
	}
	for _, item := range list {
		if text, ok := item.(string); ok && contains(c.audience, text) {
			return true
		}
	}
	return false
}

func number(v any) (float64, bool) {
	n, ok := v.(float64)
	return n, ok
}

// decodeObject decodes a base64url part that holds a JSON object.
func decodeObject(part string) (map[string]any, error) {
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("expected Object, but encountered Null")
	}
	return object, nil
}

func unverified(reason string) error {
	return apierror.New(apierror.InvalidJWT, "Could not verify JWT: "+reason).WithStatus(http.StatusBadRequest)
}

// Headers are the headers that carry tokens, besides Authorization and Cookie; none of a nil Verifier.
func (v *Verifier) Headers() (names []string) {
	if v == nil {
		return nil
	}
	for _, c := range v.Configs() {
		if c.location.kind == inHeader {
			names = append(names, c.location.name)
		}
	}
	return names
}
