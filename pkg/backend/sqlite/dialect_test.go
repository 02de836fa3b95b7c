package sqlite

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/session"
)

func TestColumnType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"INTEGER": "int4", "int": "int4", "BIGINT": "int8", "UNSIGNED BIG INT": "int8", "tinyint(1)": "int2",
		"BOOLEAN": "bool", "DOUBLE  PRECISION": "float8", "MYFLOAT": "float8", "Decimal(10, 2)": "numeric",
		"VARCHAR(20)": "text", "NVARCHAR(20)": "text", "CLOB": "text", "": "text", "POINTS": "int8", "COLOUR": "text",
		"DATE": "date", "DATETIME": "timestamp", "TIMESTAMP(3) WITH TIME ZONE": "timestamptz", "JSON": "jsonb", "UUID": "uuid", "BLOB": "bytea",
	} {
		require.Equal(t, want, columnType(text).Name, text)
		require.Contains(t, typeRows, columnType(text).Name)
	}
}

// kept is a table with a column of each class, without a row id.
const kept = `CREATE TABLE "t0" ("id" INT NOT NULL, "k" TEXT NOT NULL, big BIGINT, real REAL, price DECIMAL, flag BOOLEAN, doc JSON, bytes BLOB, at TIMESTAMPTZ,
	"n" INT DEFAULT (3 + 4), parent INT, PRIMARY KEY ("id", "k")) WITHOUT ROWID;
	INSERT INTO "t0" VALUES (1, 'a"b', 9007199254740993, 0.1, 12.50, 1, '{"a":1}', x'00ff', '2020-01-02 03:04:05.5', 1, NULL);
	INSERT INTO "t0" VALUES (2, x'ff', NULL, 9e999, 1e20, 0, jsonb('[1]'), 'text', 17, NULL, 1)`

var keptTable = catalog.Name{Name: "t0"}

func keptColumn(name, of string) ir.Column {
	return ir.Column{Name: name, Type: catalog.Type{Name: of}}
}

func keptFields() []ir.Field {
	var fields []ir.Field
	for _, c := range []ir.Column{
		keptColumn("id", "int4"), keptColumn("k", "text"), keptColumn("big", "int8"), keptColumn("real", "float8"), keptColumn("price", "numeric"),
		keptColumn("flag", "bool"), keptColumn("doc", "jsonb"), keptColumn("bytes", "bytea"), keptColumn("at", "timestamptz"),
	} {
		fields = append(fields, ir.Field{Alias: c.Name, Value: ir.Scalar{Expr: c, Type: c.Type}})
	}
	return fields
}

func query(t *testing.T, f *fixture, root ir.Root, o backend.RenderOptions, a backend.Args) string {
	t.Helper()
	s, err := New().RenderQuery(root, o)
	require.NoError(t, err)
	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, f.source.Query(t.Context(), s, a, out), s.SQL())
	return string(out.Buf)
}

// TestStoredClasses reads values of all storage classes, at the root and nested, which go different ways.
func TestStoredClasses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, kept, nil)
	rows := ir.Rows{From: ir.Table{Name: keptTable}, OrderBy: []ir.OrderItem{{Target: ir.OrderExpr{Expr: keptColumn("id", "int4")}}}}
	one := `{"id":1,"k":"a\"b","big":9007199254740993,"real":0.1,"price":12.5,"flag":true,"doc":{"a":1},"bytes":"\\x00ff","at":"2020-01-02T03:04:05.5+00:00"}`
	two := `{"id":2,"k":"` + "\uFFFD" + `","big":null,"real":"Infinity","price":100000000000000000000,"flag":false,"doc":[1],"bytes":"\\x74657874","at":17}`
	require.Equal(t, "["+one+", "+two+"]", query(t, f, &ir.Select{Rows: rows, Fields: keptFields()}, backend.RenderOptions{}, backend.Args{}))

	peers := ir.Field{Alias: "all", Value: &ir.Nested{Join: nil, Root: &ir.Select{Rows: rows, Fields: keptFields()}}}
	first := ir.Rows{From: rows.From, OrderBy: rows.OrderBy, MaxRows: 1}
	require.Equal(t, `[{"all":[`+one+", "+two+`]}]`, query(t, f, &ir.Select{Rows: first, Fields: []ir.Field{peers}}, backend.RenderOptions{}, backend.Args{}))

	quoted := query(t, f, &ir.Select{Rows: first, Fields: keptFields()[2:5]}, backend.RenderOptions{StringifyNumeric: true}, backend.Args{})
	require.Equal(t, `[{"big":"9007199254740993","real":0.1,"price":"12.5"}]`, quoted)
}

// TestWrittenWithoutRowID deletes rows of a table without a row id and reads rows that were related to
// them, by what the statement gave back.
func TestWrittenWithoutRowID(t *testing.T) {
	t.Parallel()
	f := newFixture(t, kept, nil)
	id, parent, bytes := keptColumn("id", "int4"), keptColumn("parent", "int4"), keptColumn("bytes", "bytea")
	columns := []ir.Column{id, bytes}
	gone, err := New().RenderMutation(&ir.Delete{
		Table: keptTable, Where: ir.Compare{Left: id, Op: ir.OpEq, Args: []ir.Value{ir.Literal{Text: "1", Type: id.Type}}},
		Output: ir.Output{Returning: []ir.Field{{Value: ir.Scalar{Expr: ir.RowRef{Columns: columns}}}}, Handed: true},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	read, err := New().RenderQuery(&ir.Select{
		Rows: ir.Rows{From: ir.Written{Table: keptTable, Columns: columns, Rows: []ir.Value{ir.Each{}}}},
		Fields: []ir.Field{
			{Alias: "id", Value: ir.Scalar{Expr: id, Type: id.Type}},
			{Alias: "bytes", Value: ir.Scalar{Expr: bytes, Type: bytes.Type}},
			{Alias: "children", Value: &ir.Nested{Join: []ir.JoinPair{{Outer: "id", Inner: "parent"}}, Root: &ir.Select{
				Rows: ir.Rows{From: ir.Table{Name: keptTable}}, Fields: []ir.Field{{Alias: "parent", Value: ir.Scalar{Expr: parent, Type: parent.Type}}},
			}}},
		},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
		var rows [][]byte
		if err := tx.Exec(t.Context(), gone, backend.Args{}, func(row [][]byte) error {
			rows = append(rows, []byte(string(row[0])))
			return nil
		}); err != nil {
			return err
		}
		return tx.Query(t.Context(), read, backend.Args{Lists: [][][]byte{rows}}, out)
	}))
	require.Equal(t, `[{"id":1,"bytes":"\\x00ff","children":[{"parent":1}]}]`, string(out.Buf))
}

// TestInsertedRows inserts rows of the three forms: values, a list, and lists of columns.
func TestInsertedRows(t *testing.T) {
	t.Parallel()
	id, k, n := keptColumn("id", "int4"), keptColumn("k", "text"), keptColumn("n", "int4")
	bytes := keptColumn("bytes", "bytea")
	value := func(c ir.Column, text string) ir.Value { return ir.Literal{Text: text, Type: c.Type} }
	none := ir.Literal{Null: true, Type: n.Type}
	preset := ir.SessionVar{Name: "x-engine-k", Type: k.Type}
	for name, c := range map[string]struct {
		columns []ir.Column
		rows    [][]ir.Value
		args    backend.Args
		want    string
	}{
		"values":   {[]ir.Column{id, k, n, bytes}, [][]ir.Value{{value(id, "5"), preset, ir.Default{}, value(bytes, `\x01`)}, {value(id, "6"), preset, none, ir.Default{}}}, backend.Args{}, "5 p 7 01,6 p - -"},
		"a list":   {[]ir.Column{id, k, bytes}, [][]ir.Value{{value(id, "5"), preset, value(bytes, `\x01`)}, {ir.Variable{Index: 0, Type: id.Type}, preset, none}}, backend.Args{Variables: [][]byte{[]byte("6")}}, "5 p 7 01,6 p 7 -"},
		"a lookup": {[]ir.Column{id, k}, [][]ir.Value{{value(id, "5"), value(k, "x\"\\")}, {value(id, "6"), value(k, "é")}}, backend.Args{}, `5 x"\ 7 -,6 é 7 -`},
		"columns": {
			[]ir.Column{id, k, bytes},
			[][]ir.Value{{ir.Each{Index: 0, Type: id.Type}, preset, ir.Each{Index: 1, Type: bytes.Type}}},
			backend.Args{Lists: [][][]byte{{[]byte("5"), []byte("6")}, {nil, []byte(`\xff`)}}},
			"5 p 7 -,6 p 7 FF",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, kept, nil)
			s, err := New().RenderMutation(&ir.Insert{Table: keptTable, Columns: c.columns, Rows: c.rows}, backend.RenderOptions{})
			require.NoError(t, err)
			c.args.Session = &session.Session{Role: "admin", Variables: map[string]string{"x-engine-k": "p"}}
			out := backend.NewAnswer(nil, nil, 0)
			require.NoError(t, f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error { return tx.Query(t.Context(), s, c.args, out) }), s.SQL())
			require.Equal(t, c.want, f.text(t, `SELECT group_concat(id || ' ' || k || ' ' || coalesce(n, '-') || ' ' || coalesce(nullif(hex(bytes), ''), '-')) FROM t0 WHERE id > 2`))
		})
	}
}

// TestUpsertChecks inserts several rows, of which some are there already: each is held to the check of
// what happened to it.
func TestUpsertChecks(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE w (id INTEGER PRIMARY KEY, n INT); INSERT INTO w VALUES (1, 1), (3, 1)", nil)
	id, n := keptColumn("id", "int4"), keptColumn("n", "int4")
	upsert := func(first, second, third string) error {
		number := func(text string) ir.Value { return ir.Literal{Text: text, Type: n.Type} }
		less := func(text string) ir.BoolExp { return ir.Compare{Left: n, Op: ir.OpLt, Args: []ir.Value{number(text)}} }
		s, err := New().RenderMutation(&ir.Insert{
			Table: catalog.Name{Name: "w"}, Columns: []ir.Column{id, n},
			Rows:  [][]ir.Value{{number("1"), number(first)}, {number("2"), number(second)}, {number("3"), number(third)}},
			Check: less("10"), UpdateCheck: less("20"), OnConflict: &ir.OnConflict{Target: ir.ConflictTarget{Columns: []string{"id"}}, Set: []string{"n"}},
		}, backend.RenderOptions{})
		require.NoError(t, err)
		return f.source.Mutate(t.Context(), nil, func(tx backend.Tx) error {
			return tx.Exec(t.Context(), s, backend.Args{}, func([][]byte) error { return nil })
		})
	}
	require.NoError(t, upsert("15", "5", "15"))
	require.Equal(t, "1 15,2 5,3 15", f.text(t, "SELECT group_concat(id || ' ' || n) FROM w"))
	f.exec(t, "DELETE FROM w WHERE id = 2")
	require.Equal(t, apierror.PermissionError, apierror.From(upsert("1", "15", "1")).Code, "the inserted row is held to the check of inserts")
	require.Equal(t, apierror.PermissionError, apierror.From(upsert("1", "1", "25")).Code, "the updated row is held to the check of updates")
	require.Equal(t, "1 15,3 15", f.text(t, "SELECT group_concat(id || ' ' || n) FROM w"))
}

// TestLiveKeys holds that subscriptions are run together only where they are the same in text, parameters
// and the shape of the answer.
func TestLiveKeys(t *testing.T) {
	t.Parallel()
	key := func(alias string, of catalog.Type, o backend.RenderOptions) string {
		c := ir.Column{Name: "big", Type: of}
		s, err := New().RenderLive(ir.Live{Roots: []ir.Root{&ir.Select{
			Rows:   ir.Rows{From: ir.Table{Name: keptTable}, Where: ir.Compare{Left: c, Op: ir.OpEq, Args: []ir.Value{ir.Variable{Type: of}}}},
			Fields: []ir.Field{{Alias: alias, Value: ir.Scalar{Expr: c, Type: of}}},
		}}}, o)
		require.NoError(t, err)
		return s.Key()
	}
	plain := key("a", typeBig, backend.RenderOptions{})
	require.Equal(t, plain, key("a", typeBig, backend.RenderOptions{}))
	require.NotEqual(t, plain, key("b", typeBig, backend.RenderOptions{}))
	require.NotEqual(t, plain, key("a", typeInteger, backend.RenderOptions{}))
	require.NotEqual(t, plain, key("a", typeBig, backend.RenderOptions{StringifyNumeric: true}))
}

// TestDeepPlans reads more related rows, one in the other, than SQLite joins.
func TestDeepPlans(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE chain (id INTEGER PRIMARY KEY, next INT); INSERT INTO chain VALUES (1, 1)", nil)
	id := keptColumn("id", "int4")
	rows := ir.Rows{From: ir.Table{Name: catalog.Name{Name: "chain"}}}
	fields := []ir.Field{{Alias: "id", Value: ir.Scalar{Expr: id, Type: id.Type}}}
	const depth = 90
	for range depth {
		fields = []ir.Field{{Alias: "next", Value: &ir.Nested{
			Join: []ir.JoinPair{{Outer: "next", Inner: "id"}}, Unique: true, Root: &ir.Select{Rows: rows, Fields: fields, One: true},
		}}}
	}
	want := "[" + strings.Repeat(`{"next":`, depth) + `{"id":1}` + strings.Repeat("}", depth) + "]"
	require.Equal(t, want, query(t, f, &ir.Select{Rows: rows, Fields: fields}, backend.RenderOptions{}, backend.Args{}))
}

func TestEncodeNumbers(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{
		12.5: "12.5", 0.1 + 0.2: "0.3", 1e20: "100000000000000000000", 1e-7: "0.0000001", -0.05: "-0.05", 1e300: "1e+300", math.Inf(1): `"Infinity"`,
	} {
		got, ok := encodeDecimal(nil, appendReal(nil, value))
		require.True(t, ok)
		require.Equal(t, want, string(got))
	}
}

// TestCountOfColumns counts rows by two columns that the role may see in some rows: the conditions on
// them have parameters, whatever comes of them.
func TestCountOfColumns(t *testing.T) {
	t.Parallel()
	f := newFixture(t, kept, nil)
	id := keptColumn("id", "int4")
	seen := func(c ir.Column, from string) ir.Expr {
		return ir.Redacted{Expr: c, When: ir.Compare{Left: id, Op: ir.OpGte, Args: []ir.Value{ir.Literal{Text: from, Type: id.Type}}}}
	}
	counted := []ir.Expr{seen(keptColumn("k", "text"), "2"), seen(keptColumn("n", "int4"), "3")}
	for distinct, want := range map[bool]string{false: "2", true: "2"} {
		got := query(t, f, &ir.Aggregate{
			Rows:   ir.Rows{From: ir.Table{Name: keptTable}},
			Fields: []ir.AggregateField{{Alias: "aggregate", Value: ir.Aggregates{{Alias: "count", Value: &ir.Count{Args: counted, Distinct: distinct}}}}},
		}, backend.RenderOptions{}, backend.Args{})
		require.Equal(t, `{"aggregate" : {"count" : `+want+`}}`, got)
	}
}
