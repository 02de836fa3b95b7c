package jsonwalk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/jsonwalk"
)

func TestCursorKnowsWhereItIs(t *testing.T) {
	t.Parallel()
	text := []byte(` {"a": [1, {"b" :"x"}], "c":null } `)
	c := jsonwalk.NewCursor(text)
	require.Equal(t, jsonwalk.Object, c.Kind())
	var seen []string
	err := c.Object(func(key []byte) error {
		seen = append(seen, string(text[c.KeyAt():c.KeyAt()+3]), string(key))
		if c.Kind() != jsonwalk.Array {
			return c.Skip()
		}
		return c.Array(func() error {
			start := c.At()
			err := c.Skip()
			seen = append(seen, string(text[start:c.At()]))
			return err
		})
	})
	require.NoError(t, err)
	require.NoError(t, c.End())
	require.Equal(t, []string{`"a"`, "a", "1", `{"b" :"x"}`, `"c"`, "c"}, seen)
}

func TestCursorOnEmptyLists(t *testing.T) {
	t.Parallel()
	c := jsonwalk.NewCursor([]byte(`[ [], { } ]`))
	never := func() error { return jsonwalk.ErrSyntax }
	require.NoError(t, c.Array(func() error {
		if c.Kind() == jsonwalk.Array {
			return c.Array(never)
		}
		return c.Object(func([]byte) error { return never() })
	}))
	require.NoError(t, c.End())
}

func TestCursorRefusesOtherKinds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `1`, `"a"`, `{`, `[`, `[1}`, `{"a":1]`} {
		c := jsonwalk.NewCursor([]byte(text))
		require.ErrorIs(t, c.Object(func([]byte) error { return c.Skip() }), jsonwalk.ErrSyntax, text)
		c = jsonwalk.NewCursor([]byte(text))
		require.ErrorIs(t, c.Array(c.Skip), jsonwalk.ErrSyntax, text)
	}
}
