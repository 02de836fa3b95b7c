package queryexecutor

import (
	"context"
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/planned"
)

func TestStagesAreTraced(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	spans := tracetest.NewInMemoryExporter()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)).Tracer("test")
	e.tracer = tracer
	names := func(text string) []string {
		t.Helper()
		spans.Reset()
		ctx, span := tracer.Start(t.Context(), "request")
		s := e.borrow()
		defer e.giveBack(s)
		_ = e.run(ctx, &request{session: adminSession(), text: text}, backend.NewAnswer(nil, nil, 0), s)
		span.End()
		var list []string
		for _, s := range spans.GetSpans() {
			list = append(list, s.Name)
		}
		return list
	}
	require.Equal(t, []string{
		"Parse GraphQL", "Resolve query execution plan", "Render statements", `Postgres Query for root field "artist"`, "Execute", "request",
	}, names(`{ artist { id } }`))
	require.Equal(t, []string{`Postgres Query for root field "artist"`, "Execute", "request"}, names(`{ artist { id } }`))
	require.Equal(t, []string{"Parse GraphQL", "request"}, names(`{`))

	attributesOf := func(text string) string {
		names(text)
		for _, s := range spans.GetSpans() {
			if s.Name == "Execute" {
				return fmt.Sprint(s.Attributes)
			}
		}
		return ""
	}
	const text = `query Named { artist { id } }`
	require.Contains(t, attributesOf(text), "Named")
	require.NotContains(t, attributesOf(text), text)
	e.config.TraceDocuments = true
	require.Contains(t, attributesOf(text), text)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	plans := planned.NewCache(10)
	m := newMetrics(registry, plans, true)
	again := newMetrics(registry, plans, true) // several executors may share a registry
	m.applied(7)
	require.InDelta(t, 7, testutil.ToFloat64(again.version), 0)
	require.NoError(t, m.failed(nil))
	require.Error(t, m.failed(context.Canceled))
	require.InDelta(t, 1, testutil.ToFloat64(again.errors.WithLabelValues("unexpected")), 0)
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	for _, p := range problems {
		// The name is that of the established engine's metric, which dashboards ask for.
		require.Equal(t, "engine_cache_request_count", p.Metric, p.Text)
	}
}
