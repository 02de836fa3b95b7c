package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/ir"
	"queryengine/pkg/logtest"
)

// pooled is a database behind a pooler, and statements for it.
type pooled struct {
	*Source
	direct                     *pgx.Conn
	log                        *logtest.Buffer
	query, insert, update, all backend.Statement
	live                       backend.LiveStatement
	keys                       atomic.Int32
}

// newPooled opens a source behind PgBouncer.
func newPooled(t *testing.T, settings map[string]string, change func(*schedule.Endpoint)) *pooled {
	t.Helper()
	p := &pooled{log: &logtest.Buffer{}}
	address := dbtest.URL(t)
	through := dbtest.Pooler(t, address, settings)
	e := schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return through, nil }, MaxConnections: 16}}
	if change != nil {
		change(&e)
	}
	var err error
	p.Source, err = Open(t.Context(), Options{Primary: e, ApplicationName: "pooled"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	// Statements share round trips wherever they may.
	p.primary.Reads.RoundTrips, p.primary.Reads.Always = 1, true
	p.Measure(backend.NewPoolMetrics(nil, slog.New(slog.NewTextHandler(p.log, nil))), "shop")
	p.direct, err = pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.direct.Close(context.Background()) })
	_, err = p.direct.Exec(t.Context(), `CREATE TABLE n (id int4 PRIMARY KEY, v int4 NOT NULL);
		INSERT INTO n SELECT i, i FROM generate_series(1, 50) AS i`)
	require.NoError(t, err)

	idColumn, vColumn := ir.Column{Name: "id", Type: int4Type}, ir.Column{Name: "v", Type: int4Type}
	key := ir.Variable{Index: 0, Type: int4Type}
	one := &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: equals("id", int4Type, key)}, Fields: []ir.Field{idField, field("v", int4Type)}}
	p.query = statementOf(t, one)
	p.all = statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{idField, field("v", int4Type)}})
	p.insert, err = New().RenderMutation(&ir.Insert{
		Table: public("n"), Columns: []ir.Column{idColumn, vColumn}, Rows: [][]ir.Value{{key, ir.Variable{Index: 1, Type: int4Type}}},
		Output: returned(idField),
	}, backend.RenderOptions{})
	require.NoError(t, err)
	p.update, err = New().RenderMutation(&ir.Update{
		Table: public("n"), Where: equals("id", int4Type, key), Set: []ir.Assignment{{Column: vColumn, Op: ir.AssignInc, Value: number4("1")}},
		Output: returned(field("v", int4Type)),
	}, backend.RenderOptions{})
	require.NoError(t, err)
	p.live, err = New().RenderLive(ir.Live{Roots: []ir.Root{one}}, backend.RenderOptions{})
	require.NoError(t, err)
	p.keys.Store(1000)
	return p
}

func (p *pooled) read(ctx context.Context, id int) error {
	key := []byte(strconv.Itoa(id))
	out := backend.NewAnswer(nil, nil, 0)
	if err := p.Query(ctx, p.query, backend.Args{Variables: [][]byte{key}}, out); err != nil {
		return err
	}
	if !strings.HasPrefix(string(out.Buf), `[{"id":`+string(key)+`,"v":`) {
		return fmt.Errorf("row %d is %s", id, out.Buf)
	}
	return nil
}

func (p *pooled) watch(ctx context.Context, id int) error {
	values, err := p.live.Bind(backend.Args{Variables: [][]byte{[]byte(strconv.Itoa(id))}})
	if err != nil {
		return err
	}
	return p.QueryLive(ctx, p.live, [][][]byte{values}, func(int, [][]byte, []byte) {})
}

// write inserts two rows and changes the first one, in one transaction.
func (p *pooled) write(ctx context.Context) error {
	return p.Mutate(ctx, as("clerk", map[string]string{"x-engine-user-id": "7"}), func(tx backend.Tx) error {
		var keys [2][]byte
		for i := range keys {
			keys[i] = []byte(strconv.Itoa(int(p.keys.Add(1))))
			args := backend.Args{Variables: [][]byte{keys[i], []byte("1")}}
			if err := tx.Exec(ctx, p.insert, args, func([][]byte) error { return nil }); err != nil {
				return err
			}
		}
		backend.Last(tx)
		out := backend.NewAnswer(nil, nil, 0)
		return tx.Query(ctx, p.update, backend.Args{Variables: [][]byte{keys[0]}}, out)
	})
}

// count is how many rows are complete, and how many aren't.
func (p *pooled) count(t *testing.T) (complete, others int) {
	t.Helper()
	require.NoError(t, p.direct.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE v = 2), count(*) FILTER (WHERE v <> 2)
		FROM n WHERE id > 1000`).Scan(&complete, &others))
	return complete, others
}

// requireNone shows all of an error that it gets.
func requireNone(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v %s", err, apierror.From(err).InternalJSON())
	}
}

// TestPoolers holds that no client sees of a pooler, whatever it does with sessions, while 16 of
// them read, write and watch, and the types of columns change.
func TestPoolers(t *testing.T) {
	t.Parallel()
	_, version := dbtest.FindPooler(t)
	few := map[string]string{"pool_mode": "transaction", "default_pool_size": "3"}
	enough := map[string]string{"pool_mode": "session", "default_pool_size": "40"}
	keeps := func(n string) map[string]string {
		with := maps.Clone(few)
		with["max_prepared_statements"] = n
		return with
	}
	cases := []struct {
		name     string
		settings map[string]string
		since    dbtest.PoolerVersion
		prepare  wire.Prepare
		mixed    bool
	}{
		{name: "transaction", settings: few, mixed: version.Before(dbtest.PoolerVersion{Major: 1, Minor: 24})},
		{name: "transaction/always", settings: few, prepare: wire.PrepareAlways},
		{name: "transaction/never", settings: few, prepare: wire.PrepareNever},
		{name: "session", settings: enough},
		{name: "session/never", settings: enough, prepare: wire.PrepareNever},
		{name: "keeps none", settings: keeps("0"), since: dbtest.PreparesSince, mixed: true},
		{name: "keeps 100", settings: keeps("100"), since: dbtest.PreparesSince},
		{name: "keeps 100/always", settings: keeps("100"), since: dbtest.PreparesSince, prepare: wire.PrepareAlways},
		{name: "keeps 2", settings: keeps("2"), since: dbtest.PreparesSince},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if version.Before(c.since) {
				t.Skipf("PgBouncer %d.%d doesn't know the setting; %s names a newer one", version.Major, version.Minor, dbtest.PoolerVariable)
			}
			p := newPooled(t, c.settings, func(e *schedule.Endpoint) { e.Prepare = c.prepare })
			const workers, rounds = 16, 40
			g, ctx := errgroup.WithContext(t.Context())
			var working atomic.Int32
			working.Store(workers)
			for w := range workers {
				g.Go(func() error {
					defer working.Add(-1)
					for i := range rounds {
						if err := p.read(ctx, 1+(w+i)%50); err != nil {
							return fmt.Errorf("reading: %w", err)
						}
						if err := p.watch(ctx, 1+i%50); err != nil {
							return fmt.Errorf("watching: %w", err)
						}
						if err := p.write(ctx); err != nil {
							return fmt.Errorf("writing: %w", err)
						}
					}
					return nil
				})
			}
			g.Go(func() error { // the role that changes the schema
				for i := 0; working.Load() > 0 && ctx.Err() == nil; i++ {
					to := []string{"int8", "int4"}[i%2]
					if _, err := p.RunSQL(ctx, backend.RawSQL{SQL: `ALTER TABLE n ALTER COLUMN v TYPE ` + to}); err != nil {
						return fmt.Errorf("changing a type: %w", err)
					}
				}
				return nil
			})
			requireNone(t, g.Wait())
			complete, others := p.count(t)
			require.Equal(t, workers*rounds, complete)
			require.Equal(t, workers*rounds, others)
			require.Equal(t, c.mixed, p.primary.Mixes.Load())
			if c.mixed {
				require.Equal(t, 1, strings.Count(p.log.String(), "pooler shares sessions between clients"), p.log.String())
			} else {
				require.Empty(t, p.log.String())
			}
		})
	}
}

// TestPoolerOfStatements holds that queries go through a pooler that has no transactions.
func TestPoolerOfStatements(t *testing.T) {
	t.Parallel()
	p := newPooled(t, map[string]string{"pool_mode": "statement", "default_pool_size": "3"}, nil)
	g, ctx := errgroup.WithContext(t.Context())
	for range 16 {
		g.Go(func() error {
			for i := range 40 {
				if err := p.read(ctx, 1+i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.ErrorContains(t, p.write(t.Context()), "connection error", "it ends who wants one")
	complete, others := p.count(t)
	require.Zero(t, complete+others)
	require.NoError(t, p.read(t.Context(), 1))
}
