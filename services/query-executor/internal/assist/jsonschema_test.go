package assist_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/assist"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// TestInputSchemas: input objects are defined once, a bounded number of them, and each reference leads to a definition.
func TestInputSchemas(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(50), session.Admin, schema.Options{})
	documents := []assist.Document{
		{Name: "find", Query: `query ($where: table_0000_bool_exp!, $order: [table_0000_order_by!], $n: Int = 1) {table_0000(where: $where, order_by: $order, limit: $n) {id}}`},
		{Name: "plain", Query: `query ($id: uuid!, $unused: nothing) {table_0000(where: {code: {_eq: $id}}) {id}}`},
	}
	list, err := assist.Tools(documents, role, parse.Limits{Tokens: 1000}, "", 10)
	require.NoError(t, err)
	require.NotEmpty(t, list.Tools)
	var input struct {
		Properties  map[string]any            `json:"properties"`
		Definitions map[string]map[string]any `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(list.Tools[0].Input, &input))
	require.Equal(t, map[string]any{"$ref": "#/$defs/table_0000_bool_exp"}, input.Properties["where"])
	require.Len(t, input.Definitions, 12)
	require.Contains(t, input.Definitions, "table_0000_order_by", "those nearest to the variables")
	for _, reference := range regexp.MustCompile(`"#/\$defs/([^"]*)"`).FindAllStringSubmatch(string(list.Tools[0].Input), -1) {
		require.Contains(t, input.Definitions, reference[1])
	}
	for _, tool := range list.Tools[1:] {
		require.False(t, strings.Contains(string(tool.Input), "nothing") || strings.Contains(string(tool.Input), "$defs"), string(tool.Input))
	}
}
