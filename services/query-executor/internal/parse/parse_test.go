package parse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/parse"
)

func TestParse(t *testing.T) {
	t.Parallel()
	op, err := parse.Parse(`
		query Shop($id: Int! = 7, $tags: [String!]!, $unused: Int) @cached(ttl: 5) {
			one: album(where: {id: {_eq: $id}, _and: [{a: 1.50}, null]}, order_by: asc) { ...parts @include(if: true) ... on album { id } }
		}
		query Other { x(t: $undeclared) }
		fragment parts on album { tags(are: $tags) text: name(is: """ a "b" """) }`, "Shop", parse.Limits{})
	require.NoError(t, err)
	require.Equal(t, parse.Query, op.Kind)
	require.Equal(t, "Shop", op.Name)
	require.Len(t, op.Variables, 3)
	require.Equal(t, "Int!", op.Variables[0].Type.String())
	require.Equal(t, "7", string(op.Variables[0].Default))
	require.Equal(t, "[String!]!", op.Variables[1].Type.String())
	require.True(t, op.Variables[1].Used)
	require.False(t, op.Variables[2].Used)
	require.Equal(t, "cached", op.Directives[0].Name)

	one, ok := op.Selections[0].(*parse.Field)
	require.True(t, ok)
	require.Equal(t, "one", one.Alias)
	require.Equal(t, "album", one.Name)
	where := one.Arguments[0].Value.AppendJSON(nil, func(dst []byte, v *parse.Variable) []byte { return append(dst, "$"+v.Name...) })
	require.Equal(t, `{"id":{"_eq":$id},"_and":[{"a":1.50},null]}`, string(where)) //nolint:testifylint // byte for byte
	require.True(t, one.Arguments[0].Value.HasVariables())
	require.Equal(t, parse.Enum, one.Arguments[1].Value.Kind)

	spread, ok := one.Selections[0].(*parse.Spread)
	require.True(t, ok)
	require.Equal(t, "album", spread.Fragment.On)
	require.Equal(t, "include", spread.Directives[0].Name)
	inline, ok := one.Selections[1].(*parse.Inline)
	require.True(t, ok)
	require.Equal(t, "album", inline.On)
	name, ok := spread.Fragment.Selections[1].(*parse.Field)
	require.True(t, ok)
	require.Equal(t, ` a "b" `, name.Arguments[0].Value.Text)
}

func TestRepeatedKeysCountTheLastTime(t *testing.T) {
	t.Parallel()
	op, err := parse.Parse(`{ a(x: 1, y: {k: 1, k: 2}, x: 3) }`, "", parse.Limits{})
	require.NoError(t, err)
	a, ok := op.Selections[0].(*parse.Field)
	require.True(t, ok)
	require.Len(t, a.Arguments, 2)
	require.Equal(t, "3", a.Arguments[0].Value.Text)
	require.Equal(t, `{"k":2}`, string(a.Arguments[1].Value.AppendJSON(nil, nil)))
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, operation string
		code                  apierror.Code
		path, message         string
	}{
		{"syntax", `{ a`, "", "validation-failed", "$.query", "not a valid graphql query"},
		{"empty", ` `, "", "validation-failed", "$.query", "not a valid graphql query"},
		{"bad escape", `{ a(x: "\.") }`, "", "validation-failed", "$.query", "not a valid graphql query"},
		{"empty selection", `{ a { } }`, "", "validation-failed", "$.query", "not a valid graphql query"},
		{"schema definition", `type A { b: Int }`, "", "validation-failed", "$.query", "not a valid graphql query"},
		{"too many tokens", "{ " + strings.Repeat("a ", 200) + "}", "", "validation-failed", "$.query", "the graphql query is too large: exceeded token limit of 100"},
		{"too deep", strings.Repeat("{ a ", 2000) + strings.Repeat("}", 2000), "", "validation-failed", "$.query", "the graphql query is too large: exceeded token limit of 100"},
		{"not found", `query A { a } query B { b }`, "X", "validation-failed", "$", `no such operation found in the document: "X"`},
		{"anonymous", `{ a } query B { b }`, "B", "validation-failed", "$", "operationName cannot be used when an anonymous operation exists in the document"},
		{"several", `query A { a } query B { b }`, "", "validation-failed", "$", "exactly one operation has to be present in the document when operationName is not specified"},
		{"none", `fragment A on b { a }`, "", "validation-failed", "$", "exactly one operation has to be present in the document when operationName is not specified"},
		{"undefined fragment", `{ a { ...X } }`, "", "validation-failed", "$.selectionSet.a.selectionSet", `reference to undefined fragment "X"`},
		{"repeated fragment", `{ a } fragment X on a { b } fragment X on a { c }`, "", "parse-failed", "$", `multiple definitions for fragment "X"`},
		{"cycle of one", `{ ...A } fragment A on a { b { ...A } }`, "", "validation-failed", "$.selectionSet.A.selectionSet.b.selectionSet", "the fragment definition(s) A form a cycle"},
		{"cycle of two", `{ ...A } fragment A on a { ...B } fragment B on a { ...A }`, "", "validation-failed", "$.selectionSet.A.selectionSet.B.selectionSet", "the fragment definition(s) A and B form a cycle"},
		{
			"cycle of three", `{ x { ...Z } } fragment Z on a { ...A } fragment A on a { ...B } fragment B on a { ...C } fragment C on a { ...A }`, "",
			"validation-failed", "$.selectionSet.x.selectionSet.Z.selectionSet.A.selectionSet.B.selectionSet.C.selectionSet", "the fragment definition(s) A, B, and C form a cycle",
		},
		{"repeated variable", `query ($a: Int, $a: Int) { a(x: $a) }`, "", "parse-failed", "$", `multiple definitions for variable "a"`},
		{"unbound variable", `{ a(x: {y: [$b]}) }`, "", "validation-failed", "$", `unbound variable "b"`},
		{"unbound variable in a directive", `{ a @skip(if: $b) }`, "", "validation-failed", "$", `unbound variable "b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse.Parse(c.text, c.operation, parse.Limits{Tokens: 100})
			requireError(t, err, c.code, c.path, c.message)
		})
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	op := mustParse(t, `query ($a: Int!, $b: String = "x", $c: Int, $d: Int! = 3) { f(a: $a, b: $b, c: $c, d: $d) }`)
	values, err := op.Values(nil, []byte(`{"c": null, "a" : 1.0}`), parse.RefuseNull)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("1.0"), []byte(`"x"`), []byte("null"), []byte("3")}, values)

	values, err = op.Values(values, []byte(`{"a":1,"b":null}`), parse.RefuseNull)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("1"), []byte("null"), nil, []byte("3")}, values)

	values, err = op.Values(nil, []byte(`{"a":null}`), parse.AcceptNull)
	require.NoError(t, err)
	require.Equal(t, "null", string(values[0]))

	none := mustParse(t, `{ f }`)
	for _, object := range []string{``, `null`, `{}`} {
		values, err = none.Values(nil, []byte(object), parse.RefuseNull)
		require.NoError(t, err)
		require.Empty(t, values)
	}
}

func TestValueErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, variables, code, message string }{
		{"missing", `query ($x: Int!) { f(x: $x) }`, `{}`, "validation-failed", `expecting a value for non-nullable variable: "x"`},
		{"null", `query ($x: [Int]!) { f(x: $x) }`, `{"x": null}`, "validation-failed", `null value found for non-nullable type: "[Int]!"`},
		{"unexpected", `query ($x: Int) { f(x: $x) }`, `{"b": 1, "a": 2}`, "validation-failed", `unexpected variables in variableValues: b, a`},
		{"unused", `query ($x: Int) { f }`, `{"x": 1}`, "validation-failed", `unexpected variables in variableValues: x`},
		{"no object", `{ f }`, `[]`, "invalid-json", `the variables are not a JSON object`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := mustParse(t, c.text).Values(nil, []byte(c.variables), parse.RefuseNull)
			requireError(t, err, apierror.Code(c.code), "$", c.message)
		})
	}
}

func TestEqualArguments(t *testing.T) {
	t.Parallel()
	arguments := func(text string) []parse.Argument {
		f, ok := mustParse(t, "query ($v: Int) { f("+text+") g(v: $v) }").Selections[0].(*parse.Field)
		require.True(t, ok)
		return f.Arguments
	}
	require.True(t, parse.EqualArguments(arguments(`a: 1, b: [{c: "x"}]`), arguments(`b: [{c: "x"}], a: 1`)))
	require.False(t, parse.EqualArguments(arguments(`a: 1`), arguments(`a: 1, b: 2`)))
	require.False(t, parse.EqualArguments(arguments(`a: x`), arguments(`a: "x"`)))
	require.False(t, parse.EqualArguments(arguments(`a: [1]`), arguments(`a: [2]`)))
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{ a }`, `query ($a: [Int!]! = [1]) @x { ...A ... { b } } fragment A on a { c(d: {e: $a}) }`, `{ ...A } fragment A on a { ...A }`} {
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		op, err := parse.Parse(text, name, parse.Limits{Tokens: 1000})
		if err != nil {
			var e *apierror.Error
			require.ErrorAs(t, err, &e)
			require.NotEqual(t, apierror.Unexpected, e.Code)
			return
		}
		_, _ = op.Values(nil, []byte(`{"a":1}`), parse.RefuseNull)
	})
}

func mustParse(t *testing.T, text string) *parse.Operation {
	t.Helper()
	op, err := parse.Parse(text, "", parse.Limits{})
	require.NoError(t, err)
	return op
}

func requireError(t *testing.T, err error, code apierror.Code, path, message string) {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, []string{string(code), path, message}, []string{string(e.Code), e.Path, e.Message})
}
