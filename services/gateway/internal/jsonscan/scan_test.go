package jsonscan_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/jsonscan"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]jsonscan.Kind{
		`null`: jsonscan.Null, ` true `: jsonscan.Bool, "false": jsonscan.Bool,
		`-0.5e+10`: jsonscan.Number, `0`: jsonscan.Number, `120`: jsonscan.Number,
		`"a\n\u00e9"`: jsonscan.String, `[1, [2], {}]`: jsonscan.Array, `[]`: jsonscan.Array,
		"{\"a\" : 1 ,\n\"b\":[true]}": jsonscan.Object, `{}`: jsonscan.Object,
	} {
		v, err := jsonscan.Parse([]byte(text))
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
		_, err := jsonscan.Parse([]byte(text))
		var syntax *jsonscan.SyntaxError
		require.ErrorAs(t, err, &syntax, "%.40q", text)
		require.Contains(t, err.Error(), "Error in $: ")
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	v, err := jsonscan.Parse([]byte(` { "a\u0041" : [ 1 , "x" ] , "b" : { "c" : null } } `))
	require.NoError(t, err)
	var keys, parts []string
	require.NoError(t, v.Members(func(key []byte, member jsonscan.Value) error {
		keys = append(keys, string(key))
		parts = append(parts, string(member.Raw))
		if member.Kind != jsonscan.Array {
			return nil
		}
		return member.Elements(func(i int, e jsonscan.Value) error {
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
		require.Equal(t, want, jsonscan.Value{Raw: []byte(raw), Kind: jsonscan.String}.Text(), raw)
	}
}

// FuzzParse compares the scanner with encoding/json: which texts are JSON, and the values of strings.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"query":"{ a }","variables":{"x":[1,2.5e3,"\ud83d\ude00"]}}`, `"\ud83d"`, "[1,]", "\"\x00\"", " {} ", "-"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := jsonscan.Parse(text)
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
		case jsonscan.String:
			var want string
			require.NoError(t, json.Unmarshal(v.Raw, &want))
			require.Equal(t, want, v.Text())
			var back string
			require.NoError(t, json.Unmarshal(jsonscan.AppendString(nil, want), &back))
			require.Equal(t, want, back)
		case jsonscan.Object:
			var want map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(v.Raw, &want))
			got := map[string]json.RawMessage{}
			require.NoError(t, v.Members(func(key []byte, m jsonscan.Value) error {
				got[string(key)] = json.RawMessage(m.Raw)
				return nil
			}))
			require.Len(t, got, len(want))
			for key := range want {
				require.Equal(t, string(want[key]), string(got[key]))
			}
		case jsonscan.Array:
			var want []json.RawMessage
			require.NoError(t, json.Unmarshal(v.Raw, &want))
			n := 0
			require.NoError(t, v.Elements(func(i int, e jsonscan.Value) error {
				require.Equal(t, string(want[i]), string(e.Raw))
				n++
				return nil
			}))
			require.Len(t, want, n)
		default:
		}
	})
}
