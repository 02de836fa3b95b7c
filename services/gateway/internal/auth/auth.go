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

// Secret is a text that callers have to know, kept as its hash.
type Secret struct{ hash [sha512.Size]byte }

// NewSecret returns the secret of a text, nil for an empty one.
func NewSecret(text config.Secret) *Secret {
	if text == "" {
		return nil
	}
	return &Secret{sha512.Sum512([]byte(text.Reveal()))}
}

// Is says whether given is the secret, in constant time. Nothing is a nil Secret.
func (s *Secret) Is(given string) bool {
	hash := sha512.Sum512([]byte(given))
	return s != nil && subtle.ConstantTimeCompare(hash[:], s.hash[:]) == 1
}

// Authenticator is safe for concurrent use.
type Authenticator struct {
	secrets          []*Secret
	unauthorizedRole string
}

// New checks the configuration. Its errors are the last line of a start that fails.
func New(c Config) (*Authenticator, error) {
	a := &Authenticator{unauthorizedRole: c.UnauthorizedRole}
	for _, text := range c.Secrets {
		s := NewSecret(text)
		if s == nil {
			return nil, errors.New("Fatal Error: the admin secret: empty string not allowed") //nolint:staticcheck // wire text
		}
		a.secrets = append(a.secrets, s)
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
	case ok && !a.isSecret(given):
		return nil, apierror.New(apierror.AccessDenied, "invalid x-engine-admin-secret/x-engine-access-key")
	case ok:
		return trusted(r.Header)
	case a.unauthorizedRole != "":
		return fromHeaders(r.Header, a.unauthorizedRole), nil
	}
	return nil, apierror.New(apierror.AccessDenied, "x-engine-admin-secret/x-engine-access-key required, but not found")
}

// isSecret says whether given is an admin secret. How long it takes does not depend on
// which one.
func (a *Authenticator) isSecret(given string) bool {
	found := false
	for _, s := range a.secrets {
		found = s.Is(given) || found
	}
	return found
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
