package postgres

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

const albumSchema = `
CREATE TABLE album (
	id serial PRIMARY KEY, title text NOT NULL UNIQUE, price numeric(8,2) DEFAULT 9.99, tags text[], meta jsonb,
	parent int REFERENCES album DEFERRABLE INITIALLY DEFERRED
);
CREATE TABLE said (who text);
CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO said VALUES (current_setting('engine.user', true)); RETURN NEW; END $$;
CREATE TRIGGER say AFTER INSERT ON album FOR EACH ROW EXECUTE FUNCTION say();
`

var (
	idColumn    = ir.Column{Name: "id", Type: int4Type}
	titleColumn = ir.Column{Name: "title", Type: textType}
	priceColumn = ir.Column{Name: "price", Type: numericType}
	tagsColumn  = ir.Column{Name: "tags", Type: catalog.Type{Name: "text", ID: "25", Dims: 1}}
	metaColumn  = ir.Column{Name: "meta", Type: jsonbType}
)

func given(c ir.Column, text string) ir.Literal { return ir.Literal{Text: text, Type: c.Type} }

func none(c ir.Column) ir.Literal { return ir.Literal{Null: true, Type: c.Type} }

// mutate runs a mutation in a transaction of its own and gives its answer.
func (f *fixture) mutate(t *testing.T, m ir.Mutation, a backend.Args) (string, error) {
	t.Helper()
	st, err := New().RenderMutation(m, backend.RenderOptions{})
	require.NoError(t, err)
	out := backend.NewAnswer(nil, nil, 0)
	err = f.source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error {
		return tx.Query(t.Context(), st, a, out)
	})
	return string(out.Buf), err
}

func (f *fixture) mutated(t *testing.T, m ir.Mutation) string {
	t.Helper()
	answer, err := f.mutate(t, m, backend.Args{})
	require.NoError(t, err)
	return answer
}

var albumRow = []ir.Field{field("id", int4Type), field("title", textType), field("price", numericType)}

func returned(fields ...ir.Field) ir.Output {
	return ir.Output{Answer: []ir.OutputField{
		{Alias: "affected_rows", Value: ir.AffectedRows{}},
		{Alias: "returning", Value: ir.Returning(fields)},
		{Alias: "__typename", Value: ir.Typename("album_mutation_response")},
	}}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	f := newFixture(t, albumSchema, nil)
	one := &ir.Insert{
		Table: public("album"), Columns: []ir.Column{titleColumn, priceColumn},
		Rows:   [][]ir.Value{{given(titleColumn, "Blue"), ir.Default{}}},
		Output: ir.Output{Returning: albumRow, One: true},
	}
	requireAnswer(t, `{"id":1,"title":"Blue","price":9.99}`, f.mutated(t, one))
	require.JSONEq(t, `{"x-engine-role": "admin"}`, f.text(t, `SELECT who FROM said`))

	many := &ir.Insert{
		Table: public("album"), Columns: []ir.Column{titleColumn, tagsColumn, metaColumn, priceColumn},
		Rows: [][]ir.Value{
			{given(titleColumn, `a "b", \c`), given(tagsColumn, `{"x,y",NULL}`), given(metaColumn, `{"a": "\""}`), ir.Default{}},
			{given(titleColumn, `NULL`), none(tagsColumn), none(metaColumn), ir.Default{}},
		},
		Output: returned(field("title", textType), field("tags", tagsColumn.Type), field("meta", jsonbType), field("price", numericType)),
	}
	requireAnswer(t, `{"affected_rows" : 2, "returning" : [`+
		`{"title":"a \"b\", \\c","tags":["x,y",null],"meta":{"a": "\""},"price":9.99}, `+
		`{"title":"NULL","tags":null,"meta":null,"price":9.99}], "__typename" : "album_mutation_response"}`, f.mutated(t, many))

	gaps := &ir.Insert{
		Table: public("album"), Columns: []ir.Column{titleColumn, priceColumn},
		Rows: [][]ir.Value{
			{given(titleColumn, "Red"), given(priceColumn, "1.50")},
			{given(titleColumn, "Green"), ir.Default{}},
			{given(titleColumn, "Gray"), none(priceColumn)},
		},
		Output: ir.Output{Returning: []ir.Field{field("title", textType), field("price", numericType)}},
	}
	requireAnswer(t, `[{"title":"Red","price":1.50}, {"title":"Green","price":9.99}, {"title":"Gray","price":null}]`, f.mutated(t, gaps))

	f.exec(t, `CREATE TABLE plain (n int DEFAULT 7)`)
	nothing := &ir.Insert{Table: public("plain"), Rows: [][]ir.Value{{}, {}}, Output: returned(field("n", int4Type))}
	requireAnswer(t, `{"affected_rows" : 2, "returning" : [{"n":7}, {"n":7}], "__typename" : "album_mutation_response"}`, f.mutated(t, nothing))
}

func TestInsertOfManyRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t, albumSchema, nil)
	const rows = 1000
	insert := &ir.Insert{Table: public("album"), Columns: []ir.Column{titleColumn, priceColumn}, Output: returned()}
	insert.Answer = insert.Answer[:1]
	for i := range rows {
		insert.Rows = append(insert.Rows, []ir.Value{ir.Variable{Index: i, Type: textType}, ir.SessionVar{Name: "x-engine-price", Type: numericType}})
	}
	args := backend.Args{Session: as("buyer", map[string]string{"x-engine-price": "0.50"})}
	for i := range rows {
		args.Variables = append(args.Variables, []byte("title "+strconv.Itoa(i)))
	}
	st, err := New().RenderMutation(insert, backend.RenderOptions{})
	require.NoError(t, err)
	require.Equal(t, `INSERT INTO "public"."album" AS t0 ("title", "price") SELECT c0, $2::numeric FROM unnest($1::text[]) AS v(c0)`, st.SQL())
	answer, err := f.mutate(t, insert, args)
	require.NoError(t, err)
	requireAnswer(t, `{"affected_rows" : 1000}`, answer)
	require.Equal(t, "title 999 0.50", f.text(t, `SELECT title || ' ' || price FROM album ORDER BY id DESC LIMIT 1`))
}

func TestUpsert(t *testing.T) {
	t.Parallel()
	f := newFixture(t, albumSchema, nil)
	byTitle := ir.ConflictTarget{Constraint: "album_title_key", Columns: []string{"title"}}
	insert := func(title, price string, c *ir.OnConflict) *ir.Insert {
		return &ir.Insert{
			Table: public("album"), Columns: []ir.Column{titleColumn, priceColumn},
			Rows:       [][]ir.Value{{given(titleColumn, title), given(priceColumn, price)}},
			OnConflict: c, Output: ir.Output{Returning: []ir.Field{field("title", textType), field("price", numericType)}},
		}
	}
	requireAnswer(t, `[{"title":"Blue","price":1.00}]`, f.mutated(t, insert("Blue", "1", nil)))
	require.Equal(t, `[]`, f.mutated(t, insert("Blue", "2", &ir.OnConflict{Target: byTitle})))
	set := &ir.OnConflict{
		Target: ir.ConflictTarget{Columns: []string{"title"}}, Set: []string{"price"},
		Presets: []ir.Assignment{{Column: tagsColumn, Op: ir.AssignSet, Value: given(tagsColumn, "{again}")}},
		Where:   ir.Compare{Left: priceColumn, Op: ir.OpLt, Args: []ir.Value{given(priceColumn, "5")}},
	}
	requireAnswer(t, `[{"title":"Blue","price":6.00}]`, f.mutated(t, insert("Blue", "6", set)))
	require.Equal(t, `[]`, f.mutated(t, insert("Blue", "7", set)))
	require.Equal(t, "{again}", f.text(t, `SELECT tags::text FROM album`))

	cheap := func(limit string) ir.BoolExp {
		return ir.Compare{Left: priceColumn, Op: ir.OpLt, Args: []ir.Value{given(priceColumn, limit)}}
	}
	checked := insert("Blue", "3", &ir.OnConflict{Target: byTitle, Set: []string{"price"}})
	checked.Check, checked.UpdateCheck = cheap("1"), cheap("4")
	requireAnswer(t, `[{"title":"Blue","price":3.00}]`, f.mutated(t, checked)) // the check of updates
	checked.Rows[0][0] = given(titleColumn, "Red")
	_, err := f.mutate(t, checked, backend.Args{})
	requireCode(t, err, apierror.PermissionError, "check constraint of an insert/update permission has failed")
	checked.Rows[0] = []ir.Value{given(titleColumn, "Red"), given(priceColumn, "0")}
	requireAnswer(t, `[{"title":"Red","price":0.00}]`, f.mutated(t, checked))
}

// Rows of tables with partitions don't show whether they were inserted or updated.
func TestUpsertIntoPartitions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE album (id int, title text, price numeric, PRIMARY KEY (id, title)) PARTITION BY RANGE (id);
		CREATE TABLE low PARTITION OF album FOR VALUES FROM (0) TO (10);
		CREATE TABLE high (price numeric, title text NOT NULL, id int NOT NULL);
		ALTER TABLE album ATTACH PARTITION high FOR VALUES FROM (10) TO (20);
		INSERT INTO album VALUES (1, 'Blue', 0), (11, 'Red', 0)`, nil)
	id := ir.Column{Name: "id", Type: catalog.Type{Name: "int4", ID: "23"}}
	cheap := func(limit string) ir.BoolExp {
		return ir.Compare{Left: priceColumn, Op: ir.OpLt, Args: []ir.Value{given(priceColumn, limit)}}
	}
	for _, tt := range []struct{ id, title, price, refused string }{
		{"1", "Blue", "3", ""},
		{"11", "Red", "3", ""},
		{"2", "Green", "0", ""},
		{"12", "White", "0", ""},
		{"1", "Blue", "4", "updated"},
		{"11", "Red", "4", "updated"},
		{"3", "Grey", "3", "inserted"},
		{"1", "Grey", "3", "inserted"},
		{"13", "Grey", "3", "inserted"},
	} {
		m := &ir.Insert{
			Table: public("album"), Columns: []ir.Column{id, titleColumn, priceColumn},
			Rows: [][]ir.Value{{given(id, tt.id), given(titleColumn, tt.title), given(priceColumn, tt.price)}},
			OnConflict: &ir.OnConflict{
				Target:    ir.ConflictTarget{Constraint: "album_pkey", Columns: []string{"id", "title"}},
				TableKind: catalog.KindPartitioned, Set: []string{"price"},
			},
			Check: cheap("1"), UpdateCheck: cheap("4"),
			Output: ir.Output{Returning: []ir.Field{field("title", textType)}},
		}
		got, err := f.mutate(t, m, backend.Args{})
		if tt.refused != "" {
			requireCode(t, err, apierror.PermissionError, "check constraint of an insert/update permission has failed")
			continue
		}
		require.NoError(t, err)
		requireAnswer(t, `[{"title":"`+tt.title+`"}]`, got)
	}
	ignored := &ir.Insert{
		Table: public("album"), Columns: []ir.Column{id, titleColumn, priceColumn},
		Rows: [][]ir.Value{
			{given(id, "1"), given(titleColumn, "Blue"), given(priceColumn, "9")},
			{given(id, "5"), given(titleColumn, "Gold"), given(priceColumn, "0")},
		},
		OnConflict: &ir.OnConflict{TableKind: catalog.KindPartitioned}, Check: cheap("1"), UpdateCheck: cheap("4"),
		Output: ir.Output{Returning: []ir.Field{field("title", textType)}},
	}
	requireAnswer(t, `[{"title":"Gold"}]`, f.mutated(t, ignored))
}

// requireAnswer compares the bytes of an answer, not only its meaning.
func requireAnswer(t *testing.T, want, got string) {
	t.Helper()
	require.Equal(t, want, got)
}

func requireCode(t *testing.T, err error, code apierror.Code, message string) {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code)
	require.Equal(t, message, e.Message)
}

func TestUpdateAndDelete(t *testing.T) {
	t.Parallel()
	f := newFixture(t, albumSchema, nil)
	f.exec(t, `INSERT INTO album (title, price, meta) VALUES ('Blue', 2, '{"a": [1, 2], "b": 1}'), ('Red', 3, '{"a": []}')`)
	step := func(c ir.Column, op ir.AssignOp, v ir.Value) string {
		return f.mutated(t, &ir.Update{
			Table: public("album"), Set: []ir.Assignment{{Column: c, Op: op, Value: v}},
			Where:  equals("title", textType, given(titleColumn, "Blue")),
			Output: ir.Output{Returning: []ir.Field{{Alias: "v", Value: ir.Scalar{Expr: c, Type: c.Type}}}, One: true},
		})
	}
	requireAnswer(t, `{"v":2.50}`, step(priceColumn, ir.AssignSet, given(priceColumn, "2.5")))
	requireAnswer(t, `{"v":3.00}`, step(priceColumn, ir.AssignInc, given(priceColumn, "0.5")))
	requireAnswer(t, `{"v":6.00}`, step(priceColumn, ir.AssignMul, given(priceColumn, "2")))
	requireAnswer(t, `{"v":9.99}`, step(priceColumn, ir.AssignSet, ir.Default{}))
	requireAnswer(t, `{"v":{"a": [1, 2], "b": 1, "c": 2}}`, step(metaColumn, ir.AssignAppend, given(metaColumn, `{"c": 2}`)))
	requireAnswer(t, `{"v":{"a": [1, 2], "b": 1, "c": 2}}`, step(metaColumn, ir.AssignPrepend, given(metaColumn, `{"b": 5}`)))
	requireAnswer(t, `{"v":{"a": [1, 2], "c": 2}}`, step(metaColumn, ir.AssignDeleteKey, ir.Literal{Text: "b", Type: textType}))
	requireAnswer(t, `{"v":{"a": [2], "c": 2}}`, step(metaColumn, ir.AssignDeleteAtPath, ir.Literal{Text: `{a,0}`, Type: tagsColumn.Type}))
	requireAnswer(t, `{"v":[1, 2]}`, step(metaColumn, ir.AssignSet, given(metaColumn, `[1, 2]`)))
	requireAnswer(t, `{"v":[2]}`, step(metaColumn, ir.AssignDeleteElem, number4("0")))

	checked := &ir.Update{
		Table: public("album"), Set: []ir.Assignment{{Column: priceColumn, Op: ir.AssignSet, Value: given(priceColumn, "100")}},
		Check: ir.Compare{Left: priceColumn, Op: ir.OpLt, Args: []ir.Value{given(priceColumn, "50")}},
	}
	_, err := f.mutate(t, checked, backend.Args{})
	requireCode(t, err, apierror.PermissionError, "check constraint of an insert/update permission has failed")
	require.Equal(t, "12.99", f.text(t, `SELECT sum(price)::text FROM album`), "nothing of it stays")

	gone := &ir.Delete{Table: public("album"), Where: equals("title", textType, given(titleColumn, "Red")), Output: returned(field("id", int4Type))}
	requireAnswer(t, `{"affected_rows" : 1, "returning" : [{"id":2}], "__typename" : "album_mutation_response"}`, f.mutated(t, gone))
	gone.Output = ir.Output{Returning: []ir.Field{field("id", int4Type)}, One: true}
	require.Equal(t, `null`, f.mutated(t, gone))
}

// mutationCases are mutations of every form.
func mutationCases() map[string]ir.Mutation {
	cheap := compare(priceColumn, ir.OpLt, ir.SessionVar{Name: "x-engine-max", Type: numericType})
	note := ir.Exists{From: ir.Table{Name: catalog.Name{Schema: "archive", Name: "note"}}, Join: pair("id", "track_id")}
	parent := ir.Exists{From: ir.Table{Name: public("album")}, Join: pair("parent", "id"), Unique: true, Where: cheap}
	return map[string]ir.Mutation{
		"insert_one": &ir.Insert{
			Table: public("album"), Columns: []ir.Column{idColumn, titleColumn, metaColumn},
			Rows: [][]ir.Value{{ir.Default{}, ir.Variable{Index: 0, Type: textType}, none(metaColumn)}}, Check: cheap,
			Output: ir.Output{Returning: albumRow, One: true},
		},
		"insert_many": &ir.Insert{
			Table: public("album"), Columns: []ir.Column{titleColumn, tagsColumn, priceColumn},
			Rows: [][]ir.Value{
				{given(titleColumn, "a"), given(tagsColumn, "{a}"), ir.SessionVar{Name: "x-engine-max", Type: numericType}},
				{given(titleColumn, "b"), none(tagsColumn), ir.SessionVar{Name: "x-engine-max", Type: numericType}},
			}, Output: returned(titleField),
		},
		"insert_gaps": &ir.Insert{
			Table: public("album"), Columns: []ir.Column{titleColumn, priceColumn},
			Rows: [][]ir.Value{{given(titleColumn, "a"), ir.Default{}}, {ir.Default{}, given(priceColumn, "1")}},
		},
		"insert_defaults": &ir.Insert{Table: public("album"), Columns: []ir.Column{titleColumn}, Rows: [][]ir.Value{{ir.Default{}}}},
		"upsert": &ir.Insert{
			Table: public("album"), Columns: []ir.Column{titleColumn}, Rows: [][]ir.Value{{given(titleColumn, "a")}},
			OnConflict: &ir.OnConflict{
				Target: ir.ConflictTarget{Constraint: "album_title_key", Columns: []string{"title"}}, Set: []string{"title"}, Where: cheap,
				Presets: []ir.Assignment{{Column: priceColumn, Op: ir.AssignSet, Value: ir.SessionVar{Name: "x-engine-max", Type: numericType}}},
			}, Check: cheap, UpdateCheck: note,
		},
		"insert_child": &ir.Insert{
			Table: public("album"), Columns: []ir.Column{titleColumn}, Rows: [][]ir.Value{{given(titleColumn, "a")}},
			OnConflict: &ir.OnConflict{Target: ir.ConflictTarget{Constraint: "album_title_key", Columns: []string{"title"}}, Set: []string{"title"}},
			Check:      parent, UpdateCheck: ir.Exists{From: parent.From, Join: parent.Join, Unique: true, Where: note},
		},
		"update_child": &ir.Update{
			Table: public("album"), Where: parent, Check: ir.Or{Exps: []ir.BoolExp{cheap, parent}},
			Set: []ir.Assignment{{Column: priceColumn, Op: ir.AssignSet, Value: given(priceColumn, "1")}},
		},
		"update": &ir.Update{
			Table: public("album"), Where: ir.And{Exps: []ir.BoolExp{cheap, note}}, Check: cheap,
			Set:    []ir.Assignment{{Column: priceColumn, Op: ir.AssignInc, Value: ir.Variable{Index: 0, Type: numericType}}},
			Output: returned(albumRow...),
		},
		"delete": &ir.Delete{Table: public("album"), Where: ir.Or{Exps: []ir.BoolExp{cheap, note}}},
	}
}

// TestMutationTexts holds the texts of mutations to files.
func TestMutationTexts(t *testing.T) {
	t.Parallel()
	for name, m := range mutationCases() {
		st, err := New().RenderMutation(m, backend.RenderOptions{})
		require.NoError(t, err)
		golden(t, filepath.Join("testdata", "mutation", name, "want.postgres.sql"), st.SQL())
	}
}

// TestChecksLookUpRelatedRows adds rows to a parent whose owner has many others, which the statistics
// don't know yet: the check reads the parent by its key, and not all parents of the owner.
func TestChecksLookUpRelatedRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE shop (id int PRIMARY KEY, owner int NOT NULL);
		CREATE INDEX ON shop (owner);
		CREATE TABLE item (id serial PRIMARY KEY, shop int NOT NULL REFERENCES shop);
		INSERT INTO shop SELECT n, n / 5 FROM generate_series(1, 5000) n;
		ANALYZE shop`, nil)
	shop := ir.Column{Name: "shop", Type: int4Type}
	st, err := New().RenderMutation(&ir.Insert{
		Table: public("item"), Columns: []ir.Column{shop}, Rows: [][]ir.Value{{given(shop, "1")}, {given(shop, "2")}},
		Check: ir.Exists{
			From: ir.Table{Name: public("shop")}, Join: pair("shop", "id"), Unique: true,
			Where: compare(ir.Column{Name: "owner", Type: int4Type}, ir.OpEq, ir.SessionVar{Name: "x-engine-owner", Type: int4Type}),
		},
	}, backend.RenderOptions{})
	require.NoError(t, err)
	planOf := func(sql string) string {
		tx, err := f.db.Begin(t.Context())
		require.NoError(t, err)
		defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
		_, err = tx.Exec(t.Context(), "SET LOCAL plan_cache_mode = force_generic_plan")
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "PREPARE inserted (int[], int) AS "+sql)
		require.NoError(t, err)
		rows, err := tx.Query(t.Context(), "EXPLAIN (COSTS off) EXECUTE inserted ('{1,2}', 1)", pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "DEALLOCATE inserted")
		require.NoError(t, err)
		return strings.Join(lines, "\n")
	}
	require.Contains(t, planOf(st.SQL()), "Index Cond: (id = t0.shop)")
	require.Contains(t, planOf(strings.Replace(st.SQL(), " OFFSET 0", "", 1)), "Index Cond: (owner = $2)", "what the offset prevents")
}
