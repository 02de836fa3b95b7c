package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// echo is a schema whose field answers with its arguments.
func echo(t *testing.T) graphql.Schema {
	t.Helper()
	var input *graphql.InputObject
	input = graphql.NewInputObject(graphql.InputObjectConfig{Name: "EchoInput", Fields: graphql.InputObjectConfigFieldMapThunk(func() graphql.InputObjectConfigFieldMap {
		return graphql.InputObjectConfigFieldMap{
			"n": {Type: graphql.Int}, "list": {Type: graphql.NewList(graphql.Int)}, "in": {Type: input},
			"must": {Type: graphql.NewList(graphql.NewNonNull(graphql.Int))},
		}
	})})
	// any takes what is written for it, and says which kinds of values it has seen.
	scalar := graphql.NewScalar(graphql.ScalarConfig{
		Name: "Any", Serialize: func(v any) any { return v }, ParseValue: func(v any) any { return v },
		ParseLiteral: func(v ast.Value) any {
			if list, ok := v.(*ast.ListValue); ok {
				kinds := make([]string, len(list.Values))
				for i, item := range list.Values {
					kinds[i] = item.GetKind()
				}
				return strings.Join(kinds, " ")
			}
			return v.GetKind()
		},
	})
	args := graphql.FieldConfigArgument{
		"n": {Type: graphql.Int, DefaultValue: 5}, "s": {Type: graphql.String}, "in": {Type: input}, "any": {Type: scalar},
		"list": {Type: graphql.NewList(graphql.Int)}, "lists": {Type: graphql.NewList(graphql.NewList(graphql.String))},
		"ins": {Type: graphql.NewList(input)},
	}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"echo": &graphql.Field{Type: graphql.String, Args: args, Resolve: func(p graphql.ResolveParams) (any, error) {
			text, err := json.Marshal(p.Args)
			return string(text), err
		}},
	}})})
	require.NoError(t, err)
	return schema
}

// TestNumbersInGo has resolvers see numbers of variables as those of literals, whatever their size.
func TestNumbersInGo(t *testing.T) {
	t.Parallel()
	show := func(p graphql.ResolveParams) (any, error) { return fmt.Sprintf("%T %v", p.Args["v"], p.Args["v"]), nil }
	field := func(of graphql.Input) *graphql.Field {
		return &graphql.Field{Type: graphql.String, Args: graphql.FieldConfigArgument{"v": {Type: of}}, Resolve: show}
	}
	scalar := graphql.NewScalar(graphql.ScalarConfig{
		Name: "Any", Serialize: func(v any) any { return v }, ParseValue: func(v any) any { return v }, ParseLiteral: func(ast.Value) any { return nil },
	})
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"id": field(graphql.ID), "ids": field(graphql.NewList(graphql.ID)), "int": field(graphql.Int), "float": field(graphql.Float), "any": field(scalar),
	}})})
	require.NoError(t, err)
	m := mount(t, false, engine.RemoteSchema("numbers", schema))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"numbers","definition":{"url":"go://numbers"}}}`)
	for _, c := range []struct{ field, of, value, want string }{
		{"id", "ID", "12345678", "string 12345678"},
		{"ids", "[ID]", `[12345678, "a"]`, "[]interface {} [12345678 a]"},
		{"int", "Int", "2147483647", "int 2147483647"},
		{"float", "Float", "3", "float64 3"},
		{"float", "Float", "1.5e300", "float64 1.5e+300"},
		{"any", "Any", "9007199254740993", "int 9007199254740993"},
		{"any", "Any", `{"a": [1, 2.5]}`, "map[string]interface {} map[a:[1 2.5]]"},
	} {
		body := fmt.Sprintf(`{"query":"query ($v: %s) { %s(v: $v) }","variables":{"v":%s}}`, c.of, c.field, c.value)
		_, answer := m.post("/v1/graphql", body, admin)
		require.JSONEq(t, fmt.Sprintf(`{"data":{%q:%q}}`, c.field, c.want), answer, body)
	}
}

// TestNullsInGo writes null in every position of an operation, in its text and in variables, which resolvers see alike.
func TestNullsInGo(t *testing.T) {
	t.Parallel()
	m := mount(t, false, engine.RemoteSchema("echo", echo(t)))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"echo","definition":{"url":"go://echo"}}}`)
	for _, c := range []struct{ position, arguments, want string }{
		{"an argument", `s: null`, `{"n":5}`},
		{"an argument with a default", `n: null`, `{"n":5}`},
		{"an argument that is a list", `list: null`, `{"n":5}`},
		{"an item", `list: [1, null, 2]`, `{"list":[1,null,2],"n":5}`},
		{"only items", `list: [null, null]`, `{"list":[null,null],"n":5}`},
		{"an item of a list in a list", `lists: [["a", null], null, []]`, `{"lists":[["a",null],null,[]],"n":5}`},
		{"a field", `in: {n: null, list: [1]}`, `{"in":{"list":[1]},"n":5}`},
		{"a field of a field", `in: {in: {n: null, list: null}}`, `{"in":{"in":{}},"n":5}`},
		{"an item in a field", `in: {in: {list: [null, 3]}}`, `{"in":{"in":{"list":[null,3]}},"n":5}`},
		{"a list of objects", `ins: [null, {n: 1}, {list: [null]}]`, `{"ins":[null,{"n":1},{"list":[null]}],"n":5}`},
		{"a text", `s: "null", list: [null]`, `{"list":[null],"n":5,"s":"null"}`},
		{"several fields at once", `n: null, s: null, list: [null]`, `{"list":[null],"n":5}`},
		{"an item of a scalar of the schema", `any: [1, null]`, `{"any":"IntValue Variable","n":5}`},
	} {
		got := m.query(`{ echo(`+c.arguments+`) }`, admin)
		want, err := json.Marshal(map[string]any{"data": map[string]string{"echo": c.want}})
		require.NoError(t, err)
		require.JSONEq(t, string(want), got, c.position)
	}
	require.JSONEq(t, `{"data":{"a":"{\"list\":[null],\"n\":5}","b":"{\"lists\":[null],\"n\":1}"}}`,
		m.query(`query { a: echo(list: [null]) ...more } fragment more on query_root { b: echo(n: 1, lists: [null]) }`, admin), "a fragment")
	ask := func(operation, variables string) string {
		body, err := json.Marshal(map[string]any{"query": operation, "variables": json.RawMessage(variables)})
		require.NoError(t, err)
		_, answer := m.post("/v1/graphql", string(body), admin)
		return answer
	}
	require.JSONEq(t, `{"data":{"echo":"{\"in\":{\"in\":{}},\"list\":[1,null],\"n\":5}"}}`,
		ask(`query ($s: String, $in: EchoInput, $list: [Int]) { echo(s: $s, in: $in, list: $list) }`, `{"s":null,"in":{"n":null,"in":{"list":null}},"list":[1,null]}`), "variables")
	require.JSONEq(t, `{"data":{"echo":"{\"list\":[null,3,null],\"n\":5}"}}`,
		ask(`query ($a: Int, $b: Int) { echo(list: [$a, $b, null]) }`, `{"a":null,"b":3}`), "variables next to null")
	require.JSONEq(t, `{"data":{"echo":"{\"list\":[1,null],\"n\":5}"}}`,
		ask(`query ($list: [Int] = [1, null]) { echo(list: $list) }`, `{}`), "the default of a variable")
	require.Contains(t, m.query(`{ echo(in: {must: [null]}) }`, admin), `expected \"Int!\", found null`, "where items are needed")
}

// TestDefaultsInGo: the schema of a role has the defaults of the code, which introspection shows as GraphQL writes them.
func TestDefaultsInGo(t *testing.T) {
	t.Parallel()
	size := graphql.NewEnum(graphql.EnumConfig{Name: "Size", Values: graphql.EnumValueConfigMap{"S": {Value: 1}, "L": {Value: 2}}})
	in := graphql.NewInputObject(graphql.InputObjectConfig{Name: "In", Fields: graphql.InputObjectConfigFieldMap{
		"n": {Type: graphql.Int, DefaultValue: 3}, "sizes": {Type: graphql.NewList(size), DefaultValue: []any{1, 2}},
	}})
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"v": &graphql.Field{Type: graphql.String, Args: graphql.FieldConfigArgument{
			"int": {Type: graphql.Int, DefaultValue: 5}, "float": {Type: graphql.Float, DefaultValue: 1.5}, "text": {Type: graphql.String, DefaultValue: `a"b`},
			"is": {Type: graphql.Boolean, DefaultValue: true}, "id": {Type: graphql.ID, DefaultValue: "7"}, "size": {Type: size, DefaultValue: 2},
			"list": {Type: graphql.NewList(graphql.Int), DefaultValue: []int{1, 2}}, "none": {Type: graphql.Int},
			"in": {Type: in, DefaultValue: map[string]any{"n": 1, "sizes": []any{2, nil}}}, "ins": {Type: graphql.NewList(in), DefaultValue: []any{map[string]any{"n": 1}}},
		}, Resolve: func(p graphql.ResolveParams) (any, error) { return fmt.Sprint(p.Args["list"], p.Args["size"]), nil }},
	}})})
	require.NoError(t, err)
	m := mountWith(t, false, []string{"--enable-remote-schema-permissions"}, engine.RemoteSchema("defaults", schema))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"defaults","definition":{"url":"go://defaults"}}}`)
	sdl, err := json.Marshal(`enum Size { S L } input In { n: Int = 3 sizes: [Size] = [S, L] } type Query {
		v(int: Int = 5, float: Float = 1.5, text: String = "a\"b", is: Boolean = true, id: ID = "7", size: Size = L,
			list: [Int] = [1, 2], none: Int, in: In = {n: 1, sizes: [L, null]}, ins: [In] = [{n: 1}]): String
	}`)
	require.NoError(t, err)
	m.metadata(`{"type":"add_remote_schema_permissions","args":{"remote_schema":"defaults","role":"user","definition":{"schema":` + string(sdl) + `}}}`)
	require.JSONEq(t, `{"data":{"v":"[1 2] 2"}}`, m.query(`{ v }`, user("odd")))
}
