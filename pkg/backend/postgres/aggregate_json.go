package postgres

import (
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// jsonAggregate renders aggregates as a json value that the database makes.
func (r *renderer) jsonAggregate(a *ir.Aggregate, rel sqlrows.Relation) string {
	q, in, nodes := r.Aggregated(a, rel)
	var pairs []string
	for _, f := range a.Fields {
		var value string
		switch v := f.Value.(type) {
		case ir.Nodes:
			value = r.jsonList(&ir.Select{Rows: a.Rows, Fields: v}, nodes)
		case ir.Typename:
			value = quote.Literal(string(v))
		case ir.Aggregates:
			value = r.jsonAggregates(v, in)
		}
		pairs = append(pairs, quote.Literal(f.Alias)+", "+value)
	}
	q.Items = []string{buildObject(pairs)}
	rel.Rows = &a.Rows
	return r.Guarded(rel, "("+r.Text(q)+")")
}

func (r *renderer) jsonAggregates(fields []ir.AggregateExpr, in *sqltext.Scope) string {
	var pairs []string
	for _, f := range fields {
		var value string
		switch v := f.Value.(type) {
		case ir.Typename:
			value = quote.Literal(string(v))
		case *ir.Count:
			value = r.CountRows(v, in)
		case *ir.AggregateCall:
			value = r.jsonAggregateCall(v, in)
		}
		pairs = append(pairs, quote.Literal(f.Alias)+", "+value)
	}
	return buildObject(pairs)
}

func (r *renderer) jsonAggregateCall(call *ir.AggregateCall, in *sqltext.Scope) string {
	var pairs []string
	for _, column := range call.Columns {
		var value string
		switch v := column.Value.(type) {
		case ir.Typename:
			value = quote.Literal(string(v))
		case ir.Scalar:
			value = r.jsonAggregateCell(call.Function, v, in)
		}
		pairs = append(pairs, quote.Literal(column.Alias)+", "+value)
	}
	return buildObject(pairs)
}

func (r *renderer) jsonAggregateCell(function string, column ir.Scalar, in *sqltext.Scope) string {
	return r.jsonAggregated(function, r.AggregateOf(function, column, in), column.Type)
}

// jsonAggregated renders an aggregate of values of a type.
func (r *renderer) jsonAggregated(function, expr string, t catalog.Type) string {
	switch {
	case function == "min" || function == "max":
		return r.jsonCell(expr, t)
	case function != "count" && r.stringified(t):
		return expr + "::text"
	}
	return expr
}
