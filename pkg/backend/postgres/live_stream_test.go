package postgres

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// inZone has the sessions of a source use a time zone.
func inZone(zone string) func(*schedule.Endpoint) {
	return func(e *schedule.Endpoint) {
		plain := e.URL
		e.URL = func() (string, error) {
			text, err := plain()
			if err != nil {
				return "", err
			}
			u, err := url.Parse(text)
			if err != nil {
				return "", err
			}
			q := u.Query()
			q.Set("timezone", zone)
			u.RawQuery = q.Encode()
			return u.String(), nil
		}
	}
}

// streamOptions are a stream: of rows past start.
type streamOptions struct {
	backend.RenderOptions
	table, start, size string
	cursor             ir.Column
	desc               bool
	where              ir.BoolExp
	// variables are those of where.
	variables [][]byte
	fields    []ir.Field
}

// streamed is a stream with a cohort, and the place of the cursor among its values. stream is nil where the rows are known
// by the statement alone.
type streamed struct {
	*fixture
	streamOptions
	statement backend.LiveStatement
	stream    backend.LiveStream
	cohort    [][]byte
	place     int
}

func (f *fixture) stream(t *testing.T, o streamOptions) *streamed {
	t.Helper()
	rows := ir.Rows{From: ir.Table{Name: public(o.table)}, WithTies: true, Limit: ir.Literal{Text: o.size, Type: int4Type}}
	rows.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: o.cursor}, Desc: o.desc, NullsFirst: o.desc})
	op := ir.OpGt
	if o.desc {
		op = ir.OpLt
	}
	last := len(o.variables)
	past := compare(o.cursor, op, bound(last, o.cursor.Type))
	rows.Where = past
	if o.where != nil {
		rows.Where = ir.And{Exps: []ir.BoolExp{o.where, past}}
	}
	st, err := New().RenderLive(ir.Live{
		Roots:  []ir.Root{&ir.Select{Rows: rows, Fields: o.fields}},
		Cursor: &ir.Cursor{Column: o.cursor.Name, Variable: last, Key: []ir.Column{column("id", int4Type)}},
	}, o.RenderOptions)
	require.NoError(t, err)
	s := &streamed{fixture: f, streamOptions: o, statement: st, stream: st.(backend.LiveStreamer).Stream()} //nolint:forcetypeassert // fails the test
	s.cohort, err = st.Bind(backend.Args{Variables: append(slices.Clone(o.variables), []byte(o.start))})
	require.NoError(t, err)
	s.place = slices.IndexFunc(st.Columns(), func(c backend.LiveColumn) bool { return c.Variable == last })
	return s
}

// byStatement are the batches that the statement gives, from a cursor on. seen is what it has seen in the end.
func (s *streamed) byStatement(t *testing.T, cursor int) (list []string, seen backend.Snapshot) {
	t.Helper()
	cohort := slices.Clone(s.cohort)
	for {
		var next []byte
		var batch string
		require.NoError(t, s.source.QueryStream(t.Context(), s.statement, [][][]byte{cohort}, func(_ int, roots [][]byte, cursor []byte, at backend.Snapshot) {
			batch, next, seen = string(roots[0]), slices.Clone(cursor), at
		}))
		if next == nil {
			require.Equal(t, "[]", batch)
			return list, seen
		}
		require.Nil(t, seen)
		list = append(list, batch+" to "+string(next))
		cohort[cursor] = next
	}
}

// byChange are those that are made of all rows, as if they had just been inserted in the order of their ids; known is false
// where they aren't known.
func (s *streamed) byChange(t *testing.T) (list []string, known bool) {
	t.Helper()
	changed := &backend.ChangedRows{Columns: s.stream.Columns()}
	quoted := make([]string, len(changed.Columns))
	for i, c := range changed.Columns {
		quoted[i] = quote.Name(c)
	}
	for _, row := range s.texts(t, `SELECT `+strings.Join(quoted, ", ")+` FROM `+s.table+` ORDER BY id`) {
		cells := make([]backend.Cell, len(row))
		for i, text := range row {
			if text != nil {
				cells[i] = backend.Cell{State: backend.CellText, Text: string(text)}
			}
		}
		changed.Rows = append(changed.Rows, backend.ChangedRow{New: cells, Transaction: 1})
	}
	rows := s.stream.Read(changed)
	if rows == nil {
		return nil, false
	}
	batches, known := rows.Batches(s.stream.Bind(s.cohort), nothing{})
	for _, b := range batches {
		list = append(list, string(b.Root)+" to "+string(b.Cursor))
	}
	return list, known
}

// nothing is the snapshot of a statement that has seen nothing.
type nothing struct{}

func (nothing) Sees(uint64) bool { return false }

// canonical sets the session that rows are read with as those are that read logs.
const canonical = `; SET datestyle = 'ISO'; SET timezone = 'UTC'; SET extra_float_digits = 3;`

// same holds the batches that are known from a change to those of the statement.
func (s *streamed) same(t *testing.T, cursor int, why string) {
	t.Helper()
	want, _ := s.byStatement(t, cursor)
	got, known := s.byChange(t)
	require.True(t, known, why)
	require.Equal(t, want, got, why)
}

// TestStreamsOfAllTypes: rows that are known from the log are the bytes that the statement gives.
func TestStreamsOfAllTypes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, schemaOfTypes+canonical, inZone("UTC"))
	for i, typed := range valuesOfTypes {
		f.exec(t, fmt.Sprintf(`CREATE TABLE v%d (id int4 PRIMARY KEY, v %s)`, i, typed.column))
		for n, v := range typed.values {
			f.exec(t, fmt.Sprintf(`INSERT INTO v%d VALUES (%d, %s)`, i, n+1, quote.Literal(v)))
		}
		f.exec(t, fmt.Sprintf(`INSERT INTO v%d VALUES (100, NULL)`, i))
	}
	source, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	var known []string
	for i, typed := range valuesOfTypes {
		table := fmt.Sprintf("v%d", i)
		typ := source.Tables[public(table)].Column("v").Type
		for _, stringify := range []bool{false, true} {
			// Keys that are longer than a name have another spacing.
			for _, alias := range []string{"v", `other "näme"`, strings.Repeat("k", 70)} {
				s := f.stream(t, streamOptions{
					table: table, cursor: column("id", int4Type), start: "0", size: "3", RenderOptions: backend.RenderOptions{StringifyNumeric: stringify},
					fields: []ir.Field{
						{Alias: "__typename", Value: ir.Typename("the " + table)}, {Alias: alias, Value: ir.Scalar{Expr: column("v", typ), Type: typ}}, idField,
					},
				})
				if s.stream == nil {
					continue
				}
				known = append(known, typed.column)
				s.same(t, 0, typed.column)
			}
		}
	}
	require.Equal(t, []string{
		"bool", "int2", "int4", "int8", "oid", "float4", "float8", "numeric", "numeric(10,2)", "text", "varchar(20)", "char(6)", "name",
		"citext", "uuid", "date", "timestamp", "timestamptz", "time", "json", "jsonb", "mood", "shop.mood",
	}, slices.Compact(known))
}

// TestRandomStreams has random conditions, cursors and orders. Rows that tie may come in any order among
// each other, so only the cursor's column is shown.
func TestRandomStreams(t *testing.T) {
	t.Parallel()
	f := newFixture(t, imagedSchema+canonical, inZone("UTC"))
	source, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	m := &imageMaker{Rand: rand.New(rand.NewPCG(11, 7))} //nolint:gosec // a test
	for _, c := range source.Tables[public("imaged")].Columns {
		m.columns = append(m.columns, ir.Column{Name: c.Name, Type: c.Type})
	}
	for id := range 60 {
		values := []string{strconv.Itoa(id)}
		for _, c := range m.columns[1:] {
			value := "NULL"
			if m.IntN(6) > 0 {
				value = quote.Literal(m.value(c.Type))
			}
			values = append(values, value)
		}
		f.exec(t, `INSERT INTO imaged VALUES (`+strings.Join(values, ", ")+`)`)
	}
	f.exec(t, `INSERT INTO other SELECT generate_series(0, 60, 2)`)
	known, unknown := 0, 0
	for range 600 {
		m.variables = nil
		c := m.columns[m.IntN(len(m.columns))]
		where := ir.BoolExp(ir.And{})
		if m.IntN(3) > 0 {
			where = m.where(2)
		}
		s := f.stream(t, streamOptions{
			table: "imaged", cursor: c, desc: m.IntN(2) == 0, start: m.value(c.Type), where: where, variables: m.variables, size: strconv.Itoa(1 + m.IntN(4)),
			fields: []ir.Field{{Alias: "c", Value: ir.Scalar{Expr: c, Type: c.Type}}},
		})
		if s.stream == nil {
			require.Contains(t, []string{"float8", "bool"}, c.Type.Name)
			continue
		}
		got, ok := s.byChange(t)
		if !ok {
			unknown++
			continue
		}
		want, seen := s.byStatement(t, s.place)
		require.Equal(t, want, got, "%s %q", s.statement.SQL(), s.cohort)
		require.NotNil(t, seen)
		known++
	}
	require.Greater(t, known, 50)
	t.Logf("%d known, %d not", known, unknown)
}

// TestStreamsInOtherTimeZones: what the statement has seen isn't told where it writes instants otherwise than the log
// has them.
func TestStreamsInOtherTimeZones(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE line (id int4 PRIMARY KEY, at timestamptz)`, inZone("Asia/Tokyo"))
	at := column("at", timestamptzType)
	o := streamOptions{table: "line", cursor: column("id", int4Type), start: "0", size: "3", fields: []ir.Field{idField}}
	_, seen := f.stream(t, o).byStatement(t, 0)
	require.NotNil(t, seen)
	o.fields = append(o.fields, ir.Field{Alias: "at", Value: ir.Scalar{Expr: at, Type: timestamptzType}})
	_, seen = f.stream(t, o).byStatement(t, 0)
	require.Nil(t, seen)
}

// TestStatementsTellWhatTheyHaveSeen: transactions that were visible to them.
func TestStatementsTellWhatTheyHaveSeen(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE line (id int4 PRIMARY KEY)`, nil)
	running, err := pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	defer running.Close(t.Context())
	number := func(text string) uint64 {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		return n
	}
	before := number(f.text(t, `SELECT pg_current_xact_id()::text`))
	_, err = running.Exec(t.Context(), `BEGIN; INSERT INTO line VALUES (1)`)
	require.NoError(t, err)
	var text string
	require.NoError(t, running.QueryRow(t.Context(), `SELECT pg_current_xact_id()::text`).Scan(&text))
	between := number(f.text(t, `SELECT pg_current_xact_id()::text`))
	s := f.stream(t, streamOptions{table: "line", cursor: column("id", int4Type), start: "0", size: "3", fields: []ir.Field{idField}})
	_, seen := s.byStatement(t, 0)
	require.True(t, seen.Sees(before))
	require.False(t, seen.Sees(number(text)))
	require.True(t, seen.Sees(between))
	require.False(t, seen.Sees(number(f.text(t, `SELECT pg_current_xact_id()::text`))))
	err = f.source.QueryStream(t.Context(), &liveStatement{}, nil, nil)
	require.Error(t, err)
}

// TestStreamsOfStatementsAlone: what else than columns is shown, or isn't a plain table's, is up to the database.
func TestStreamsOfStatementsAlone(t *testing.T) {
	t.Parallel()
	id := column("id", int4Type)
	plain := func() (*ir.Select, *ir.Cursor) {
		rows := ir.Rows{From: ir.Table{Name: public("line")}, WithTies: true, Limit: ir.Literal{Text: "3", Type: int4Type}}
		rows.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: id}})
		rows.Where = compare(id, ir.OpGt, bound(0, int4Type))
		return &ir.Select{Rows: rows, Fields: []ir.Field{idField}}, &ir.Cursor{Column: "id"}
	}
	known := func(s *ir.Select, c *ir.Cursor) bool {
		st, err := New().RenderLive(ir.Live{Roots: []ir.Root{s}, Cursor: c}, backend.RenderOptions{})
		require.NoError(t, err)
		return st.(backend.LiveStreamer).Stream() != nil //nolint:forcetypeassert // fails the test
	}
	require.True(t, known(plain()))
	array := catalog.Type{Name: "int4", Dims: 1, ID: "23"}
	for name, change := range map[string]func(s *ir.Select){
		"a relationship": func(s *ir.Select) {
			s.Fields = append(s.Fields, many("others", pair("id", "id"), tracks(nil), idField))
		},
		"a type": func(s *ir.Select) { s.Fields = append(s.Fields, field("tags", array)) },
		"a hidden cell": func(s *ir.Select) {
			s.Fields = []ir.Field{{Alias: "id", Value: ir.Scalar{Type: int4Type, Expr: ir.Redacted{Expr: id, When: ir.And{}}}}}
		},
		"rows of a function": func(s *ir.Select) { s.From = ir.Function{Name: public("lines")} },
		"a limit of no rows": func(s *ir.Select) { s.MaxRows = ir.NoRows },
		"a cursor of floats": func(s *ir.Select) {
			s.OrderBy[0].Target = ir.OrderExpr{Expr: column("id", catalog.Type{Name: "float8", ID: "701"})}
		},
		"a cursor on a field": func(s *ir.Select) { s.OrderBy[0].Target = ir.OrderExpr{Expr: column("other", int4Type)} },
	} {
		s, c := plain()
		change(s)
		require.False(t, known(s, c), name)
	}
	s, _ := plain()
	require.False(t, known(s, nil), "a live query")
}
