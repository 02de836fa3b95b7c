package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/ir"
)

// sharing is a source all of whose statements share one round trip at a time.
type sharing struct {
	*fixture
	sharer  *schedule.Batcher
	metrics *prometheus.Registry
	// one, held and many read a table each: a row, one that can be locked, and rows of any number and size.
	one, held, many backend.Statement
}

// forever is longer than a test takes.
const forever = time.Hour

func newSharing(t *testing.T, change func(*schedule.Endpoint)) *sharing {
	t.Helper()
	s := &sharing{metrics: prometheus.NewRegistry()}
	s.fixture = newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY, v int4 NOT NULL);
		INSERT INTO n SELECT i, 10 * i FROM generate_series(1, 100) AS i;
		CREATE TABLE held (id int4 PRIMARY KEY); INSERT INTO held VALUES (1);
		CREATE TABLE many AS SELECT i AS id, repeat('x', 1000) AS title FROM generate_series(1, 2000) AS i`, func(e *schedule.Endpoint) {
		e.MaxConnections = 8
		if change != nil {
			change(e)
		}
	})
	s.source.Measure(backend.NewPoolMetrics(s.metrics, nil), "shop")
	s.sharer = s.source.primary.Reads
	s.sharer.RoundTrips, s.sharer.Always = 1, true
	// What is in front decides how long is waited, unless a test says otherwise.
	s.sharer.Ahead, s.sharer.Within = forever, forever
	key := ir.SessionVar{Name: "x-engine-id", Type: int4Type}
	s.one = statementOf(t, &ir.Select{Rows: ir.Rows{From: stored("n"), Where: equals("id", int4Type, key)}, Fields: []ir.Field{field("v", int4Type)}})
	s.held = statementOf(t, &ir.Select{Rows: table("held"), Fields: []ir.Field{idField}})
	rows := ir.Rows{From: stored("many"), OrderBy: orderBy(by("id")), Limit: ir.Variable{Index: 0, Type: int4Type}}
	s.many = statementOf(t, &ir.Select{Rows: rows, Fields: []ir.Field{idField, titleField}})
	// The first statement finds out that statements can share.
	require.Equal(t, `[{"v":10}]`, answerOf(t, s.source, s.one, key1("1")))
	return s
}

func key1(id string) backend.Args {
	return backend.Args{Session: as("buyer", map[string]string{"x-engine-id": id})}
}

// reading is a statement that runs.
type reading struct {
	answer chan string
	err    chan error
}

func (s *sharing) start(ctx context.Context, st backend.Statement, a backend.Args) reading {
	r := reading{make(chan string, 1), make(chan error, 1)}
	go func() {
		out := backend.NewAnswer(nil, nil, 0)
		err := s.source.Query(ctx, st, a, out)
		r.answer <- string(out.Buf)
		r.err <- err
	}()
	return r
}

func (r reading) require(t *testing.T, want string) {
	t.Helper()
	answer := <-r.answer
	requireNone(t, <-r.err)
	require.Equal(t, want, answer)
}

// lock locks a table, by a connection of its own, until it is unlocked.
func (s *sharing) lock(t *testing.T, name string) (unlock func()) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), s.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	_, err = db.Exec(t.Context(), `BEGIN; LOCK TABLE `+name)
	require.NoError(t, err)
	return func() {
		_, err := db.Exec(t.Context(), `COMMIT`)
		require.NoError(t, err)
	}
}

// blocked waits until so many sessions wait for a lock.
func (s *sharing) blocked(t *testing.T, n string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.text(t, `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == n
	}, 30*time.Second, time.Millisecond)
}

// together starts statements that share a round trip, in their order, which begins when release is called.
func (s *sharing) together(t *testing.T, starts ...func() reading) (list []reading, release func()) {
	t.Helper()
	s.exec(t, `CREATE TABLE IF NOT EXISTS gate (id int4)`)
	gate := statementOf(t, &ir.Select{Rows: table("gate"), Fields: []ir.Field{idField}})
	open := s.lock(t, "gate")
	first := s.start(t.Context(), gate, backend.Args{})
	s.blocked(t, "1")
	for i, start := range starts {
		list = append(list, start())
		require.Eventually(t, func() bool { return s.sharer.Waiting() == i+1 }, 30*time.Second, time.Millisecond)
	}
	return list, func() {
		open()
		first.require(t, `[]`)
	}
}

func (s *sharing) read(id string) func() reading {
	return func() reading { return s.start(context.Background(), s.one, key1(id)) }
}

// shared is how many statements were answered in shared round trips, and how many had to run alone.
func (s *sharing) shared(t *testing.T) (answered, alone int) {
	t.Helper()
	n := s.outcomes(t)
	return n["answered"], n["alone"]
}

// outcomes count the statements that shared round trips by what became of them.
func (s *sharing) outcomes(t *testing.T) map[string]int {
	t.Helper()
	families, err := s.metrics.Gather()
	require.NoError(t, err)
	n := map[string]int{}
	for _, f := range families {
		if f.GetName() != "engine_postgres_shared_statements_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "outcome" {
					n[l.GetValue()] = int(m.GetCounter().GetValue())
				}
			}
		}
	}
	return n
}

// waits is how many statements waited for a connection.
func (s *sharing) waits(t *testing.T) (n uint64) {
	t.Helper()
	families, err := s.metrics.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == "engine_postgres_pool_wait_time" {
			n += f.GetMetric()[0].GetHistogram().GetSampleCount()
		}
	}
	return n
}

func TestSharedRoundTrip(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	var starts []func() reading
	for i := range 20 {
		starts = append(starts, s.read(strconv.Itoa(i+1)))
	}
	list, release := s.together(t, starts...)
	release()
	for i, r := range list {
		r.require(t, fmt.Sprintf(`[{"v":%d}]`, 10*(i+1)))
	}
	answered, alone := s.shared(t)
	require.Equal(t, 20, answered)
	require.Zero(t, alone)
	require.Equal(t, int32(1), s.source.primary.Conns.Stat().TotalResources(), "in one connection")
	require.Equal(t, uint64(22), s.waits(t), "each has waited for a connection once")
}

// TestSharedGathering: a statement that finds nothing under way shares its round trip with those that come at the same time,
// also when its request ends meanwhile.
func TestSharedGathering(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	yields, goOn := make(chan struct{}, 1), make(chan struct{})
	s.sharer.Yield = func() {
		yields <- struct{}{}
		<-goOn
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	gather := func(ctx context.Context) (list []reading) {
		list = append(list, s.start(ctx, s.one, key1("1")))
		<-yields
		for _, id := range []string{"2", "3"} {
			list = append(list, s.read(id)())
		}
		require.Eventually(t, func() bool { return s.sharer.Waiting() == 2 }, 30*time.Second, time.Millisecond)
		return list
	}
	list := gather(ctx)
	goOn <- struct{}{}
	for i, r := range list {
		r.require(t, fmt.Sprintf(`[{"v":%d}]`, 10*(i+1)))
	}
	answered, _ := s.shared(t)
	require.Equal(t, 3, answered)
	require.Equal(t, int32(1), s.source.primary.Conns.Stat().TotalResources(), "in one connection")

	list = gather(ctx)
	unlock := s.lock(t, "n")
	cancel()
	goOn <- struct{}{}
	require.ErrorIs(t, <-list[0].err, context.Canceled)
	unlock()
	list[1].require(t, `[{"v":20}]`)
	list[2].require(t, `[{"v":30}]`)
	s.quiet(t)
}

// TestSharedErrors: an error is that of its statement alone, whether it is prepared, bound or run.
func TestSharedErrors(t *testing.T) {
	t.Parallel()
	s := newSharing(t, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	const pids = `SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'postgres test'`
	pid := s.text(t, pids)
	s.exec(t, `CREATE VIEW fails AS SELECT id, 1 / (v - 20) AS v FROM n`)
	fails := statementOf(t, &ir.Select{Rows: table("fails"), Fields: []ir.Field{field("v", int4Type)}})
	missing := statementOf(t, &ir.Select{Rows: table("missing"), Fields: []ir.Field{idField}})
	of := func(st backend.Statement) func() reading {
		return func() reading { return s.start(t.Context(), st, backend.Args{}) }
	}
	for range 2 { // not prepared yet, and prepared
		list, release := s.together(t,
			s.read("1"), s.read("abc"), s.read("2"), of(fails), s.read("3"), of(missing), s.read("4"), of(missing), s.read("99999999999"), s.read("5"))
		release()
		for i, want := range map[int]string{0: "10", 2: "20", 4: "30", 6: "40", 9: "50"} {
			list[i].require(t, `[{"v":`+want+`}]`)
		}
		for i, want := range map[int]string{1: `invalid input syntax for type integer: "abc"`, 3: "division by zero", 5: "database query error", 7: "database query error", 8: "out of range"} {
			require.Empty(t, <-list[i].answer)
			require.ErrorContains(t, <-list[i].err, want)
		}
	}
	answered, _ := s.shared(t)
	require.Equal(t, 10, answered, "errors aren't counted")
	require.Equal(t, pid, s.text(t, pids), "the connection is good after all of them")
}

// TestSharedLargeAnswer: an answer that is too large to be kept is read alone.
func TestSharedLargeAnswer(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	rows := func(n string) backend.Args { return backend.Args{Variables: [][]byte{[]byte(n)}} }
	large := answerOf(t, s.source, s.many, rows("2000"))
	require.Greater(t, len(large), 4*maxKept)
	few := answerOf(t, s.source, s.many, rows("3"))
	list, release := s.together(t, s.read("1"), func() reading { return s.start(t.Context(), s.many, rows("3")) },
		func() reading { return s.start(t.Context(), s.many, rows("2000")) }, s.read("2"))
	release()
	list[0].require(t, `[{"v":10}]`)
	list[1].require(t, few)
	list[2].require(t, large)
	list[3].require(t, `[{"v":20}]`)
	s.quiet(t)
}

// TestSharedChangedColumn: prepared statements that are out of date are prepared again.
func TestSharedChangedColumn(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	s.exec(t, `ALTER TABLE n ALTER COLUMN v TYPE int8`)
	for range 2 {
		list, release := s.together(t, s.read("1"), s.read("2"), func() reading { return s.start(t.Context(), s.held, backend.Args{}) })
		release()
		list[0].require(t, `[{"v":10}]`)
		list[1].require(t, `[{"v":20}]`)
		list[2].require(t, `[{"id":1}]`)
	}
}

// TestSharedLifetime: a connection that has had its time is replaced, however many wait for it.
func TestSharedLifetime(t *testing.T) {
	t.Parallel()
	s := newSharing(t, func(e *schedule.Endpoint) { e.Lifetime = time.Nanosecond })
	list, release := s.together(t, s.read("1"), s.read("2"))
	first := s.text(t, `SELECT pid::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
	release()
	list[0].require(t, `[{"v":10}]`)
	list[1].require(t, `[{"v":20}]`)
	require.Eventually(t, func() bool {
		return s.text(t, `SELECT count(*)::text FROM pg_stat_activity WHERE pid = `+first) == "0"
	}, 30*time.Second, time.Millisecond)
}

// bad is a statement whose answer can't be read.
type bad struct{ *statement }

func (bad) Collect(*wire.Conn, *wire.Result, []byte) ([]byte, error) { panic("a defect") }

// TestSharedPanic: a defect is that of its request, and not of the process.
func TestSharedPanic(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	outcome := make(chan schedule.Outcome, 1)
	list, release := s.together(t, s.read("1"), func() reading {
		go func() {
			st := s.held.(*statement)
			j := st.job(nil)
			j.Of = bad{st}
			o, _, _ := s.sharer.Run(context.Background(), j, backend.NewAnswer(nil, nil, 0))
			outcome <- o
		}()
		return reading{}
	}, s.read("2"))
	release()
	list[0].require(t, `[{"v":10}]`)
	require.Equal(t, schedule.Lost, <-outcome, "it runs alone")
	list[2].require(t, `[{"v":20}]`)
	s.quiet(t)
}

// TestSharedNot: what may not run twice, or has to be measured, never shares.
func TestSharedNot(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	s.exec(t, `CREATE SEQUENCE drawn; CREATE FUNCTION draw(r n) RETURNS int8 STABLE LANGUAGE sql AS 'SELECT nextval(''drawn'')'`)
	calls := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{{
		Alias: "x", Value: ir.Scalar{Expr: ir.Call{Function: public("draw"), Args: []ir.CallArg{{Row: true}}}, Type: int8Type},
	}}})
	require.Nil(t, calls.(*statement).utc.cost)
	for _, d := range []*Dialect{citus.dialect, cockroach.dialect} {
		st, err := d.RenderQuery(&ir.Select{Rows: table("n"), Fields: []ir.Field{idField}}, backend.RenderOptions{})
		require.NoError(t, err)
		require.Nil(t, st.(*statement).utc.cost, d.Kind())
	}
	never := newSharing(t, func(e *schedule.Endpoint) { e.Prepare = wire.PrepareNever })
	unlock := never.lock(t, "held")
	held := never.start(t.Context(), never.held, backend.Args{})
	never.blocked(t, "1")
	require.Equal(t, `[{"v":10}]`, answerOf(t, never.source, never.one, key1("1")))
	unlock()
	held.require(t, `[{"id":1}]`)
}

// TestSharedRandomPlans holds that random plans have the same answers in shared round trips, while they are
// asked at the same time, some of them fail, and some requests end early.
func TestSharedRandomPlans(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, func(e *schedule.Endpoint) { e.MaxConnections = 6 })
	s := &sharing{fixture: f, metrics: prometheus.NewRegistry()}
	f.source.Measure(backend.NewPoolMetrics(s.metrics, nil), "shop")
	sharer := f.source.primary.Reads
	sharer.RoundTrips, sharer.Always = 2, true
	const plans, workers, rounds = 80, 24, 40
	type asked struct {
		st   backend.Statement
		want string
	}
	var all []asked
	for seed := range uint64(plans) {
		root := planner{rand.New(rand.NewPCG(seed, 77))}.root() //nolint:gosec // the same plans each time
		all = append(all, asked{statementOf(t, root), answerOf(t, f.source, ways(t, root, backend.RenderOptions{})["json"], backend.Args{})})
	}
	f.exec(t, `CREATE VIEW fails AS SELECT id, 1 / (id - id) AS v FROM genre`)
	fails := statementOf(t, &ir.Select{Rows: table("fails"), Fields: []ir.Field{field("v", int4Type)}})
	var g errgroup.Group
	for w := range workers {
		r := rand.New(rand.NewPCG(uint64(w), 78)) //nolint:gosec // as above
		g.Go(func() error {
			for range rounds {
				switch a := all[r.IntN(plans)]; r.IntN(10) {
				case 0:
					if err := s.same(fails, backend.Args{}, ""); err == nil || !strings.Contains(err.Error(), "division by zero") {
						return fmt.Errorf("fails: %w", err)
					}
				case 1:
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(2000))*time.Microsecond)
					out := backend.NewAnswer(nil, nil, 0)
					err := f.source.Query(ctx, a.st, backend.Args{}, out)
					cancel()
					if err != nil && ctx.Err() == nil {
						return err
					}
				default:
					if err := s.same(a.st, backend.Args{}, a.want); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	answered, _ := s.shared(t)
	require.Greater(t, answered, workers*rounds/10)
}
