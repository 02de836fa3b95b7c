package execute_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/casetest"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
)

// watcher counts what a run reports that it asks.
type watcher struct {
	mu                sync.Mutex
	statements, calls int
}

func (w *watcher) Statement(context.Context, string, backend.Statement, backend.Args) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.statements++
}

func (w *watcher) Call(context.Context, execute.Callee) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
}

func (w *watcher) Introspection(context.Context) {}

// TestRunsAreObserved: an observer gets each statement and each call, and each
// of the spans ends. A prepared plan is as large as the texts that it keeps.
func TestRunsAreObserved(t *testing.T) {
	t.Parallel()
	casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
		op, values, err := c.Operation()
		if err != nil {
			return
		}
		replay := casetest.NewReplay(t, casetest.Read(t, filepath.Join(c.Dir, casetest.StatementsFile)))
		pool := open.New(func(s *metadata.Source) (backend.Source, error) { return replay.Source(s.Name), nil })
		t.Cleanup(pool.Close)
		pool.Update(c.Document.Sources)
		servers := casetest.NewServers(t, casetest.Read(t, filepath.Join(c.Dir, casetest.ServersFile)))
		p, r, err := prepared(t, c, op, values, servers.Env)
		if err != nil {
			return
		}
		statements, size := p.Size()
		for _, text := range p.Statements() {
			size -= len(text)
		}
		require.GreaterOrEqual(t, size, 0, "texts of statements that read are part of the size")
		require.False(t, p.LooksCallsUp(), "no case asks what became of a call")

		spans := tracetest.NewInMemoryExporter()
		tracer := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)).Tracer("test")
		seen := &watcher{}
		r.Sources, r.Observer, r.Tracer = pool, seen, tracer
		asked, called := replay.Left(), servers.Left()
		ctx, root := tracer.Start(t.Context(), "request")
		failed := p.Write(ctx, r, backend.NewAnswer(nil, nil, 0))
		root.End()
		if failed != nil {
			return // how far it came is for TestCases
		}
		require.Equal(t, asked-replay.Left(), seen.statements)
		require.Equal(t, called-servers.Left(), seen.calls)
		if op.Kind == parse.Query && seen.statements+seen.calls > 0 {
			require.Positive(t, statements, "only the statements of inserts are made of the rows")
		}
		clients := 0
		for _, span := range spans.GetSpans() {
			if span.SpanKind == trace.SpanKindClient {
				clients++
				require.False(t, span.EndTime.IsZero(), span.Name)
			}
		}
		if seen.statements+seen.calls > 0 {
			require.Positive(t, clients)
		}
	})
}
