package engine

import (
	"context"
	"strings"

	"queryengine/pkg/session"
)

// Session is who a call is made for. Events of rows that were changed by SQL have an empty one.
type Session struct {
	Role string
	// Variables are the session variables by their names in lower case: x-engine-user-id.
	Variables map[string]string
}

// Get returns a session variable by its name with or without the prefix: "user-id" is x-engine-user-id.
func (s Session) Get(name string) string {
	name = strings.ToLower(name)
	if own, ok := session.Canonical(name); ok {
		return s.Variables[own]
	}
	return s.Variables[session.Prefix+name]
}

// scope is what code finds in its context.
type scope struct {
	session Session
	loads   *loads
}

type scopeKey struct{}

// within adds the caller to the context of a call. Variables may have the names of another engine.
func within(ctx context.Context, role string, variables map[string]string) context.Context {
	own := session.Own(variables)
	if role == "" {
		role = own[session.RoleHeader]
	}
	return context.WithValue(ctx, scopeKey{}, &scope{session: Session{Role: role, Variables: own}, loads: &loads{}})
}

// SessionOf returns who a call is made for, from the context that the code was given.
func SessionOf(ctx context.Context) Session {
	if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
		return s.session
	}
	return Session{}
}
