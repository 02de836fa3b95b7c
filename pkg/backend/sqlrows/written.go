package sqlrows

import (
	"reflect"
	"slices"
	"strings"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Output makes the items of what a mutation gives back: first the values that Tx.Exec hands out, one for
// each field, then what its objects or the answer need besides.
func (r *Renderer) Output(o ir.Output, in *sqltext.Scope, q *Selection) (answer.Handed, answer.Output) {
	handed := answer.Handed{Columns: len(o.Returning)}
	for _, f := range o.Returning {
		if v, ok := f.Value.(ir.Scalar); ok {
			if _, flag := v.Expr.(ir.Inserted); flag {
				q.Items = append(q.Items, "CASE WHEN "+r.inserted()+" THEN '1' ELSE '0' END")
				continue
			}
			q.Items = append(q.Items, r.Single(v.Expr, in))
			continue
		}
		name, _ := f.Value.(ir.Typename) // a global id is in the answer alone
		q.Items = append(q.Items, r.Dialect.Constant(string(name)))
	}
	if o.Handed {
		q.apart = len(q.Items)
		for _, fields := range o.Objects {
			handed.Objects = append(handed.Objects, r.writtenRow(fields, in, q))
		}
		return handed, answer.Output{}
	}
	if o.Answer == nil {
		return handed, answer.Output{Parts: []answer.OutputPart{{Shape: r.writtenRow(o.Returning, in, q), One: o.One}}}
	}
	var b answer.Builder
	var out answer.Output
	b.Text("{")
	for i, f := range o.Answer {
		b.Key(i, f.Alias, answer.Spaced)
		switch v := f.Value.(type) {
		case ir.AffectedRows:
			out.Parts = append(out.Parts, answer.OutputPart{Lead: b.Take(), Count: true})
		case ir.Returning:
			out.Parts = append(out.Parts, answer.OutputPart{Lead: b.Take(), Shape: r.writtenRow(v, in, q)})
		case ir.Typename:
			b.String(string(v))
		}
	}
	b.Text("}")
	out.Tail = b.Take()
	return handed, out
}

// writtenRow is the shape of a written row. Related rows can't be part of it: the statement
// that writes doesn't see what it changes in them.
func (r *Renderer) writtenRow(fields []ir.Field, in *sqltext.Scope, q *Selection) *answer.Shape {
	for _, f := range fields {
		if _, ok := f.Value.(*ir.Nested); ok {
			r.Fail("related rows of written ones are read by a second statement")
			return nil
		}
	}
	return r.Object(fields, in, q)
}

// Write is a writing statement under construction: its text up to RETURNING, the row that it writes, and
// the condition on each written row, which is empty for none.
type Write struct {
	Text  string
	Row   *sqltext.Scope
	Check string
}

// Writing is a rendered mutation.
type Writing struct {
	Text   string
	Handed answer.Handed
	Output answer.Output
	// Width is the number of columns of the result.
	Width int
	// Check is the column with the result of the check, -1 for none.
	Check int
}

// Mutation renders a mutation; how rows are inserted is the dialect's. nullsPass lets rows pass for
// which the check is NULL.
func (r *Renderer) Mutation(m ir.Mutation, insert func(*ir.Insert) Write, nullsPass bool) Writing {
	var step Write
	var output ir.Output
	switch m := m.(type) {
	case *ir.Insert:
		step, output = insert(m), m.Output
	case *ir.Update:
		text, row := r.Update(m)
		step, output = Write{Text: text, Row: row, Check: r.Check(m.Check, row)}, m.Output
	case *ir.Delete:
		text, row := r.Delete(m)
		step, output = Write{Text: text, Row: row}, m.Output
	default:
		r.Fail("unknown mutation %T", m)
	}
	if r.Err != nil {
		return Writing{}
	}
	q := &Selection{}
	w := Writing{Check: -1}
	w.Handed, w.Output = r.Output(output, step.Row, q)
	if step.Check != "" {
		w.Check = len(q.Items)
		if nullsPass {
			step.Check += " IS NOT FALSE"
		}
		q.Items = append(q.Items, step.Check)
	}
	if len(q.Items) == 0 && showsRows(output) {
		q.Items = append(q.Items, r.Dialect.Constant("")) // a statement without a result has no rows to show
	}
	w.Text = step.Text
	if len(q.Items) > 0 {
		w.Text += " RETURNING " + strings.Join(q.Items, ", ")
	}
	w.Width = len(q.Items)
	return w
}

// showsRows reports whether an answer has an object for each row.
func showsRows(o ir.Output) bool {
	return len(o.Returning) > 0 || slices.ContainsFunc(o.Answer, func(f ir.OutputField) bool {
		rows, ok := f.Value.(ir.Returning)
		return ok && len(rows) > 0
	})
}

// InsertCheck tests rows that were inserted with one condition, and rows that the conflict
// clause updated with another one. inserted is the condition that tells them apart. A clause that sets
// nothing updates none.
func (r *Renderer) InsertCheck(i *ir.Insert, row *sqltext.Scope, inserted func() string) string {
	r.inserted = inserted
	if i.OnConflict == nil || len(i.OnConflict.Set) == 0 || i.UpdateCheck == nil {
		return r.Check(i.Check, row)
	}
	written := row.AsWritten()
	check, updateCheck := r.Condition(i.Check, written), r.Condition(i.UpdateCheck, written)
	if always := r.Spelling.Bool(true); check == always && updateCheck == always {
		return ""
	}
	return "(CASE WHEN " + inserted() + " THEN " + check + " ELSE " + updateCheck + " END)"
}

// RowsFit reports whether an insert has rows, each with a value for each column.
func (r *Renderer) RowsFit(i *ir.Insert) bool {
	if len(i.Rows) == 0 {
		r.Fail("an insert of no row")
		return false
	}
	for _, row := range i.Rows {
		if len(row) != len(i.Columns) {
			r.Fail("a row of %d values for %d columns", len(row), len(i.Columns))
			return false
		}
	}
	return true
}

// GivenColumns are the columns that some row has a value for, or else the first one.
func GivenColumns(i *ir.Insert) []int {
	var given []int
	for c := range i.Columns {
		if slices.ContainsFunc(i.Rows, func(row []ir.Value) bool { return !isDefault(row[c]) }) {
			given = append(given, c)
		}
	}
	if given == nil {
		given = []int{0}
	}
	return given
}

func isDefault(v ir.Value) bool {
	_, ok := v.(ir.Default)
	return ok
}

// IsPattern reports whether a single row stands for many.
func IsPattern(rows [][]ir.Value) bool {
	return len(rows) == 1 && slices.ContainsFunc(rows[0], func(v ir.Value) bool {
		_, ok := v.(ir.Each)
		return ok
	})
}

// EachOf is the list of rows of a Written that stands for all of them.
func EachOf(rows []ir.Value) (ir.Each, bool) {
	if len(rows) != 1 {
		return ir.Each{}, false
	}
	each, ok := rows[0].(ir.Each)
	return each, ok
}

// Given is the parameter of a value that doesn't depend on the session.
func Given(v ir.Value) (sqltext.Param, catalog.Type, bool) {
	switch v := v.(type) {
	case ir.Literal:
		p := sqltext.Param{Kind: sqltext.ParamLiteral, Text: []byte(v.Text), As: sqltext.As{Type: v.Type, List: v.List}}
		if v.Null {
			p.Text = nil
		}
		return p, v.Type, !v.List
	case ir.Variable:
		return sqltext.Param{Kind: sqltext.ParamVariable, Index: v.Index, As: sqltext.As{Type: v.Type, List: v.List}}, v.Type, !v.List
	}
	return sqltext.Param{}, catalog.Type{}, false
}

// SameIn reports whether a column has the same value in all rows.
func SameIn(rows [][]ir.Value, c int) bool {
	for _, row := range rows[1:] {
		if !reflect.DeepEqual(row[c], rows[0][c]) {
			return false
		}
	}
	return true
}
