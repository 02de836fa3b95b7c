package endpoint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/endpoint"
	"queryengine/pkg/metadata"
)

// document has an endpoint for each "METHOD url", named after it, of query q.
func document(queries map[string]string, endpoints ...*metadata.RESTEndpoint) *metadata.Document {
	c := &metadata.QueryCollection{Name: "c"}
	for name, text := range queries {
		c.Definition.Queries = append(c.Definition.Queries, metadata.StoredQuery{Name: name, Query: text})
	}
	doc := metadata.Empty()
	doc.QueryCollections = []*metadata.QueryCollection{c}
	doc.RESTEndpoints = endpoints
	return doc
}

func define(url, query string, methods ...string) *metadata.RESTEndpoint {
	return &metadata.RESTEndpoint{
		Name: "at " + url, URL: url, Methods: methods,
		Definition: metadata.EndpointDefinition{Query: metadata.QueryReference{Collection: "c", Query: query}},
	}
}

var queries = map[string]string{
	"q":            "query ($id: Int!) { a(id: $id) }",
	"several":      "query a { a } query b { b }",
	"fragment":     "fragment f on t { a }",
	"subscription": "subscription { a }",
}

func TestCompile(t *testing.T) {
	t.Parallel()
	usable, problems := endpoint.Compile(document(queries, define("item/:id", "q", "GET", "POST")))
	require.Empty(t, problems)
	require.Len(t, usable, 1)
	e := usable[0]
	require.Equal(t, []endpoint.Segment{{Text: "item"}, {Text: "id", Variable: true}}, e.Path)
	require.Equal(t, "id", e.Operation.Variables[0].Name)
	require.True(t, e.Matches([]string{"item", "7"}))
	require.False(t, e.Matches([]string{"item"}))
	require.False(t, e.Matches([]string{"thing", "7"}))
	require.True(t, e.Takes("POST"))
	require.False(t, e.Takes("PUT"))
}

func TestProblems(t *testing.T) {
	t.Parallel()
	other := define("x", "q", "GET")
	other.Definition.Query.Collection = "other"
	for reason, m := range map[string]*metadata.RESTEndpoint{
		"Empty segments or unnamed variables are not allowed: a//b":                                define("a//b", "q", "GET"),
		"Empty segments or unnamed variables are not allowed: /a":                                  define("/a", "q", "GET"),
		"Empty segments or unnamed variables are not allowed: a/:":                                 define("a/:", "q", "GET"),
		"Duplicate variables found in endpoint path: :a/x/:a":                                      define(":a/x/:a", "q", "GET"),
		"Inconsistent object: in endpoint at x: collection with name other does not exist":         other,
		"Inconsistent object: in endpoint at x: query with name z does not exist in collection c":  define("x", "z", "GET"),
		"Inconsistent object: in endpoint at x: query with name several has multiple definitions.": define("x", "several", "GET"),
		"Inconsistent object: in endpoint at x: query with name fragment has no definitions.":      define("x", "fragment", "GET"),
		"Inconsistent object: in endpoint at x: query with name subscription is a subscription":    define("x", "subscription", "GET"),
	} {
		usable, problems := endpoint.Compile(document(queries, m))
		require.Empty(t, usable)
		require.Equal(t, []metadata.Inconsistency{{
			ID: m.ID(), Definition: m, Name: "rest_endpoint " + m.Name, Reason: reason, Type: "rest_endpoint",
		}}, problems)
	}
}

func TestAmbiguousPaths(t *testing.T) {
	t.Parallel()
	usable, problems := endpoint.Compile(document(queries,
		define(":a", "q", "GET"), define("b", "q", "GET", "POST"), define("c", "q", "GET"), define("d", "q", "PUT"),
		define("item/:id", "q", "GET"), define("item/:key", "q", "DELETE"), define("x/:y", "q", "GET"), define(":x/y", "q", "GET"),
	))
	var urls, reasons []string
	for _, e := range usable {
		urls = append(urls, e.Meta.URL)
	}
	for _, p := range problems {
		reasons = append(reasons, p.Reason)
	}
	require.Equal(t, []string{"d", "item/:key"}, urls)
	require.Equal(t, []string{"Ambiguous URL paths: :a, b, c", "Ambiguous URL paths: item/:id, x/:y, :x/y"}, reasons)
	require.Equal(t, []metadata.ObjectID{
		{Kind: "rest_endpoint", Name: "at :a"}, {Kind: "rest_endpoint", Name: "at b"}, {Kind: "rest_endpoint", Name: "at c"},
	}, problems[0].IDs())
	require.Equal(t, queries["q"], problems[0].Conflicts[0].Definition.Query)
}
