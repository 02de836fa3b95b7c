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
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// TestSchedulingSettings: statements share round trips, and the server plans them otherwise than it would, only as the source's
// settings say.
func TestSchedulingSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings schedule.Settings
		plans    wire.Plans
		planMode string
		shares   bool
	}{
		"off":     {schedule.Settings{Share: schedule.Off, Wait: schedule.Off}, wire.PlansAuto, "auto", false},
		"always":  {schedule.Settings{Share: schedule.Always, Wait: schedule.Always}, wire.PlansAuto, "auto", true},
		"generic": {schedule.Settings{Share: schedule.Off}, wire.PlansGeneric, "force_generic_plan", false},
		"custom":  {schedule.Settings{Share: schedule.Always}, wire.PlansCustom, "force_custom_plan", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			metrics := prometheus.NewRegistry()
			f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY, v int4 NOT NULL); INSERT INTO n SELECT i, 10 * i FROM generate_series(1, 100) i;
				CREATE VIEW plans AS SELECT current_setting('plan_cache_mode') AS title`, func(e *schedule.Endpoint) { e.Settings, e.Plans = test.settings, test.plans })
			f.source.Measure(backend.NewPoolMetrics(metrics, nil), "shop")
			f.source.primary.Reads.RoundTrips = 1
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
			mode := statementOf(t, &ir.Select{Rows: table("plans"), Fields: []ir.Field{titleField}})
			require.JSONEq(t, `[{"title":"`+test.planMode+`"}]`, answerOf(t, f.source, mode, backend.Args{}))
			require.Equal(t, 3, testutil.CollectAndCount(metrics, "engine_postgres_scheduling"))
		})
	}
}

// TestWritersThatNeverWait: with wait: off, a mutation never waits for another one, however few may be under way.
func TestWritersThatNeverWait(t *testing.T) {
	t.Parallel()
	w := newNoteWriter(t, func(e *schedule.Endpoint) {
		e.MaxConnections, e.Settings = 3, schedule.Settings{Wait: schedule.Off}
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
	p := newPooled(t, nil, func(e *schedule.Endpoint) { e.Plans = wire.PlansGeneric })
	require.JSONEq(t, `[{"id":1,"v":1}]`, answerOf(t, p.Source, p.query, backend.Args{Variables: [][]byte{[]byte("1")}}))
}

func TestExecutionOfASource(t *testing.T) {
	t.Parallel()
	read := func(text string) (Configuration, error) {
		var c Configuration
		err := metadata.DecodeSetting(json.RawMessage(`{"connection_info":{"database_url":"postgres://nowhere"},"execution":`+text+`}`), &c)
		return c, err
	}
	for text, want := range map[string]struct {
		settings schedule.Settings
		plans    wire.Plans
	}{
		`{}`:                {},
		`{"share":"auto"}`:  {},
		`{"share":"off"}`:   {settings: schedule.Settings{Share: schedule.Off}},
		`{"wait":"always"}`: {settings: schedule.Settings{Wait: schedule.Always}},
		`{"share":"off","wait":"off","plans":"generic"}`: {schedule.Settings{Share: schedule.Off, Wait: schedule.Off}, wire.PlansGeneric},
		`{"plans":"custom"}`:                             {plans: wire.PlansCustom},
		`{"plans":"auto"}`:                               {},
	} {
		c, err := read(text)
		require.NoError(t, err, text)
		o, err := Configure(c, noEnvironment, "test")
		require.NoError(t, err)
		require.Equal(t, want.settings, o.Primary.Settings, text)
		require.Equal(t, want.plans, o.Primary.Plans, text)
	}
	for text, path := range map[string]string{`{"share":"on"}`: "share", `{"wait":true}`: "wait", `{"plans":"server"}`: "plans"} {
		_, err := read(text)
		require.Contains(t, apierror.From(err).Path, ".execution."+path, text)
	}
}

func noEnvironment(string) (string, bool) { return "", false }

// TestPlanModeOfTheAddress holds that the address may set how statements are planned.
func TestPlanModeOfTheAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY); INSERT INTO n SELECT generate_series(1, 100)`, nil)
	for parameter, mode := range map[string]string{"plan_cache_mode": "force_custom_plan", "options": "-c plan_cache_mode=force_custom_plan"} {
		address := dbtest.With(t, f.url, parameter, mode)
		s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return address, nil }, MaxConnections: 1}}})
		require.NoError(t, err)
		st := statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: equals("id", int4Type, ir.Variable{Index: 0, Type: int4Type})}, Fields: []ir.Field{idField}})
		for range 50 {
			require.Equal(t, `[{"id":42}]`, answerOf(t, s, st, backend.Args{Variables: [][]byte{[]byte("42")}}))
		}
		c, err := s.primary.Acquire(t.Context())
		require.NoError(t, err)
		results, err := c.PG.Exec(t.Context(), `SELECT generic_plans FROM pg_prepared_statements WHERE statement LIKE '%"n"%'`).ReadAll()
		require.NoError(t, err)
		require.Equal(t, "0", string(results[0].Rows[0][0]))
		c.Release()
		s.Close()
	}
}
