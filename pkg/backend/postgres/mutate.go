package postgres

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/ir"
)

// RenderMutation renders one mutation step.
func (d *Dialect) RenderMutation(m ir.Mutation, o backend.RenderOptions) (backend.Statement, error) {
	return newStatement(func(m2 mode) (*rendered, error) {
		r := newRenderer(d, o, m2)
		text, err := r.mutation(m)
		if err == nil && d.shares && !r.Calls && !text.reply.checked() {
			text.cost = &schedule.Cost{}
		}
		return text, err
	})
}

func (r *renderer) mutation(m ir.Mutation) (*rendered, error) {
	w := r.Mutation(m, r.insert, r.options.NullChecksPass)
	a := reply{kind: replyMutation, check: w.Check, handed: w.Handed, output: w.Output}
	if i, inserts := m.(*ir.Insert); inserts && r.flavor.plain && w.Width > 0 {
		a.least = leastRows(i)
	}
	if len(w.Handed.Objects) > 0 {
		a.formats = make([]int16, w.Width)
		for i := w.Handed.Columns; i < w.Width; i++ {
			a.formats[i] = wire.BinaryResults[0]
		}
	}
	return r.finish(w.Text, a)
}

// leastRows is how many rows an insert gives back at least: all that it is given, unless a conflict may leave some as they are.
func leastRows(i *ir.Insert) int {
	if c := i.OnConflict; sqlrows.IsPattern(i.Rows) || c != nil && (len(c.Set) == 0 || c.Where != nil) {
		return 0
	}
	return len(i.Rows)
}
