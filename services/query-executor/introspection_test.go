package queryexecutor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
)

// TestIntrospectionIsSwitchedOff holds that a role loses introspection with the change of the
// metadata that says so, also for operations whose plans are there already, and that no other
// role does.
func TestIntrospectionIsSwitchedOff(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	ask := func(role, query string) string {
		s := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}
		return string(answer(t, e, &request{session: s, text: query}))
	}
	const mixed = `{ album(limit: 0) { id } __schema { queryType { name } } }`
	const all = `{"data":{"album":[],"__schema":{"queryType":{"name":"query_root"}}}}`
	require.JSONEq(t, all, ask("clerk", mixed))

	old := e.state.Load().snapshot
	doc := *old.Document
	doc.Introspection = json.RawMessage(`{"disabled_for_roles":["clerk"]}`)
	e.apply(&snapshot.Snapshot{Version: old.Version + 1, Document: &doc, Catalogs: old.Catalogs})

	const refused = `{"code":"not-supported","path":"$","error":"introspection is disabled for role: \"clerk\""}`
	require.JSONEq(t, refused, ask("clerk", mixed))
	require.JSONEq(t, refused, ask("clerk", `{ __type(name: "album") { name } }`))
	require.JSONEq(t, `{"data":{"__typename":"query_root","album":[]}}`, ask("clerk", `{ __typename album(limit: 0) { id } }`))
	require.JSONEq(t, all, ask(session.Admin, mixed))

	e.apply(&snapshot.Snapshot{Version: old.Version + 2, Document: old.Document, Catalogs: old.Catalogs})
	require.JSONEq(t, all, ask("clerk", mixed))
}
