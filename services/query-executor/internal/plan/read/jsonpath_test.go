package read

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysOfPaths(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                        {},
		"$":                       {},
		"a":                       {"a"},
		"$.a.b-c":                 {"a", "b-c"},
		"a[0]":                    {"a", "0"},
		`a.[0].b`:                 {"a", "0", "b"},
		`objs[0]["你好"]`:           {"objs", "0", "你好"},
		`objs[0].["你好"]`:          {"objs", "0", "你好"},
		`objs[0].['你好']`:          {"objs", "0", "你好"},
		`$.["a b"]['c.d'].["[]"]`: {"a b", "c.d", "[]"},
		`["a\"b\\]"].c`:           {`a"b\]`, "c"},
		`["it's"]['say "x"']`:     {"it's", `say "x"`},
	} {
		path, ok := readPath(text)
		require.True(t, ok, text)
		require.Equal(t, want, path, text)
	}
	for _, text := range []string{
		".", "$.", "a.", "a..b", "a b", "[", "[]", "a[x]", "[-1]", `["a]`, `["a"`, `["a"b]`, `['a'`, `['a'b']`, `["\x"]`, `a.["b"`, "..[0]", "[0]x",
	} {
		_, ok := readPath(text)
		require.False(t, ok, text)
	}
}

func TestReadPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": {}, "$": {}, "a": {"a"}, "$.a": {"a"}, ".a": {"a"}, "$a": nil, "a.b-c_1": {"a", "b-c_1"}, "[0]": {"0"},
		"$[12].x": {"12", "x"}, `["a b"]['c"d']`: {"a b", `c"d`}, `$.a["b"][0]`: {"a", "b", "0"}, `[""]`: {""},
		"a b": nil, "a.": nil, "a..b": nil, "[x]": nil, "[": nil, "[0": nil, `["a]`: nil, `["a"`: nil, "$.": nil, "a[]": nil, "é": nil,
	} {
		got, ok := readPath(text)
		require.Equal(t, want != nil, ok, text)
		if ok {
			require.Equal(t, want, got, text)
		}
	}
}

func FuzzReadPath(f *testing.F) {
	for _, s := range []string{`$.a["b"][0]`, `['x']y`, `[`, `$`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if path, ok := readPath(text); !ok {
			require.Nil(t, path)
		}
	})
}
