package mssql

import (
	"context"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/mssql/tdstest"
)

// TestConnectionsAreMeasured: a connection counts from its login until it is closed, a login that is refused is an
// error, and a statement that succeeds counts once in both of its stages.
func TestConnectionsAreMeasured(t *testing.T) {
	t.Parallel()
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		if r.SQL == "SELECT f" {
			yield(tdstest.Result{Err: &tdstest.Error{Number: 8134, Message: "Divide by zero error encountered."}})
			return
		}
		yield(texts("a", "b"))
	})
	registry := prometheus.NewRegistry()
	metrics := backend.NewPoolMetrics(registry, slog.New(slog.DiscardHandler))
	source := server.source(t, nil)
	source.Measure(metrics, "shop")
	value := func(name, label string) float64 {
		t.Helper()
		families, err := registry.Gather()
		require.NoError(t, err)
		sum := 0.0
		for _, family := range families {
			if family.GetName() != name {
				continue
			}
			for _, series := range family.GetMetric() {
				matches := label == ""
				for _, l := range series.GetLabel() {
					matches = matches || l.GetValue() == label
				}
				if matches {
					sum += series.GetGauge().GetValue() + series.GetCounter().GetValue() + float64(series.GetHistogram().GetSampleCount())
				}
			}
		}
		return sum
	}

	c, err := source.primary.acquire(t.Context())
	require.NoError(t, err)
	require.NoError(t, source.Ping(t.Context()))
	require.InDelta(t, 2.0, value("engine_postgres_connections", "shop"), 0)
	require.InDelta(t, 2.0, value("engine_postgres_connection_init_time", "primary"), 0)
	require.InDelta(t, 2.0, value("engine_postgres_pool_wait_time", ""), 0)
	c.discarded = true
	c.release()
	require.InDelta(t, 1.0, value("engine_postgres_connections", ""), 0, "one is closed, the other is kept")

	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, source.Query(t.Context(), words(replyList, "SELECT c"), backend.Args{}, out))
	require.Error(t, source.Query(t.Context(), words(replyList, "SELECT f"), backend.Args{}, out))
	require.InDelta(t, 1.0, value("engine_postgres_statement_seconds", "wait"), 0)
	require.InDelta(t, 1.0, value("engine_postgres_statement_seconds", "rows"), 0)

	refused := server.source(t, func(e *Endpoint) { e.config.Port = 1 })
	refused.Measure(metrics, "gone")
	require.Error(t, refused.Ping(t.Context()))
	require.Positive(t, value("engine_postgres_connection_error_total", "gone"))
	refused.Close()
	source.Close()
	for _, name := range []string{"engine_postgres_connections", "engine_postgres_statement_seconds", "engine_postgres_connection_error_total"} {
		n, err := testutil.GatherAndCount(registry, name)
		require.NoError(t, err)
		require.Zero(t, n, "series end with their pool")
	}
}
