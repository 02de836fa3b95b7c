package jsonwalk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/jsonwalk"
)

// walk spells a value by walking all its levels.
func walk(t *testing.T, d *jsonwalk.Doc, v []byte) string {
	t.Helper()
	var parts []string
	switch jsonwalk.KindOf(v) {
	case jsonwalk.Object:
		require.NoError(t, d.Fields(v, func(key, value []byte) error {
			parts = append(parts, string(key)+":"+walk(t, d, value))
			return nil
		}))
		return "{" + strings.Join(parts, ",") + "}"
	case jsonwalk.Array:
		require.NoError(t, d.Items(v, func(_ int, value []byte) error {
			parts = append(parts, walk(t, d, value))
			return nil
		}))
		return "[" + strings.Join(parts, ",") + "]"
	}
	return string(v)
}

func TestDocWalksAsWithoutIt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("[{} ", 2000)
	texts := []string{
		`{"a": [1, {"b]": "\"}"}, []], "c": {"d": {}}, "x": "` + strings.Repeat("x", 5000) + `"}`,
		` [ ` + strings.Repeat(`{"a" : [ 1 , "[" ] } , `, 500) + `null ] `,
		strings.Repeat(`{"a":[`, 1000) + `1` + strings.Repeat(`]}`, 1000),
	}
	for i, text := range texts {
		d := jsonwalk.NewDoc([]byte(text))
		require.NotNil(t, d)
		inside := append([]byte("before "), text...) // as a variable inside of a request
		require.Equal(t, walk(t, nil, []byte(text)), walk(t, jsonwalk.NewDoc(inside[7:]), inside[7:]), i)
		require.Equal(t, `{}`, walk(t, d, []byte(`{}`)), "a text of its own")
	}
	for _, text := range []string{`{}`, long, long + strings.Repeat("]", 3000), `"` + long} {
		require.Nil(t, jsonwalk.NewDoc([]byte(text)))
	}
}

func TestDocStepsOverWhatIsNested(t *testing.T) {
	t.Parallel()
	inner := fmt.Sprintf(`{"x":"%s"}`, strings.Repeat("x", 10_000))
	text := []byte(`{"a":` + inner + `,"b":1}`)
	d := jsonwalk.NewDoc(text)
	text[20] = '"' // it isn't looked at again
	var keys []string
	require.NoError(t, d.Fields(text, func(key, _ []byte) error {
		keys = append(keys, string(key))
		return nil
	}))
	require.Equal(t, []string{"a", "b"}, keys)
	require.Error(t, jsonwalk.Fields(text, func(_, _ []byte) error { return nil }))
}
