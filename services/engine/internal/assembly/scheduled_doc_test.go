package assembly

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScheduledTriggersPage sends the requests of docs/scheduled-triggers.md.
func TestScheduledTriggersPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/scheduled-triggers.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 4)

	i := install(t)
	h := newHook(t)
	var answers []map[string]any
	for _, b := range blocks {
		var request struct {
			Type string
			Args map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(b[1], "http://hooks.example", h.URL)), &request))
		var answer map[string]any
		require.NoError(t, json.Unmarshal(i.request(request.Type, request.Args), &answer))
		answers = append(answers, answer)
	}
	require.Equal(t, map[string]any{"message": "success"}, answers[0])
	require.Equal(t, "success", answers[1]["message"])
	require.NotEmpty(t, answers[1]["event_id"])
	require.Len(t, answers[2]["events"], 10)
	require.InDelta(t, 100, answers[2]["count"], 0)
	require.Empty(t, answers[3]["invocations"])
}
