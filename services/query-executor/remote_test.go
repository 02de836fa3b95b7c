package queryexecutor

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	queryv1 "queryengine/proto/query/v1"
)

// newRemote is an executor of a database and the remote schemas of a JSON list, whose addresses are the
// servers' in turn.
func newRemote(t testing.TB, schemas string, c Config, servers ...*remoteServer) *Executor {
	t.Helper()
	c.Egress = egress.DefaultConfig()
	e := newFixture(t, "testdata/cases/shop", c)
	e.resolveOptions.RemoteSchemaPermissions = true
	next := *e.state.Load().snapshot
	document := *next.Document
	require.NoError(t, json.Unmarshal([]byte(schemas), &document.RemoteSchemas))
	next.Document, next.Remotes = &document, map[string]json.RawMessage{}
	for i, s := range document.RemoteSchemas {
		s.Definition.URL = &servers[i].URL
		next.Remotes[s.Name] = servers[i].introspection(t)
	}
	next.Version++
	e.apply(&next)
	require.Empty(t, e.state.Load().schema.Inconsistencies())
	return e
}

const plainRemote = `[{"name":"people","definition":{}}]`

func TestRemoteFields(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	e := newRemote(t, plainRemote, Config{}, server)
	for _, tt := range []struct{ name, query, variables, want, asked string }{
		{"scalar", `{ hello }`, ``, `{"hello":"Hello world"}`, `query {hello}`},
		{
			"arguments and aliases", `query Q($n: Int!) { a: person(id: $n) { n: name id __typename } }`, `{"n":1}`,
			`{"a":{"n":"Kim","id":1,"__typename":"Person"}}`, `query Q($n: Int!){a: person(id: $n) {n: name id __typename}}`,
		},
		{"a literal", `{ hello(to: "\"\n\u0001") }`, ``, `{"hello":"Hello \"\n\u0001"}`, `query {hello(to: "\"\n\u0001")}`},
		{
			"an input object", `query ($i: [Int!]) { beings(where: {ids: $i, mood: SAD}) { name } }`, `{"i":[1,2]}`, `{"beings":[{"name":"Lou"}]}`,
			`query ($i: [Int!]){beings(where: {ids: $i, mood: SAD}) {name}}`,
		},
		{
			"a variable for an object", `query ($f: Filter) { beings(where: $f) { name } }`, `{"f":{"mood":"SAD"}}`,
			`{"beings":[{"name":"Lou"}]}`, `query ($f: Filter){beings(where: $f) {name}}`,
		},
		{
			"an interface", `{ beings { ... on Robot { model } name ... on Person { id } } }`, ``,
			`{"beings":[{"name":"Kim","id":1},{"name":"Lou","id":2},{"model":"astromech","name":"R2"}]}`,
			`query {beings {... on Robot {model name} ... on Person {name id}}}`,
		},
		{
			"part of an interface", `{ beings { name ... on Robot { model } } }`, ``,
			`{"beings":[{"name":"Kim"},{"name":"Lou"},{"name":"R2","model":"astromech"}]}`,
			`query {beings {name ... on Robot {model}}}`,
		},
		{
			"a union", `{ things(where: {ids: [1, 3]}) { __typename ... on Person { boss { name } } ...model } } fragment model on Robot { model }`, ``,
			`{"things":[{"__typename":"Person","boss":{"name":"Lou"}},{"__typename":"Robot","model":"astromech"}]}`,
			`query {things(where: {ids: [1, 3]}) {... on Robot {__typename model} ... on Person {__typename boss {name}}}}`,
		},
		{"nothing of a union", `{ things(where: {ids: 1}) { ... on Robot { model } } }`, ``, `{"things":[{}]}`, ``},
		{"directives", `query ($y: Boolean!) { hello person(id: 1) @skip(if: $y) { id } }`, `{"y":true}`, `{"hello":"Hello world"}`, `query {hello}`},
		{"next to a database", `{ artist_by_pk(id: 1) { name } hello }`, ``, `{"artist_by_pk":{"name":"Kim"},"hello":"Hello world"}`, `query {hello}`},
		{"a mutation", `mutation { greet(to: "you") again: greet(to: "me") }`, ``, `{"greet":"Hi you","again":"Hi me"}`, `mutation {greet(to: "you")}`},
	} {
		server.asked()
		r := fetch(t, e, "admin", tt.query, tt.variables)
		if tt.want != "" {
			require.Equal(t, `{"data":`+tt.want+`}`, r.String(), tt.name)
		}
		asked := server.asked()
		require.NotEmpty(t, asked, tt.name)
		if tt.asked != "" {
			require.Equal(t, tt.asked, asked[0].Query, tt.name)
		}
		require.Equal(t, "taste=sweet", r.headers["Set-Cookie"], tt.name)
	}
}

func TestRemoteFaultsOfTheClient(t *testing.T) {
	t.Parallel()
	e := newRemote(t, plainRemote, Config{}, newRemoteServer(t))
	for _, tt := range []struct{ query, variables, path, message string }{
		{`{ person(foo: 1) { id } }`, ``, "$.selectionSet.person", "'person' has no argument named 'foo'"},
		{`{ person { id } }`, ``, "$.selectionSet.person.args.id", "missing required field 'id'"},
		{`{ person(id: 1) }`, ``, "$.selectionSet.person.selectionSet", "missing selection set for 'Person'"},
		{`{ hello { a } }`, ``, "$.selectionSet.hello", "unexpected subselection set for non-object field"},
		{`{ person(id: 1) { x } }`, ``, "$.selectionSet.person.selectionSet.x", "field 'x' not found in type: 'Person'"},
		{`{ beings { x } }`, ``, "$.selectionSet.beings.selectionSet.x", "field 'x' not found in type: 'Robot'"},
		{`{ beings { name ... on Person { x } } }`, ``, "$.selectionSet.beings.selectionSet.x", "field 'x' not found in type: 'Person'"},
		{`{ beings }`, ``, "$.selectionSet.beings.selectionSet", "missing selection set for 'Being'"},
		{`{ beings(where: {x: 1}) { id } }`, ``, "$.selectionSet.beings.args.where.x", "field 'x' not found in type: 'Filter'"},
		{`{ beings(where: {mood: ANGRY}) { id } }`, ``, "$.selectionSet.beings.args.where.mood", "expected one of the values ['HAPPY', 'SAD'] for type 'Mood', but found 'ANGRY'"},
		{`query ($f: Filter) { beings(where: $f) { id } }`, `{"f":{"mood":"ANGRY"}}`, "$.selectionSet.beings.args.where.mood", "expected one of the values ['HAPPY', 'SAD'] for type 'Mood', but found 'ANGRY'"},
		{`query ($f: Filter) { beings(where: $f) { id } }`, `{"f":[]}`, "$.selectionSet.beings.args.where", "expected an object for type 'Filter', but found a list"},
		{`query ($f: String) { person(id: $f) { id } }`, ``, "$.selectionSet.person.args.id", "variable 'f' is declared as 'String', but used where 'Int!' is expected"},
	} {
		err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: tt.query, Variables: []byte(tt.variables)}, &reply{})
		got := apierror.From(err)
		message := strings.Replace(got.Message, "'SAD', 'HAPPY'", "'HAPPY', 'SAD'", 1) // the remote has no order
		require.Equal(t, []string{"validation-failed", tt.path, tt.message}, []string{string(got.Code), got.Path, message}, tt.query)
	}
}

func asAdmin() *queryv1.Session {
	return &queryv1.Session{Role: "admin", Variables: map[string]string{"x-engine-role": "admin"}}
}

func TestRemoteCustomization(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	e := newRemote(t, `[{"name":"people","definition":{"customization":{"root_fields_namespace":"crm",
		"type_names":{"prefix":"Crm","mapping":{"Robot":"Machine"}},
		"field_names":[{"parent_type":"Person","mapping":{"mood":"feeling"}},{"parent_type":"Query","prefix":"get_"}]}}}]`, Config{}, server)
	got := fetch(t, e, "admin", `query ($f: CrmFilter) { crm { get_beings(where: $f) { __typename ... on CrmPerson { feeling } ... on Machine { t: __typename } } __typename } __typename }`,
		`{"f":{"ids":[1,3]}}`)
	require.Equal(t, `{"data":{"crm":{"get_beings":[{"__typename":"CrmPerson","feeling":"HAPPY"},{"__typename":"Machine","t":"Machine"}],`+
		`"__typename":"crmQuery"},"__typename":"query_root"}}`, got.String())
	require.Equal(t, `query ($f: Filter){get_beings: beings(where: $f) {... on Robot {__typename t: __typename} ... on Person {__typename feeling: mood}}}`,
		server.asked()[0].Query)
	got = fetch(t, e, "admin", `{ __type(name: "CrmBeing") { kind possibleTypes { name } } }`, "")
	require.Equal(t, `{"data":{"__type":{"kind":"INTERFACE","possibleTypes":[{"name":"CrmPerson"},{"name":"Machine"}]}}}`, got.String())
}

func TestRemotePresets(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	schema, err := json.Marshal(`type Query { hello(to: String = "world" @preset(value: "x-engine-name")): String beings(where: Filter): [Being] }
		interface Being { id: Int! } type Person implements Being { id: Int! echo(text: String @preset(value: "x-engine-name", static: true)): String }
		input Filter { ids: [Int!] mood: Mood @preset(value: "x-engine-mood") } enum Mood { HAPPY }`)
	require.NoError(t, err)
	e := newRemote(t, `[{"name":"people","definition":{},"permissions":[{"role":"guest","definition":{"schema":`+string(schema)+`}}]}]`, Config{}, server)
	got := fetch(t, e, "guest", `{ hello }`, "", "x-engine-name", "Kim")
	require.Equal(t, `{"data":{"hello":"Hello Kim"}}`, got.String())
	require.Equal(t, `query ($x_engine_name: String!){hello(to: $x_engine_name)}`, server.asked()[0].Query)

	// A variable of the client's can't take the place of a preset.
	got = fetch(t, e, "guest", `query ($x_engine_mood: Int!, $f: Filter) { beings(where: $f) { ... on Person { echo id } } a: beings(where: {ids: [$x_engine_mood]}) { id } }`,
		`{"x_engine_mood":2,"f":{"ids":[1,2]}}`, "x-engine-mood", "HAPPY")
	require.Equal(t, `{"data":{"beings":[{"echo":"x-engine-name","id":1}],"a":[]}}`, got.String())
	var queries []string
	for _, r := range server.asked() {
		queries = append(queries, r.Query)
	}
	require.ElementsMatch(t, []string{
		`query ($engine_json_var_1: [Int!], $x_engine_mood: Mood!){beings(where: {ids: $engine_json_var_1, mood: $x_engine_mood}) {... on Person {echo(text: "x-engine-name") id}}}`,
		`query ($_x_engine_mood: Int!, $x_engine_mood: Mood!){a: beings(where: {ids: [$_x_engine_mood], mood: $x_engine_mood}) {id}}`,
	}, queries)

	for _, tt := range []struct{ query, mood, code, message string }{
		{`{ hello }`, "HAPPY", "not-found", `"x-engine-name" session variable expected, but not found`},
		{`{ beings(where: {}) { id } }`, "ANGRY", "coercion-error", `"ANGRY" is not one of the valid enum values`},
		{`{ person(id: 1) { id } }`, "HAPPY", "validation-failed", `field 'person' not found in type: 'query_root'`},
	} {
		s := &queryv1.Session{Role: "guest", Variables: map[string]string{"x-engine-role": "guest", "x-engine-mood": tt.mood}}
		err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: s, Query: tt.query}, &reply{})
		require.Equal(t, []string{tt.code, tt.message}, []string{string(apierror.From(err).Code), apierror.From(err).Message})
	}
}

func TestRemoteHeaders(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	e := newRemote(t, `[{"name":"people","definition":{"forward_client_headers":true,"headers":[{"name":"x-engine-b","value":"configured"},{"name":"content-type","value":"text/plain"}]}}]`, Config{}, server)
	err := e.execute(t.Context(), &queryv1.ExecuteRequest{
		Session: &queryv1.Session{Role: "admin", Variables: map[string]string{"x-engine-role": "admin", "x-engine-a": "1", "x-engine-b": "2"}},
		Query:   `{ hello }`, RequestId: "r1",
		ClientHeaders: map[string]string{"x-mine": "yes", "x-engine-c": "no", "host": "h", "cookie": "c=1", "user-agent": "me"},
	}, &reply{})
	require.NoError(t, err)
	h := server.asked()[0].header
	for name, want := range map[string]string{
		"X-Engine-A": "1", "X-Engine-B": "configured", "X-Engine-C": "", "X-Engine-Role": "admin", "X-Mine": "yes", "Cookie": "c=1",
		"X-Forwarded-Host": "h", "X-Forwarded-User-Agent": "me", "Content-Type": "application/json", "X-Request-Id": "r1",
		"User-Agent": egress.DefaultUserAgent,
	} {
		require.Equal(t, want, h.Get(name), name)
	}
}

func TestRemoteAnswers(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	e := newRemote(t, plainRemote, Config{}, server)
	first := newRemote(t, plainRemote, Config{RemoteDataFirst: true}, server)
	const query = `{ person(id: 1) { id name } }`
	for _, tt := range []struct{ body, want, fault string }{
		{`{"data":{"person":{"name":"b","x":1,"id":1}},"extensions":{}}`, `{"data":{"person":{"id":1,"name":"b"}}}`, ``},
		{`{"data":{"person":null}}`, `{"data":{"person":null}}`, ``},
		{`{"errors":[{"message":"no","locations":[]}]}`, `{"data":null,"errors":[{"message":"no","locations":[]}]}`, ``},
		{`{"data":{"person":null},"errors":[{"message":"no"}]}`, `{"data":null,"errors":[{"message":"no"}]}`, ``},
		{`{"data":null,"errors":[1]}`, `{"data":null,"errors":[1]}`, ``},
		{`{"errors":[]}`, ``, `Empty "errors" field in response from remote`},
		{`{"errors":{}}`, ``, `Invalid "errors" field in response from remote`},
		{`{}`, ``, `Missing "data" field with no errors in response from remote`},
		{`{"data":null}`, ``, `Received null "data" field with no errors in response from remote`},
		{`{"data":{}}`, ``, `expecting key person`},
		{`{"data":`, ``, `Error in $: unexpected end of JSON input`},
		{`{"data":{"person":{"id":tru}}}`, ``, `Error in $: not valid JSON`},
		{`{"data":{"person":{"id":01}}}`, ``, `Error in $: not valid JSON`},
		{`{"data":{"person":{"id":"\x"}}}`, ``, `Error in $: not valid JSON`},
		{`<html>`, ``, `Error in $: invalid character '<' looking for beginning of value`},
	} {
		server.answerWith(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte(tt.body))
		})
		r := &reply{}
		err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: query}, r)
		if tt.fault == "" {
			require.NoError(t, err)
			require.Equal(t, tt.want, r.String())
			continue
		}
		require.Equal(t, []string{"remote-schema-error", "$", tt.fault}, []string{string(apierror.From(err).Code), apierror.From(err).Path, apierror.From(err).Message})
	}
	server.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":{"person":null},"errors":[{"message":"no"}]}`))
	})
	require.Equal(t, `{"data":{"person":null}}`, fetch(t, first, "admin", query, "").String())
}

func TestRemoteExplain(t *testing.T) {
	t.Parallel()
	e := newRemote(t, plainRemote, Config{}, newRemoteServer(t))
	err := e.explain(t.Context(), &queryv1.ExplainRequest{Session: asAdmin(), Query: `{ hello }`}, &reply{})
	require.Equal(t, "only engine queries can be explained", apierror.From(err).Message)
}

// TestRemotePlansAreKept: a plan is good as long as the remote schema is the same.
func TestRemotePlansAreKept(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	e := newRemote(t, plainRemote, Config{RemoteSkipNulls: true}, server)
	ask := func(variables string) string {
		fetch(t, e, "admin", `query ($to: String) { hello(to: $to) }`, variables)
		return server.asked()[0].Query
	}
	require.Equal(t, `query ($to: String){hello(to: $to)}`, ask(`{"to":"a"}`))
	require.Equal(t, `query {hello}`, ask(`{"to":null}`))
	next := *e.state.Load().snapshot
	document := *next.Document
	changed := *document.RemoteSchemas[0]
	changed.Definition.Customization = &metadata.RemoteCustomization{RootFieldsNamespace: "ns"}
	document.RemoteSchemas = []*metadata.RemoteSchema{&changed}
	next.Document, next.Version = &document, next.Version+1
	e.apply(&next)
	err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: `query ($to: String) { hello(to: $to) }`}, &reply{})
	require.Equal(t, "field 'hello' not found in type: 'query_root'", apierror.From(err).Message)
}
