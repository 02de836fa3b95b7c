package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWholeNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "-7": -7, "2147483647": 2147483647, "-2147483648": -2147483648, "1e3": 1000, "5.0": 5} {
		got, ok := wholeNumber(text, 32)
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "x", "1.5", "2147483648", "-2147483649", "1e10", "NaN", "1e400"} {
		_, ok := wholeNumber(text, 32)
		require.False(t, ok, text)
	}
	got, ok := wholeNumber("9223372036854775807", 64)
	require.True(t, ok)
	require.EqualValues(t, 9223372036854775807, got)
	_, ok = wholeNumber("9223372036854775808", 64)
	require.False(t, ok)
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

func TestSpell(t *testing.T) {
	t.Parallel()
	require.Equal(t, "$", spell(nil))
	require.Equal(t, `$.selectionSet.a-b[3]["1x"]["é"]._eq`, spell([]step{
		{key: "selectionSet"}, {key: "a-b"}, {index: 3}, {key: "1x"}, {key: "é"}, {key: "_eq"},
	}))
}
