package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

func TestAllowlist(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{EnableAllowlist: true})
	next := *e.state.Load().snapshot
	next.Version++
	doc := *next.Document
	doc.QueryCollections = []*metadata.QueryCollection{{Name: "c", Definition: metadata.CollectionDefinition{
		Queries: []metadata.StoredQuery{{Name: "q", Query: `{ __typename nothing }`}},
	}}}
	doc.Allowlist = []*metadata.AllowlistEntry{{Collection: "c", Scope: metadata.AllowlistScope{Roles: []string{"guest"}}}}
	next.Document = &doc
	const refused = `{"code":"validation-failed","error":"query is not allowed","path":"$"}`
	ask := func(role, text string) string {
		return string(answer(t, e, &request{session: &session.Session{Role: role}, text: text}))
	}
	require.JSONEq(t, refused, ask("guest", `{ nothing }`))
	e.apply(&next)
	// Whether a listed query suits the schema is found out afterwards.
	require.Contains(t, ask("guest", `{ nothing }`), "field 'nothing' not found")
	require.JSONEq(t, refused, ask("guest", `{ other }`))
	require.JSONEq(t, refused, ask("clerk", `{ nothing }`))
	require.Contains(t, ask("guest", `{ `), "not a valid graphql query")
	require.JSONEq(t, `{"data":{"__typename":"query_root"}}`, ask(session.Admin, `{ __typename }`))
}
