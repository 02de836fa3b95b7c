package postgres

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/ir"
)

// TestLiveQuery holds the answers of all query cases to those that they have as subscriptions.
func TestLiveQuery(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	for _, c := range f.queryCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			st, err := New().RenderLive(ir.Live{Roots: []ir.Root{c.Root, c.Root}}, c.Options)
			require.NoError(t, err)
			values, err := st.Bind(c.Args)
			require.NoError(t, err)
			want, err := New().RenderQuery(c.Root, c.Options)
			require.NoError(t, err)
			require.NoError(t, f.source.CheckLive(t.Context(), st, values))
			got := map[int][]string{}
			require.NoError(t, f.source.QueryLive(t.Context(), st, [][][]byte{values, values}, func(i int, roots [][]byte, cursor []byte) {
				require.Nil(t, cursor)
				got[i] = []string{string(roots[0]), string(roots[1])}
			}))
			one := answerOf(t, f.source, want, c.Args)
			require.Equal(t, map[int][]string{0: {one, one}, 1: {one, one}}, got)
			plan, err := f.source.ExplainLive(t.Context(), st, values)
			require.NoError(t, err)
			require.NotEmpty(t, plan)
		})
	}
}

// bound is a value that is bound when the plan runs.
func bound(i int, t catalog.Type) ir.Variable { return ir.Variable{Index: i, Type: t} }

func TestLiveCohorts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	rows := table("artist")
	rows.Where = ir.And{Exps: []ir.BoolExp{
		compare(column("id", int4Type), ir.OpIn, bound(0, int4sType)),
		compare(column("owner_id", int4Type), ir.OpEq, ir.SessionVar{Name: "x-engine-user-id", Type: int4Type}),
		compare(column("name", textType), ir.OpNeq, ir.Literal{Text: "o'Brien", Type: textType}),
	}}
	rows.OrderBy, rows.Limit = orderBy(by("id")), bound(1, catalog.Type{Name: "int8", ID: "20"})
	st, err := New().RenderLive(ir.Live{Roots: []ir.Root{&ir.Select{Rows: rows, Fields: []ir.Field{idField}}}}, backend.RenderOptions{})
	require.NoError(t, err)
	golden(t, filepath.Join("testdata", "live", "cohorts.sql"), st.SQL())
	require.Equal(t, []backend.LiveColumn{{Variable: 0}, {Variable: -1, Session: "x-engine-user-id"}, {Variable: 1}}, st.Columns())

	var cohorts [][][]byte
	for _, c := range []struct{ ids, limit, user string }{
		{`{1,2}`, "10", "7"}, {`{1,2}`, "1", "7"}, {`{1,2}`, "10", "8"}, {`{}`, "10", "7"},
	} {
		values, err := st.Bind(backend.Args{
			Variables: [][]byte{[]byte(c.ids), []byte(c.limit)},
			Session:   as("user", map[string]string{"x-engine-user-id": c.user, "x-engine-other": "1"}),
		})
		require.NoError(t, err)
		cohorts = append(cohorts, values)
	}
	cohorts = append(cohorts, [][]byte{nil, []byte("7"), nil})
	got := make([]string, len(cohorts))
	require.NoError(t, f.source.QueryLive(t.Context(), st, cohorts, func(i int, roots [][]byte, _ []byte) { got[i] = string(roots[0]) }))
	require.Equal(t, []string{`[{"id":1}, {"id":2}]`, `[{"id":1}]`, `[]`, `[]`, `[]`}, got)

	_, err = st.Bind(backend.Args{Variables: [][]byte{nil, nil}, Session: as("user", nil)})
	requireError(t, err, apierror.NotFound, `missing session variable: "x-engine-user-id"`)
	err = f.source.CheckLive(t.Context(), st, [][]byte{[]byte(`{a}`), []byte("7"), nil})
	requireError(t, err, apierror.DataException, `invalid input syntax for type integer: "a"`)
	err = f.source.QueryLive(t.Context(), st, [][][]byte{{nil, []byte("x"), nil}}, nil)
	requireError(t, err, apierror.DataException, `invalid input syntax for type integer: "x"`)
}

func TestLiveKey(t *testing.T) {
	t.Parallel()
	key := func(text string) string {
		rows := table("artist")
		rows.Where = compare(column("name", textType), ir.OpEq, ir.Literal{Text: text, Type: textType})
		st, err := New().RenderLive(ir.Live{Roots: []ir.Root{&ir.Select{Rows: rows, Fields: []ir.Field{idField}}}}, backend.RenderOptions{})
		require.NoError(t, err)
		return st.Key()
	}
	one, again, other := key("a"), key("a"), key("b")
	require.Equal(t, one, again)
	require.NotEqual(t, one, other)
}

// TestLiveStream follows a table: rows that share the last value come together, and nothing
// comes twice.
func TestLiveStream(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE line (id int PRIMARY KEY, at timestamptz);
		INSERT INTO line SELECT i, '2015-01-01T00:00:00.123456Z'::timestamptz + (i / 3) * interval '1 us' FROM generate_series(0, 9) i;
		INSERT INTO line VALUES (99, NULL)`, nil)
	for name, c := range map[string]struct {
		desc    bool
		initial string
		want    string
	}{
		"ascending":  {false, "2000-01-01", "[{0} {1} {2}] [{3} {4} {5}] [{6} {7} {8}] [{9}]"},
		"descending": {true, "2019-01-01", "[{6} {7} {8} {9}] [{3} {4} {5}] [{0} {1} {2}]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := table("line")
			op := ir.OpGt
			if c.desc {
				op = ir.OpLt
			}
			rows.Where = compare(column("at", timestamptzType), op, bound(0, timestamptzType))
			rows.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: column("at", timestamptzType)}, Desc: c.desc, NullsFirst: c.desc})
			rows.Limit, rows.MaxRows, rows.WithTies = bound(1, int4Type), 5, true
			st, err := New().RenderLive(ir.Live{
				Roots:  []ir.Root{&ir.Select{Rows: rows, Fields: []ir.Field{idField}}},
				Cursor: &ir.Cursor{Column: "at", Variable: 0},
			}, backend.RenderOptions{})
			require.NoError(t, err)
			golden(t, filepath.Join("testdata", "live", name+".sql"), st.SQL())
			cohort := [][]byte{[]byte(c.initial), []byte("2")}
			var got []string
			for {
				var batch string
				var next []byte
				require.NoError(t, f.source.QueryLive(t.Context(), st, [][][]byte{cohort}, func(_ int, roots [][]byte, cursor []byte) {
					batch, next = string(roots[0]), slices.Clone(cursor)
				}))
				if next == nil {
					require.Equal(t, "[]", batch)
					break
				}
				cohort[0] = next
				var ids []struct{ ID int }
				require.NoError(t, json.Unmarshal([]byte(batch), &ids))
				slices.SortFunc(ids, func(a, b struct{ ID int }) int { return cmp.Compare(a.ID, b.ID) }) // they are tied
				got = append(got, fmt.Sprint(ids))
			}
			require.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

// TestSubscriptionsReadOneReplica: another one may be behind it. Each has another number in its table here.
func TestSubscriptionsReadOneReplica(t *testing.T) {
	t.Parallel()
	options := Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return "postgres://127.0.0.1:1/x", nil }}}}
	for i := range 3 {
		address := dbtest.URL(t)
		db, err := pgx.Connect(t.Context(), address)
		require.NoError(t, err)
		_, err = db.Exec(t.Context(), fmt.Sprintf("CREATE TABLE n (id int PRIMARY KEY); INSERT INTO n VALUES (%d)", i))
		require.NoError(t, err)
		require.NoError(t, db.Close(t.Context()))
		options.Replicas = append(options.Replicas, schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return address, nil }}})
	}
	statements := make([]backend.LiveStatement, 20)
	for i := range statements {
		rows := table("n")
		rows.Where = compare(column("id", int4Type), ir.OpNeq, ir.Literal{Text: strconv.Itoa(100 + i), Type: int4Type})
		st, err := New().RenderLive(ir.Live{Roots: []ir.Root{&ir.Select{
			Rows: rows, Fields: []ir.Field{{Alias: fmt.Sprint("id", i), Value: ir.Scalar{Expr: column("id", int4Type), Type: int4Type}}},
		}}}, backend.RenderOptions{})
		require.NoError(t, err)
		statements[i] = st
	}
	read := func(s *Source) (answers []string) {
		for _, st := range statements {
			values, err := st.Bind(backend.Args{})
			require.NoError(t, err)
			require.NoError(t, s.QueryLive(t.Context(), st, [][][]byte{values}, func(_ int, roots [][]byte, _ []byte) {
				answers = append(answers, string(roots[0]))
			}))
		}
		return answers
	}
	open := func() *Source {
		s, err := Open(t.Context(), options)
		require.NoError(t, err)
		t.Cleanup(s.Close)
		return s
	}
	s := open()
	first := read(s)
	require.Len(t, first, len(statements))
	for _, again := range []*Source{s, s, open()} { // another process, too
		require.Equal(t, first, read(again))
	}
	for i := range options.Replicas {
		require.Contains(t, strings.Join(first, ""), fmt.Sprintf(":%d}", i), "all of them are read")
	}

	options.Replicas[1] = options.Primary // no server is there
	for i, answer := range read(open()) {
		if strings.Contains(first[i], ":1}") {
			require.Contains(t, answer, ":2}", "the next one")
		} else {
			require.Equal(t, first[i], answer)
		}
	}
}
