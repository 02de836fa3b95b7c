package assembly

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEventTriggersPage sends the requests of docs/event-triggers.md.
func TestEventTriggersPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/event-triggers.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 6)

	i := installTables(t, `CREATE TABLE stock (sku int PRIMARY KEY, qty int)`)
	i.request("pg_track_table", map[string]any{"table": "stock"})
	h := newHook(t)
	answers := make([]json.RawMessage, len(blocks))
	for n, b := range blocks {
		var request struct {
			Type string
			Args map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(b[1], "http://hooks.example", h.URL)), &request))
		answers[n] = i.request(request.Type, request.Args)
	}
	for _, n := range []int{0, 4, 5} {
		require.JSONEq(t, `{"message":"success"}`, string(answers[n]))
	}
	require.Regexp(t, `^\{"event_id":"[0-9a-f-]{36}"\}$`, string(answers[1]))
	var pending []map[string]any
	require.NoError(t, json.Unmarshal(answers[2], &pending))
	require.Len(t, pending, 1)
	require.JSONEq(t, `[]`, string(answers[3]))
}
