package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseNodeID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, reason string }{
		{`[1, "public", "author", 2]`, ""},
		{`[1.0,"public","author","a",null]` + "\n", ""},
		{``, "not enough input"},
		{` x`, "Failed reading: not a valid json value at 'x'"},
		{"\xad\xa9\xdd\xa2", "Failed reading: not a valid json value at '\u00ad\u00a9\u00dd\u00a2'"},
		{`"text"`, "parsing [] failed, expected Array, but encountered String"},
		{`null`, "parsing [] failed, expected Array, but encountered Null"},
		{`[]`, "unexpected GUID format, found empty list"},
		{`["1"]`, "unexpected GUID format, needs to start with a version number"},
		{`[3, "public"]`, "unsupported GUID version: 3.0"},
		{`[1.5]`, "unsupported GUID version: 1.5"},
		{`[12345678]`, "unsupported GUID version: 1.2345678e7"},
		{`[1, "public", "author"]`, "GUID version 1: expecting schema name, table name and at least one column value"},
		{`[1, 2, "author", 3]`, "GUID version 1: expecting schema name, table name and at least one column value"},
	} {
		id, err := parseNodeID([]byte(c.text))
		if c.reason != "" {
			require.EqualError(t, err, c.reason)
			continue
		}
		require.NoError(t, err, c.text)
		require.Equal(t, "public", id.schema)
		require.Equal(t, "author", id.table)
		require.NotEmpty(t, id.key)
	}
}

func TestDecodeBase64(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"eyJpZCIgOiA0fQ==":   `{"id" : 4}`,
		"eyJpZCIgOiA0fQ":     `{"id" : 4}`,
		"eyJp ZCIg\nOiA0fQ=": `{"id" : 4}`,
		"random":             "\xad\xa9\xdd\xa2",
		"é€":                 "",
		"A":                  "",
	} {
		require.Equal(t, want, string(decodeBase64(text)), text)
	}
}

func FuzzParseNodeID(f *testing.F) {
	for _, text := range []string{`[1, "public", "author", 2]`, `[1,"a","b",{"c":[]}]`, `[1e999,"a"]`, "\xff", `[[[`, `[1,"\ud800","b",1]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, err := parseNodeID(text)
		if err == nil {
			require.NotEmpty(t, parsed.key)
		}
	})
}
