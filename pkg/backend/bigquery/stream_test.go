package bigquery

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/telemetry"
)

// firstWrite receives a value when something was written.
type firstWrite struct {
	once    sync.Once
	written chan struct{}
	text    []byte
}

func (w *firstWrite) Write(p []byte) (int, error) {
	w.text = append(w.text, p...)
	w.once.Do(func() { close(w.written) })
	return len(p), nil
}

// sourceOf is a source whose API is a handler.
func sourceOf(t *testing.T, h http.HandlerFunc) *Source {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s := Open(Options{Project: "demo", Datasets: []string{"hub"}, Endpoint: server.URL, Anonymous: true})
	t.Cleanup(s.Close)
	return s
}

// TestRowsAreAnsweredAsTheyArrive has the rest of a page come after its first row was handed on.
func TestRowsAreAnsweredAsTheyArrive(t *testing.T) {
	t.Parallel()
	w := &firstWrite{written: make(chan struct{})}
	s := sourceOf(t, func(out http.ResponseWriter, r *http.Request) {
		fmt.Fprint(out, `{"kind": "x", "schema": {"fields": [{"name": "c0"}]}, "rows": [{"f": [{"v": "1"}]},`)
		assert.NoError(t, http.NewResponseController(out).Flush())
		select {
		case <-w.written:
		case <-r.Context().Done():
		}
		fmt.Fprint(out, ` {"f": [{"v": "2"}]}], "jobReference": {"jobId": "j1"}, "totalBytesProcessed": "70", "jobComplete": true}`)
	})
	registry := prometheus.NewRegistry()
	s.Measure(backend.NewPoolMetrics(registry, telemetry.Discard()), "web")
	out := backend.NewAnswer(nil, w, 1)
	scan := &backend.Scan{}
	require.NoError(t, s.Query(t.Context(), ids(t, nil), backend.Args{Scan: scan}, out))
	require.NoError(t, out.Close())
	require.JSONEq(t, `[{"id": "1"}, {"id": "2"}]`, string(w.text))
	require.EqualValues(t, 70, scan.Bytes())
	_, err := s.RunSQL(t.Context(), backend.RawSQL{SQL: "SELECT 1"})
	require.NoError(t, err)
	for _, purpose := range []string{purposeQuery, purposeSQL} {
		require.InDelta(t, 70, testutil.ToFloat64(s.scanned.Of(purpose)), 0)
	}
}

// TestPagesThatAreCutOffFail: an answer isn't taken for whole that isn't.
func TestPagesThatAreCutOffFail(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, `{`, `{"jobComplete": true`, `{"jobComplete": true, "rows": [{"f": [{"v": "1"}]}`, `{"jobComplete": true, "rows": [{"f": [{"v": "1"}]}]`, `[]`,
		`{"jobComplete": true, "rows": [7]}`, `{}`,
	} {
		s := sourceOf(t, func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, body) })
		_, err := query(t.Context(), s, ids(t, nil), backend.Args{})
		require.Error(t, err, body)
	}
}
