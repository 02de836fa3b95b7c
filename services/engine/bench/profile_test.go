package bench

import (
	"net/http"
	"net/http/httptest"
	netpprof "net/http/pprof"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"
)

// TestProfile records this process twice, as two processes of an engine.
func TestProfile(t *testing.T) {
	mux := http.NewServeMux()
	recording := make(chan struct{}, 1) // a process has one profile at a time
	mux.HandleFunc("GET /debug/pprof/profile", func(w http.ResponseWriter, r *http.Request) {
		recording <- struct{}{}
		defer func() { <-recording }()
		netpprof.Profile(w, r)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	p := profiler{file: file, addresses: map[string]string{"gateway": address, "query-executor": address}}
	require.NoError(t, p.start(t.Context(), time.Second)())

	b, err := os.ReadFile(file)
	require.NoError(t, err)
	merged, err := profile.ParseData(b)
	require.NoError(t, err)
	require.Equal(t, "cpu", merged.SampleType[1].Type)
	for _, m := range merged.Mapping {
		require.Empty(t, m.File, "where the program is")
	}

	p.addresses["metadata"] = "127.0.0.1:1"
	require.ErrorContains(t, p.start(t.Context(), time.Second)(), "profile of metadata: ")
}

func TestProfileIsAskedFor(t *testing.T) {
	t.Parallel()
	shared := map[string]string{"A": "1"}
	var none profiler
	same, err := none.settings("engine", shared)
	require.NoError(t, err)
	require.Equal(t, shared, same)
	require.NoError(t, none.start(t.Context(), time.Second)())

	some := profiler{file: "cpu.pprof"}
	own, err := some.settings("engine", shared)
	require.NoError(t, err)
	require.Len(t, shared, 1)
	require.Equal(t, "true", own["ENGINE_GRAPHQL_PROFILING"])
	require.Equal(t, some.addresses["engine"], "127.0.0.1:"+own["ENGINE_GRAPHQL_STATUS_PORT"])
}
