package postgres

import (
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// jsonAggregate renders aggregates as a json value that the database makes.
func (r *renderer) jsonAggregate(a *ir.Aggregate, rel sqlrows.Relation) string {
	q, in, nodes := r.Aggregated(a, rel)
	var pairs []string
	for _, f := range a.Fields {
		var value string
		switch {
		case f.IsNodes:
			value = r.jsonList(&ir.Select{Rows: a.Rows, Fields: f.Nodes}, nodes)
		case f.Typename != "":
			value = quote.Literal(f.Typename)
		default:
			value = r.jsonAggregates(f.Aggregates, in)
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
		switch {
		case f.Typename != "":
			value = quote.Literal(f.Typename)
		case f.Count != nil:
			value = r.CountRows(f.Count, in)
		default:
			var columns []string
			for _, column := range f.Columns {
				value := quote.Literal(column.Typename)
				if column.Expr != nil {
					value = r.jsonAggregateCell(f.Function, column, in)
				}
				columns = append(columns, quote.Literal(column.Alias)+", "+value)
			}
			value = buildObject(columns)
		}
		pairs = append(pairs, quote.Literal(f.Alias)+", "+value)
	}
	return buildObject(pairs)
}

func (r *renderer) jsonAggregateCell(function string, column ir.AggregateColumn, in *sqltext.Scope) string {
	expr := r.AggregateOf(function, column, in)
	if function == "min" || function == "max" {
		return r.jsonCell(expr, column.Type)
	}
	if r.stringified(column.Type) {
		return expr + "::text"
	}
	return expr
}
