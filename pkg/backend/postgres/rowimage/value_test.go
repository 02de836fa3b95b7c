package rowimage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

func TestValuesThatAreCompared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, less, more string
	}{
		{"int4", "-3", "12"},
		{"int8", "9", "10"},
		{"numeric", "9.99", "10"},
		{"numeric", "-0.5", "-0.4"},
		{"bool", "f", "t"},
		{"text", "B", "a"},
		{"uuid", "F47AC10B-58CC-4372-A567-0E02B2C3D478", "f47ac10b-58cc-4372-a567-0e02b2c3d479"},
		{"date", "1999-12-31", "2000-01-01"},
		{"timestamp", "2000-01-01 00:00:00.000001", "2000-01-01T00:00:00.00001"},
		{"timestamptz", "2000-01-01 02:00:00.5+02:00", "2000-01-01 00:00:01Z"},
	} {
		k := kindOf(catalog.Type{Name: c.typ})
		order, ok := Compare(valueOf(c.less, k), valueOf(c.more, k))
		require.True(t, ok, c)
		require.Equal(t, -1, order, c)
	}
}

func TestValuesThatAreLeftOpen(t *testing.T) {
	t.Parallel()
	for typ, values := range map[string][]string{
		"int4":        {"", "1_000", "0x10"},
		"numeric":     {"", "1e3", "NaN", "0.0000001", "1.-5", "99999999999999"},
		"bool":        {"yes", ""},
		"uuid":        {"{f47ac10b-58cc-4372-a567-0e02b2c3d479}", "f47ac10b58cc4372a5670e02b2c3d479"},
		"date":        {"infinity", "20000101", "0044-03-15 BC", "10000-01-01"},
		"timestamp":   {"2000-01-01", "2000-01-01 00:00:00+02", "2000-01-01 00:00:00.0000001", "2000-01-01 24:00:00"},
		"timestamptz": {"2000-01-01 00:00:00", "2000-01-01", "2000-01-01 00:00:00 Europe/Berlin", "-infinity"},
	} {
		k := kindOf(catalog.Type{Name: typ})
		for _, text := range values {
			v := valueOf(text, k)
			_, ok := Compare(v, v)
			require.False(t, ok, "%s %q", typ, text)
			require.Equal(t, text, v.Text)
		}
	}
	for _, typ := range []catalog.Type{
		{Name: "int4", Dims: 1},
		{Name: "int4", Domain: &catalog.Name{Name: "d"}},
		{Name: "text", Schema: "own"},
		{Name: "bool", Kind: catalog.TypeEnum},
		{Name: "float8"},
		{Name: "bpchar"},
	} {
		require.False(t, Comparable(typ), typ)
	}
}

func TestTruth(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Truth{False, True, Null, Unknown, True | Null}, []Truth{not(True), not(False), not(Null), not(Unknown), not(False | Null)})
	require.Equal(t, False, and(False, Unknown))
	require.Equal(t, Unknown, and(True, Unknown))
	require.Equal(t, False|Null, and(Null, Unknown))
	require.Equal(t, True, or(True, Unknown))
	require.Equal(t, True|Null, or(Null, Unknown))
	require.False(t, and(Null, Unknown).Maybe())
}
