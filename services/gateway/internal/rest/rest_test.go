package rest_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/services/gateway/internal/rest"
)

// document has endpoints, "METHOD,METHOD url" each, of one query.
func document(query string, endpoints ...string) *metadata.Document {
	doc := metadata.Empty()
	doc.QueryCollections = []*metadata.QueryCollection{{
		Name: "c", Definition: metadata.CollectionDefinition{Queries: []metadata.StoredQuery{{Name: "q", Query: query}}},
	}}
	for _, text := range endpoints {
		methods, url, _ := strings.Cut(text, " ")
		doc.RESTEndpoints = append(doc.RESTEndpoints, &metadata.RESTEndpoint{
			Name: text, URL: url, Methods: strings.Split(methods, ","),
			Definition: metadata.EndpointDefinition{Query: metadata.QueryReference{Collection: "c", Query: "q"}},
		})
	}
	return doc
}

func TestFind(t *testing.T) {
	t.Parallel()
	routes := rest.New(document("query ($id: Int) { a(id: $id) }",
		"GET item", "PATCH,POST item", "GET item/:id", "DELETE item/:key", "GET :same", "GET x/:same/y"))
	m, err := routes.Find("POST", []string{"item"})
	require.NoError(t, err)
	require.Equal(t, "PATCH,POST item", m.Meta.Name)
	m, err = routes.Find("DELETE", []string{"item", "a/b"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"key": "a/b"}, m.PathValues)
	for _, c := range []struct {
		method, path string
		code         apierror.Code
		status       int
		message      string
	}{
		{"GET", "nothing/here/at/all", apierror.NotFound, 404, "Endpoint not found"},
		{"GET", "", apierror.NotFound, 404, "Endpoint not found"},
		{"GET", "item", apierror.MethodNotAllowed, 405, "Allowed methods: POST, PATCH"}, // the others are ambiguous
		{"PUT", "item/7", apierror.MethodNotAllowed, 405, "Allowed methods: GET, DELETE"},
		{"HEAD", "item", apierror.BadRequest, 400, "Method HEAD not supported."},
		{"BREW", "item", apierror.BadRequest, 400, "Nonstandard method not allowed for REST endpoints"},
	} {
		_, err := routes.Find(c.method, strings.Split(c.path, "/"))
		e := apierror.From(err)
		require.Equal(t, c.code, e.Code, "%s %s", c.method, c.path)
		require.Equal(t, c.status, e.Status)
		require.Equal(t, c.message, e.Message)
		require.Equal(t, "$", e.Path)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	var cache rest.Cache
	first := document("{ a }", "GET a")
	compiled := cache.Of(first)
	require.Same(t, compiled, cache.Of(first), "compiled once")
	grown := *first
	grown.RESTEndpoints = append(grown.RESTEndpoints, document("{ a }", "GET b").RESTEndpoints...)
	_, err := cache.Of(&grown).Find("GET", []string{"b"})
	require.NoError(t, err)
	same := grown
	_, err = cache.Of(&same).Find("GET", []string{"b"})
	require.NoError(t, err)
	_, err = cache.Of(first).Find("GET", []string{"b"})
	require.ErrorContains(t, err, "Endpoint not found")
}

const query = `query ($id: uuid!, $n: Int, $b: Boolean!, $list: [Int!], $t: String, $f: float8, $d: date!) { a }`

func TestVariables(t *testing.T) {
	t.Parallel()
	routes := rest.New(document(query, "GET a/:id", "GET b"))
	for _, c := range []struct{ path, parameters, body, want string }{
		{path: "a/7", want: `{"id":"7"}`},
		{path: "a/7", parameters: "id=8&n=1", body: `{"id":9}`, want: `{"id":"7","n":1}`},
		{path: "b", parameters: "id=8&n=1", body: `{"id":9,"n":"x"}`, want: `{"id":9,"n":"x"}`},
		{path: "b", parameters: "n=-12.5e3&f=1", want: `{"n":-12.5e3,"f":1}`},
		{path: "b", parameters: "n=x&f=%201&d=1", want: `{"n":"x","f":" 1","d":"1"}`},
		{path: "b", parameters: "b", want: `{"b":true}`},
		{path: "b", parameters: "b=false", want: `{"b":false}`},
		{path: "b", parameters: "b=no", want: `{"b":"no"}`},
		{path: "b", parameters: "n=&t=&d=", want: `{"d":""}`},
		{path: "b", parameters: "t=a%22b", want: `{"t":"a\"b"}`},
		{path: "b", parameters: "a-b=1&1=2&%22=3", body: `{"":1}`, want: `{}`},
		{path: "b", body: `{"list":[1, 2],"t":null}`, want: `{"list":[1, 2],"t":null}`},
		{path: "b", body: `[1]`, want: `{}`},
		{path: "b", body: `{"n":`, want: `{}`},
	} {
		got, err := variables(t, routes, c.path, c.parameters, c.body)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
	}
	for _, c := range []struct{ parameters, body, want string }{
		{parameters: "y=1&x=1", want: `Unexpected variable x`},
		{body: `{"z":null}`, want: `Unexpected variable z`},
		{parameters: "list=1", want: `List variables are not currently supported in URL or Query parameters. (Variable list, with value "1")`},
		{parameters: "n=1&n=2", want: `List variables are not currently supported in URL or Query parameters. (Variable n, with value ["1","2"])`},
	} {
		_, err := variables(t, routes, "b", c.parameters, c.body)
		e := apierror.From(err)
		require.Equal(t, apierror.BadRequest, e.Code)
		require.Equal(t, 400, e.Status)
		require.Equal(t, c.want, e.Message)
	}
}

func variables(t *testing.T, routes *rest.Routes, path, parameters, body string) ([]byte, error) {
	t.Helper()
	m, err := routes.Find("GET", strings.Split(path, "/"))
	require.NoError(t, err)
	values, err := url.ParseQuery(parameters)
	require.NoError(t, err)
	return m.Variables(values, []byte(body))
}

func TestDocumentsOfCollectionsAreFound(t *testing.T) {
	t.Parallel()
	doc := document("query ($id: Int) { a(id: $id) }", "POST x/:y")
	doc.QueryCollections = append(doc.QueryCollections, &metadata.QueryCollection{Name: "web@1", REST: true, Definition: metadata.CollectionDefinition{
		Queries: []metadata.StoredQuery{{Name: "a/b", Query: "{ a }"}, {Name: "m", Query: "mutation { a }"}},
	}})
	var cache rest.Cache
	for _, of := range []*metadata.Document{doc, {QueryCollections: doc.QueryCollections, RESTEndpoints: doc.RESTEndpoints}} {
		routes := cache.Of(of)
		m, err := routes.Find("GET", []string{"web@1", "a/b"})
		require.NoError(t, err)
		require.Equal(t, "{ a }", m.Query)
		_, err = routes.Find("GET", []string{"web@1", "m"})
		require.ErrorContains(t, err, "Allowed methods: POST")
		_, err = routes.Find("POST", []string{"web@1", "other"})
		require.ErrorContains(t, err, "Endpoint not found")
		_, err = routes.Find("POST", []string{"x", "m"})
		require.NoError(t, err)
	}
}
