package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendShape(t *testing.T) {
	t.Parallel()
	shape := func(l Look, value string) string {
		var values [][]byte
		if value != "" {
			values = [][]byte{[]byte(value)}
		} else {
			values = [][]byte{nil}
		}
		return string(AppendShape(nil, []Look{l}, values))
	}
	same := func(l Look, values ...string) {
		t.Helper()
		for _, v := range values[1:] {
			require.Equal(t, shape(l, values[0]), shape(l, v), v)
		}
	}
	differ := func(l Look, values ...string) {
		t.Helper()
		seen := map[string]string{}
		for _, v := range values {
			s := shape(l, v)
			require.NotContains(t, seen, s, v)
			seen[s] = v
		}
	}
	same(LookNone, `1`, `"x"`, `null`, ``)
	same(LookShape, `{"a":{"_eq":1}}`, `{"a":{"_eq":-2.5}}`, ` { "a" : { "_eq" : 99999999999999999999 } }`)
	same(LookShape, `{"a":{"_in":[1,2,3]}}`, `{"a":{"_in":[4]}}`, `{"a":{"_in":["x",1]}}`)
	differ(LookShape, ``, `null`, `1`, `"1"`, `true`, `false`, `[]`, `[1]`, `[null]`, `[true]`, `[[1]]`, `{}`,
		`{"a":1}`, `{"b":1}`, `{"a":"1"}`, `{"a":1,"b":1}`, `{"a":{"b":1}}`, `{"a":[]}`, `{"a":[1]}`, `{"a":null}`,
		`{"a":true}`, `[{"a":1}]`, `[{"a":1},{"a":1}]`,
		`{"a:0,b":1}`, `{"a\":0,\"b":1}`, `{"a":true,"b":true}`, `{"a:true,b":true}`)
	differ(LookValue, ``, `null`, `1`, `2`, `"x"`, `"y"`)
}

func TestUnion(t *testing.T) {
	t.Parallel()
	looks := []Look{LookNone, LookValue, LookShape}
	require.False(t, Union(looks, []Look{LookNone, LookShape, LookShape}))
	require.True(t, Union(looks, []Look{LookShape, LookShape, LookValue}))
	require.Equal(t, []Look{LookShape, LookValue, LookValue}, looks)
}

// FuzzAppendShape holds that values with different structures never share a shape, as far as
// the structure shows in a longer key, and that nothing makes it fail.
func FuzzAppendShape(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`), []byte(`{"a":[1,{"b":0}]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		looks := []Look{LookShape, LookValue}
		first := AppendShape(nil, looks, [][]byte{a, b})
		require.Equal(t, first, AppendShape(nil, looks, [][]byte{a, b}))
		if string(a) != string(b) {
			exact := []Look{LookNone, LookValue}
			require.NotEqual(t, AppendShape(nil, exact, [][]byte{a, a}), AppendShape(nil, exact, [][]byte{a, b}))
		}
	})
}
