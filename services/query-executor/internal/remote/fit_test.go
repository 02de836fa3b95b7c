package remote_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/remote"
)

func TestFit(t *testing.T) {
	t.Parallel()
	shape := &remote.Shape{Members: []remote.Member{
		leaf("a"),
		{Key: "b", Below: &remote.Shape{Members: []remote.Member{leaf("x"), {Key: "t", Names: map[string]string{"User": "CrmUser", "Same": "Same"}}}}},
		leaf("any"),
	}}
	for _, value := range []string{
		`null`, `true`, `false`, `12`, `0`, `-1.5e3`, `1e400`, `""`, `"text"`, `"a longer text, of more than eight bytes"`, `"umlauts: äöü €"`,
		`"escaped: \" \\ \u0000"`, `[]`, `[[1,2],[]]`, `{}`, `{"a":1}`, `{"a":"x","b":{"x":1,"t":"Other"},"any":{"k":[1,{}]}}`,
		`{"b":{"t":"Same"}}`, `{"b":null,"any":[]}`, `[ { "a" : 1 , "b" : { "x" : 2 } } , null ]`, `{"any":{"z":1,"z":2}}`,
	} {
		for _, body := range []string{`{"data":{"k":` + value + `}}`, " {\n\"data\" : {\t\"k\" : " + value + " } } \r\n"} {
			got, ok := remote.NewFit("k", shape).Value([]byte(body))
			require.True(t, ok, body)
			require.Equal(t, value, string(got), body)
		}
	}
	for _, body := range []string{
		``, `null`, `{}`, `{"data":null}`, `{"data":{}}`, `{"data":{"other":1}}`, `{"data":{"k":1},"errors":[]}`, `{"errors":[],"data":{"k":1}}`,
		`{"data":{"k":1}`, `{"data":{"k":1}}}`, `{"data":{"k":1,"k":2}}`, `{"data":{"k":01}}`, `{"data":{"k":-}}`, `{"data":{"k":1.}}`,
		`{"data":{"k":nul}}`, `{"data":{"k":"a` + "\n" + `"}}`, `{"data":{"k":"\x"}}`, "{\"data\":{\"k\":\"\xff a text that goes on\"}}", "{\"data\":{\"k\":\"a text of some bytes\xc3\"}}",
		`{"data":{"k":"open`, `{"data":{"k":{"b":{"t":"User"}}}}`, `{"data":{"k":{"any":1,"a":2}}}`, `{"data":{"k":{"a":1,"a":2}}}`,
		`{"data":{"k":{"more":1}}}`, `{"data":{"k":{"a":1,}}}`, `{"data":{"k":[1,]}}`, `{"data":{"k":{"a" 1}}}`, `{"data":{"k":{"any":{"x":]}}}}`,
		`{"data":{"k":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`,
	} {
		_, ok := remote.NewFit("k", shape).Value([]byte(body))
		require.False(t, ok, body)
	}
}

// FuzzFit: bytes that are passed on unchanged are what would be written otherwise.
func FuzzFit(f *testing.F) {
	shape := &remote.Shape{Members: []remote.Member{leaf("a"), {Key: "b", Below: &remote.Shape{Members: []remote.Member{leaf("x"), leaf("y")}}}}}
	for _, value := range []string{`{"a":1,"b":{"x":1}}`, `[{"b":[{"x":1,"y":{}}]}]`, `"text \" of more than eight bytes"`, `-0.1e5`} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		body := []byte(`{"data":{"k":` + value + `}}`)
		got, ok := remote.NewFit("k", shape).Value(body)
		if !ok {
			return
		}
		require.True(t, json.Valid(body), "%q", body)
		root, err := remote.Root(body, "k", false)
		require.NoError(t, err)
		written, err := shape.Append(nil, root)
		require.NoError(t, err)
		require.Equal(t, strings.TrimSpace(string(written)), strings.TrimSpace(string(got)))
	})
}
