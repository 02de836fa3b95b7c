package postgres

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/ir"
	"queryengine/pkg/testlong"
)

// TestPlanChoice holds the cost of the choice after a number of runs, compared with the best mode for
// each value, when parameters are of different weight.
func TestPlanChoice(t *testing.T) {
	t.Parallel()
	const µs = time.Microsecond
	type costs [wire.PlanModes]time.Duration
	// values are how often a value is drawn, of a hundred, and what it costs in each mode.
	type values struct {
		percent, distinct int
		costs             costs
	}
	const many = 100_000
	for _, c := range []struct {
		name   string
		values []values
		// want is the mode of each of values after it has learned, within so many runs.
		want   []wire.PlanMode
		within int
		// busy is how many of a hundred runs wait for a processor.
		busy int
		wait time.Duration
	}{
		{"the server is right", []values{{100, many, costs{100 * µs, 105 * µs, 300 * µs}}}, []wire.PlanMode{wire.PlanAuto}, 400, 5, 100 * µs},
		{"it plans for nothing", []values{{100, many, costs{300 * µs, 100 * µs, 310 * µs}}}, []wire.PlanMode{wire.PlanGeneric}, 400, 5, 100 * µs},
		{"one plan is not for all", []values{{100, many, costs{50_000 * µs, 50_000 * µs, 400 * µs}}}, []wire.PlanMode{wire.PlanCustom}, 400, 5, 100 * µs},
		{"all values are the same", []values{{100, 1, costs{200 * µs, 205 * µs, 100 * µs}}}, []wire.PlanMode{wire.PlanCustom}, 400, 5, 100 * µs},
		{"rare values weigh most", []values{
			{95, 20, costs{100 * µs, 100 * µs, 130 * µs}}, {5, 2, costs{90_000 * µs, 90_000 * µs, 2000 * µs}},
		}, []wire.PlanMode{wire.PlanAuto, wire.PlanCustom}, 2000, 5, 100 * µs},
		{"rare values don't matter", []values{
			{95, many, costs{100 * µs, 105 * µs, 400 * µs}}, {5, 2, costs{600 * µs, 600 * µs, 700 * µs}},
		}, []wire.PlanMode{wire.PlanAuto, wire.PlanAuto}, 400, 5, 100 * µs},
		{"frequent and rare values want other plans", []values{
			{95, 2, costs{60 * µs, 60 * µs, 100 * µs}}, {5, 6, costs{2000 * µs, 2000 * µs, 110 * µs}},
		}, []wire.PlanMode{wire.PlanAuto, wire.PlanCustom}, 2000, 5, 100 * µs},
		{"the same gain among values of all weights", []values{
			{60, 3, costs{100 * µs, 100 * µs, 70 * µs}}, {30, 3, costs{3000 * µs, 3000 * µs, 2300 * µs}}, {10, 2, costs{40_000 * µs, 40_000 * µs, 31_000 * µs}},
		}, []wire.PlanMode{wire.PlanCustom, wire.PlanCustom, wire.PlanCustom}, 600, 5, 100 * µs},
		{"a busy machine", []values{{100, many, costs{90 * µs, 50 * µs, 90 * µs}}}, []wire.PlanMode{wire.PlanGeneric}, 4000, 10, 2000 * µs},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range testlong.Of[uint64](5, 20) {
				r := rand.New(rand.NewPCG(1, seed)) //nolint:gosec // the same runs each time
				p := &wire.PlanChoice{}
				var took, least time.Duration
				for i := range c.within + 10_000 {
					at, n := 0, r.IntN(100)
					for n -= c.values[0].percent; n >= 0; n -= c.values[at].percent {
						at++
					}
					v := &c.values[at]
					number := wire.StratumOf([][]byte{strconv.AppendInt(nil, int64(100*at+r.IntN(v.distinct)), 10)})
					m := p.Next(number)
					d := v.costs[m] + time.Duration(r.ExpFloat64()*float64(v.costs[m])/10)
					if r.IntN(100) < c.busy { // the machine has something else to do
						d += time.Duration(r.ExpFloat64() * float64(c.wait))
					}
					p.Took(number, m, d)
					if i >= c.within {
						took += v.costs[m]
						least += v.costs[c.want[at]]
					}
				}
				require.Less(t, took.Seconds()/least.Seconds(), 1.1, seed)
			}
		})
	}
}

func TestPlanChoiceAllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts what all others allocate, too
	p, values := &wire.PlanChoice{}, [][]byte{[]byte("4711"), nil}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		number := wire.StratumOf(values)
		p.Took(number, p.Next(number), time.Microsecond)
	}))
}

// BenchmarkPlanChoice is what the choice adds to a request.
func BenchmarkPlanChoice(b *testing.B) {
	p, values := &wire.PlanChoice{}, [][]byte{[]byte("4711"), []byte("20")}
	b.ReportAllocs()
	for b.Loop() {
		number := wire.StratumOf(values)
		p.Took(number, p.Next(number), time.Microsecond)
	}
}

// TestPlanChoiceForgets holds that a mode that was worse is chosen when it has become the better one.
func TestPlanChoiceForgets(t *testing.T) {
	t.Parallel()
	p := &wire.PlanChoice{}
	worse := wire.PlanCustom
	run := func() wire.PlanMode {
		m := p.Next(0)
		d := 100 * time.Microsecond
		if m == worse {
			d *= 5
		}
		p.Took(0, m, d)
		return m
	}
	for range 50_000 {
		run()
	}
	require.NotEqual(t, wire.PlanCustom, run())
	worse = wire.PlanAuto
	chosen := 0
	for range 50_000 {
		if run() != worse {
			chosen++
		}
	}
	require.Greater(t, chosen, 40_000)
}

// TestPlanModes holds that a statement gives the same answer in each mode, and that nothing of the
// choice is left in the session.
func TestPlanModes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY); INSERT INTO n SELECT generate_series(1, 100)`, func(e *wire.Endpoint) { e.MaxConnections = 1 })
	// A mode that was interrupted early may count as hopeless: then the statement starts again.
	tried := func() bool {
		st := statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: equals("id", int4Type, ir.Variable{Index: 0, Type: int4Type})}, Fields: []ir.Field{idField}})
		for range 200 {
			require.Equal(t, `[{"id":42}]`, answerOf(t, f.source, st, backend.Args{Variables: [][]byte{[]byte("42")}}))
		}
		runs := st.(*statement).utc.Choice.Runs
		return slices.Min(runs[:]) >= wire.FirstTries
	}
	for limit := time.Now().Add(time.Minute); !tried(); {
		require.True(t, time.Now().Before(limit), "no statement has tried all modes")
	}
	c, err := f.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	defer c.Release()
	results, err := c.PG.Exec(t.Context(), `SHOW plan_cache_mode; SELECT generic_plans >= 3, custom_plans >= 3
		FROM pg_prepared_statements WHERE statement LIKE '%"n"%'`).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "auto", string(results[0].Rows[0][0]))
	require.Equal(t, "t t", string(results[1].Rows[0][0])+" "+string(results[1].Rows[0][1]))
}

// TestPlanModeOfTheAddress holds that nothing is chosen where the address sets the mode.
func TestPlanModeOfTheAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY); INSERT INTO n SELECT generate_series(1, 100)`, nil)
	for parameter, mode := range map[string]string{"plan_cache_mode": "force_custom_plan", "options": "-c plan_cache_mode=force_custom_plan"} {
		address := dbtest.With(t, f.url, parameter, mode)
		s, err := Open(t.Context(), Options{Primary: wire.Endpoint{URL: func() (string, error) { return address, nil }, MaxConnections: 1}})
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

// TestFunctionsAreLeftAlone holds that no mode is asked for where functions of the user would run in it, too.
func TestFunctionsAreLeftAlone(t *testing.T) {
	t.Parallel()
	called := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{{
		Alias: "x", Value: ir.Scalar{Expr: ir.Call{Function: public("f"), Args: []ir.CallArg{{Value: ir.Variable{Index: 0, Type: int4Type}}}}, Type: int4Type},
	}}})
	require.Nil(t, called.(*statement).utc.Choice)
	fixed := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{idField}})
	require.Nil(t, fixed.(*statement).utc.Choice, "it has no parameters")
}

// TestLimitsThatOccur holds that limits that are asked for again and again are part of the text,
// and that there are only so many texts.
func TestLimitsThatOccur(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY); INSERT INTO n SELECT generate_series(1, 3)`, nil)
	rows := table("n")
	rows.OrderBy, rows.Limit, rows.MaxRows = orderBy(by("id")), ir.Variable{Index: 0, Type: catalog.Type{Name: "int8"}}, 50
	rows.Where = equals("id", int4Type, ir.Variable{Index: 1, Type: int4Type})
	st := statementOf(t, &ir.Select{Rows: rows, Fields: []ir.Field{idField}})
	run := func(limit []byte) *statement {
		stmt, values, err := prepare(st, &backend.Args{Variables: [][]byte{limit, []byte("2")}})
		require.NoError(t, err)
		require.Len(t, values, len(stmt.utc.params))
		return stmt
	}
	require.Contains(t, run([]byte("20")).SQL(), " LIMIT 20")
	require.Same(t, run([]byte("20")), run([]byte("20"))) //nolint:testifylint // the second run finds what the first one made
	require.Contains(t, run(nil).SQL(), " LIMIT least(NULL, 50)")
	for _, odd := range []string{"-1", "007", "1e3", "12345678901", "", "1; DROP TABLE n"} {
		require.Same(t, st, run([]byte(odd)), odd)
	}
	for i := range 100 {
		run([]byte{'1', byte('0' + i%10), byte('0' + i/10)})
	}
	require.Len(t, *st.(*statement).variants.list.Load(), maxVariants)
	for range 3 * replaceAfter {
		run([]byte("33"))
	}
	require.Contains(t, run([]byte("33")).SQL(), " LIMIT 33", "what has become common replaces another one")
	require.Len(t, *st.(*statement).variants.list.Load(), maxVariants)

	for _, c := range []struct{ limit, want string }{{"20", `[{"id":2}]`}, {"0", `[]`}, {"007", `[{"id":2}]`}} {
		require.Equal(t, c.want, answerOf(t, f.source, st, backend.Args{Variables: [][]byte{[]byte(c.limit), []byte("2")}}))
	}
	require.Equal(t, `[{"id":2}]`, answerOf(t, f.source, st, backend.Args{Variables: [][]byte{nil, []byte("2")}}))
	require.ErrorContains(t, failed(t, f.source, st, backend.Args{Variables: [][]byte{[]byte("-1"), []byte("2")}}), "LIMIT must not be negative")
}

// TestPlanThatFails: the engine stops using a plan mode in which a statement fails, and clients don't see the error.
func TestPlanThatFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE stored (id int4 PRIMARY KEY); INSERT INTO stored SELECT generate_series(1, 100);
		CREATE FUNCTION refuse() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
			IF current_setting('plan_cache_mode') <> 'auto' THEN RAISE 'no such plan' USING ERRCODE = '0A000'; END IF;
			RETURN true;
		END $$;
		CREATE VIEW n AS SELECT id FROM stored WHERE refuse()`, nil)
	for _, shared := range []bool{false, true} {
		f.source.primary.Batcher.Always = shared
		st := statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: equals("id", int4Type, ir.Variable{Index: 0, Type: int4Type})}, Fields: []ir.Field{idField}})
		for range 200 {
			require.Equal(t, `[{"id":42}]`, answerOf(t, f.source, st, backend.Args{Variables: [][]byte{[]byte("42")}}))
		}
		runs := st.(*statement).utc.Choice.Runs
		require.Zero(t, runs[wire.PlanGeneric]+runs[wire.PlanCustom])
	}
}
