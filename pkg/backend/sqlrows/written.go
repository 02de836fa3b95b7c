package sqlrows

import (
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// Output makes the items of what a mutation gives back: first the values that Tx.Exec hands out, one for
// each field, then what the answer needs besides.
func (r *Renderer) Output(o ir.Output, in *sqltext.Scope, q *Selection) answer.Output {
	for _, f := range o.Returning {
		if f.Expr != nil {
			q.Items = append(q.Items, r.Single(f.Expr, in))
		} else {
			q.Items = append(q.Items, r.Dialect.Constant(f.Typename))
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
func (r *Renderer) writtenRow(fields []ir.Field, in *sqltext.Scope, q *Selection) *answer.Shape {
	for _, f := range fields {
		if f.Nested != nil {
			r.Fail("related rows of written ones are read by a second statement")
			return nil
		}
	}
	return r.Object(fields, in, q)
}
