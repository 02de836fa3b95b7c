package querylog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/querylog"
)

func TestAppendRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mask                        []string
		operation, query, variables string
		want                        string
	}{
		"plain":        {nil, "", "{ a }", "", `{"operationName":null,"query":"{ a }","variables":null}`},
		"one line":     {nil, "Q", "{\n a }", "{\"x\":\n1}", `{"operationName":"Q","query":"{\n a }","variables":{"x": 1}}`},
		"masked":       {[]string{"pw"}, "", "{ a }", `{"a":{"pw":1},"pw":{"b":2}}`, `{"operationName":null,"query":"{ a }","variables":{"a":{"pw":1},"pw":"[MASKED]"}}`},
		"unreadable":   {[]string{"pw"}, "", "{ a }", `{"pw":`, `{"operationName":null,"query":"{ a }","variables":"[MASKED]"}`},
		"markup stays": {[]string{"pw"}, "", "{ a }", `{"x":"<&>"}`, `{"operationName":null,"query":"{ a }","variables":{"x":"<&>"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := querylog.NewMask(c.mask).AppendRequest(nil, c.operation, c.query, []byte(c.variables))
			require.Equal(t, c.want, string(got))
		})
	}
}

func TestLongRequestsAreCutOff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1<<20)
	variables, err := json.Marshal(map[string]string{"x": long})
	require.NoError(t, err)
	got := querylog.Mask{}.AppendRequest(nil, "", long, variables)
	require.Less(t, len(got), 80<<10)
	require.True(t, json.Valid(got))
	require.Contains(t, string(got), `é...[CUT OFF]"`)
}
