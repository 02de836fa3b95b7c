package postgres

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// RenderMutation renders one mutation step.
func (d *Dialect) RenderMutation(m ir.Mutation, o backend.RenderOptions) (backend.Statement, error) {
	return newStatement(func(m2 mode) (*rendered, error) {
		r := newRenderer(d, o, m2)
		return r.mutation(m)
	})
}

func (r *renderer) mutation(m ir.Mutation) (*rendered, error) {
	w := r.Mutation(m, r.insert, r.options.NullChecksPass)
	return r.finish(w.Text, reply{kind: replyMutation, check: w.Check, columns: w.Columns, output: w.Output})
}
