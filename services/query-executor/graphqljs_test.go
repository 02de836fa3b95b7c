package queryexecutor

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/nodetest"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	plananswer "queryengine/services/query-executor/internal/plan/answer"
	planenv "queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// introspectionQuery is the one that graphql-js sends.
const introspectionQuery = `{
  __schema {
    description
    queryType { name kind } mutationType { name kind } subscriptionType { name kind }
    types { ...FullType }
    directives { name description isRepeatable locations args { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description isOneOf
  fields(includeDeprecated: true) {
    name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason
  }
  inputFields { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
fragment TypeRef on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }
}`

// checkedSchema is a schema as graphql-js gets it.
type checkedSchema struct {
	Name          string          `json:"name"`
	Introspection json.RawMessage `json:"introspection,omitempty"`
	SDL           string          `json:"sdl,omitempty"`
}

// TestSchemasSuitGraphQLJS holds that graphql-js builds a client's schema of what introspection answers, and a server's schema of the text for
// federation gateways, and finds no fault in them, also where roles may give or see nothing of a table; and that Apollo composes the text with
// a subgraph that extends its entities.
func TestSchemasSuitGraphQLJS(t *testing.T) {
	t.Parallel()
	dir := nodetest.Install(t, "testdata/graphqljs")
	schemas := []checkedSchema{{Name: "100 tables", Introspection: largeIntrospection(t, 100)}}
	for _, feature := range []string{"shop", "mutations", "naming", "sources", "relay", "federation", "../empty"} {
		path := filepath.Join("testdata", "cases", feature)
		var c Config
		if settings := readFile(t, filepath.Join(path, "settings.json")); settings != nil {
			require.NoError(t, json.Unmarshal(settings, &c))
		}
		e := newFixture(t, path, c)
		for _, role := range []string{session.Admin, "clerk", "nobody"} {
			s := checkedSchema{Name: feature + " as " + role}
			ask := func(query string, to any) {
				vars := map[string]string{session.RoleHeader: role}
				text := answer(t, e, &request{
					session: &session.Session{Role: role, Variables: vars}, relay: feature == "relay", text: query,
				})
				body := struct{ Data any }{to}
				require.NoError(t, json.Unmarshal(text, &body), string(text))
			}
			ask(introspectionQuery, &s.Introspection)
			require.NotEmpty(t, s.Introspection)
			if c.Federation {
				var data struct{ Service struct{ SDL string } }
				ask("{ service: _service { sdl } }", &data)
				s.SDL = data.Service.SDL
				require.NotEmpty(t, s.SDL)
			}
			schemas = append(schemas, s)
		}
	}
	require.JSONEq(t, "[]", string(checkSchemas(t, dir, schemas)))

	var broken []string
	require.NoError(t, json.Unmarshal(checkSchemas(t, dir, []checkedSchema{{Name: "broken", SDL: "type Query { a: Missing }"}}), &broken))
	require.Len(t, broken, 1, "the check finds faults")
}

// largeIntrospection is the answer for a schema of n tables.
func largeIntrospection(t *testing.T, n int) json.RawMessage {
	t.Helper()
	return introspection(t, schema.New(schematest.Large(n), session.Admin, schema.Options{}))
}

// introspection is the answer for the schema of a role.
func introspection(t *testing.T, role *schema.Role) json.RawMessage {
	t.Helper()
	return json.RawMessage(`{"__schema":` + string(introspected(t, role, introspectionQuery)) + "}")
}

// introspected is what the schema of a role answers to a query of one field.
func introspected(t *testing.T, role *schema.Role, query string) json.RawMessage {
	t.Helper()
	op, err := parse.Parse(query, "", parse.Limits{})
	require.NoError(t, err)
	p, err := plan.Build(op, role, nil, planenv.Options{Limits: planenv.DefaultLimits})
	require.NoError(t, err)
	out := backend.NewAnswer(nil, nil, 0)
	asked, ok := p.Parts[1].(*plananswer.Introspection)
	require.True(t, ok)
	field, room := &asked.Query, budget.New(0)
	questions, err := introspect.Ask(role, []*introspect.Field{field}, &room, nil)
	require.NoError(t, err)
	require.NoError(t, questions.Write(t.Context(), field, out))
	return out.Buf
}

// checkSchemas gives the list of faults.
func checkSchemas(t *testing.T, dir string, schemas []checkedSchema) []byte {
	t.Helper()
	input, err := json.Marshal(schemas)
	require.NoError(t, err)
	return nodetest.Run(t, dir, bytes.NewReader(input), "check.mjs")
}

// TestPlaceholders: what stands for the members of a type without any can be selected, and not given.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/empty", Config{})
	ask := func(query string) string {
		vars := map[string]string{session.RoleHeader: "clerk", "x-engine-user-id": "u"}
		return string(answer(t, e, &request{session: &session.Session{Role: "clerk", Variables: vars}, text: query}))
	}
	require.JSONEq(t, `{"data":{"insert_counter":{"affected_rows":2,"returning":[{"_PLACEHOLDER":"counter"},{"_PLACEHOLDER":"counter"}]}}}`,
		ask(`mutation { insert_counter(objects: [{}, {}]) { affected_rows returning { _PLACEHOLDER } } }`))
	require.JSONEq(t, `{"data":{"insert_counter_one":{"__typename":"counter"}}}`, ask(`mutation { insert_counter_one(object: {}) { __typename } }`))
	const three = `[{"_PLACEHOLDER":"counter"},{"_PLACEHOLDER":"counter"},{"_PLACEHOLDER":"counter"}]`
	require.JSONEq(t, `{"data":{"counter":`+three+`}}`, ask(`{ counter { _PLACEHOLDER } }`))
	require.JSONEq(t, `{"data":{"delete_counter":{"returning":`+three+`}}}`, ask(`mutation { delete_counter(where: {}) { returning { _PLACEHOLDER } } }`))
	for query, path := range map[string]string{
		`mutation { insert_counter(objects: {_PLACEHOLDER: true}) { affected_rows } }`: "$.selectionSet.insert_counter.args.objects",
		`{ counter(order_by: {_PLACEHOLDER: true}) { _PLACEHOLDER } }`:                 "$.selectionSet.counter.args.order_by",
	} {
		require.Contains(t, ask(query), path, query)
	}
}

// TestDeferrableConstraints: the database refuses upserts that name one, so none is offered.
func TestDeferrableConstraints(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/empty", Config{})
	got := answer(t, e, &request{session: adminSession(), text: `{
		slot: __type(name: "slot_constraint") { enumValues { name } }
		later: __type(name: "later_constraint") { enumValues { name } }
	}`})
	require.JSONEq(t, `{"data":{"slot":{"enumValues":[{"name":"slot_pkey"},{"name":"slot_b_key"}]},"later":null}}`, string(got))
}
