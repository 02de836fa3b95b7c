package queryexecutor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
)

// TestIntrospectionIsSwitchedOff holds that a role loses introspection with the change of the metadata
// that disables it, also for operations whose plans exist already, and that no other role does.
func TestIntrospectionIsSwitchedOff(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	ask := func(role, query string) string {
		s := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}
		return string(answer(t, e, &request{session: s, text: query}))
	}
	const mixed = `{ album(limit: 0) { id } __schema { queryType { name } } }`
	const all = `{"data":{"album":[],"__schema":{"queryType":{"name":"query_root"}}}}`
	require.JSONEq(t, all, ask("clerk", mixed))

	old := e.state.Load().snapshot
	doc := *old.Document
	doc.Introspection = json.RawMessage(`{"disabled_for_roles":["clerk"]}`)
	e.apply(&snapshot.Snapshot{Version: old.Version + 1, Document: &doc, Catalogs: old.Catalogs})

	const refused = `{"code":"not-supported","path":"$","error":"introspection is disabled for role: \"clerk\""}`
	require.JSONEq(t, refused, ask("clerk", mixed))
	require.JSONEq(t, refused, ask("clerk", `{ __type(name: "album") { name } }`))
	require.JSONEq(t, `{"data":{"__typename":"query_root","album":[]}}`, ask("clerk", `{ __typename album(limit: 0) { id } }`))
	require.JSONEq(t, all, ask(session.Admin, mixed))

	e.apply(&snapshot.Snapshot{Version: old.Version + 2, Document: old.Document, Catalogs: old.Catalogs})
	require.JSONEq(t, all, ask("clerk", mixed))
}

// TestDeprecatedValues: values of enums that the custom types deprecate are marked, and listed only on
// request.
func TestDeprecatedValues(t *testing.T) {
	t.Parallel()
	e, _ := newActions(t, "Int", "")
	ask := func(query string) string {
		return string(answer(t, e, &request{session: adminSession(), text: query}))
	}
	const bad = `{"name":"BAD","isDeprecated":true,"deprecationReason":"No longer supported"}`
	const good = `{"name":"GOOD","isDeprecated":false,"deprecationReason":null}`
	require.Equal(t, `{"data":{"__type":{"enumValues":[`+good+`,`+bad+`]}}}`,
		ask(`{ __type(name: "Mood") { enumValues(includeDeprecated: true) { name isDeprecated deprecationReason } } }`))
	require.Equal(t, `{"data":{"__type":{"enumValues":[`+good+`]}}}`,
		ask(`{ __type(name: "Mood") { enumValues { name isDeprecated deprecationReason } } }`))
	require.Contains(t, ask(`{ __schema { types { name enumValues(includeDeprecated: true) { name isDeprecated } } } }`), `{"name":"BAD","isDeprecated":true}`)
}

// TestIntrospectionOfOctober2021: everything that a tool of that edition of GraphQL may ask for.
func TestIntrospectionOfOctober2021(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	got := answer(t, e, &request{session: adminSession(), text: `query IntrospectionQuery {
		__schema {
			description queryType { name } mutationType { name } subscriptionType { name }
			types { ...FullType }
			directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } }
		}
	}
	fragment FullType on __Type {
		kind name description specifiedByURL
		fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
		inputFields(includeDeprecated: true) { ...InputValue }
		interfaces { ...TypeRef }
		enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
		possibleTypes { ...TypeRef }
	}
	fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
	fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`})
	var body struct {
		Data struct {
			Schema struct {
				Types []struct {
					Kind, Name     string
					SpecifiedByURL *string
					Fields         []struct{ Name string }
				}
				Directives []struct {
					Name         string
					IsRepeatable bool
					Args         []struct {
						Name         string
						IsDeprecated bool
					}
				}
			} `json:"__schema"`
		}
	}
	require.NoError(t, json.Unmarshal(got, &body), "%.300s", got)
	require.Len(t, body.Data.Schema.Directives, 3)
	require.Len(t, body.Data.Schema.Directives[2].Args, 3)
	for _, typ := range body.Data.Schema.Types {
		require.Nil(t, typ.SpecifiedByURL, typ.Name)
		var names []string
		for _, f := range typ.Fields {
			names = append(names, f.Name)
		}
		if typ.Name == "__Type" {
			require.Contains(t, names, "specifiedByURL")
		}
	}
}
