package jsonwalk_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/jsonwalk"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]jsonwalk.Kind{
		`null`: jsonwalk.Null, ` true `: jsonwalk.Boolean, "false": jsonwalk.Boolean,
		`-0.5e+10`: jsonwalk.Number, `0`: jsonwalk.Number, `120`: jsonwalk.Number,
		`"a\n\u00e9"`: jsonwalk.String, `[1, [2], {}]`: jsonwalk.Array, `[]`: jsonwalk.Array,
		"{\"a\" : 1 ,\n\"b\":[true]}": jsonwalk.Object, `{}`: jsonwalk.Object,
	} {
		v, err := jsonwalk.Parse([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, kind, v.Kind, text)
		require.Equal(t, strings.TrimSpace(text), string(v.Raw))
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "nul", "tru", "01", "-", "1.", "1e", "1e+", ".5", "+1", `"a`, `"\x"`, `"\u12g4"`, "\"\n\"",
		"{", "{]", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, "[1,]", "[1 2]", "[", "1 2", "{}x", "\"\xff\"",
		strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
	} {
		_, err := jsonwalk.Parse([]byte(text))
		var syntax *jsonwalk.SyntaxError
		require.ErrorAs(t, err, &syntax, "%.40q", text)
		require.Contains(t, err.Error(), "Error in $: ")
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	v, err := jsonwalk.Parse([]byte(` { "a\u0041" : [ 1 , "x" ] , "b" : { "c" : null } } `))
	require.NoError(t, err)
	var keys, parts []string
	require.NoError(t, v.Members(func(key []byte, member jsonwalk.Value) error {
		keys = append(keys, string(key))
		parts = append(parts, string(member.Raw))
		if member.Kind != jsonwalk.Array {
			return nil
		}
		return member.Elements(func(i int, e jsonwalk.Value) error {
			require.Equal(t, i, len(parts)-1)
			parts = append(parts, string(e.Raw))
			return nil
		})
	}))
	require.Equal(t, []string{"aA", "b"}, keys)
	require.Equal(t, []string{`[ 1 , "x" ]`, "1", `"x"`, `{ "c" : null }`}, parts)
}

func TestText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`""`: "", `"abc"`: "abc", `"a\"\\\/\b\f\n\r\tz"`: "a\"\\/\b\f\n\r\tz",
		`"\u20ac\ud83d\ude00!"`: "€😀!", `"\ud83d"`: "\uFFFD", `"\ud83dx"`: "\uFFFDx", `"\ude00\ud83d"`: "\uFFFD\uFFFD",
	} {
		require.Equal(t, want, jsonwalk.Value{Raw: []byte(raw), Kind: jsonwalk.String}.Text(), raw)
	}
}

// FuzzParse compares the scanner with encoding/json: which texts are JSON, and the values of strings.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"query":"{ a }","variables":{"x":[1,2.5e3,"\ud83d\ude00"]}}`, `"\ud83d"`, "[1,]", "\"\x00\"", " {} ", "-"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := jsonwalk.Parse(text)
		if err != nil {
			if utf8.Valid(text) && json.Valid(text) && !strings.Contains(err.Error(), "nested") {
				t.Fatalf("refuses %q: %v", text, err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("accepts %q", text)
		}
		switch v.Kind {
		case jsonwalk.String:
			var want string
			require.NoError(t, json.Unmarshal(v.Raw, &want))
			require.Equal(t, want, v.Text())
		case jsonwalk.Object:
			var want map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(v.Raw, &want))
			got := map[string]json.RawMessage{}
			require.NoError(t, v.Members(func(key []byte, m jsonwalk.Value) error {
				got[string(key)] = json.RawMessage(m.Raw)
				return nil
			}))
			require.Len(t, got, len(want))
			for key := range want {
				require.Equal(t, string(want[key]), string(got[key]))
			}
		case jsonwalk.Array:
			var want []json.RawMessage
			require.NoError(t, json.Unmarshal(v.Raw, &want))
			n := 0
			require.NoError(t, v.Elements(func(i int, e jsonwalk.Value) error {
				require.Equal(t, string(want[i]), string(e.Raw))
				n++
				return nil
			}))
			require.Len(t, want, n)
		default:
		}
	})
}
