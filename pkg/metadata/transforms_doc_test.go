package metadata_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/template"
)

// TestTransformsPage renders the templates of the table of docs/transforms.md.
func TestTransformsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/transforms.md")
	require.NoError(t, err)

	body, err := template.Decode([]byte(`{"input":{"tags":["a","b"],"who":null},"n":2}`))
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `(.*)` \\| `(.*)` \\|$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, 12)
	for _, row := range rows {
		parsed, err := template.Parse(strings.ReplaceAll(row[1], `\|`, `|`))
		require.NoError(t, err, row[1])
		got, err := parsed.Render(template.Environment{Lookup: func(string) (any, bool) { return body, true }})
		require.NoError(t, err, row[1])
		require.Equal(t, row[2], string(got), row[1])
	}
}
