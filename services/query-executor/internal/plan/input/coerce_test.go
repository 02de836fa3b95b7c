package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWholeNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "-7": -7, "2147483647": 2147483647, "-2147483648": -2147483648, "1e3": 1000, "5.0": 5} {
		got, ok := WholeNumber(text, 32)
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "x", "1.5", "2147483648", "-2147483649", "1e10", "NaN", "1e400"} {
		_, ok := WholeNumber(text, 32)
		require.False(t, ok, text)
	}
	got, ok := WholeNumber("9223372036854775807", 64)
	require.True(t, ok)
	require.EqualValues(t, 9223372036854775807, got)
	_, ok = WholeNumber("9223372036854775808", 64)
	require.False(t, ok)
}

func TestSpell(t *testing.T) {
	t.Parallel()
	require.Equal(t, "$", Spell(nil))
	require.Equal(t, `$.selectionSet.a-b[3]["1x"]["é"]._eq`, Spell([]Step{
		{Key: "selectionSet"}, {Key: "a-b"}, {Index: 3}, {Key: "1x"}, {Key: "é"}, {Key: "_eq"},
	}))
}
