package telemetry_test

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/lifecycle"
	"queryengine/pkg/lifecycle/lifecycletest"
	"queryengine/pkg/telemetry"
)

func TestStatusServer(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	s := telemetry.NewStatusServer(0, func() error {
		if broken.Load() {
			return errors.New("not connected to NATS")
		}
		return nil
	}, telemetry.RuntimeMetrics())
	require.NoError(t, s.Start(t.Context()))
	defer s.Stop()
	get := func(path string) (int, string) {
		resp, err := http.Get("http://" + s.Address().String() + path)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	status, body := get("/healthz")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "OK\n", body)
	status, body = get("/metrics")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "go_goroutines")
	broken.Store(true)
	status, body = get("/healthz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, body, "not connected to NATS")
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	get := func(s *telemetry.StatusServer, path string) (status, size int) {
		resp, err := http.Get("http://" + s.Address().String() + path)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, len(body)
	}
	paths := []string{"", "profile?seconds=1", "trace?seconds=0.1", "heap", "allocs", "goroutine", "mutex", "block", "threadcreate"}
	for _, on := range []bool{true, false} {
		s := telemetry.NewStatusServer(0, func() error { return nil }, telemetry.RuntimeMetrics())
		if on {
			s.ServeProfiles()
		}
		require.NoError(t, s.Start(t.Context()))
		defer s.Stop()
		for _, path := range paths {
			status, size := get(s, "/debug/pprof/"+path)
			if !on {
				require.Equal(t, http.StatusNotFound, status, path)
				continue
			}
			require.Equal(t, http.StatusOK, status, path)
			require.Positive(t, size, path)
		}
		status, _ := get(s, "/debug/pprof/cmdline")
		require.Equal(t, http.StatusNotFound, status, "arguments may hold secrets")
	}
}

func TestStatusServerLifecycle(t *testing.T) {
	t.Parallel()
	lifecycletest.Stress(t, func(*testing.T) lifecycle.Service {
		return telemetry.NewStatusServer(0, func() error { return nil }, telemetry.RuntimeMetrics())
	})
}
