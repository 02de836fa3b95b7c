// Package session is the caller of a request: the effective role and the x-engine-* session variables.
// It decides nothing; the gateway authenticates and fills it.
//
// The names of another engine can be used alongside our own (UseVendor). Inside, x-engine-* alone
// decides: input is mapped once, where it enters, and the variables that are given to webhooks and SQL
// have both names.
package session

import (
	"maps"
	"slices"
	"strings"

	"queryengine/pkg/jsontext"
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

// New is the session of a role with variables by our names, which it takes over. What other programs
// see of it has the names of the vendor, too.
func New(role string, variables map[string]string) *Session {
	if variables == nil {
		variables = map[string]string{}
	}
	variables[RoleHeader] = role
	addVendor(variables)
	return &Session{Role: role, Variables: variables}
}

// Session is immutable after it was made.
type Session struct {
	Role string
	// Variables holds every session variable, names in lower case, x-engine-role included; each
	// under the vendor's name, too, where there is a vendor.
	Variables map[string]string
	// BackendOnly asks for the permissions marked backend_only; only trusted requests
	// have it.
	BackendOnly bool
	// Trusted reports whether the caller may take any role: it knows an admin secret, or none is
	// configured.
	Trusted bool
	// Anonymous reports whether the caller has proved nothing: the role is the one of requests without
	// credentials, and the variables are the caller's own claims. It stays in the gateway.
	Anonymous bool
}

// IsAdmin reports whether the role is unrestricted.
func (s *Session) IsAdmin() bool { return s.Role == Admin }

// JSON is the object of all variables, as session arguments and engine.user get it.
// Names are in alphabetical order. NUL, which PostgreSQL's jsonb can't hold, becomes U+FFFD: it would fail whatever reads the object there,
// event triggers among them.
func (s *Session) JSON() []byte {
	var space [16]string
	names, size := space[:0], len("{}")
	for name, value := range s.Variables {
		names = append(names, name)
		size += len(`"":"",`) + len(name) + len(value)
	}
	slices.Sort(names)
	b := append(make([]byte, 0, size), '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsontext.AppendString(b, name), ':')
		b = jsontext.AppendString(b, strings.ReplaceAll(s.Variables[name], "\x00", "\uFFFD"))
	}
	return append(b, '}')
}

// Proto is the session as it crosses the bus.
func (s *Session) Proto() *queryv1.Session {
	return &queryv1.Session{Role: s.Role, Variables: s.Variables, BackendOnly: s.BackendOnly, Trusted: s.Trusted}
}

// FromProto is the inverse of Proto; a missing message gives a session without a role.
func FromProto(p *queryv1.Session) *Session {
	return &Session{Role: p.GetRole(), Variables: p.GetVariables(), BackendOnly: p.GetBackendOnly(), Trusted: p.GetTrusted()}
}

// Given are the variables as a webhook gets them: a copy in which the role is that of the session.
func (s *Session) Given() map[string]string { return New(s.Role, maps.Clone(s.Variables)).Variables }

// Reference reports whether a string of a permission rule or preset names a session
// variable, and our name of it. REQ_USER_ID is the old spelling of x-engine-user-id.
func Reference(s string) (name string, ok bool) {
	if name, ok := Canonical(s); ok {
		return name, true
	}
	if strings.EqualFold(s, "REQ_USER_ID") {
		return UserID, true
	}
	return "", false
}
