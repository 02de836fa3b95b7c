// Package session is who asks: the effective role and the x-engine-* session variables of
// a request. It decides nothing; the gateway authenticates and fills it.
package session

import (
	"encoding/json"
	"strings"

	queryv1 "queryengine/proto/query/v1"
)

// Names with a meaning of their own, in lower case.
const (
	Prefix          = "x-engine-"
	RoleHeader      = "x-engine-role"
	SecretHeader    = "x-engine-admin-secret"
	AccessKeyHeader = "x-engine-access-key"
	BackendOnly     = "x-engine-use-backend-only-permissions"
	UserID          = "x-engine-user-id"
	Admin           = "admin"
)

// Session is immutable after it was made.
type Session struct {
	Role string
	// Variables holds every session variable, names in lower case, x-engine-role included.
	Variables map[string]string
	// BackendOnly asks for the permissions marked backend_only; only trusted requests
	// have it.
	BackendOnly bool
	// Trusted says that the caller may take any role: it knows an admin secret, or none is
	// configured.
	Trusted bool
	// Anonymous says that the caller has proved nothing: the role is the one of requests without
	// credentials, and the variables are what the caller says. It stays in the gateway.
	Anonymous bool
}

// IsAdmin says whether the role is unrestricted.
func (s *Session) IsAdmin() bool { return s.Role == Admin }

// JSON is the object of all variables, as session arguments and engine.user get it.
func (s *Session) JSON() []byte {
	b, _ := json.Marshal(s.Variables) // a map of strings always encodes
	return b
}

// Proto is the session as it crosses the bus.
func (s *Session) Proto() *queryv1.Session {
	return &queryv1.Session{Role: s.Role, Variables: s.Variables, BackendOnly: s.BackendOnly, Trusted: s.Trusted}
}

// FromProto is the inverse of Proto; a missing message gives a session without a role.
func FromProto(p *queryv1.Session) *Session {
	return &Session{Role: p.GetRole(), Variables: p.GetVariables(), BackendOnly: p.GetBackendOnly(), Trusted: p.GetTrusted()}
}

// Reference reports whether a string of a permission rule or preset names a session
// variable, and its name in lower case. REQ_USER_ID is the old spelling of x-engine-user-id.
func Reference(s string) (name string, ok bool) {
	if len(s) > len(Prefix) && strings.EqualFold(s[:len(Prefix)], Prefix) {
		return strings.ToLower(s), true
	}
	if strings.EqualFold(s, "REQ_USER_ID") {
		return UserID, true
	}
	return "", false
}
