package jsonwalk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/jsonwalk"
)

func TestFields(t *testing.T) {
	t.Parallel()
	var got []string
	err := jsonwalk.Fields([]byte(` { "a" : 1.50, "b\u0041":"x}\"" ,"c":[1,{"d":"]"}], "e":{} , "f":null} `), func(k, v []byte) error {
		got = append(got, string(k)+"="+string(v))
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a=1.50", `bA="x}\""`, `c=[1,{"d":"]"}]`, "e={}", "f=null"}, got)
}

func TestItems(t *testing.T) {
	t.Parallel()
	var got []string
	require.NoError(t, jsonwalk.Items([]byte(`[ 1, "a,b" ,[2,3], true]`), func(_ int, v []byte) error {
		got = append(got, string(v))
		return nil
	}))
	require.Equal(t, []string{"1", `"a,b"`, "[2,3]", "true"}, got)
	require.NoError(t, jsonwalk.Items([]byte(` [ ] `), nil))
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	ignore := func([]byte, []byte) error { return nil }
	for _, text := range []string{``, `[`, `{`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{"a":1}x`, `{"a":"b}`, `{"a" 1}`} {
		require.ErrorIs(t, jsonwalk.Fields([]byte(text), ignore), jsonwalk.ErrSyntax, text)
	}
	for _, text := range []string{``, `{}`, `[`, `[1`, `[1,`, `[,]`, `[1]]`} {
		require.ErrorIs(t, jsonwalk.Items([]byte(text), func(int, []byte) error { return nil }), jsonwalk.ErrSyntax, text)
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]jsonwalk.Kind{
		``: jsonwalk.Invalid, `null`: jsonwalk.Null, `true`: jsonwalk.Boolean, `-1`: jsonwalk.Number,
		`"x"`: jsonwalk.String, `[]`: jsonwalk.Array, "\n{}": jsonwalk.Object, `x`: jsonwalk.Invalid,
	} {
		require.Equal(t, want, jsonwalk.KindOf([]byte(text)), text)
	}
}

// FuzzFields holds the walk against the standard library: what that accepts is walked
// whole, and nothing makes it read out of bounds.
func FuzzFields(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,{"b":"\\\""}],"c":null}`, `{"a":1}}`, `{"\ud800":2}`, "{\"\xff\":1,\"\xff\\n\":2}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := map[string]string{}
		err := jsonwalk.Fields(b, func(k, v []byte) error {
			got[string(k)] = string(v)
			return nil
		})
		var want map[string]json.RawMessage
		if json.Unmarshal(b, &want) != nil || want == nil {
			return
		}
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for k, v := range want {
			require.Equal(t, string(v), got[k])
		}
	})
}

// FuzzText: strings mean what they do to the standard library, also those that aren't UTF-8.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		`""`, `"plain"`, `"a\"\\\/\b\f\n\r\tz"`, `"\u20ac\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\ude00\ud83d"`, `"\ud83d\u12"`,
		"\"\xff\"", "\"\xff\\n\xc3\xe2\x82\"", "\"\xed\xa0\x80\"", `"\x"`, `"\"`, `"\u12g4"`, ` "x" `, "\"" + strings.Repeat("é", 40) + "\xe2\x82\"",
		`"` + strings.Repeat("a", 40) + `\""`, `"` + strings.Repeat(`\\`, 40) + `"`, strings.Repeat("a", 31) + `\"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := jsonwalk.Text(b)
		var want string
		if !json.Valid(b) || jsonwalk.KindOf(b) != jsonwalk.String {
			return
		}
		require.NoError(t, json.Unmarshal(b, &want))
		require.NoError(t, err)
		require.Equal(t, want, got)
		c := jsonwalk.NewCursor(b)
		require.NoError(t, c.Skip())
		require.NoError(t, c.End())
	})
}
