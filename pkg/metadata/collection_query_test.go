package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

const documentWithQueries = `{"version":3,"sources":[],
	"query_collections":[
		{"name":"app","definition":{"queries":[{"name":"a","query":"{a}"},{"name":"b","query":"{b}"}]}},
		{"name":"other","definition":{"queries":[{"name":"a","query":"{a}"}]}}],
	"allowlist":[{"collection":"app"}],
	"rest_endpoints":[
		{"name":"one","url":"one","methods":["GET"],"definition":{"query":{"collection_name":"app","query_name":"a"}},"comment":null},
		{"name":"two","url":"two","methods":["GET"],"definition":{"query":{"collection_name":"app","query_name":"a"}},"comment":null}]}`

func TestInvalidQuerySaysWhoUsesIt(t *testing.T) {
	t.Parallel()
	doc, err := metadata.Parse(json.RawMessage(documentWithQueries), nil, backends())
	require.NoError(t, err)
	queries := doc.CollectionQueries()
	require.Len(t, queries, 3)
	const start = "Inconsistent object: In query collection "
	for i, want := range []string{
		start + `"app" the query "a" is invalid with the following error(s): "no a"` +
			` This query is being used in the following REST endpoint(s): "one", "two". This query is in allowlist.`,
		start + `"app" the query "b" is invalid with the following error(s): "no b" This query is in allowlist.`,
		start + `"other" the query "a" is invalid with the following error(s): "no a"`,
	} {
		require.Equal(t, want, doc.InvalidQuery(queries[i], "no "+queries[i].Name).Reason)
	}
}

// TestInvalidQueriesOfADocument: those that a snapshot holds are known again, as long as the
// query is what it was.
func TestInvalidQueriesOfADocument(t *testing.T) {
	t.Parallel()
	doc, err := metadata.Parse(json.RawMessage(documentWithQueries), nil, backends())
	require.NoError(t, err)
	query := doc.CollectionQueries()[1]
	invalid := doc.InvalidQuery(query, "no b")
	table := metadata.Inconsistency{ID: metadata.ObjectID{Kind: metadata.ObjectTable, Name: "t"}, Type: metadata.ObjectTable, Name: "table t"}

	decoded := invalid
	decoded.ID = metadata.ObjectID{}
	decoded.Definition = json.RawMessage(`{"name":"b","query":"{b}"}`)
	other := decoded
	other.Definition = json.RawMessage(`{"name":"b","query":"{c}"}`)
	gone := doc.InvalidQuery(metadata.CollectionQuery{Collection: "none", StoredQuery: query.StoredQuery}, "no b")

	known := doc.InvalidQueries([]metadata.Inconsistency{table, decoded, other, gone})
	require.Len(t, known, 1)
	require.Equal(t, invalid.ID, known[0].ID)
	require.Equal(t, invalid.Reason, known[0].Reason)
	require.Empty(t, doc.InvalidQueries([]metadata.Inconsistency{table}))
}

func TestWithoutQueries(t *testing.T) {
	t.Parallel()
	const other = `{"name":"other","definition":{"queries":[{"name":"a","query":"{a}"}]}}`
	id := func(name string) metadata.ObjectID {
		return metadata.ObjectID{Kind: metadata.ObjectCollectionQuery, Source: "app", Name: name}
	}
	for name, c := range map[string]struct {
		gone []metadata.ObjectID
		want string
	}{
		"its endpoints go": {
			[]metadata.ObjectID{id("a")},
			`{"version":3,"sources":[],"query_collections":[{"name":"app","definition":{"queries":[{"name":"b","query":"{b}"}]}},` + other + `],
			  "allowlist":[{"collection":"app","scope":{"global":true}}]}`,
		},
		"an empty collection goes": {
			[]metadata.ObjectID{id("a"), id("b")}, `{"version":3,"sources":[],"query_collections":[` + other + `]}`,
		},
		"unknown": {
			[]metadata.ObjectID{id("a"), id("b"), id("c"), id("a")}, `{"version":3,"sources":[],"query_collections":[` + other + `]}`,
		},
	} {
		doc, err := metadata.Parse(json.RawMessage(documentWithQueries), nil, backends())
		require.NoError(t, err)
		raw, err := metadata.Encode(doc.Without(c.gone...))
		require.NoError(t, err)
		require.JSONEq(t, c.want, string(raw), name)
	}
}
