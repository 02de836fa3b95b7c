package wire

import (
	"context"
	"encoding/json"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/session"
)

// Commands that give triggers the session variables and the trace, for the transaction or, where the
// last parameter is false, for the session. They read it with current_setting.
const (
	sqlSetUser  = "SELECT pg_catalog.set_config('engine.user', $1, $2::pg_catalog.bool)"
	sqlSetTrace = "SELECT pg_catalog.set_config('engine.tracecontext', $1, $2::pg_catalog.bool)"
	sqlSetBoth  = "SELECT pg_catalog.set_config('engine.user', $1, $3::pg_catalog.bool), " +
		"pg_catalog.set_config('engine.tracecontext', $2, $3::pg_catalog.bool)"
)

// Announce is the command that gives triggers the session and its trace; local limits it to the
// transaction. ok is false when there is nothing to pass.
func Announce(ctx context.Context, user *session.Session, local bool) (c Command, ok bool) {
	scope := []byte("false")
	if local {
		scope = []byte("true")
	}
	switch traced := traceContext(ctx); {
	case user == nil && traced == nil:
		return Command{}, false
	case traced == nil:
		return Command{SQL: alsoForVendor(sqlSetUser, "$2"), Values: [][]byte{user.JSON(), scope}, OneRow: true}, true
	case user == nil:
		return Command{SQL: sqlSetTrace, Values: [][]byte{traced, scope}, OneRow: true}, true
	default:
		return Command{SQL: alsoForVendor(sqlSetBoth, "$3"), Values: [][]byte{user.JSON(), traced, scope}, OneRow: true}, true
	}
}

// alsoForVendor adds the setting of another engine, which triggers were written for, to a command that
// sets engine.user. scope is its parameter for the duration.
func alsoForVendor(sql, scope string) string {
	vendor := session.Vendor()
	if vendor == "" {
		return sql
	}
	return sql + ", pg_catalog.set_config('" + vendor + ".user', $1, " + scope + "::pg_catalog.bool)" // a plain word
}

// traceContext is the trace that ctx belongs to, as event triggers store it; nil for none.
func traceContext(ctx context.Context) []byte {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return nil
	}
	sampled := "0"
	if span.IsSampled() {
		sampled = "1"
	}
	text, _ := json.Marshal(struct { // texts always encode
		TraceID  string `json:"trace_id"`
		SpanID   string `json:"span_id"`
		Sampling string `json:"sampling_state"`
	}{span.TraceID().String(), span.SpanID().String(), sampled})
	return text
}
