package postgres

import (
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// RenderMutation renders one mutation step.
func (d *Dialect) RenderMutation(m ir.Mutation, o backend.RenderOptions) (backend.Statement, error) {
	return newStatement(func(m2 mode) (*rendered, error) {
		r := newRenderer(d, o, m2)
		return r.mutation(m)
	})
}

// mutation is a writing statement under construction: its text up to RETURNING, and the row
// that it writes.
type mutation struct {
	text  string
	row   *sqltext.Scope
	check string // condition on each written row; empty for none
}

func (r *renderer) mutation(m ir.Mutation) (*rendered, error) {
	var step mutation
	var output ir.Output
	switch m := m.(type) {
	case *ir.Insert:
		step, output = r.insert(m), m.Output
	case *ir.Update:
		step, output = r.update(m), m.Output
	case *ir.Delete:
		step, output = r.delete(m), m.Output
	default:
		r.Fail("unknown mutation %T", m)
	}
	if r.Err != nil {
		return r.finish("", reply{})
	}
	q := &selection{}
	a := reply{kind: replyMutation, check: -1, columns: len(output.Returning), output: r.output(output, step.row, q)}
	if step.check != "" {
		a.check = len(q.items)
		if r.options.NullChecksPass {
			step.check += " IS NOT FALSE"
		}
		q.items = append(q.items, step.check)
	}
	text := step.text
	if len(q.items) > 0 {
		text += " RETURNING " + strings.Join(q.items, ", ")
	}
	return r.finish(text, a)
}

// output makes the items of RETURNING: first the values that Tx.Exec hands out, one for each
// field, then what the answer needs besides.
func (r *renderer) output(o ir.Output, in *sqltext.Scope, q *selection) answer.Output {
	for _, f := range o.Returning {
		if f.Expr != nil {
			q.items = append(q.items, r.single(f.Expr, in))
		} else {
			q.items = append(q.items, literal(f.Typename)+"::text")
		}
	}
	if o.Handed {
		return answer.Output{}
	}
	if o.Answer == nil {
		return answer.Output{Parts: []answer.OutputPart{{Shape: r.writtenRow(o.Returning, in, q), One: o.One}}}
	}
	var b answer.Builder
	var out answer.Output
	b.Text("{")
	for i, f := range o.Answer {
		b.Key(i, f.Alias, answer.Spaced)
		switch {
		case f.AffectedRows:
			out.Parts = append(out.Parts, answer.OutputPart{Lead: b.Take(), Count: true})
		case f.IsRows:
			out.Parts = append(out.Parts, answer.OutputPart{Lead: b.Take(), Shape: r.writtenRow(f.Rows, in, q)})
		default:
			b.String(f.Typename)
		}
	}
	b.Text("}")
	out.Tail = b.Take()
	return out
}

// writtenRow is the shape of a written row. Related rows can't be part of it: the statement
// that writes doesn't see what it changes in them.
func (r *renderer) writtenRow(fields []ir.Field, in *sqltext.Scope, q *selection) *answer.Shape {
	for _, f := range fields {
		if f.Nested != nil {
			r.Fail("related rows of written ones are read by a second statement")
			return nil
		}
	}
	return r.object(fields, in, q)
}

func (r *renderer) update(u *ir.Update) mutation {
	text, row := r.Update(u)
	return mutation{text: text, row: row, check: r.Check(u.Check, row)}
}

func (r *renderer) delete(d *ir.Delete) mutation {
	text, row := r.Delete(d)
	return mutation{text: text, row: row}
}
