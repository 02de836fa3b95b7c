package remote_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/remote"
)

func leaf(key string) remote.Member { return remote.Member{Key: key} }

func TestShapeAppend(t *testing.T) {
	t.Parallel()
	names := map[string]string{"User": "CrmUser"}
	shape := &remote.Shape{Members: []remote.Member{
		leaf("a"),
		{Key: "b", Below: &remote.Shape{Members: []remote.Member{leaf("x"), {Key: "t", Names: names}, leaf("y")}}},
		leaf("c"),
	}}
	for _, tt := range []struct{ name, text, want string }{
		{"as it is", `{"a":1, "b":{"x":"}","y":[{"z":1}]},"c":null}`, `{"a":1, "b":{"x":"}","y":[{"z":1}]},"c":null}`},
		{"members that aren't there", `{"c":1}`, `{"c":1}`},
		{"nothing", `{}`, `{}`},
		{"null", `null`, `null`},
		{"a scalar where objects were expected", `"b"`, `"b"`},
		{"another order", `{"c":3,"b":{"y":2,"x":1},"a":1}`, `{"a":1,"b":{"x":1,"y":2},"c":3}`},
		{"more than was requested", `{"a":1,"more":{"a":[]},"c":3}`, `{"a":1,"c":3}`},
		{"another order below", `[{"a":1,"b":[{"y":2,"x":1},null]},{"a":2}]`, `[{"a":1,"b":[{"x":1,"y":2},null]},{"a":2}]`},
		{"a key twice", `{"a":1,"a":2}`, `{"a":2}`},
		{"names of types", `{"b":[{"t":"User"},{"x":1,"t":"Other"},{"t":null}]}`, `{"b":[{"t":"CrmUser"},{"x":1,"t":"Other"},{"t":null}]}`},
		{"names of types in another order", `{"b":{"t":"User","x":1},"a":0}`, `{"a":0,"b":{"x":1,"t":"CrmUser"}}`},
		{"an escaped key", `{"\u0061":1,"c":2}`, `{"\u0061":1,"c":2}`},
		{"blanks", " { \"c\" : 1 , \"a\" : [ ] } ", ` {"a":[ ],"c":1} `},
	} {
		got, err := shape.Append([]byte("-"), []byte(tt.text))
		require.NoError(t, err, tt.name)
		require.Equal(t, "-"+tt.want, string(got), tt.name)
	}
	for _, text := range []string{``, `{`, `{"a":1}}`, `{"a"}`, `[{"a":1}`, `{"b":{"x":1}`} {
		_, err := shape.Append(nil, []byte(text))
		require.Error(t, err, text)
	}
	got, err := (*remote.Shape)(nil).Append(nil, []byte(`{"anything":1}`))
	require.NoError(t, err)
	require.Equal(t, `{"anything":1}`, string(got))
}

// TestDeepAnswers holds that no answer takes more of the stack than there is.
func TestDeepAnswers(t *testing.T) {
	t.Parallel()
	shape := &remote.Shape{Members: []remote.Member{{Key: "a", Below: &remote.Shape{Members: []remote.Member{leaf("x")}}}}}
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, text := range []string{nested(8 << 20), `{"a":` + nested(1000) + `}`, `{"a":1,"a":[` + nested(1000) + `]}`} {
		_, err := shape.Append(nil, []byte(text))
		require.EqualError(t, err, "the lists of the answer are nested too deeply")
		_, fits := remote.NewFit("k", shape).Value([]byte(`{"data":{"k":` + text + `}}`))
		require.False(t, fits)
	}
	many := "[" + nested(100) + strings.Repeat(`,{"a":[]}`, 1000) + "]"
	got, err := shape.Append(nil, []byte(many))
	require.NoError(t, err, "lists next to each other")
	require.Equal(t, many, string(got))
}

func TestValues(t *testing.T) {
	t.Parallel()
	shape := &remote.Shape{Members: []remote.Member{leaf("a")}}
	got, err := remote.Values([]byte(`{"f1":{"p":{"a":2}},"other":0,"f0":{"p":[{"a":1,"b":0}]},"f2":null,"f3":{"p":null}}`), 4, []string{"p"}, shape)
	require.NoError(t, err)
	var texts []string
	for _, v := range got {
		texts = append(texts, string(v))
	}
	require.Equal(t, []string{`[{"a":1}]`, `{"a":2}`, `null`, `null`}, texts)
	for text, want := range map[string]string{
		`[]`:               "unexpected non-object json value found while path not empty: ",
		`{}`:               "failed to lookup key 'f0' in response",
		`{"f0":{}}`:        "failed to lookup key 'p' in response",
		`{"f0":[]}`:        "unexpected non-object json value found while path not empty: p.q",
		`{"f0":{"p":[1]}}`: "unexpected non-object json value found while path not empty: q",
		`{"f0":{"p":{}}}`:  "failed to lookup key 'q' in response",
	} {
		_, err := remote.Values([]byte(text), 1, []string{"p", "q"}, nil)
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzShapeAppend: JSON stays JSON, with the wanted members and their values.
func FuzzShapeAppend(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":{"x":1}}`, `[{"b":[{"y":1,"x":{}}],"a":null}]`, `{"a":1,"a":2}`, `{"\u0062":{"x":1}}`} {
		f.Add([]byte(s))
	}
	shape := &remote.Shape{Members: []remote.Member{leaf("a"), {Key: "b", Below: &remote.Shape{Members: []remote.Member{leaf("x"), leaf("y")}}}}}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := shape.Append(nil, text)
		if !json.Valid(text) {
			return
		}
		require.NoError(t, err)
		var in, out any
		require.NoError(t, json.Unmarshal(text, &in))
		require.NoError(t, json.Unmarshal(got, &out), "%s", got)
		require.Equal(t, only(in, shape), out)
	})
}

// only is a value with the members of a shape.
func only(v any, s *remote.Shape) any {
	if s == nil {
		return v
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = only(v[i], s)
		}
	case map[string]any:
		kept := map[string]any{}
		for _, m := range s.Members {
			if value, ok := v[m.Key]; ok {
				kept[m.Key] = only(value, m.Below)
			}
		}
		return kept
	}
	return v
}
