package remoteschema_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/remoteschema/remotetest"
)

func TestFromIntrospection(t *testing.T) {
	t.Parallel()
	s, err := remoteschema.FromIntrospection(remotetest.Answer(t, upstream))
	require.NoError(t, err)
	require.Equal(t, parse(t, upstream).String(), s.String())
	require.Equal(t, "Query", s.Query.Name)
	require.Equal(t, "Mutation", s.Mutation.Name)
	require.Nil(t, s.Subscription)
	user := s.Type("User").Field("userMessages")
	require.Equal(t, "5", *user.Arg("limit").Default)
	require.Equal(t, "[Message]", user.Type.String())
	require.Equal(t, []*remoteschema.Type{s.Type("Message")}, s.Type("Communication").Possible)
	require.Equal(t, "what a user writes", s.Type("Message").Description)
}

// answer is an introspection answer with these types next to a root for queries.
func answer(types string) []byte {
	return fmt.Appendf(nil, `{"data":{"__schema":{"queryType":{"name":"Query"},"types":[
		{"kind":"OBJECT","name":"Query","fields":[{"name":"a","args":[],"type":{"kind":"SCALAR","name":"Int"}}]}%s]}}}`, types)
}

func TestFromIntrospectionTakesRootsByTheirNames(t *testing.T) {
	t.Parallel()
	s, err := remoteschema.FromIntrospection(answer(`,{"kind":"OBJECT","name":"Mutation","fields":[{"name":"b","type":{"kind":"SCALAR","name":"Int"}}]},
		{"kind":"OBJECT","name":"__Type","fields":[{"name":"c","type":{"kind":"SCALAR","name":"Nothing"}}]}`))
	require.NoError(t, err)
	require.Equal(t, "b", s.Mutation.Fields[0].Name)
	require.Nil(t, s.Type("__Type"))
	require.NotNil(t, s.Type("Boolean"))
}

func TestFromIntrospectionFaults(t *testing.T) {
	t.Parallel()
	field := func(ref string) string {
		return `,{"kind":"OBJECT","name":"T","fields":[{"name":"a","type":` + ref + `}]}`
	}
	for _, c := range []struct{ answer, want string }{
		{`{}`, `Error in $: key "data" not found`},
		{`{"data":{}}`, `Error in $: key "__schema" not found`},
		{`{"data":{"__schema":{"types":[]}}}`, `Error in $: key "queryType" not found`},
		{string(answer(`,{"kind":"GROUP","name":"T"}`)), `Error in $.types[1]: unknown kind: GROUP`},
		{string(answer(`,{"kind":"SCALAR","name":"a-b"}`)), `Error in $.types[1].name: "a-b" is not a valid GraphQL name`},
		{
			string(answer(`,{"kind":"UNION","name":"U","possibleTypes":[{"kind":"NON_NULL","name":null}]}`)),
			`Error in $.types[1].possibleTypes[0].name: parsing Name failed, expected String, but encountered Null`,
		},
		{string(answer(field(`{"kind":"NON_NULL"}`))), "Error in $.types[1].fields[0].type: NON_NULL should have `ofType`"},
		{string(answer(field(`{"kind":"LIST"}`))), "Error in $.types[1].fields[0].type: LIST should have `ofType`"},
		{string(answer(field(`{"kind":"OBJECT","name":"X"}`))), `Could not find type with name "X"`},
	} {
		_, err := remoteschema.FromIntrospection([]byte(c.answer))
		require.Equal(t, c.want, apierror.From(err).Message)
		require.Equal(t, apierror.RemoteSchemaError, apierror.From(err).Code)
	}
	_, err := remoteschema.FromIntrospection([]byte(`<html>`))
	require.Equal(t, apierror.RemoteSchemaError, apierror.From(err).Code)
	_, err = remoteschema.FromIntrospection([]byte(`{"data":{"__schema":{"queryType":{"name":"Query"},"types":[{"kind":"ENUM","name":"Query"}]}}}`))
	require.Equal(t, `"Query" has to be an object type`, apierror.From(err).Message)
}

func TestSchemaFaults(t *testing.T) {
	t.Parallel()
	const query = "type Query { a(x: Int): Int }\n"
	for sdl, want := range map[string]string{
		query + `type T { a(x: Query): Int }`:                                          `expected input type, but got output type`,
		query + `input I { a: Int } type T { a: I }`:                                   `expected output type, but got input type`,
		query + `type T implements N { a: Int }`:                                       `Could not find interface 'N' implemented by Object type 'T'`,
		query + `interface N { b: Int } type T implements N { a: Int }`:                `Interface field 'N'."b" expected, but 'T' does not provide it`,
		query + `interface N { a: Int } type T implements N { a: String }`:             `The type of Object field 'T'."a" (String) is not the same type/sub type of Interface field 'N'."a" (Int)`,
		query + `interface N { a(x: Int): Int } type T implements N { a: Int }`:        `Interface field argument 'N'."a"("x":) required, but Object field 'T'."a" does not provide it`,
		query + `interface N { a(x: Int): Int } type T implements N { a(x: ID): Int }`: `Interface field argument 'N'."a"("x":) expects type Int, but 'T'."a"("x":) has type ID`,
		query + `interface N { a: Int } type T implements N { a(y: Int!): Int }`:       `Object field argument 'T'."a"("y":) is of required type Int!, but is not provided by Interface field 'N'."a"`,
		query + `interface N`:   `List of fields cannot be empty for interface 'N'`,
		query + `union U`:       `List of member types cannot be empty for union type 'U'`,
		query + `union U = X`:   `Could not find type 'X', which is defined as a member type of Union 'U'`,
		query + `union U = Int`: `Union type 'U' can only include object types. It cannot include 'Int'`,
	} {
		_, err := remoteschema.FromSDL(sdl)
		require.Equal(t, want, apierror.From(err).Message, sdl)
	}
	_, err := remoteschema.FromSDL(query + `
		interface Node { one: Node many: [Node] any: Any } union Any = T
		type T implements Node { one: T! many: [T!]! any: T }`)
	require.NoError(t, err, "an object may say more than its interface")
}

func TestCoerceSessionVariables(t *testing.T) {
	t.Parallel()
	s := parse(t, upstream)
	for _, c := range []struct{ of, text, want, fault string }{
		{"Int", "12", "12", ""},
		{"Int", "1.5", "", `"1.5" cannot be coerced into an Int value`},
		{"Float", "1.5", "1.5", ""},
		{"Float", "NaN", "", `"NaN" cannot be coerced into a Float value`},
		{"Boolean", "true", "true", ""},
		{"Boolean", "True", "", `"True" cannot be coerced into a Boolean value`},
		{"String", `a"b`, `"a\"b"`, ""},
		{"Time", "now", `"now"`, ""},
		{"Status", "READ", `"READ"`, ""},
		{"Status", "GONE", "", `"GONE" is not one of the valid enum values`},
	} {
		got, err := remoteschema.SessionVariable{Name: "x-engine-a", Type: s.Type(c.of)}.Coerce(c.text)
		if c.fault != "" {
			require.Equal(t, c.fault, apierror.From(err).Message)
			require.Equal(t, apierror.CoercionError, apierror.From(err).Code)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, json.RawMessage(c.want), got)
	}
}

func FuzzFromIntrospection(f *testing.F) {
	f.Add([]byte(`{"data":{"__schema":{"queryType":{"name":"Query"},"types":[{"kind":"OBJECT","name":"Query","fields":[]}]}}}`))
	f.Add(answer(`,{"kind":"INPUT_OBJECT","name":"I","inputFields":[{"name":"a","type":{"kind":"SCALAR","name":"Int"},"defaultValue":"[1"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := remoteschema.FromIntrospection(raw)
		if err == nil {
			require.NotNil(t, s.Query)
			require.Equal(t, s.Query, s.Type(s.Query.Name))
		}
	})
}
