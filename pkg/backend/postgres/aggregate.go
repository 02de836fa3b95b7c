package postgres

import (
	"slices"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// rootAggregate renders an aggregate root field: a result of one row.
func (r *renderer) rootAggregate(a *ir.Aggregate) (string, reply) {
	if r.mode.json {
		return "SELECT " + r.jsonAggregate(a, relation{}) + ` AS "root"`, whole()
	}
	q, shape := r.aggregateQuery(a, relation{})
	return q.String(), reply{kind: replyOne, shape: shape}
}

// aggregate renders aggregates of related rows as a record.
func (r *renderer) aggregate(a *ir.Aggregate, rel relation) (string, *answer.Shape) {
	q, shape := r.aggregateQuery(a, rel)
	q.items = []string{record(q.items)}
	rel.Rows = &a.Rows
	return r.guarded(rel, "("+q.String()+")"), shape
}

// aggregateQuery makes the one row of an aggregate. Nodes are a list of their own besides the
// aggregates: the role's limit applies to them alone.
func (r *renderer) aggregateQuery(a *ir.Aggregate, rel relation) (*selection, *answer.Shape) {
	q, in, nodes := r.aggregated(a, rel)
	var b answer.Builder
	b.Text("{")
	for i, f := range a.Fields {
		b.Key(i, f.Alias, answer.Spaced)
		switch {
		case f.IsNodes:
			sql, s := r.list(&ir.Select{Rows: a.Rows, Fields: f.Nodes}, nodes)
			b.Add(answer.Part{Kind: answer.List, Column: q.item(sql), Shape: s})
		case f.Typename != "":
			b.String(f.Typename)
		default:
			r.aggregates(&b, f.Aggregates, in, q)
		}
	}
	b.Text("}")
	return q, b.Shape()
}

// aggregated starts the query of aggregates, on the rows that the arguments select, and returns the
// relation of the nodes.
func (r *renderer) aggregated(a *ir.Aggregate, nodes relation) (*selection, *sqltext.Scope, relation) {
	rows := a.Rows
	rows.MaxRows = 0
	if !sliced(&rows) {
		rows.OrderBy = nil
	}
	rel := nodes
	rel.Rows = &rows
	var values, lists bool
	for _, f := range a.Fields {
		lists = lists || f.IsNodes
		values = values || slices.ContainsFunc(f.Aggregates, valued)
	}
	if !values {
		return &selection{}, nil, nodes
	}
	var once *selection
	if _, ok := a.From.(ir.Function); ok && lists {
		// The function is called once for both.
		var row *sqltext.Scope
		once, row = r.plainRows(relation{Rows: &ir.Rows{From: a.From}, outer: rel.outer})
		once.items, once.rowOf = []string{row.Alias + ".*"}, row
		rel.named = &sqltext.Scope{Alias: r.Alias(), Own: origin{inner: once}}
		nodes.named = rel.named
	}
	q, in := r.plainRows(rel)
	if sliced(&rows) {
		q, in = r.around(q, in)
		q.order = nil
	}
	if aggregatesSets(a.Fields) {
		q, in = r.around(q, in)
		in.Own = origin{inner: originOf(in).inner, sets: setsInner}
	}
	if once != nil {
		q.with, q.withName = once, rel.named.Alias
	}
	return q, in, nodes
}

// valued reports whether a field needs the rows: it is more than names of types.
func valued(e ir.AggregateExpr) bool {
	return e.Count != nil || slices.ContainsFunc(e.Columns, func(c ir.AggregateColumn) bool { return c.Expr != nil })
}

// aggregates makes the object below `aggregate`.
func (r *renderer) aggregates(b *answer.Builder, fields []ir.AggregateExpr, in *sqltext.Scope, q *selection) {
	b.Text("{")
	for i, f := range fields {
		b.Key(i, f.Alias, answer.Spaced)
		switch {
		case f.Typename != "":
			b.String(f.Typename)
		case f.Count != nil:
			c, _ := cellOf(catalog.Type{Name: "int8"}, false)
			b.Add(answer.Part{Kind: answer.Value, Column: q.item(r.countRows(f.Count, in)), Cell: c})
		default:
			b.Text("{")
			for j, column := range f.Columns {
				b.Key(j, column.Alias, answer.Spaced)
				if column.Expr == nil {
					b.String(column.Typename)
					continue
				}
				expr, c := r.aggregateCell(f.Function, column, in)
				b.Add(answer.Part{Kind: answer.Value, Column: q.item(expr), Cell: c})
			}
			b.Text("}")
		}
	}
	b.Text("}")
}

func (r *renderer) countRows(c *ir.Count, in *sqltext.Scope) string {
	return r.Spelling.Count(r.Exprs(c.Args, in), c.Distinct)
}

func (r *renderer) aggregateOf(function string, column ir.AggregateColumn, in *sqltext.Scope) string {
	return r.AggregateFunction(function) + "(" + r.Expr(column.Expr, in) + ")"
}

// aggregateCell renders one aggregate of a column and returns its encoding. Numbers may change their
// type in between, so the server is only expected to send a number; but whether it becomes a string
// depends on the column.
func (r *renderer) aggregateCell(function string, column ir.AggregateColumn, in *sqltext.Scope) (string, answer.Cell) {
	expr := r.aggregateOf(function, column, in)
	if function == "min" || function == "max" {
		return r.cell(expr, column.Type)
	}
	switch rowOf(column.Type).family {
	case familyInteger, familyFloat, familyNumeric:
		return expr, answer.Cell{Quoted: r.stringified(column.Type)}
	}
	return "to_json(" + expr + ")", jsonCell
}

// jsonAggregate renders aggregates as a json value that the database makes.
func (r *renderer) jsonAggregate(a *ir.Aggregate, rel relation) string {
	q, in, nodes := r.aggregated(a, rel)
	var pairs []string
	for _, f := range a.Fields {
		var value string
		switch {
		case f.IsNodes:
			value = r.jsonList(&ir.Select{Rows: a.Rows, Fields: f.Nodes}, nodes)
		case f.Typename != "":
			value = literal(f.Typename)
		default:
			value = r.jsonAggregates(f.Aggregates, in)
		}
		pairs = append(pairs, literal(f.Alias)+", "+value)
	}
	q.items = []string{buildObject(pairs)}
	rel.Rows = &a.Rows
	return r.guarded(rel, "("+q.String()+")")
}

func (r *renderer) jsonAggregates(fields []ir.AggregateExpr, in *sqltext.Scope) string {
	var pairs []string
	for _, f := range fields {
		var value string
		switch {
		case f.Typename != "":
			value = literal(f.Typename)
		case f.Count != nil:
			value = r.countRows(f.Count, in)
		default:
			var columns []string
			for _, column := range f.Columns {
				value := literal(column.Typename)
				if column.Expr != nil {
					value = r.jsonAggregateCell(f.Function, column, in)
				}
				columns = append(columns, literal(column.Alias)+", "+value)
			}
			value = buildObject(columns)
		}
		pairs = append(pairs, literal(f.Alias)+", "+value)
	}
	return buildObject(pairs)
}

func (r *renderer) jsonAggregateCell(function string, column ir.AggregateColumn, in *sqltext.Scope) string {
	expr := r.aggregateOf(function, column, in)
	if function == "min" || function == "max" {
		return r.jsonCell(expr, column.Type)
	}
	if r.stringified(column.Type) {
		return expr + "::text"
	}
	return expr
}
