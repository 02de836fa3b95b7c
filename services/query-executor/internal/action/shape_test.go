package action_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/action"
)

func TestShapeAppend(t *testing.T) {
	t.Parallel()
	shape := &action.Shape{Members: []action.Member{
		{Key: "first", Name: "a"},
		{Key: "kind", Typename: "Out"},
		{Key: "b", Name: "b", Below: &action.Shape{Nested: true, Members: []action.Member{{Key: "x", Name: "x"}}}},
	}}
	for text, want := range map[string]string{
		`{"b":{"y":1,"x":[2]},"a":{"z":null}}`: `{"first":{"z":null},"kind":"Out","b":{"x":[2]}}`,
		`{}`:                                   `{"first":null,"kind":"Out","b":null}`,
		`[ {"a":1} , null, 2, [ {"a":"]"} ] ]`: `[{"first":1,"kind":"Out","b":null},null,null,[{"first":"]","kind":"Out","b":null}]]`,
		`[]`:                                   `[]`,
		`"text"`:                               `null`,
	} {
		got, err := shape.Append([]byte("-"), []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, "-"+want, string(got), text)
	}
	for _, text := range []string{`[`, `[{"a":1}`, `{"a"}`, `[1,]`} {
		_, err := shape.Append(nil, []byte(text))
		require.Error(t, err, text)
	}
	got, err := (*action.Shape)(nil).Append(nil, []byte(`{"all": 1}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"all": 1}`, string(got))
}

// TestDeepLists would take minutes if each list were read again by those around it.
func TestDeepLists(t *testing.T) {
	t.Parallel()
	const depth = 10_000 // what the standard library reads
	shape := &action.Shape{Members: []action.Member{{Key: "a", Name: "a"}}}
	text := strings.Repeat("[", depth) + `{"a":"` + strings.Repeat("x", 8<<20) + `"}` + strings.Repeat("]", depth)
	got, err := shape.Append(nil, []byte(text))
	require.NoError(t, err)
	require.Len(t, got, len(text))
}
