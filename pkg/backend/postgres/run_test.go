package postgres

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

var (
	_ backend.Source  = (*Server)(nil)
	_ backend.Dialect = (*Dialect)(nil)
)

func statementOf(t *testing.T, root ir.Root) backend.Statement {
	t.Helper()
	st, err := New().RenderQuery(root, backend.RenderOptions{})
	require.NoError(t, err)
	return st
}

// failed runs a statement that must fail before it writes anything.
func failed(t *testing.T, s *Source, st backend.Statement, a backend.Args) error {
	t.Helper()
	out := backend.NewAnswer([]byte{}, nil, 0)
	out.Buf = append(out.Buf, "before"...)
	err := s.Query(t.Context(), st, a, out)
	require.Error(t, err)
	require.Equal(t, "before", string(out.Buf))
	return err
}

func TestQueryErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY, v int4); INSERT INTO n VALUES (1, 1), (2, 0)`, nil)
	own := func(v ir.Value) ir.Root {
		return &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: equals("id", int4Type, v)}, Fields: []ir.Field{idField}}
	}
	st := statementOf(t, own(ir.SessionVar{Name: "x-engine-user-id", Type: int4Type}))
	requireCode(t, failed(t, f.source, st, backend.Args{Session: as("buyer", nil)}), apierror.NotFound, `missing session variable: "x-engine-user-id"`)
	requireCode(t, failed(t, f.source, st, backend.Args{Session: as("buyer", map[string]string{"x-engine-user-id": "abc"})}),
		apierror.DataException, `invalid input syntax for type integer: "abc"`)
	require.Equal(t, `[{"id":1}]`, answerOf(t, f.source, st, backend.Args{Session: as("buyer", map[string]string{"x-engine-user-id": "1"})}),
		"the connection is clean after an error")

	// A rule that takes values from another source holds for no statement without a lookup.
	list := ir.Lookup{Source: "other", Table: public("n"), Column: "id", Type: catalog.Type{Name: "int4", Dims: 1}}
	looked := statementOf(t, &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: compare(column("id", int4Type), ir.OpIn, list)}, Fields: []ir.Field{idField}})
	requireCode(t, failed(t, f.source, looked, backend.Args{}), apierror.NotSupported, "rules on remote relationships are not supported by this operation")

	// A fault that shows after the first row.
	f.exec(t, `CREATE FUNCTION inverse(r n) RETURNS int4 STABLE LANGUAGE sql AS 'SELECT 10 / r.v'`)
	late := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{{
		Alias: "x", Value: ir.Scalar{Expr: ir.Call{Function: public("inverse"), Args: []ir.CallArg{{Row: true}}}, Type: int4Type},
	}}})
	requireCode(t, failed(t, f.source, late, backend.Args{}), apierror.DataException, "division by zero")

	gone := statementOf(t, &ir.Select{Rows: table("missing"), Fields: []ir.Field{idField}})
	err := failed(t, f.source, gone, backend.Args{})
	requireCode(t, err, apierror.Unexpected, "database query error")
	require.Contains(t, string(apierror.From(err).InternalJSON()), `"statement":"SELECT t0.\"id\" FROM \"public\".\"missing\" AS t0"`)

	require.Error(t, f.source.Query(t.Context(), late, backend.Args{}, backend.NewAnswer(nil, nil, 0)))
	few := statementOf(t, own(ir.Variable{Index: 3, Type: int4Type}))
	require.ErrorContains(t, failed(t, f.source, few, backend.Args{}), "needs variable 3")
}

// TestChangedColumn: a statement that is prepared on all connections when a type changes is prepared
// again, and the values are written in the new type.
func TestChangedColumn(t *testing.T) {
	t.Parallel()
	eachAccess(t, func(t *testing.T, a backend.Args) {
		f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY, v int4); INSERT INTO n VALUES (1, 1)`, nil)
		st := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{field("v", int4Type)}})
		require.Equal(t, `[{"v":1}]`, answerOf(t, f.source, st, a))
		for _, change := range []struct{ to, want string }{
			{"text USING 'x'", `[{"v":"x"}]`}, {"int8 USING 5000000000", `[{"v":5000000000}]`}, {"int4[] USING '{1}'", ""},
		} {
			f.exec(t, `ALTER TABLE n ALTER COLUMN v TYPE `+change.to)
			if change.want == "" {
				require.ErrorContains(t, failed(t, f.source, st, a), "database query error")
				continue
			}
			require.Equal(t, change.want, answerOf(t, f.source, st, a))
		}
	})
}

// eachAccess runs a test for statements that may write, and for those that run in transactions that only read.
func eachAccess(t *testing.T, test func(t *testing.T, a backend.Args)) {
	t.Helper()
	for name, readOnly := range map[string]bool{"any": false, "read only": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, backend.Args{ReadOnly: readOnly})
		})
	}
}

// TestReadOnly: a view, a function and what isn't known may write, a table can't. The server refuses what writes, and the connection goes on.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4); INSERT INTO n VALUES (1);
		CREATE FUNCTION adds() RETURNS int4 LANGUAGE sql VOLATILE AS 'INSERT INTO n VALUES (2) RETURNING id';
		CREATE VIEW v AS SELECT adds() AS id`, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	of := func(from ir.From) backend.Statement {
		return statementOf(t, &ir.Select{Rows: ir.Rows{From: from}, Fields: []ir.Field{idField}})
	}
	stored, view := of(ir.Table{Name: public("n"), Stored: true}), of(ir.Table{Name: public("v")})
	require.False(t, stored.(*statement).utc.mayWrite) //nolint:forcetypeassert // it is one
	require.True(t, of(ir.Function{Name: public("f")}).(*statement).utc.mayWrite)
	for range 2 {
		err := failed(t, f.source, view, backend.Args{ReadOnly: true})
		require.True(t, backend.WasWriteRefused(err), err)
		requireCode(t, err, apierror.NotSupported, "the field writes, but this request may only read: send the query by POST, or expose the function as a mutation")
		require.Equal(t, `[{"id":1}]`, answerOf(t, f.source, stored, backend.Args{ReadOnly: true}))
	}
	require.Equal(t, `[{"id":2}]`, answerOf(t, f.source, view, backend.Args{}))
}

func TestDiscardedStatement(t *testing.T) {
	t.Parallel()
	eachAccess(t, func(t *testing.T, a backend.Args) {
		f := newFixture(t, `CREATE TABLE n (id int4); INSERT INTO n VALUES (1)`, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
		st := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{idField}})
		require.Equal(t, `[{"id":1}]`, answerOf(t, f.source, st, a))
		c, err := f.source.primary.Acquire(t.Context())
		require.NoError(t, err)
		_, err = c.PG.Exec(t.Context(), `DEALLOCATE ALL`).ReadAll()
		require.NoError(t, err)
		c.Release()
		require.Equal(t, `[{"id":1}]`, answerOf(t, f.source, st, a))
	})
}

func TestPreparedStatementsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4); INSERT INTO n VALUES (1)`, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	limited := func(i int) backend.Statement {
		rows := table("n")
		rows.Limit = number4(strconv.Itoa(i))
		return statementOf(t, &ir.Select{Rows: rows, Fields: []ir.Field{idField}})
	}
	for i := range wire.MaxPrepared + 50 {
		answerOf(t, f.source, limited(i), backend.Args{})
		answerOf(t, f.source, limited(0), backend.Args{})
	}
	c, err := f.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	defer c.Release()
	results, err := c.PG.Exec(t.Context(), `SELECT count(*), count(*) FILTER (WHERE statement LIKE '% LIMIT 0') FROM pg_prepared_statements`).ReadAll()
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(wire.MaxPrepared), string(results[0].Rows[0][0]))
	require.Equal(t, "1", string(results[0].Rows[0][1]), "the one in use stays")
}

func TestUnprepared(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, func(e *schedule.Endpoint) { e.Prepare, e.MaxConnections = wire.PrepareNever, 1 })
	for _, c := range f.queryCases(t) {
		want := answerOf(t, f.source, ways(t, c.Root, c.Options)["json"], c.Args)
		st, err := New().RenderQuery(c.Root, c.Options)
		require.NoError(t, err)
		require.Equal(t, want, answerOf(t, f.source, st, c.Args), c.Name)
	}
	require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		return tx.Query(t.Context(), statementOf(t, &ir.Select{Rows: table("genre"), Fields: []ir.Field{idField}}), backend.Args{}, backend.NewAnswer(nil, nil, 0))
	}))
	c, err := f.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	defer c.Release()
	results, err := c.PG.Exec(t.Context(), `SELECT count(*) FROM pg_prepared_statements`).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "0", string(results[0].Rows[0][0]))
}

// TestTimeZone: instants are those of the session's zone, which the database alone knows.
func TestTimeZone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4, at timestamptz, ats timestamptz[]);
		INSERT INTO n VALUES (1, '2024-07-01 12:00:00+00', '{2024-01-01 00:00:00+00}')`, nil)
	f.exec(t, `DO $$ BEGIN EXECUTE 'ALTER DATABASE "' || current_database() || '" SET timezone = ''Europe/Prague'''; END $$`)
	ats := timestamptzType
	ats.Dims = 1
	root := &ir.Select{Rows: table("n"), Fields: []ir.Field{idField, field("at", timestamptzType), field("ats", ats)}}
	want := `[{"id":1,"at":"2024-07-01T14:00:00+02:00","ats":["2024-01-01T01:00:00+01:00"]}]`
	st := statementOf(t, root)
	require.Equal(t, want, answerOf(t, f.source, st, backend.Args{}))
	require.Equal(t, want, answerOf(t, f.source, ways(t, root, backend.RenderOptions{})["json"], backend.Args{}))
	sql, _, err := f.source.Explain(t.Context(), st, backend.Args{})
	require.NoError(t, err)
	require.Equal(t, `SELECT t0."id", to_json(t0."at"), to_json(t0."ats") FROM "public"."n" AS t0`, sql)
	last := &ir.Aggregate{Rows: table("n"), Fields: []ir.AggregateField{{
		Alias: "aggregate", Value: ir.Aggregates{aggregateOf("max", "max", column("at", timestamptzType))},
	}}}
	requireAnswer(t, `{"aggregate" : {"max" : {"at" : "2024-07-01T14:00:00+02:00"}}}`, answerOf(t, f.source, statementOf(t, last), backend.Args{}))
}

// TestEncoding: text is UTF-8 on the wire, in records too, whatever the database keeps it in.
func TestEncoding(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE n (id int4, title text); INSERT INTO n VALUES (1, 'Dvořák')`
	f := newFixture(t, `CREATE TABLE marker (id int4)`, nil)
	name := f.text(t, `SELECT current_database()`) + "_latin"
	f.exec(t, `CREATE DATABASE "`+name+`" TEMPLATE template0 ENCODING LATIN2 LC_COLLATE 'C' LC_CTYPE 'C'`)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_, err := f.db.Exec(ctx, `DROP DATABASE "`+name+`" WITH (FORCE)`)
		require.NoError(t, err)
	})
	address, err := url.Parse(f.url)
	require.NoError(t, err)
	address.Path = "/" + name
	s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return address.String(), nil }}}})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	_, err = s.RunSQL(t.Context(), backend.RawSQL{SQL: schema})
	require.NoError(t, err)
	answer := sameAnswer(t, s, &ir.Select{Rows: table("n"), Fields: []ir.Field{
		titleField, many("same", pair("id", "id"), table("n"), titleField),
	}}, backend.RenderOptions{}, backend.Args{})
	requireAnswer(t, `[{"title":"Dvořák","same":[{"title":"Dvořák"}]}]`, answer)
}

// frames keeps what an Answer hands on.
type frames struct {
	parts []string
	err   error
}

func (f *frames) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	f.parts = append(f.parts, string(p))
	return len(p), nil
}

func TestStreaming(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n AS SELECT i AS id, repeat('x', 1000) AS title FROM generate_series(1, 5000) AS i`, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	rows := table("n")
	rows.OrderBy = orderBy(by("id"))
	st := statementOf(t, &ir.Select{Rows: rows, Fields: []ir.Field{idField, titleField}})
	want := answerOf(t, f.source, st, backend.Args{})

	sink := &frames{}
	out := backend.NewAnswer(nil, sink, 64<<10)
	require.NoError(t, f.source.Query(t.Context(), st, backend.Args{}, out))
	require.NoError(t, out.Close())
	require.Greater(t, len(sink.parts), 50)
	require.Equal(t, want, strings.Join(sink.parts, ""))

	broken := &frames{err: errors.New("the client is gone")}
	err := f.source.Query(t.Context(), st, backend.Args{}, backend.NewAnswer(nil, broken, 64<<10))
	require.ErrorContains(t, err, "the client is gone")
	require.Equal(t, want, answerOf(t, f.source, st, backend.Args{}), "the pool is usable")
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4); INSERT INTO n VALUES (1);
		CREATE FUNCTION slow(r n) RETURNS text STABLE LANGUAGE sql AS 'SELECT pg_sleep(60)::text'`, nil)
	st := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{{
		Alias: "x", Value: ir.Scalar{Expr: ir.Call{Function: public("slow"), Args: []ir.CallArg{{Row: true}}}, Type: textType},
	}}})
	running := func() string {
		return f.text(t, `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%"slow"%' AND pid <> pg_backend_pid()`)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.source.Query(ctx, st, backend.Args{}, backend.NewAnswer(nil, nil, 0)) }()
	require.Eventually(t, func() bool { return running() == "1" }, 30*time.Second, 5*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Eventually(t, func() bool { return running() == "0" }, 30*time.Second, 5*time.Millisecond)

	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := f.source.Query(ctx, st, backend.Args{}, backend.NewAnswer(nil, nil, 0))
	requireCode(t, err, apierror.Timeout, "the database did not answer within the time limit")
}

func TestExplain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	st := statementOf(t, &ir.Select{
		Rows: tracks(func(r *ir.Rows) {
			r.Where = ir.And{Exps: []ir.BoolExp{
				compare(column("title", textType), ir.OpEq, ir.Literal{Text: `it's \ "$1"`, Type: textType}),
				compare(idColumn, ir.OpGt, ir.Variable{Index: 0, Type: int4Type}),
				compare(idColumn, ir.OpLt, ir.Variable{Index: 1, Type: int4Type}),
				compare(idColumn, ir.OpNeq, ir.SessionVar{Name: "x-engine-id", Type: int4Type}),
			}}
		}), Fields: []ir.Field{idField},
	})
	sql, plan, err := f.source.Explain(t.Context(), st, backend.Args{
		Variables: [][]byte{[]byte("5"), nil}, Session: as("buyer", map[string]string{"x-engine-id": "7"}),
	})
	require.NoError(t, err)
	require.Equal(t, `SELECT t0."id" FROM "public"."track" AS t0 WHERE t0."title" = E'it''s \\ "$1"'::text `+
		`AND t0."id" > '5'::int4 AND t0."id" < NULL::int4 AND t0."id" <> '7'::int4 ORDER BY t0."id"`, sql)
	require.NotEmpty(t, plan)
	require.Contains(t, plan[0], "cost=")
	_, _, err = f.source.Explain(t.Context(), st, backend.Args{Variables: [][]byte{nil, nil}})
	requireCode(t, err, apierror.NotFound, `missing session variable: "x-engine-id"`)
}

func TestRenderErrors(t *testing.T) {
	t.Parallel()
	roots := map[string]ir.Root{
		"unknown operator \"_like_this\"": &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: compare(idColumn, "_like_this", number4("1"))}},
		"isn't enough":                    &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("n")}, Where: compare(idColumn, ir.OpEq)}},
		"unknown root":                    nil,
		"no aggregate function":           &ir.Aggregate{Rows: table("n"), Fields: []ir.AggregateField{{Alias: "aggregate", Value: ir.Aggregates{aggregateOf("x", "max(1); --", idColumn)}}}},
		"takes a row where there is none": &ir.Select{Rows: ir.Rows{From: ir.Function{Name: public("f"), Args: []ir.CallArg{{Row: true}}}}},
	}
	for message, root := range roots {
		_, err := New().RenderQuery(root, backend.RenderOptions{})
		require.ErrorContains(t, err, message)
	}
	_, err := New().RenderMutation(&ir.Delete{Table: public("n"), Output: ir.Output{Returning: []ir.Field{
		many("x", nil, table("m"), idField),
	}}}, backend.RenderOptions{})
	require.ErrorContains(t, err, "second statement")
}
