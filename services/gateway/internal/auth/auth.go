// Package auth authenticates callers: from the headers of a request to a session, or an error.
//
// Its modes are open (no secret is configured), secret, secret with tokens, and secret with
// a webhook. It keeps secrets as hashes and compares them in constant time.
package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/hook"
	"queryengine/services/gateway/internal/jwt"
)

// Config configures how requests are authenticated.
type Config struct {
	// Secrets are the admin secrets, all valid; none is the open mode.
	Secrets []config.Secret
	// SecretDisabled accepts no admin secret at all: tokens or a webhook decide alone.
	SecretDisabled bool
	// UnauthorizedRole is the role of requests without credentials, "" for none.
	UnauthorizedRole string
	// Tokens verifies tokens, nil for another mode.
	Tokens *jwt.Verifier
	// Hook is the webhook to ask, nil for another mode.
	Hook *hook.Hook
}

// Identity is the caller.
type Identity struct {
	Session *session.Session
	// Expires is when the identity ends, zero for never.
	Expires time.Time
	// Cookies are Set-Cookie headers for the answer.
	Cookies []string
}

// The canonical names of the headers, as net/http has them.
const (
	secretHeader      = "X-Engine-Admin-Secret"
	accessKeyHeader   = "X-Engine-Access-Key"
	roleHeader        = "X-Engine-Role"
	backendOnlyHeader = "X-Engine-Use-Backend-Only-Permissions"
	headerPrefix      = "X-Engine-"
)

// Secret is a text that callers have to know, kept as its hash. SHA-256 has instructions of its own on most
// processors, and each request of an admin takes one.
type Secret struct{ hash [sha256.Size]byte }

// NewSecret returns the secret of a text, nil for an empty one.
func NewSecret(text config.Secret) *Secret {
	if text == "" {
		return nil
	}
	return &Secret{sha256.Sum256([]byte(text.Reveal()))}
}

// Is reports whether given is the secret, in constant time. Nothing is a nil Secret.
func (s *Secret) Is(given string) bool {
	hash := sha256.Sum256([]byte(given))
	return s != nil && subtle.ConstantTimeCompare(hash[:], s.hash[:]) == 1
}

// Authenticator is safe for concurrent use.
type Authenticator struct {
	secrets          []*Secret
	secretDisabled   bool
	unauthorizedRole string
	tokens           *jwt.Verifier
	hook             *hook.Hook
	// admin is the identity of trusted callers that ask for no role and have no variables.
	admin *Identity
}

// New checks the configuration. Its errors are the last line of a start that fails.
func New(c Config) (*Authenticator, error) {
	admin := session.New(session.Admin, nil)
	admin.Trusted = true
	a := &Authenticator{unauthorizedRole: c.UnauthorizedRole, tokens: c.Tokens, hook: c.Hook, admin: &Identity{Session: admin}}
	if a.secretDisabled = c.SecretDisabled; a.secretDisabled {
		return a, a.checkModes()
	}
	for _, text := range c.Secrets {
		s := NewSecret(text)
		if s == nil {
			return nil, config.AdminSecret.Spec().Wrong(errors.New("empty string not allowed"))
		}
		a.secrets = append(a.secrets, s)
	}
	return a, a.checkModes()
}

// checkModes refuses combinations that would leave a door open.
func (a *Authenticator) checkModes() error {
	hook, tokens, anonymous := config.AuthHook.Spec(), config.JWTSecret.Spec(), config.UnauthorizedRole.Spec()
	unguarded := errors.New("needs " + config.AdminSecret.Spec().Name())
	switch {
	case a.secretDisabled && a.hook == nil && a.tokens == nil:
		return config.DisableAdminSecret.Spec().Wrong(errors.New("needs " + tokens.Name() + " or " + hook.Name()))
	case a.hook != nil && a.tokens != nil:
		return hook.Wrong(errors.New("can't be used together with " + tokens.Name()))
	case a.hook != nil && a.Open():
		return hook.Wrong(unguarded)
	case a.tokens != nil && a.Open():
		return tokens.Wrong(unguarded)
	case a.unauthorizedRole != "" && a.Open():
		return anonymous.Wrong(unguarded)
	case a.unauthorizedRole != "" && a.hook != nil:
		return anonymous.Wrong(errors.New("can't be used together with " + hook.Name()))
	}
	return nil
}

// Open reports whether no secret is configured: every caller may take any role.
func (a *Authenticator) Open() bool { return len(a.secrets) == 0 && !a.secretDisabled }

// AsksWebhook reports whether a webhook gets the headers of requests.
func (a *Authenticator) AsksWebhook() bool { return a.hook != nil }

// WantsBody reports whether Authenticate needs the GraphQL request that came with these headers:
// the webhook gets it, and no secret makes the webhook needless. All others are refused before
// anything of them is read.
func (a *Authenticator) WantsBody(h http.Header) bool {
	if a.hook == nil || !a.hook.WantsBody() {
		return false
	}
	_, given := givenSecret(h)
	return !given
}

// Authenticate authenticates the sender of a request with these headers. body is the GraphQL request,
// if there is one and WantsBody is true. After a wrong secret no other method is tried.
func (a *Authenticator) Authenticate(ctx context.Context, h http.Header, body json.RawMessage) (*Identity, error) {
	if given, ok := givenSecret(h); ok && !a.Open() && !a.isSecret(given) {
		return nil, apierror.New(apierror.AccessDenied, "invalid x-engine-admin-secret/x-engine-access-key")
	} else if ok || a.Open() {
		return a.trusted(h)
	}
	switch {
	case a.hook != nil:
		answer, err := a.hook.Authenticate(ctx, h, body)
		if err != nil {
			return nil, err
		}
		return &Identity{Session: answer.Session, Expires: answer.Expires, Cookies: answer.Cookies}, nil
	case a.tokens != nil:
		token, err := a.tokens.Authenticate(h, text(h.Get(roleHeader)))
		if err == nil {
			return &Identity{Session: token.Session, Expires: token.Expires}, nil
		}
		if !errors.Is(err, jwt.ErrNoToken) || a.unauthorizedRole == "" {
			return nil, err
		}
	case a.unauthorizedRole == "":
		return nil, apierror.New(apierror.AccessDenied, "x-engine-admin-secret/x-engine-access-key required, but not found")
	}
	s := fromHeaders(h, a.unauthorizedRole)
	s.Anonymous = true
	return &Identity{Session: s}, nil
}

// isSecret reports whether given is an admin secret. How long it takes does not depend on
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

// trusted is the session of a caller who may take any role. Callers that say nothing of themselves share
// one: sessions don't change.
func (a *Authenticator) trusted(h http.Header) (*Identity, error) {
	if plain(h) {
		return a.admin, nil
	}
	role := h.Get(roleHeader)
	if role == "" {
		role = session.Admin
	}
	s := fromHeaders(h, role)
	s.Trusted = true
	if v := h[backendOnlyHeader]; len(v) > 0 {
		value, ok := config.Bool(v[0])
		if !ok {
			return nil, apierror.New(apierror.BadRequest, session.BackendOnly+`:  Not a valid boolean text. True values are `+
				`["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive`)
		}
		s.BackendOnly = value
	}
	return &Identity{Session: s}, nil
}

// plain reports whether headers have no session variable, and no role.
func plain(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, headerPrefix) && name != secretHeader && name != accessKeyHeader {
			return false
		}
	}
	return true
}

// fromHeaders takes every x-engine-* header but the secrets as a session variable.
func fromHeaders(h http.Header, role string) *session.Session {
	variables := make(map[string]string, 4)
	for name, values := range h {
		if strings.HasPrefix(name, headerPrefix) && name != secretHeader && name != accessKeyHeader && name != roleHeader {
			variables[strings.ToLower(name)] = text(values[0])
		}
	}
	return session.New(text(role), variables)
}

// text is the value of a header as UTF-8, which headers need not be.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
