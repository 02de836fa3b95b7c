package backendtest

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// Stock are two tables to write to.
func Stock() []Table {
	return []Table{{
		Name: "stock", Key: []string{"id"}, Unique: [][]string{{"label"}},
		Columns: []Column{
			{Name: "id", Type: Serial, NotNull: true},
			{Name: "label", Type: Text, NotNull: true},
			{Name: "qty", Type: Integer, Default: "5"},
			{Name: "parent", Type: Integer, References: "stock"},
		},
	}, {Name: "given", Columns: []Column{{Name: "n", Type: Integer, Default: "7"}}}}
}

// mutate runs one mutation in a transaction of its own.
func (b *bench) mutate(t testing.TB, m ir.Mutation) (string, error) {
	t.Helper()
	return b.mutateWith(t, m, backend.Args{})
}

func (b *bench) mutateWith(t testing.TB, m ir.Mutation, a backend.Args) (string, error) {
	t.Helper()
	statement, err := b.Fixture.Dialect.RenderMutation(m, backend.RenderOptions{})
	if err != nil {
		return "", err
	}
	out := backend.NewAnswer(nil, nil, 0)
	err = b.Source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error {
		out.Buf = out.Buf[:0]
		return tx.Query(t.Context(), statement, a, out)
	})
	return string(out.Buf), err
}

func (b *bench) mutated(t testing.TB, m ir.Mutation) string {
	t.Helper()
	got, err := b.mutate(t, m)
	require.NoError(t, err)
	return got
}

// all are the labels and quantities in stock, by the label.
func (b *bench) all(t testing.TB) string {
	t.Helper()
	return b.answer(t, Query{Root: &ir.Select{Rows: ir.Rows{
		From: ir.Table{Name: b.Name("stock")}, OrderBy: orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: b.column("stock", "label")}}),
	}, Fields: b.fields("stock", "label", "qty")}})
}

// insertOf inserts labels with their quantities; "" is the default.
func (b *bench) insertOf(rows ...[2]string) *ir.Insert {
	label, qty := b.column("stock", "label"), b.column("stock", "qty")
	m := &ir.Insert{
		Table: b.Name("stock"), Columns: []ir.Column{label, qty},
		Output: ir.Output{Returning: b.fields("stock", "label", "qty")},
	}
	for _, r := range rows {
		var n ir.Value = ir.Default{}
		switch r[1] {
		case "":
		case Null:
			n = none(qty)
		default:
			n = given(qty, r[1])
		}
		m.Rows = append(m.Rows, []ir.Value{given(label, r[0]), n})
	}
	return m
}

// quantity is a value of the column qty.
func (b *bench) quantity(text string) ir.Literal { return given(b.column("stock", "qty"), text) }

// less is the condition that there are fewer than n.
func (b *bench) less(n string) ir.BoolExp {
	return compare(b.column("stock", "qty"), ir.OpLt, b.quantity(n))
}

func (b *bench) labelled(label string) ir.BoolExp {
	c := b.column("stock", "label")
	return compare(c, ir.OpEq, given(c, label))
}

func (x *exercise) mutations(t *testing.T, at string) {
	test := func(name string, f func(t *testing.T, b *bench)) {
		x.sub(t, at, name, func(t *testing.T, _ string) { f(t, x.open(t, Stock()...)) })
	}
	test("insert one", func(t *testing.T, b *bench) {
		one := b.insertOf([2]string{"a", ""})
		one.One = true
		requireJSON(t, `{"label":"a","qty":5}`, b.mutated(t, one))
		requireJSON(t, `[{"label":"a","qty":5}]`, b.all(t))
	})
	test("insert many", func(t *testing.T, b *bench) {
		requireJSON(t, `[{"label":"b","qty":1},{"label":"a","qty":5},{"label":"c","qty":null}]`,
			b.mutated(t, b.insertOf([2]string{"b", "1"}, [2]string{"a", ""}, [2]string{"c", Null})))
		const rows = 1000
		many := &ir.Insert{Table: b.Name("stock"), Columns: []ir.Column{b.column("stock", "label"), b.column("stock", "qty")}}
		many.Answer = []ir.OutputField{{Alias: "affected_rows", Value: ir.AffectedRows{}}}
		args := backend.Args{Session: as("buyer", map[string]string{"x-engine-n": "9"})}
		for i := range rows {
			many.Rows = append(many.Rows, []ir.Value{
				bound(i, b.typeOf("stock", "label")), ir.SessionVar{Name: "x-engine-n", Type: b.typeOf("stock", "qty")},
			})
			args.Variables = append(args.Variables, []byte("row "+strconv.Itoa(i)))
		}
		got, err := b.mutateWith(t, many, args)
		require.NoError(t, err)
		requireJSON(t, `{"affected_rows":1000}`, got)
	})
	test("insert defaults", func(t *testing.T, b *bench) {
		nothing := &ir.Insert{Table: b.Name("given"), Rows: [][]ir.Value{{}, {}}, Output: ir.Output{Answer: []ir.OutputField{
			{Alias: "affected_rows", Value: ir.AffectedRows{}},
			{Alias: "returning", Value: ir.Returning(b.fields("given", "n"))},
			{Alias: "__typename", Value: ir.Typename("given_mutation_response")},
		}}}
		requireJSON(t, `{"affected_rows":2,"returning":[{"n":7},{"n":7}],"__typename":"given_mutation_response"}`, b.mutated(t, nothing))
	})
	test("insert check", func(t *testing.T, b *bench) {
		checked := b.insertOf([2]string{"a", "1"}, [2]string{"b", "20"})
		checked.Check = b.less("10")
		_, err := b.mutate(t, checked)
		require.Equal(t, "check constraint of an insert/update permission has failed", requireCode(t, err, apierror.PermissionError).Message)
		requireJSON(t, `[]`, b.all(t))
		checked.Rows = checked.Rows[:1]
		requireJSON(t, `[{"label":"a","qty":1}]`, b.mutated(t, checked))
	})
	test("insert violations", func(t *testing.T, b *bench) {
		_, err := b.mutate(t, b.insertOf([2]string{"a", "1"}, [2]string{"a", "2"}))
		require.Contains(t, requireCode(t, err, apierror.ConstraintViolation).Message, "Uniqueness violation.")
		m := b.insertOf([2]string{"a", "1"})
		m.Rows[0][0] = none(m.Columns[0])
		_, err = b.mutate(t, m)
		require.Contains(t, requireCode(t, err, apierror.ConstraintViolation).Message, "Not-NULL violation.")
		m.Columns[1], m.Rows[0] = b.column("stock", "parent"), []ir.Value{given(m.Columns[0], "a"), b.quantity("99")}
		_, err = b.mutate(t, m)
		require.Contains(t, requireCode(t, err, apierror.ConstraintViolation).Message, "Foreign key violation.")
		requireJSON(t, `[]`, b.all(t))
	})
	test("upsert", func(t *testing.T, b *bench) { upserts(t, b) })
	test("update", func(t *testing.T, b *bench) {
		b.mutated(t, b.insertOf([2]string{"a", "1"}, [2]string{"b", "2"}))
		qty := b.column("stock", "qty")
		set := func(op ir.AssignOp, v ir.Value) *ir.Update {
			return &ir.Update{Table: b.Name("stock"), Set: []ir.Assignment{{Column: qty, Op: op, Value: v}}, Where: b.labelled("a"), Output: ir.Output{
				Answer: []ir.OutputField{{Alias: "affected_rows", Value: ir.AffectedRows{}}, {Alias: "returning", Value: ir.Returning(b.fields("stock", "qty"))}},
			}}
		}
		for _, step := range []struct {
			op   ir.AssignOp
			v    ir.Value
			want string
		}{
			{ir.AssignSet, b.quantity("3"), "3"},
			{ir.AssignInc, b.quantity("4"), "7"},
			{ir.AssignMul, b.quantity("2"), "14"},
			{ir.AssignSet, ir.Default{}, "5"},
			{ir.AssignSet, none(qty), "null"},
			{ir.AssignInc, b.quantity("1"), "null"},
		} {
			requireJSON(t, `{"affected_rows":1,"returning":[{"qty":`+step.want+`}]}`, b.mutated(t, set(step.op, step.v)))
		}
		refused := set(ir.AssignSet, b.quantity("100"))
		refused.Check = b.less("50")
		_, err := b.mutate(t, refused)
		requireCode(t, err, apierror.PermissionError)
		requireJSON(t, `[{"label":"a","qty":null},{"label":"b","qty":2}]`, b.all(t))
	})
	test("delete", func(t *testing.T, b *bench) {
		b.mutated(t, b.insertOf([2]string{"a", "1"}, [2]string{"b", "2"}))
		gone := &ir.Delete{Table: b.Name("stock"), Where: b.labelled("a"), Output: ir.Output{Returning: b.fields("stock", "label"), One: true}}
		requireJSON(t, `{"label":"a"}`, b.mutated(t, gone))
		requireJSON(t, `null`, b.mutated(t, gone))
		requireJSON(t, `[{"label":"b","qty":2}]`, b.all(t))
	})
	test("nested", func(t *testing.T, b *bench) { nested(t, b) })
}

// upserts inserts a label that is there already.
func upserts(t *testing.T, b *bench) {
	unique := b.Catalog.Tables[b.Name("stock")].Uniques[0]
	constraint := ir.ConflictTarget{Constraint: unique.Name, Columns: unique.Columns, Index: unique.Index}
	upsert := func(label, qty string, c *ir.OnConflict) *ir.Insert {
		m := b.insertOf([2]string{label, qty})
		m.OnConflict = c
		return m
	}
	b.mutated(t, b.insertOf([2]string{"a", "1"}))
	requireJSON(t, `[]`, b.mutated(t, upsert("a", "2", &ir.OnConflict{Target: constraint})))
	requireJSON(t, `[{"label":"a","qty":1}]`, b.all(t))
	update := &ir.OnConflict{Target: ir.ConflictTarget{Columns: []string{"label"}}, Set: []string{"qty"}, Where: b.less("5")}
	requireJSON(t, `[{"label":"a","qty":6}]`, b.mutated(t, upsert("a", "6", update)))
	requireJSON(t, `[]`, b.mutated(t, upsert("a", "7", update)))
	qty := b.column("stock", "qty")
	preset := &ir.OnConflict{Target: constraint, Set: []string{"label"}, Presets: []ir.Assignment{{Column: qty, Op: ir.AssignSet, Value: b.quantity("8")}}}
	requireJSON(t, `[{"label":"a","qty":8}]`, b.mutated(t, upsert("a", "7", preset)))

	checked := upsert("a", "3", &ir.OnConflict{Target: constraint, Set: []string{"qty"}})
	checked.Check, checked.UpdateCheck = b.less("1"), b.less("4")
	requireJSON(t, `[{"label":"a","qty":3}]`, b.mutated(t, checked)) // by the check of updates
	fresh := upsert("b", "3", checked.OnConflict)
	fresh.Check, fresh.UpdateCheck = checked.Check, checked.UpdateCheck
	_, err := b.mutate(t, fresh)
	requireCode(t, err, apierror.PermissionError)
	requireJSON(t, `[{"label":"a","qty":3}]`, b.all(t))
}

// nested inserts a row with one that refers to it, and reads both by what was written.
func nested(t *testing.T, b *bench) {
	parent := b.insertOf([2]string{"parent", "1"})
	var columns []ir.Column
	for _, c := range b.Catalog.Tables[b.Name("stock")].Columns {
		columns = append(columns, b.column("stock", c.Name))
	}
	var key []ir.Column
	if d, ok := b.Fixture.Dialect.(backend.KeyedWrites); ok && d.KeyedWrites() {
		key = []ir.Column{b.column("stock", "id")}
	}
	parent.Output = ir.Output{Returning: []ir.Field{b.field("stock", "id"), {Value: ir.Scalar{Expr: ir.RowRef{Columns: columns, Key: key}}}}, Handed: true}
	parent.Objects = [][]ir.Field{b.fields("stock", "id", "label"), b.fields("stock", "label")}
	statement, err := b.Fixture.Dialect.RenderMutation(parent, backend.RenderOptions{})
	require.NoError(t, err)
	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, b.Source.Mutate(t.Context(), as("admin", nil), func(tx backend.Tx) error {
		var id, row string
		if err := tx.Exec(t.Context(), statement, backend.Args{}, func(values [][]byte) error {
			id, row = string(values[0]), string(values[1])
			requireJSON(t, `{"id":`+id+`,"label":"parent"}`, string(values[2]))
			requireJSON(t, `{"label":"parent"}`, string(values[3]))
			return nil
		}); err != nil {
			return err
		}
		child := b.insertOf([2]string{"child", "2"})
		child.Columns[1], child.Rows[0][1] = b.column("stock", "parent"), ir.Literal{Text: id, Type: b.typeOf("stock", "id")}
		inner, err := b.Fixture.Dialect.RenderMutation(child, backend.RenderOptions{})
		if err != nil {
			return err
		}
		if err := tx.Exec(t.Context(), inner, backend.Args{}, func([][]byte) error { return nil }); err != nil {
			return err
		}
		read, err := b.Fixture.Dialect.RenderQuery(&ir.Select{
			Rows: ir.Rows{From: ir.Written{Table: b.Name("stock"), Columns: columns, Key: key, Rows: []ir.Value{ir.Literal{Text: row}}}},
			Fields: append(b.fields("stock", "label"), many("children", join("id", "parent"), ir.Rows{
				From: ir.Table{Name: b.Name("stock")},
			}, b.field("stock", "label"))),
		}, backend.RenderOptions{})
		if err != nil {
			return err
		}
		return tx.Query(t.Context(), read, backend.Args{}, out)
	}))
	requireJSON(t, `[{"label":"parent","children":[{"label":"child"}]}]`, string(out.Buf))
}
