// Package auth decides who asks: from the headers of a request to a session, or an error.
//
// It knows the modes open (no secret is configured) and secret. It keeps secrets as hashes
// and compares them in constant time.
package auth

import (
	"crypto/sha512"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
	"queryengine/pkg/session"
)

// Config says how requests are authenticated.
type Config struct {
	// Secrets are the admin secrets, all valid; none is the open mode.
	Secrets []config.Secret
	// UnauthorizedRole is the role of requests without a secret, "" for none.
	UnauthorizedRole string
}

// The canonical names of the headers, as net/http has them.
const (
	secretHeader      = "X-Engine-Admin-Secret"
	accessKeyHeader   = "X-Engine-Access-Key"
	roleHeader        = "X-Engine-Role"
	backendOnlyHeader = "X-Engine-Use-Backend-Only-Permissions"
	headerPrefix      = "X-Engine-"
)

// Authenticator is safe for concurrent use.
type Authenticator struct {
	secrets          [][sha512.Size]byte
	unauthorizedRole string
}

// New checks the configuration. Its errors are the last line of a start that fails.
func New(c Config) (*Authenticator, error) {
	a := &Authenticator{unauthorizedRole: c.UnauthorizedRole}
	for _, s := range c.Secrets {
		if s == "" {
			return nil, errors.New("Fatal Error: the admin secret: empty string not allowed") //nolint:staticcheck // wire text
		}
		a.secrets = append(a.secrets, sha512.Sum512([]byte(s.Reveal())))
	}
	if c.UnauthorizedRole != "" && a.Open() {
		return nil, errors.New("Fatal Error: --unauthorized-role (ENGINE_GRAPHQL_UNAUTHORIZED_ROLE) requires " + //nolint:staticcheck // wire text
			"--admin-secret (ENGINE_GRAPHQL_ADMIN_SECRET) or  --access-key (ENGINE_GRAPHQL_ACCESS_KEY) to be set and is not allowed when " +
			"--auth-hook (ENGINE_GRAPHQL_AUTH_HOOK) is set")
	}
	return a, nil
}

// Open says that no secret is configured: everybody may take any role.
func (a *Authenticator) Open() bool { return len(a.secrets) == 0 }

// Authenticate returns the session of a request.
func (a *Authenticator) Authenticate(r *http.Request) (*session.Session, error) {
	if a.Open() {
		return trusted(r.Header)
	}
	given, ok := givenSecret(r.Header)
	switch {
	case ok && !a.IsSecret(given):
		return nil, apierror.New(apierror.AccessDenied, "invalid x-engine-admin-secret/x-engine-access-key")
	case ok:
		return trusted(r.Header)
	case a.unauthorizedRole != "":
		return fromHeaders(r.Header, a.unauthorizedRole), nil
	}
	return nil, apierror.New(apierror.AccessDenied, "x-engine-admin-secret/x-engine-access-key required, but not found")
}

// IsSecret says whether given is an admin secret. How long it takes does not depend on
// which one, or on how much of it is right.
func (a *Authenticator) IsSecret(given string) bool {
	hash := sha512.Sum512([]byte(given))
	match := 0
	for i := range a.secrets {
		match |= subtle.ConstantTimeCompare(hash[:], a.secrets[i][:])
	}
	return match == 1
}

func givenSecret(h http.Header) (string, bool) {
	for _, name := range [...]string{secretHeader, accessKeyHeader} {
		if v := h[name]; len(v) > 0 {
			return v[0], true
		}
	}
	return "", false
}

// trusted is the session of a caller who may take any role.
func trusted(h http.Header) (*session.Session, error) {
	role := h.Get(roleHeader)
	if role == "" {
		role = session.Admin
	}
	s := fromHeaders(h, role)
	if v := h[backendOnlyHeader]; len(v) > 0 {
		value, ok := config.Bool(v[0])
		if !ok {
			return nil, apierror.New(apierror.BadRequest, session.BackendOnly+`:  Not a valid boolean text. True values are `+
				`["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive`)
		}
		s.BackendOnly = value
	}
	return s, nil
}

// fromHeaders takes every x-engine-* header but the secrets as a session variable.
func fromHeaders(h http.Header, role string) *session.Session {
	variables := make(map[string]string, 4)
	for name, values := range h {
		if strings.HasPrefix(name, headerPrefix) && name != secretHeader && name != accessKeyHeader && name != roleHeader {
			variables[strings.ToLower(name)] = text(values[0])
		}
	}
	role = text(role)
	variables[session.RoleHeader] = role
	return &session.Session{Role: role, Variables: variables}
}

// text is the value of a header as UTF-8, which headers need not be.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
