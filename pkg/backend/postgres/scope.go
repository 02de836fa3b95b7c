package postgres

import (
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// origin is what is kept of the row of a scope.
type origin struct {
	// inner is the sub-select that the row comes from, if it does. A row of a sub-select has
	// no type of its own, so a function that takes the row of a table gets it as a column.
	inner *selection
	// sets is how functions that return any number of values are called.
	sets setCalls
}

func originOf(in *sqltext.Scope) origin {
	own, _ := in.Own.(origin)
	return own
}

// wholeRow is the whole row as a value.
func (r *renderer) wholeRow(in *sqltext.Scope) string {
	inner := originOf(in).inner
	if inner == nil {
		return in.Alias
	}
	inner.exposeRow()
	return r.Column(in, rowColumn)
}

// OwnExpr implements sqltext.Strategy.
func (r *renderer) OwnExpr(e ir.Expr, in *sqltext.Scope) (string, bool) {
	switch e := e.(type) {
	case ir.Row:
		return r.wholeRow(in), true
	case ir.Call:
		if e.Set && originOf(in).sets != setsPlain {
			return r.setCall(e, in), true
		}
	case ir.JSONPath:
		return "(" + r.Expr(e.Expr, in) + " #> " + r.path(e.Path) + ")", true
	}
	return "", false
}

// OwnFrom implements sqltext.Strategy.
func (r *renderer) OwnFrom(f ir.From, outer *sqltext.Scope) (string, bool) {
	switch f := f.(type) {
	case ir.Written:
		return r.written(f), true
	case ir.NativeQuery:
		return r.nativeQuery(f), true
	case ir.Embedded:
		return r.embedded(f, outer), true
	case ir.Keys:
		return r.keys(f), true
	}
	return "", false
}
