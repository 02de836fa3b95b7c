package backendtest

import (
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// addAggregates adds plans with aggregates.
func (p *queries) addAggregates() {
	id, title := p.field("track", "id"), p.field("album", "title")
	numbers := []ir.AggregateExpr{
		count(),
		{Alias: "albums", Value: &ir.Count{Args: []ir.Expr{p.column("track", "album_id"), p.column("track", "genre_id")}, Distinct: true}},
		{Alias: "priced", Value: &ir.Count{Args: []ir.Expr{p.column("track", "seconds")}}},
		aggregateOf("avg", "avg", p.column("track", "seconds")),
		aggregateOf("sum", "sum", p.column("track", "plays")),
		aggregateOf("min", "min", p.column("track", "mood")),
		aggregateOf("max", "max", p.column("track", "price")),
		aggregateOf("stddev", "stddev", p.column("track", "price")),
		{Alias: "__typename", Value: ir.Typename("track_aggregate_fields")},
	}
	all := []ir.AggregateField{
		{Alias: "aggregate", Value: ir.Aggregates(numbers)},
		{Alias: "nodes", Value: ir.Nodes{id}},
		{Alias: "__typename", Value: ir.Typename("track_aggregate")},
	}
	p.add("aggregate", &ir.Aggregate{Rows: p.rows("track", nil), Fields: all})
	p.add("aggregate_of_nothing", &ir.Aggregate{Rows: p.rows("track", func(r *ir.Rows) { r.Where = ir.Or{} }), Fields: all})
	p.add("aggregate_stringified", &ir.Aggregate{Rows: p.rows("track", nil), Fields: all[:1]}).Options = backend.RenderOptions{StringifyNumeric: true}
	p.add("aggregate_of_slice", &ir.Aggregate{Rows: p.rows("track", func(r *ir.Rows) {
		r.Limit, r.Offset, r.MaxRows = p.number("6"), p.number("1"), 2
	}), Fields: []ir.AggregateField{
		{Alias: "aggregate", Value: ir.Aggregates{count(), aggregateOf("max", "max", p.column("track", "id"))}},
		{Alias: "nodes", Value: ir.Nodes{id, p.one("album", "album", join("album_id", "id"), nil, title)}},
	}})
	p.add("aggregate_nodes_only", &ir.Aggregate{Rows: p.rows("track", func(r *ir.Rows) { r.Limit = p.number("2") }), Fields: all[1:]})
	related := ir.Field{Alias: "tracks_aggregate", Value: &ir.Nested{Join: join("id", "album_id"), Root: &ir.Aggregate{
		Rows: p.rows("track", func(r *ir.Rows) { r.Where = compare(p.column("track", "seconds"), ir.OpGt, p.number("150")) }),
		Fields: []ir.AggregateField{
			{Alias: "aggregate", Value: ir.Aggregates{count(), aggregateOf("max", "max", p.column("album", "title"))}},
			{Alias: "nodes", Value: ir.Nodes{id}},
		},
	}}}
	p.add("aggregate_relationship", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: p.Name("album")}, OrderBy: orderBy(p.by("id"))}, Fields: []ir.Field{title, related},
	})
	wide := &ir.AggregateCall{Function: "max"}
	for range 60 {
		wide.Columns = append(wide.Columns, ir.AggregateColumn{
			Alias: "c" + strings.Repeat("x", len(wide.Columns)), Value: ir.Scalar{Expr: p.column("track", "id"), Type: p.typeOf("track", "id")},
		})
	}
	p.add("aggregate_of_many_columns", &ir.Aggregate{Rows: p.rows("track", nil), Fields: []ir.AggregateField{{Alias: "aggregate", Value: ir.Aggregates{{Alias: "max", Value: wide}}}}})
	p.add("aggregate_without_nodes", &ir.Aggregate{
		Rows: p.rows("album", func(r *ir.Rows) { r.Limit, r.MaxRows = p.number("3"), ir.NoRows }),
		Fields: []ir.AggregateField{
			{Alias: "aggregate", Value: ir.Aggregates{count()}}, {Alias: "nodes", Value: ir.Nodes{id}},
		},
	})
}
