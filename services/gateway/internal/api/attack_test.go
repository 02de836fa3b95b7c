package api_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAttacksStopAtTheGateway sends bodies that ask for much with little. None of them may
// reach an executor.
func TestAttacksStopAtTheGateway(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.settings.MaxRequestSize = 10 << 20 })
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, err := z.Write(bytes.Repeat([]byte(" "), 10<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	for name, c := range map[string]struct {
		body    string
		headers []string
		want    string
	}{
		"batch flood": {
			body: `[` + strings.Repeat(`{"query":"{a}"},`, 100_000) + `{"query":"{a}"}]`,
			want: `{"errors":[{"message":"batch limit exceeded: the batch has 100001 operations, the limit is 1000",` +
				`"extensions":{"path":"$","code":"batch-limit-exceeded"}}]}`,
		},
		"nested JSON":      {body: strings.Repeat("[", 20_000), want: "invalid-json"},
		"nested variables": {body: `{"query":"{a}","variables":{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}`, want: "invalid-json"},
		// Bodies are never unpacked.
		"gzip bomb": {body: bomb.String(), headers: []string{"Content-Encoding", "gzip"}, want: "invalid-json"},
	} {
		got := w.send(t, http.MethodPost, "/v1/graphql", c.body, append(c.headers, admin...)...)
		require.Contains(t, got.body, c.want, name)
	}
	require.Empty(t, w.bus.calls)
}
