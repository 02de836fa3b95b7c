package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
)

const someCall = `"5bb92e20-2ee1-4d19-8c0a-6b1c6fdd4b3c"`

func TestAsynchronousActionsInSchemas(t *testing.T) {
	t.Parallel()
	e, _ := newActions(t, "[Flat!]!", `,"kind":"asynchronous"`, "porter")
	const typ = `{ name args { name type { name ofType { name } } } type { kind name ofType { name } } }`
	require.JSONEq(t, `{"data":{
		"call":{"description":"fields of action: \"do\"","fields":[
			{"name":"created_at","type":{"name":null,"kind":"NON_NULL","ofType":{"name":"timestamptz"}}},
			{"name":"errors","type":{"name":"json","kind":"SCALAR","ofType":null}},
			{"name":"id","type":{"name":null,"kind":"NON_NULL","ofType":{"name":"uuid"}}},
			{"name":"output","type":{"name":null,"kind":"LIST","ofType":{"name":null}}}]},
		"query":{"fields":[{"name":"ask"},{"name":"do"}]},
		"subscription":{"fields":[{"name":"do","args":[{"name":"id","type":{"name":null,"ofType":{"name":"uuid"}}}],"type":{"kind":"OBJECT","name":"do","ofType":null}}]},
		"mutation":{"fields":[{"name":"do","type":{"kind":"NON_NULL","name":null,"ofType":{"name":"uuid"}}}]}}}`,
		fetch(t, e, "porter", `{
			call: __type(name: "do") { description fields { name type { name kind ofType { name } } } }
			query: __type(name: "query_root") { fields { name } }
			subscription: __type(name: "subscription_root") { fields `+typ+` }
			mutation: __type(name: "mutation_root") { fields { name type { kind name ofType { name } } } }
		}`, "").String())

	err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: &queryv1.Session{Role: "nobody"}, Query: `{ do(id: ` + someCall + `) { id } }`}, &reply{})
	require.Equal(t, "field 'do' not found in type: 'query_root'", apierror.From(err).Message)

	// Relay has the mutations of actions, and neither their queries nor what became of calls.
	r := &reply{}
	require.NoError(t, e.execute(t.Context(), &queryv1.ExecuteRequest{Relay: true, Session: &queryv1.Session{Role: "porter"}, Query: `{
		query: __type(name: "query_root") { fields { name } } mutation: __type(name: "mutation_root") { fields { name } } }`}, r))
	require.JSONEq(t, `{"data":{"query":{"fields":[{"name":"no_queries_available"}]},"mutation":{"fields":[{"name":"do"}]}}}`, r.String())
}

func TestRefusedCallsOfActions(t *testing.T) {
	t.Parallel()
	related, _ := newActions(t, "Flat", `,"kind":"asynchronous"`)
	lone, _ := newActions(t, "Int", `,"kind":"asynchronous"`)
	for _, tt := range []struct {
		e                             *Executor
		query, variables, path, error string
		code                          apierror.Code
	}{
		{related, `{ do(id: "x") { id } }`, ``, `$.selectionSet.do.args.id`, "invalid UUID", apierror.ParseFailed},
		{related, `{ do(id: 5) { id } }`, ``, `$.selectionSet.do.args.id`, "expected a UUID for type 'uuid', but found an integer", apierror.ValidationFailed},
		{related, `{ do { id } }`, ``, `$.selectionSet.do.args.id`, "missing required field 'id'", apierror.ValidationFailed},
		{related, `query ($id: uuid!) { do(id: $id) { id } }`, `{"id":"00000000-0000-0000-0000-00000000000g"}`, `$.selectionSet.do.args.id`, "invalid UUID", apierror.ParseFailed},
		{related, `{ do(id: ` + someCall + `) }`, ``, `$.selectionSet.do.selectionSet`, "missing selection set for 'do'", apierror.ValidationFailed},
		{related, `{ do(id: ` + someCall + `) { output { none } } }`, ``, `$.selectionSet.do.selectionSet.output.selectionSet.none`, "field 'none' not found in type: 'Flat'", apierror.ValidationFailed},
		{lone, `{ do(id: ` + someCall + `) { output { none } } }`, ``, `$.selectionSet.do.selectionSet.output`, "unexpected subselection set for non-object field", apierror.ValidationFailed},
		{related, `mutation { do { id } }`, ``, `$.selectionSet.do`, "unexpected subselection set for non-object field", apierror.ValidationFailed},
	} {
		err := failing(t, tt.e, tt.query, tt.variables)
		require.Equal(t, []any{tt.path, tt.error, tt.code}, []any{err.Path, err.Message, err.Code}, tt.query)
	}
	for _, tt := range []struct {
		e            *Executor
		query, error string
	}{
		{related, `subscription { ask { id } }`, "query actions cannot be run as a subscription"},
		{
			lone, `subscription @_multiple_top_level_fields { do(id: ` + someCall + `) { id } artist { name } }`,
			"async action queries with no relationships aren't expected to mix with normal source database queries",
		},
		{
			related, `subscription @_multiple_top_level_fields { do(id: ` + someCall + `) { id } artist { name } }`,
			"all fields of a subscription must be from the same source",
		},
	} {
		_, err := tt.e.subscription(t.Context(), &request{session: &session.Session{Role: "admin"}, text: tt.query, live: true})
		require.Equal(t, []any{tt.error, apierror.NotSupported}, []any{apierror.From(err).Message, apierror.From(err).Code}, tt.query)
	}
	for _, tt := range []struct {
		e                   *Executor
		query, answer, fail string
	}{
		{related, `{ ask { id } }`, "", "query actions cannot be explained"},
		{related, `{ ask { artist { name } } }`, "", "query actions cannot be explained"},
		{lone, `{ do(id: ` + someCall + `) { id } }`, "", "async action query fields without relationships to table cannot be explained"},
		{lone, `subscription { do(id: ` + someCall + `) { id } }`, "", "async action query fields without relationships to table cannot be explained"},
		{related, `{ do(id: ` + someCall + `) { output { artist { name } } } }`, `[{"field":"do","sql":null,"plan":null}]`, ""},
	} {
		r := &reply{}
		err := tt.e.explain(t.Context(), &queryv1.ExplainRequest{Session: asAdmin(), Query: tt.query}, r)
		if tt.fail == "" {
			require.NoError(t, err)
			require.JSONEq(t, tt.answer, r.String())
			continue
		}
		require.Error(t, err)
		require.Equal(t, tt.fail, apierror.From(err).Message, tt.query)
	}
}
