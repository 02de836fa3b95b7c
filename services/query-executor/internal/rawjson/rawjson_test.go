package rawjson_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/rawjson"
)

func TestFields(t *testing.T) {
	t.Parallel()
	var got []string
	err := rawjson.Fields([]byte(` { "a" : 1.50, "b\u0041":"x}\"" ,"c":[1,{"d":"]"}], "e":{} , "f":null} `), func(k, v []byte) error {
		got = append(got, string(k)+"="+string(v))
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a=1.50", `bA="x}\""`, `c=[1,{"d":"]"}]`, "e={}", "f=null"}, got)
}

func TestItems(t *testing.T) {
	t.Parallel()
	var got []string
	require.NoError(t, rawjson.Items([]byte(`[ 1, "a,b" ,[2,3], true]`), func(_ int, v []byte) error {
		got = append(got, string(v))
		return nil
	}))
	require.Equal(t, []string{"1", `"a,b"`, "[2,3]", "true"}, got)
	require.NoError(t, rawjson.Items([]byte(` [ ] `), nil))
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	ignore := func([]byte, []byte) error { return nil }
	for _, text := range []string{``, `[`, `{`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{"a":1}x`, `{"a":"b}`, `{"a" 1}`} {
		require.ErrorIs(t, rawjson.Fields([]byte(text), ignore), rawjson.ErrSyntax, text)
	}
	for _, text := range []string{``, `{}`, `[`, `[1`, `[1,`, `[,]`, `[1]]`} {
		require.ErrorIs(t, rawjson.Items([]byte(text), func(int, []byte) error { return nil }), rawjson.ErrSyntax, text)
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rawjson.Kind{
		``: rawjson.Invalid, `null`: rawjson.Null, `true`: rawjson.Boolean, `-1`: rawjson.Number,
		`"x"`: rawjson.String, `[]`: rawjson.Array, "\n{}": rawjson.Object, `x`: rawjson.Invalid,
	} {
		require.Equal(t, want, rawjson.KindOf([]byte(text)), text)
	}
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain", "q\"b\\n\n\r\t\x01é"} {
		var back string
		require.NoError(t, json.Unmarshal(rawjson.AppendString(nil, s), &back))
		require.Equal(t, s, back)
	}
}

// FuzzFields holds the walk against the standard library: what that accepts is walked
// whole, and nothing makes it read out of bounds.
func FuzzFields(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,{"b":"\\\""}],"c":null}`, `{"a":1}}`, `{"\ud800":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want map[string]json.RawMessage
		valid := json.Unmarshal(b, &want) == nil && want != nil
		got := map[string]json.RawMessage{}
		err := rawjson.Fields(b, func(k, v []byte) error {
			got[string(k)] = bytes.Clone(v)
			return nil
		})
		if !valid {
			return
		}
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for k, v := range want {
			// Keys that aren't UTF-8 are replaced by the library alone.
			if g, ok := got[k]; ok {
				require.Equal(t, string(v), string(g))
			}
		}
	})
}
