package openapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/endpoint"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/openapi"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// describe is the document of one endpoint, decoded.
func describe(t *testing.T, url, method, query string) map[string]any {
	t.Helper()
	doc := metadata.Empty()
	doc.QueryCollections = []*metadata.QueryCollection{{Name: "c"}}
	doc.QueryCollections[0].Definition.Queries = []metadata.StoredQuery{{Name: "q", Query: query}}
	comment := "What it is for."
	e := &metadata.RESTEndpoint{Name: "books", URL: url, Methods: []string{method}, Comment: &comment}
	e.Definition.Query = metadata.QueryReference{Collection: "c", Query: "q"}
	doc.RESTEndpoints = []*metadata.RESTEndpoint{e}
	endpoints, problems := endpoint.Compile(doc)
	require.Empty(t, problems)
	body, err := openapi.Describe(endpoints, schema.New(schematest.Large(2), session.Admin, schema.Options{}), parse.Limits{Tokens: 1000})
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(body, &out))
	return out
}

// at follows keys and indexes into a document.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, ok := v.(map[string]any)
			require.True(t, ok, "%v of %v", s, v)
			v = m[s]
		case int:
			l, ok := v.([]any)
			require.True(t, ok, "%v of %v", s, v)
			require.Greater(t, len(l), s)
			v = l[s]
		}
	}
	return v
}

func TestParametersAndBody(t *testing.T) {
	t.Parallel()
	doc := describe(t, "books/:code/list", "POST",
		`query ($code: uuid!, $n: Int = 5, $title: String!, $where: table_0000_bool_exp!, $ids: [Int!]) {
			table_0000(where: $where, limit: $n) { id }
		}`)
	op := at(t, doc, "paths", "/api/rest/books/{code}/list", "post")
	require.Contains(t, at(t, op, "description"), "What it is for.\n***\nThe GraphQl query for this endpoint is:\n``` graphql\nquery (")
	list, ok := at(t, op, "parameters").([]any)
	require.True(t, ok)
	names := make([]any, len(list))
	for i := range list {
		names[i] = at(t, list[i], "name")
	}
	require.Equal(t, []any{"x-engine-admin-secret", "code", "n", "title"}, names, "neither lists nor objects fit into a URL")
	code := list[1]
	require.Equal(t, "path", at(t, code, "in"))
	require.Equal(t, true, at(t, code, "required"))
	require.Equal(t, `_"code" is required as part of the path_`, at(t, code, "description"))
	require.NotEmpty(t, at(t, code, "schema", "pattern"))

	require.Equal(t, true, at(t, op, "requestBody", "required"))
	properties := at(t, op, "requestBody", "content", "application/json", "schema", "properties")
	require.Equal(t, "#/components/schemas/table_0000_bool_exp!", at(t, properties, "where", "$ref"))
	require.Equal(t, "#/components/schemas/uuid!", at(t, properties, "code", "$ref"))
	require.EqualValues(t, 5, at(t, properties, "n", "default"))
	require.Equal(t, "array", at(t, properties, "ids", "type"))
	require.Equal(t, "#/components/schemas/table_0000_bool_exp", at(t, doc, "components", "schemas", "table_0000_bool_exp!", "properties", "_not", "$ref"),
		"a type that holds itself is referred to")
}

func TestListsAreNoParameters(t *testing.T) {
	t.Parallel()
	doc := describe(t, "books", "GET", `query ($ids: [Int!]) { table_0000(where: {id: {_in: $ids}}) { id } }`)
	op := at(t, doc, "paths", "/api/rest/books", "get")
	require.Len(t, at(t, op, "parameters"), 1)
	require.Nil(t, at(t, op, "requestBody"), "GET has no body")
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	doc := describe(t, "books", "GET", `query {
		all: table_0000 { ...part key: id __typename next { id } ... on table_0000 { price } ... on other { wrong } }
		table_0000_aggregate { aggregate { count } }
		__type(name: "Int") { name }
	}
	fragment part on table_0000 { title next { title } }`)
	answer := at(t, doc, "paths", "/api/rest/books", "get", "responses", "200", "content", "application/json", "schema", "properties")
	row := at(t, answer, "all", "items", "properties")
	keys, ok := row.(map[string]any)
	require.True(t, ok)
	require.Len(t, keys, 5, "title, key, __typename, next, price")
	require.Equal(t, "integer", at(t, row, "key", "type"))
	require.Equal(t, false, at(t, row, "key", "nullable"))
	require.Equal(t, "String", at(t, row, "__typename", "title"))
	require.Len(t, at(t, row, "next", "properties"), 2, "two selections of one key are merged")
	require.Equal(t, true, at(t, row, "next", "nullable"))
	require.Equal(t, "#/components/schemas/numeric", at(t, row, "price", "$ref"))
	require.Equal(t, "integer", at(t, answer, "table_0000_aggregate", "properties", "aggregate", "properties", "count", "type"))
	require.Equal(t, "__Type", at(t, answer, "__type", "title"))
}

func TestProblemsAreTold(t *testing.T) {
	t.Parallel()
	doc := describe(t, "books", "POST", `query ($x: nothing, $y: [nothing!]) { wrong table_0000 { next { bad } } }`)
	properties := at(t, doc, "paths", "/api/rest/books", "post", "requestBody", "content", "application/json", "schema", "properties")
	require.Equal(t, map[string]any{"title": "nothing", "nullable": true}, at(t, properties, "x"))
	require.Equal(t, map[string]any{"title": "nothing", "nullable": false}, at(t, properties, "y", "items"))
	text := at(t, doc, "info", "description")
	require.Contains(t, text, "\n- ⚠️ $.x: type 'nothing' not found")
	require.Contains(t, text, "\n\nEndpoint \"books\":\n- ⚠️ $.wrong: field 'wrong' not found in object 'query_root'")
	require.Contains(t, text, "\n- ⚠️ $.table_0000.next.bad: field 'bad' not found in object 'table_0001'")
}
