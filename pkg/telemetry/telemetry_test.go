package telemetry_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/lifecycle"
	"queryengine/pkg/lifecycle/lifecycletest"
	"queryengine/pkg/telemetry"
)

func TestTracing(t *testing.T) {
	t.Parallel()
	provider, stop, err := telemetry.NewTracing(t.Context(), "", "gateway", "test")
	require.NoError(t, err)
	_, span := provider.Tracer("t").Start(t.Context(), "op")
	require.False(t, span.IsRecording(), "tracing that is off must cost nothing")
	require.NoError(t, stop(t.Context()))

	var requests atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			requests.Add(1)
		}
	}))
	defer collector.Close()
	for i, endpoint := range []string{collector.URL, collector.URL + "/", collector.URL + "/v1/traces"} {
		provider, stop, err = telemetry.NewTracing(t.Context(), endpoint, "gateway", "test")
		require.NoError(t, err)
		_, span = provider.Tracer("t").Start(t.Context(), "op")
		require.True(t, span.IsRecording())
		span.End()
		require.NoError(t, stop(t.Context()))
		require.EqualValues(t, i+1, requests.Load(), endpoint)
	}
	for _, endpoint := range []string{"collector:4318", "://", "ftp://collector", "/v1/traces"} {
		_, _, err = telemetry.NewTracing(t.Context(), endpoint, "gateway", "test")
		require.ErrorContains(t, err, "is not an HTTP URL")
	}
}

func TestStatusServer(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	s := telemetry.NewStatusServer(0, func() error {
		if broken.Load() {
			return errors.New("not connected to NATS")
		}
		return nil
	}, telemetry.NewRegistry())
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

func TestStatusServerLifecycle(t *testing.T) {
	t.Parallel()
	lifecycletest.Stress(t, func(*testing.T) lifecycle.Service {
		return telemetry.NewStatusServer(0, func() error { return nil }, telemetry.NewRegistry())
	})
}
