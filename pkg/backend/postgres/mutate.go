package postgres

import (
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/sqlrows"
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
	q := &sqlrows.Selection{}
	a := reply{kind: replyMutation, check: -1, columns: len(output.Returning), output: r.Output(output, step.row, q)}
	if step.check != "" {
		a.check = len(q.Items)
		if r.options.NullChecksPass {
			step.check += " IS NOT FALSE"
		}
		q.Items = append(q.Items, step.check)
	}
	text := step.text
	if len(q.Items) > 0 {
		text += " RETURNING " + strings.Join(q.Items, ", ")
	}
	return r.finish(text, a)
}

func (r *renderer) update(u *ir.Update) mutation {
	text, row := r.Update(u)
	return mutation{text: text, row: row, check: r.Check(u.Check, row)}
}

func (r *renderer) delete(d *ir.Delete) mutation {
	text, row := r.Delete(d)
	return mutation{text: text, row: row}
}
