package answer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendString(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                   `""`,
		`a "b" \ c`:          `"a \"b\" \\ c"`,
		"\b\f\n\r\t\x01\x7f": "\"\\b\\f\\n\\r\\t\\u0001\x7f\"",
		"ěš 漢 🎵 </b>&":       `"ěš 漢 🎵 </b>&"`,
	} {
		require.Equal(t, want, string(AppendString(nil, in)))
	}
}

func TestAppendFloat(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]float64{
		"0.1": 0.1, "0.0001": 1e-4, "9e-05": 9e-5, "999999999999999": 999999999999999, "1e+15": 1e15, "-1.5": -1.5,
		// In the middle between two numbers; one digit more is nearer to the first.
		"9.007199254740992e+15": 9007199254740992,
		`"NaN"`:                 math.NaN(), `"-Infinity"`: math.Inf(-1),
	} {
		require.Equal(t, want, string(AppendFloat(nil, f, 64)))
	}
	require.Equal(t, "1e+06", string(AppendFloat(nil, 1e6, 32)))
}

func TestAppendTimes(t *testing.T) {
	t.Parallel()
	for want, days := range map[string]int64{
		`"2000-01-01"`: 0, `"2000-02-29"`: 59, `"1999-12-31"`: -1, `"1970-01-01"`: -10957, `"0001-12-31 BC"`: -730120, `"10000-01-01"`: 2921940,
	} {
		require.Equal(t, want, string(AppendDate(nil, days)))
	}
	require.Equal(t, `"2000-01-01T00:00:01.5+00:00"`, string(AppendTimestamp(nil, 1_500_000, "+00:00")))
	require.Equal(t, `"1999-12-31T23:59:59.999999"`, string(AppendTimestamp(nil, -1, "")))
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	float := Quoted(func(dst, value []byte) ([]byte, bool) { return append(dst, value...), true })
	for in, want := range map[string]string{`12.50`: `"12.50"`, `"NaN"`: `"NaN"`} {
		text, ok := float([]byte("x"), []byte(in))
		require.True(t, ok)
		require.Equal(t, "x"+want, string(text))
	}
}
