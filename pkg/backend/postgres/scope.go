package postgres

import (
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// OwnCondition implements sqltext.Strategy.
func (r *renderer) OwnCondition(e ir.BoolExp, in *sqltext.Scope) (string, bool) {
	if e, ok := e.(ir.Exists); ok {
		return r.Exists(e, in), true
	}
	return "", false
}

// OwnExpr implements sqltext.Strategy. A row is referred to by its own text.
func (r *renderer) OwnExpr(e ir.Expr, in *sqltext.Scope) (string, bool) {
	switch e := e.(type) {
	case ir.RowRef:
		if len(e.Key) > 0 {
			return r.keyText(e.Key, in), true
		}
		return r.WholeRow(in), true
	case ir.Call:
		return r.SetCall(e, in)
	case ir.JSONPath:
		return "(" + r.Expr(e.Expr, in) + " #> " + r.path(e.Path) + ")", true
	case ir.JSONValue:
		return r.jsonValue(e, in), true
	}
	return "", false
}

// RowArgument implements sqltext.Strategy.
func (r *renderer) RowArgument(in *sqltext.Scope) string { return r.WholeRow(in) }

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
	case ir.Groups:
		return r.Groups(f, outer), true
	}
	return "", false
}
