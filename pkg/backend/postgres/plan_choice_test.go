package postgres

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// TestPlanChoice holds what the choice costs beside the best mode, when runs take as long as cost
// says, parameters of different weight included.
func TestPlanChoice(t *testing.T) {
	t.Parallel()
	const µs = time.Microsecond
	// often takes a while, and now and then takes long.
	often := func(usual, rare time.Duration, percent int) func(*rand.Rand) time.Duration {
		return func(r *rand.Rand) time.Duration {
			if r.IntN(100) < percent {
				return rare
			}
			return usual
		}
	}
	always := func(d time.Duration) func(*rand.Rand) time.Duration { return often(d, d, 0) }
	for _, c := range []struct {
		name                  string
		auto, generic, custom func(*rand.Rand) time.Duration
		want                  planMode
	}{
		{"the server is right", always(100 * µs), always(105 * µs), always(300 * µs), planAuto},
		{"it plans for nothing", always(300 * µs), always(100 * µs), always(310 * µs), planGeneric},
		{"one plan is not for all", always(50000 * µs), always(50000 * µs), always(400 * µs), planCustom},
		{"rare values weigh most", often(100*µs, 90000*µs, 5), often(100*µs, 90000*µs, 5), often(400*µs, 20000*µs, 5), planCustom},
		{"rare values don't matter", often(100*µs, 600*µs, 5), often(105*µs, 600*µs, 5), often(400*µs, 700*µs, 5), planAuto},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same runs each time
			costs := [planModes]func(*rand.Rand) time.Duration{c.auto, c.generic, c.custom}
			p := &planChoice{}
			chosen := [planModes]int{}
			var took, best time.Duration
			for i := range 40_000 {
				m := p.next()
				d := costs[m](r)
				if r.IntN(20) == 0 { // the machine has something else to do
					d += 100 * µs
				}
				p.took(m, d)
				if i >= 2000 {
					chosen[m]++
					took += d
					best += costs[c.want](r) + 5*µs
				}
			}
			require.Greater(t, chosen[c.want], 35_000, chosen)
			require.Less(t, took.Seconds()/best.Seconds(), 1.1)
		})
	}
}

func TestPlanChoiceAllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts what all others allocate, too
	p := &planChoice{}
	require.Zero(t, testing.AllocsPerRun(100, func() { p.took(p.next(), time.Microsecond) }))
}

// TestPlanChoiceForgets holds that what was the worse mode is chosen when it has become the better one.
func TestPlanChoiceForgets(t *testing.T) {
	t.Parallel()
	p := &planChoice{}
	worse := planCustom
	run := func() planMode {
		m := p.next()
		d := 100 * time.Microsecond
		if m == worse {
			d *= 5
		}
		p.took(m, d)
		return m
	}
	for range 50_000 {
		run()
	}
	require.NotEqual(t, planCustom, run())
	worse = planAuto
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
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY); INSERT INTO n SELECT generate_series(1, 100)`, func(e *Endpoint) { e.MaxConnections = 1 })
	st := statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: equals("id", int4Type, ir.Variable{Index: 0, Type: int4Type})}, Fields: []ir.Field{idField}})
	for range 200 {
		require.Equal(t, `[{"id":42}]`, answerOf(t, f.source, st, backend.Args{Variables: [][]byte{[]byte("42")}}))
	}
	choice := st.(*statement).utc.choice
	for m := range planModes {
		require.GreaterOrEqual(t, choice.modes[m].runs.Load(), int64(firstTries), m)
	}
	c, err := f.source.primary.acquire(t.Context())
	require.NoError(t, err)
	defer c.release()
	results, err := c.pg.Exec(t.Context(), `SHOW plan_cache_mode; SELECT generic_plans >= 3, custom_plans >= 3
		FROM pg_prepared_statements WHERE statement LIKE '%"n"%'`).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "auto", string(results[0].Rows[0][0]))
	require.Equal(t, "t t", string(results[1].Rows[0][0])+" "+string(results[1].Rows[0][1]))
}

// TestPlanModeOfTheAddress holds that nothing is chosen where the address says what to do.
func TestPlanModeOfTheAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY); INSERT INTO n SELECT generate_series(1, 100)`, nil)
	for _, mode := range []string{"plan_cache_mode=force_custom_plan", "options=-c%20plan_cache_mode%3Dforce_custom_plan"} {
		address := f.url + "?" + mode
		if strings.Contains(f.url, "?") {
			address = f.url + "&" + mode
		}
		s, err := Open(t.Context(), Options{Primary: Endpoint{URL: func() (string, error) { return address, nil }, MaxConnections: 1}})
		require.NoError(t, err)
		st := statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: equals("id", int4Type, ir.Variable{Index: 0, Type: int4Type})}, Fields: []ir.Field{idField}})
		for range 50 {
			require.Equal(t, `[{"id":42}]`, answerOf(t, s, st, backend.Args{Variables: [][]byte{[]byte("42")}}))
		}
		c, err := s.primary.acquire(t.Context())
		require.NoError(t, err)
		results, err := c.pg.Exec(t.Context(), `SELECT generic_plans FROM pg_prepared_statements WHERE statement LIKE '%"n"%'`).ReadAll()
		require.NoError(t, err)
		require.Equal(t, "0", string(results[0].Rows[0][0]))
		c.release()
		s.Close()
	}
}

// TestFunctionsAreLeftAlone holds that no mode is asked for where functions of the user would run in it, too.
func TestFunctionsAreLeftAlone(t *testing.T) {
	t.Parallel()
	called := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{{
		Alias: "x", Expr: ir.Call{Function: public("f"), Args: []ir.CallArg{{Value: ir.Variable{Index: 0, Type: int4Type}}}}, ExprType: int4Type,
	}}})
	require.Nil(t, called.(*statement).utc.choice)
	fixed := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{idField}})
	require.Nil(t, fixed.(*statement).utc.choice, "it has no parameters")
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
	require.Same(t, run([]byte("20")), run([]byte("20")))
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
