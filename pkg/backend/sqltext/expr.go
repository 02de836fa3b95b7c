package sqltext

import (
	"strconv"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Column is a column of a row.
func (r *Renderer) Column(in *Scope, name string) string {
	if in.Columns != nil {
		in.Columns[name] = true
	}
	return in.Alias + "." + r.Spelling.Quote(name)
}

// Expr renders a value of the row. The text can be an operand of any operator.
func (r *Renderer) Expr(e ir.Expr, in *Scope) string {
	if text, ok := r.Strategy.OwnExpr(e, in); ok {
		return text
	}
	switch e := e.(type) {
	case ir.Column:
		if e.Root {
			return r.Column(in.root(), e.Name)
		}
		return r.Column(in, e.Name)
	case ir.Call:
		call := r.Call(e.Function, e.Args, in)
		if in.Marker != "" {
			return "(CASE WHEN " + in.Marker + " IS NOT NULL THEN " + call + " END)"
		}
		return call
	case ir.Cast:
		return r.Spelling.Cast(r.Expr(e.Expr, in), e.Type)
	case ir.Redacted:
		return "(CASE WHEN " + r.Condition(e.When, in) + " THEN " + r.Expr(e.Expr, in) + r.otherwise(e.Else, in) + " END)"
	case ir.Masked:
		text := r.masked(e, in)
		if in.Marker != "" { // where there is no row, it shows nothing
			return "(CASE WHEN " + in.Marker + " IS NOT NULL THEN " + text + " END)"
		}
		return text
	case ir.Upper:
		return "upper(" + r.Expr(e.Expr, in) + ")"
	}
	r.Fail("the dialect has no expression %T", e)
	return "NULL"
}

// otherwise renders what a cell shows that isn't visible: further conditions become part of the same CASE.
func (r *Renderer) otherwise(e ir.Expr, in *Scope) string {
	switch e := e.(type) {
	case nil:
		return ""
	case ir.Redacted:
		return " WHEN " + r.Condition(e.When, in) + " THEN " + r.Expr(e.Expr, in) + r.otherwise(e.Else, in)
	}
	return " ELSE " + r.Expr(e, in)
}

func (r *Renderer) masked(e ir.Masked, in *Scope) string {
	if e.Value != nil {
		return r.Value(e.Value)
	}
	if e.Mask == "" {
		return r.maskParts(e.Parts, in)
	}
	mask := r.Spelling.Tables().Mask(e.Mask)
	if mask == nil {
		r.Fail("the dialect has no mask %q", e.Mask)
		return "NULL"
	}
	return "(" + strings.ReplaceAll(mask.SQL, "$l", r.Expr(e.Expr, in)) + ")"
}

func (r *Renderer) maskParts(parts []ir.MaskPart, in *Scope) string {
	text := "("
	for _, p := range parts {
		switch {
		case p.Column != nil:
			text += r.Column(in, p.Column.Name)
		case p.Value != nil:
			text += r.Value(p.Value)
		default:
			text += p.Text
		}
	}
	return text + ")"
}

// Exprs renders values of the row.
func (r *Renderer) Exprs(exps []ir.Expr, in *Scope) []string {
	texts := make([]string, len(exps))
	for i, e := range exps {
		texts[i] = r.Expr(e, in)
	}
	return texts
}

// From renders a relation; outer is the row that a function of it may take.
func (r *Renderer) From(f ir.From, outer *Scope) string {
	if text, ok := r.Strategy.OwnFrom(f, outer); ok {
		return text
	}
	switch f := f.(type) {
	case ir.Table:
		r.Unstored = r.Unstored || !f.Stored
		return r.Qualified(f.Name)
	case ir.Function:
		return r.Call(f.Name, f.Args, outer)
	}
	r.Fail("the dialect has no relation %T", f)
	return ""
}

// Call renders the call of a function; row is the one that it may take, nil for none.
func (r *Renderer) Call(function catalog.Name, args []ir.CallArg, row *Scope) string {
	return r.Qualified(function) + "(" + r.arguments(args, row) + ")"
}

func (r *Renderer) arguments(args []ir.CallArg, row *Scope) string {
	r.Calls = true
	texts := make([]string, len(args))
	for i, a := range args {
		switch {
		case !a.Row && a.Column == nil:
			texts[i] = r.Value(a.Value)
		case row == nil:
			r.Fail("a function takes a row where there is none")
		case a.Column != nil:
			texts[i] = r.Expr(*a.Column, row)
		default:
			texts[i] = r.Strategy.RowArgument(row)
		}
		if a.Name != "" {
			texts[i] = r.Spelling.Quote(a.Name) + " => " + texts[i]
		}
	}
	return strings.Join(texts, ", ")
}

// AggregateFunction checks the name of an aggregate: it comes from the engine, and is
// nothing but a name in any case.
func (r *Renderer) AggregateFunction(name string) string {
	if name == "" {
		r.Fail("an aggregate function without a name")
	}
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			r.Fail("no aggregate function: %s", strconv.Quote(name))
			break
		}
	}
	return name
}

// AggregateCall renders an aggregate of rows in scope.
func (r *Renderer) AggregateCall(function string, unique bool, args []ir.Expr, in *Scope) string {
	texts := r.Exprs(args, in)
	switch {
	case function == "count":
		return r.Spelling.Count(texts, unique)
	case r.Aggregate != nil:
		return r.Aggregate(function, unique, args, texts)
	}
	return r.AggregateFunction(function) + "(" + distinct(unique) + strings.Join(texts, ", ") + ")"
}

func distinct(yes bool) string {
	if yes {
		return "DISTINCT "
	}
	return ""
}

// OrderAggregate renders an aggregate of the rows that are related to a row. Where there is no
// row, because it was joined and none is visible, there is no count either.
func (r *Renderer) OrderAggregate(t ir.OrderAggregate, in *Scope) string {
	inner := (&Scope{Alias: r.Alias()}).Aggregated()
	value := r.Spelling.Count(nil, false)
	if t.Expr != nil {
		value = r.AggregateCall(t.Function, false, []ir.Expr{t.Expr}, inner)
	}
	where := append(r.Joined(t.Join, in, inner), r.Condition(r.Open(t.Where, t.Join, in), inner))
	sql := "(SELECT " + value + " FROM " + r.From(t.From, in) + " AS " + inner.Alias + inner.applied() + r.Where(where) + ")"
	if in.Marker != "" {
		return "(CASE WHEN " + in.Marker + " IS NOT NULL THEN " + sql + " END)"
	}
	return sql
}
