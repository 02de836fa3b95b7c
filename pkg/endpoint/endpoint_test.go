package endpoint_test

import (
	"fmt"
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

// TestCollectionsOfEndpoints: a document with one operation is an endpoint, and one that another endpoint's path fits is served by neither.
func TestCollectionsOfEndpoints(t *testing.T) {
	t.Parallel()
	doc := document(queries, define("c/m", "q", "GET"), define(":any/w", "q", "POST"))
	doc.QueryCollections[0].Definition.Queries = append(doc.QueryCollections[0].Definition.Queries,
		metadata.StoredQuery{Name: "m", Query: "mutation { a }"}, metadata.StoredQuery{Name: "w", Query: "mutation { b }"}, metadata.StoredQuery{Name: "a/{b}", Query: "{ a }"})
	usable, problems := endpoint.Compile(doc)
	require.Len(t, usable, 2, "the collection offers nothing")
	require.Empty(t, problems)
	doc.QueryCollections[0].REST = true
	usable, problems = endpoint.Compile(doc)
	methods := map[string][]string{}
	for _, e := range usable {
		if e.Derived {
			methods[e.Meta.URL] = e.Meta.Methods
		}
	}
	require.Equal(t, map[string][]string{"c/q": {"GET", "POST"}, "c/m": {"POST"}, "c/a%2F%7Bb%7D": {"GET", "POST"}}, methods)
	require.Len(t, problems, 1)
	require.Equal(t, "Ambiguous URL paths: :any/w, c/w", problems[0].Reason)
}

// BenchmarkCompile is a collection of many documents that are endpoints, next to some endpoints.
func BenchmarkCompile(b *testing.B) {
	doc := document(queries, define("x/:id", "q", "GET"), define(":x/y", "q", "PUT"))
	doc.QueryCollections[0].REST = true
	for i := range 10_000 {
		doc.QueryCollections[0].Definition.Queries = append(doc.QueryCollections[0].Definition.Queries,
			metadata.StoredQuery{Name: fmt.Sprint("q", i), Query: "query ($id: Int!) { a(id: $id) { b } }"})
	}
	for b.Loop() {
		usable, _ := endpoint.Compile(doc)
		require.Greater(b, len(usable), 10_000)
	}
}
