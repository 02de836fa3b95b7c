package metadata_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/template"
	"queryengine/pkg/transform"
)

// TestTransformsPage runs the examples of docs/transforms.md.
func TestTransformsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/transforms.md")
	require.NoError(t, err)

	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 3)
	request, err := transform.CompileRequest(json.RawMessage(blocks[0][1]))
	require.NoError(t, err)
	call, err := request.Apply(transform.Call{
		URL:     "https://hook",
		Headers: []transform.Header{{Name: "User-Agent", Value: "engine"}},
		Body:    []byte(`{"table":{"name":"stock"},"event":{"data":{"new":{"sku":7,"qty":2}}}}`),
	}, nil)
	require.NoError(t, err)
	require.Equal(t, transform.Call{
		Method: "PUT", URL: "https://hook/7?by=nobody",
		Headers: []transform.Header{{Name: "X-Table", Value: "stock"}}, Body: []byte(`{"quantity":2}`),
	}, call)

	e, err := metadata.ParseEnvelope(json.RawMessage(blocks[1][1]))
	require.NoError(t, err)
	answer, err := testTransform(string(e.Args))
	require.NoError(t, err)
	require.JSONEq(t, blocks[2][1], string(answer))

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
