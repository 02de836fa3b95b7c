package backendtest

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// addWhere adds plans with conditions.
func (p *queries) addWhere() {
	id, title, integer := p.field("track", "id"), p.field("album", "title"), p.typeOf("track", "id")
	seconds, mood := p.column("track", "seconds"), p.column("track", "mood")
	where := func(name string, e ir.BoolExp) *Query {
		return p.add("where_"+name, &ir.Select{Rows: p.rows("track", func(r *ir.Rows) { r.Where = e }), Fields: []ir.Field{id}})
	}
	where("logic", ir.And{Exps: []ir.BoolExp{
		ir.Or{Exps: []ir.BoolExp{compare(seconds, ir.OpGt, p.number("200")), ir.IsNull{Expr: seconds}}},
		ir.Not{Exp: ir.Or{Exps: []ir.BoolExp{compare(p.column("track", "id"), ir.OpLt, p.number("10")), compare(mood, ir.OpEq, given(mood, "loud"))}}},
		ir.And{},
		ir.IsNull{Expr: p.column("track", "album_id"), Not: true},
	}})
	where("null_safe", ir.Or{Exps: []ir.BoolExp{
		ir.Compare{Left: seconds, Op: ir.OpEq, Args: []ir.Value{ir.Variable{Index: 0, Type: integer}}, NullSafe: true},
		ir.Compare{Left: mood, Op: ir.OpEq, Args: []ir.Value{given(mood, "calm")}, NullSafe: true},
		ir.CompareColumn{Left: p.column("track", "album_id"), Op: ir.OpNeq, Right: p.column("track", "genre_id"), NullSafe: true},
	}}).Args = backend.Args{Variables: [][]byte{nil}}
	album := func(e ir.BoolExp) ir.Exists {
		return ir.Exists{From: ir.Table{Name: p.Name("album")}, Join: join("album_id", "id"), Where: e}
	}
	where("related_by_key", ir.Exists{From: ir.Table{Name: p.Name("album")}, Join: join("album_id", "id"), Unique: true, Where: ir.And{Exps: []ir.BoolExp{
		compare(p.column("album", "title"), ir.OpNeq, given(p.column("album", "title"), "Lost")),
		ir.Rule{Exp: ir.Exists{From: ir.Table{Name: p.Name("artist")}, Join: join("artist_id", "id"), Unique: true, Where: ir.And{Exps: []ir.BoolExp{
			ir.CompareColumn{Left: p.column("track", "id"), Op: ir.OpLte, Right: ir.Column{Name: "id", Type: integer, Root: true}},
			ir.Not{Exp: ir.Exists{From: ir.Table{Name: p.Name("album")}, Join: join("id", "id"), Unique: true, Where: compare(p.column("track", "id"), ir.OpEq, p.number("2"))}},
		}}}},
	}}})
	// A rule on tracks: there is a note whose track is this one; and one on albums within it.
	note := ir.Exists{From: ir.Table{Name: p.Name("elsewhere.note")}, Where: ir.CompareColumn{
		Left: p.column("elsewhere.note", "track_id"), Op: ir.OpEq, Right: ir.Column{Name: "id", Type: integer, Root: true},
	}}
	where("root_of_rule", ir.And{Exps: []ir.BoolExp{ir.Rule{Exp: note}, album(ir.Rule{Exp: note})}})
	aggregate := ir.AggregateCompare{
		From: ir.Table{Name: p.Name("track")}, Join: join("id", "album_id"), Function: "count",
		Filter:    compare(seconds, ir.OpGt, p.number("200")),
		Predicate: []ir.Compare{{Op: ir.OpGte, Args: []ir.Value{p.number("3")}}, {Op: ir.OpLt, Args: []ir.Value{p.number("5")}}},
	}
	null := true
	mean := ir.AggregateCompare{From: ir.Table{Name: p.Name("track")}, Join: join("id", "album_id"), Function: "avg", Args: []ir.Expr{seconds}, Null: &null}
	p.add("where_aggregate", &ir.Select{Rows: ir.Rows{
		From: ir.Table{Name: p.Name("album")}, OrderBy: orderBy(p.by("id")), Where: ir.Or{Exps: []ir.BoolExp{aggregate, mean}},
	}, Fields: []ir.Field{id, title}})
	visible := compare(p.column("track", "id"), ir.OpLt, ir.SessionVar{Name: "x-engine-limit", Type: integer})
	hidden := ir.Redacted{Expr: seconds, When: visible}
	p.add("redacted", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) {
		r.Where = ir.Or{Exps: []ir.BoolExp{compare(hidden, ir.OpGt, p.number("100")), compare(p.column("track", "id"), ir.OpGt, p.number("38"))}}
		r.OrderBy = orderBy(descending(ir.OrderItem{Target: ir.OrderExpr{Expr: hidden}}), p.by("id"))
	}), Fields: []ir.Field{
		id,
		{Alias: "seconds", Value: ir.Scalar{Expr: hidden, Type: integer}},
		{Alias: "shout", Value: ir.Scalar{Expr: ir.Upper{Expr: p.column("album", "title")}, Type: p.typeOf("track", "title")}},
	}}).Args = backend.Args{Session: as("buyer", map[string]string{"x-engine-limit": "7"})}
}
