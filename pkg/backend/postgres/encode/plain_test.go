package encode

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlainRecords reads lists of records as json and jsonb have them.
func TestPlainRecords(t *testing.T) {
	t.Parallel()
	for _, list := range []string{`[[1, "a, b]", null], [2,"",[[3]]]]`, "\x01[[1, \"a, b]\", null], [2, \"\", [[3]]]]", "[\n[1, \"a, b]\", null],\n[2, \"\", [[3]]]]"} {
		var f plainFormat
		n, rest, ok := f.List([]byte(list))
		require.True(t, ok)
		require.Equal(t, 2, n)
		var got [][]string
		for range n {
			var record []byte
			record, rest, ok = f.Next(rest)
			require.True(t, ok)
			values, types, ok := f.Record(nil, nil, record)
			require.True(t, ok)
			require.Len(t, types, len(values))
			row := make([]string, len(values))
			for i, v := range values {
				if row[i] = string(v); v == nil {
					row[i] = "NULL"
				}
			}
			got = append(got, row)
		}
		require.Equal(t, [][]string{{"1", `"a, b]"`, "NULL"}, {"2", `""`, "[[3]]"}}, got)
	}
}

// FuzzPlainRecords: what isn't a list of records is recognized as such, and never read beyond its end.
func FuzzPlainRecords(f *testing.F) {
	for _, s := range []string{"", "[", "[]", "[[]]", "[[1],", "[[1],]", `["`, "[[1]]x", "\x01[[null]]", "{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, list []byte) {
		var format plainFormat
		n, rest, ok := format.List(list)
		if !ok {
			return
		}
		for range n {
			record, after, ok := format.Next(rest)
			if !ok {
				return
			}
			_, _, _ = format.Record(nil, nil, record)
			rest = after
		}
	})
}
