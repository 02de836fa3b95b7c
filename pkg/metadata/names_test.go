package metadata

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

func TestListsOfColumns(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Columns{
		`"*"`:                 {All: true},
		`[]`:                  {Names: []string{}},
		` [ "id", "name" ] `:  {Names: []string{"id", "name"}},
		`["a\"b", "\u00e4ö"]`: {Names: []string{`a"b`, "äö"}},
		`["id", ""]`:          {Names: []string{"id", ""}},
		"[\"a\xffb\"]":        {Names: []string{"a\uFFFDb"}},
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			var got Columns
			require.NoError(t, got.UnmarshalJSON([]byte(raw)))
			require.Equal(t, want, got)
		})
	}
	for raw, want := range map[string]apierror.Error{
		`["id", null]`: {Path: "$[1]", Message: "parsing Text failed, expected String, but encountered Null"},
		`["id", 7]`:    {Path: "$[1]", Message: "parsing Text failed, expected String, but encountered Number"},
		`{}`:           {Path: "$", Message: "parsing [] failed, expected Array, but encountered Object"},
		`null`:         {Path: "$", Message: "parsing [] failed, expected Array, but encountered Null"},
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			var got Columns
			var e *apierror.Error
			require.ErrorAs(t, got.UnmarshalJSON([]byte(raw)), &e)
			require.Equal(t, want.Path, e.Path)
			require.Equal(t, want.Message, e.Message)
		})
	}
}

func TestTextsWithAndWithoutEscapes(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`""`:              "",
		" \"id\"\n":       "id",
		`"Straße"`:        "Straße",
		`"a\\b\n\u20ac"`:  "a\\b\n€",
		"\"a\xffb\"":      "a\uFFFDb",
		`"\ud83d\ude00x"`: "😀x",
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			var got string
			require.NoError(t, decode(json.RawMessage(raw), &got))
			require.Equal(t, want, got)
		})
	}
}
