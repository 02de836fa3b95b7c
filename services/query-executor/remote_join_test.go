package queryexecutor

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	planenv "queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/schema"
)

// relate gives relationships to a table.
func relate(t testing.TB, e *Executor, table, relationships string) {
	t.Helper()
	next := *e.state.Load().snapshot
	document, source := *next.Document, *next.Document.Sources[0]
	source.Tables = append([]*metadata.Table(nil), source.Tables...)
	document.Sources = append([]*metadata.Source{&source}, document.Sources[1:]...)
	found := false
	for i, old := range source.Tables {
		if old.Table.Name == table {
			changed := *old
			require.NoError(t, json.Unmarshal([]byte(relationships), &changed.RemoteRelationships))
			source.Tables[i], found = &changed, true
		}
	}
	require.True(t, found)
	next.Document, next.Version = &document, next.Version+1
	e.apply(&next)
	require.Empty(t, e.state.Load().schema.Inconsistencies())
}

const twoRemotes = `[{"name":"people","definition":{},"remote_relationships":[
	{"type_name":"Person","relationships":[
		{"name":"albums","definition":{"to_source":{"source":"default","table":{"schema":"public","name":"album"},"relationship_type":"array","field_mapping":{"id":"artist_id"}}}},
		{"name":"artist","definition":{"to_source":{"source":"default","table":{"schema":"public","name":"artist"},"relationship_type":"object","field_mapping":{"id":"id","name":"name"}}}},
		{"name":"twin","definition":{"to_remote_schema":{"remote_schema":"twins","lhs_fields":["id"],"remote_field":{"person":{"arguments":{"id":"$id"}}}}}}]}]},
	{"name":"twins","definition":{"customization":{"type_names":{"prefix":"Other"},"field_names":[{"parent_type":"Query","prefix":"other_"},{"parent_type":"Mutation","prefix":"other_"},{"parent_type":"Subscription","prefix":"other_"}]}}}]`

const artistRelationships = `[
	{"name":"person","definition":{"to_remote_schema":{"remote_schema":"people","lhs_fields":["id"],"remote_field":{"person":{"arguments":{"id":"$id"}}}}}},
	{"name":"others","definition":{"remote_schema":"people","engine_fields":["id"],"remote_field":{"beings":{"arguments":{"where":{"ids":["$id"]}}}}}},
	{"name":"said","definition":{"to_remote_schema":{"remote_schema":"twins","lhs_fields":["id","name"],"remote_field":{"person":{"arguments":{"id":"$id"},"field":{"echo":{"arguments":{"text":"$name"}}}}}}}}]`

func TestRemoteJoins(t *testing.T) {
	t.Parallel()
	people, others := newRemoteServer(t), newRemoteServer(t)
	e := newRemote(t, twoRemotes, Config{}, people, others)
	relate(t, e, "artist", artistRelationships)
	for _, tt := range []struct {
		name, query, variables, want string
		people, others               []string
	}{
		{
			"from a table", `{ artist(order_by: {id: asc}, limit: 2) { name person { name boss { id } } } }`, ``,
			`{"artist":[{"name":"Kim","person":{"name":"Kim","boss":{"id":2}}},{"name":"Lou","person":{"name":"Lou","boss":null}}]}`,
			[]string{`query { f0: person(id: 1) {name boss {id}} f1: person(id: 2) {name boss {id}}}`},
			nil,
		},
		{
			"equal keys once", `{ album(where: {artist_id: {_eq: 1}}) { artist { person { __typename } } } }`, ``, ``,
			[]string{`query { f0: person(id: 1) {__typename}}`},
			nil,
		},
		{
			"arguments that are left", `query ($n: String) { artist_by_pk(id: 1) { others(where: {name: $n}) { id } } }`, `{"n":"Kim"}`,
			`{"artist_by_pk":{"others":[{"id":1}]}}`,
			[]string{`query($n: String ) { f0: beings(where: {name: $n, ids: [1]}) {id}}`},
			nil,
		},
		{
			"a variable for them", `query ($w: Filter_remote_rel_artistothers) { artist_by_pk(id: 1) { others(where: $w) { id } } }`, `{"w":{"mood":"HAPPY"}}`,
			`{"artist_by_pk":{"others":[{"id":1}]}}`,
			[]string{`query { f0: beings(where: {mood: HAPPY, ids: [1]}) {id}}`},
			nil,
		},
		{
			"two steps", `{ artist(order_by: {id: asc}, limit: 2) { said } }`, ``, `{"artist":[{"said":"Kim"},{"said":"Lou"}]}`,
			nil,
			[]string{`query { f0: person(id: 1) {echo(text: "Kim")} f1: person(id: 2) {echo(text: "Lou")}}`},
		},
		{
			"to a table", `{ person(id: 1) { n: name a: artist { name } albums(order_by: {id: asc}, limit: 1) { title } albums_aggregate { aggregate { count } } } }`, ``, ``,
			[]string{`query {person(id: 1) {n: name a: id __engine_internal_key_1: name albums: id albums_aggregate: id}}`},
			nil,
		},
		{
			"to another remote, and back to the table", `{ beings { name ... on Person { twin { t: __typename name } artist { person { id } } } } }`, ``,
			`{"beings":[{"name":"Kim","twin":{"t":"OtherPerson","name":"Kim"},"artist":{"person":{"id":1}}},` +
				`{"name":"Lou","twin":{"t":"OtherPerson","name":"Lou"},"artist":{"person":{"id":2}}},{"name":"R2"}]}`,
			[]string{`query {beings {name ... on Person {__engine_internal_key_1: id __engine_internal_key_2: id __engine_internal_key_3: name}}}`, `query { f0: person(id: 1) {id} f1: person(id: 2) {id}}`},
			[]string{`query { f0: person(id: 1) {t: __typename name} f1: person(id: 2) {t: __typename name}}`},
		},
	} {
		r := fetch(t, e, "admin", tt.query, tt.variables)
		if tt.want != "" {
			require.Equal(t, `{"data":`+tt.want+`}`, compact(t, r), tt.name)
		}
		require.Equal(t, tt.people, queriesOf(people), tt.name)
		require.Equal(t, tt.others, queriesOf(others), tt.name)
	}
	got := fetch(t, e, "admin", `{ person(id: 1) { artist { name } albums(order_by: {id: asc}, limit: 1) { artist_id } } }`, "")
	require.Equal(t, `{"data":{"person":{"artist":{"name":"Kim"},"albums":[{"artist_id":1}]}}}`, compact(t, got))
}

// TestRemoteJoinsAreDescribed: the field of a relationship has the description of the remote's field, or of its type.
func TestRemoteJoinsAreDescribed(t *testing.T) {
	t.Parallel()
	e := newRemote(t, twoRemotes, Config{}, newRemoteServer(t), newRemoteServer(t))
	relate(t, e, "artist", artistRelationships)
	got := fetch(t, e, "admin", `{ __type(name: "artist") { fields { name description } } }`, "")
	require.Contains(t, compact(t, got), `{"name":"person","description":"Somebody."}`)
	require.Contains(t, compact(t, got), `{"name":"said","description":"Spoken."}`)
}

// compact is an answer without blanks, its keys in their order.
func compact(t *testing.T, r *reply) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, r.Bytes()))
	return b.String()
}

func queriesOf(s *remoteServer) []string {
	var list []string
	for _, r := range s.asked() {
		list = append(list, r.Query)
	}
	return list
}

func TestRemoteJoinFaults(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	e := newRemote(t, twoRemotes, Config{}, server, newRemoteServer(t))
	relate(t, e, "artist", artistRelationships)
	const query = `{ artist_by_pk(id: 1) { person { id } } }`
	for _, tt := range []struct {
		body, message, internal string
		status                  int
	}{
		{`{"errors":[{"message":"no"}]}`, "Errors from remote server", `{"errors":[{"message":"no"}]}`, 400},
		{`{`, "Remote server response is not valid JSON: unexpected end of JSON input", ``, 500},
		{`{"data":null}`, `"data" field not found in remote response`, ``, 500},
		{`{"data":{}}`, "failed to lookup key 'f0' in response", ``, 500},
		{`{"data":1}`, "unexpected non-object json value found while path not empty: ", ``, 500},
	} {
		server.answerWith(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(tt.body)) })
		err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: query}, &reply{})
		got := apierror.From(err)
		require.Equal(t, []any{apierror.Unexpected, tt.message, tt.status}, []any{got.Code, got.Message, got.Status})
		if tt.internal != "" {
			require.JSONEq(t, tt.internal, string(got.InternalJSON()))
		}
	}
	err := e.explain(t.Context(), &queryv1.ExplainRequest{Session: asAdmin(), Query: query}, &reply{})
	require.Equal(t, "queries with remote relationships cannot be explained", apierror.From(err).Message)
}

// TestOneRemoteOfSeveralFails: a join that fails cancels the concurrent ones, and the caller's timeout
// cancels all of them.
func TestOneRemoteOfSeveralFails(t *testing.T) {
	t.Parallel()
	people, twins := newRemoteServer(t), newRemoteServer(t)
	e := newRemote(t, twoRemotes, Config{}, people, twins)
	relate(t, e, "artist", artistRelationships)
	asked, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	people.answerWith(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	})
	request := &queryv1.ExecuteRequest{Session: asAdmin(), Query: `{ artist { person { id } said } }`}

	twins.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		<-asked
		_, _ = w.Write([]byte(`{"errors":[{"message":"no"}]}`))
	})
	r := &reply{}
	require.Equal(t, "Errors from remote server", apierror.From(e.execute(t.Context(), request, r)).Message)
	require.Empty(t, r.String())
	<-ended

	twins.answerWith(nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	require.ErrorIs(t, e.execute(ctx, request, r), context.Canceled)
	require.Empty(t, r.String())
	<-ended
}

func TestRemoteSubscriptionsHaveNoJoins(t *testing.T) {
	t.Parallel()
	e := newRemote(t, twoRemotes, Config{}, newRemoteServer(t), newRemoteServer(t))
	for _, field := range []string{"artist { name }", "albums { title }", "albums_aggregate { aggregate { count } }", "twin { id }"} {
		op, err := parse.Parse("subscription { moods { "+field+" } }", "", parse.Limits{})
		require.NoError(t, err)
		_, err = plan.Build(op, e.state.Load().role("admin", schema.Options{}), nil, planenv.Options{Limits: planenv.DefaultLimits})
		name, _, _ := strings.Cut(field, " ")
		want := apierror.New(apierror.NotSupported, "Remote relationships are not allowed in subscriptions")
		want.Path = "$.selectionSet.moods.selectionSet." + name
		require.Equal(t, want, err)
	}
}

// TestRemoteJoinOfRoles: a role has the relationship when it sees all that the definition needs.
func TestRemoteJoinOfRoles(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	schema, err := json.Marshal(`type Query { person(id: Int! @preset(value: 7)): Person } type Person { id: Int! }`)
	require.NoError(t, err)
	e := newRemote(t, `[{"name":"people","definition":{},"permissions":[{"role":"clerk","definition":{"schema":`+string(schema)+`}}]},{"name":"twins","definition":{"customization":{"root_fields_namespace":"o","type_names":{"prefix":"O"}}}}]`, Config{}, server, newRemoteServer(t))
	relate(t, e, "artist", artistRelationships)
	got := fetch(t, e, "clerk", `{ artist(limit: 1, where: {id: {_eq: 2}}) { person { id } } }`, "")
	require.Equal(t, `{"data":{"artist":[{"person":{"id":2}}]}}`, got.String())
	require.Equal(t, []string{`query { f0: person(id: 2) {id}}`}, queriesOf(server))
	err = e.execute(t.Context(), &queryv1.ExecuteRequest{
		Session: &queryv1.Session{Role: "clerk", Variables: map[string]string{"x-engine-role": "clerk"}}, Query: `{ artist { others { id } } }`,
	}, &reply{})
	require.Equal(t, "field 'others' not found in type: 'artist'", apierror.From(err).Message)
}
