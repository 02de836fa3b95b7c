package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// TestSchedulingSettings: statements share round trips, and have other plans than the server chooses, only as the source's
// settings say. With everything off, the engine measures nothing.
func TestSchedulingSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings wire.Scheduling
		planMode string
		shares   bool
	}{
		"off":     {wire.Scheduling{Share: wire.Off, Wait: wire.Off, Plans: wire.PlansByServer}, "auto", false},
		"always":  {wire.Scheduling{Share: wire.Always, Wait: wire.Always, Plans: wire.PlansByServer}, "auto", true},
		"generic": {wire.Scheduling{Share: wire.Off, Plans: wire.PlansGeneric}, "force_generic_plan", false},
		"custom":  {wire.Scheduling{Share: wire.Always, Plans: wire.PlansCustom}, "force_custom_plan", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			metrics := prometheus.NewRegistry()
			f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY, v int4 NOT NULL); INSERT INTO n SELECT i, 10 * i FROM generate_series(1, 100) i;
				CREATE VIEW plans AS SELECT current_setting('plan_cache_mode') AS title`, func(e *wire.Endpoint) { e.Scheduling = test.settings })
			f.source.Measure(backend.NewPoolMetrics(metrics, nil), "shop")
			f.source.primary.Batcher.RoundTrips = 1
			key := ir.SessionVar{Name: "x-engine-id", Type: int4Type}
			one := statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n"), Stored: true}, Where: equals("id", int4Type, key)}, Fields: []ir.Field{field("v", int4Type)}})
			require.Equal(t, `[{"v":10}]`, answerOf(t, f.source, one, key1("1"))) // finds out whether statements can share
			s := &sharing{fixture: f, metrics: metrics}
			var workers errgroup.Group
			for w := range 16 {
				workers.Go(func() error {
					for i := range 40 {
						id := 1 + (w+i)%100
						if err := s.same(one, key1(fmt.Sprint(id)), fmt.Sprintf(`[{"v":%d}]`, 10*id)); err != nil {
							return err
						}
					}
					return nil
				})
			}
			require.NoError(t, workers.Wait())
			answered, _ := s.shared(t)
			require.Equal(t, test.shares, answered > 0)
			runs := one.(*statement).utc.Choice.Runs
			require.Zero(t, runs[wire.PlanAuto]+runs[wire.PlanGeneric]+runs[wire.PlanCustom], "plans are measured")
			mode := statementOf(t, &ir.Select{Rows: table("plans"), Fields: []ir.Field{titleField}})
			require.JSONEq(t, `[{"title":"`+test.planMode+`"}]`, answerOf(t, f.source, mode, backend.Args{}))
			require.Equal(t, 3, testutil.CollectAndCount(metrics, "engine_postgres_scheduling"))
		})
	}
}

// TestWritersThatNeverWait: with wait: off, a mutation never waits for another one, however few may be under way.
func TestWritersThatNeverWait(t *testing.T) {
	t.Parallel()
	w := newNoteWriter(t, func(e *wire.Endpoint) {
		e.MaxConnections, e.Scheduling = 3, wire.Scheduling{Wait: wire.Off}
	})
	w.source.primary.Writers.Most, w.source.primary.Writers.Ahead = 1, forever
	w.exec(t, `BEGIN; SELECT FROM held FOR UPDATE`)
	over := make(chan error)
	go func() {
		_, err := w.write(context.WithoutCancel(t.Context()), "clerk", "1000")
		over <- err
	}()
	w.blocked(t)
	w.writes(t, "clerk", "1")
	require.Zero(t, w.source.primary.Writers.Waiting())
	w.exec(t, `COMMIT`)
	require.NoError(t, <-over)
}

// TestPlansThroughAPooler: a pooler that refuses the setting of the source's plans is used without it.
func TestPlansThroughAPooler(t *testing.T) {
	t.Parallel()
	p := newPooled(t, nil, func(e *wire.Endpoint) { e.Scheduling = wire.Scheduling{Plans: wire.PlansGeneric} })
	require.JSONEq(t, `[{"id":1,"v":1}]`, answerOf(t, p.Source, p.query, backend.Args{Variables: [][]byte{[]byte("1")}}))
}

func TestExecutionOfASource(t *testing.T) {
	t.Parallel()
	read := func(text string) (Configuration, error) {
		var c Configuration
		err := metadata.DecodeSetting(json.RawMessage(`{"connection_info":{"database_url":"postgres://nowhere"},"execution":`+text+`}`), &c)
		return c, err
	}
	for text, want := range map[string]wire.Scheduling{
		`{}`:                {},
		`{"share":"auto"}`:  {},
		`{"share":"off"}`:   {Share: wire.Off},
		`{"wait":"always"}`: {Wait: wire.Always},
		`{"share":"off","wait":"off","plans":"server"}`: {Share: wire.Off, Wait: wire.Off, Plans: wire.PlansByServer},
		`{"plans":"custom"}`:                            {Plans: wire.PlansCustom},
	} {
		c, err := read(text)
		require.NoError(t, err, text)
		o, err := Configure(c, noEnvironment, "test")
		require.NoError(t, err)
		require.Equal(t, want, o.Primary.Scheduling, text)
	}
	for text, path := range map[string]string{`{"share":"on"}`: "share", `{"wait":true}`: "wait", `{"plans":"best"}`: "plans"} {
		_, err := read(text)
		require.Contains(t, apierror.From(err).Path, ".execution."+path, text)
	}
}

func noEnvironment(string) (string, bool) { return "", false }
