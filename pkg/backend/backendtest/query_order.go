package backendtest

import (
	"queryengine/pkg/ir"
)

// addOrdered adds plans that order rows.
func (p *queries) addOrdered() {
	id, title, name := p.field("track", "id"), p.field("album", "title"), p.field("artist", "name")
	album := func(unique bool, target ir.OrderTarget) ir.OrderRelated {
		return ir.OrderRelated{From: ir.Table{Name: p.Name("album")}, Join: join("album_id", "id"), Unique: unique, Target: target}
	}
	artist := ir.OrderRelated{
		From: ir.Table{Name: p.Name("artist")}, Join: join("artist_id", "id"), Unique: true,
		Where: compare(p.column("artist", "owner_id"), ir.OpEq, p.number("7")), Target: ir.OrderExpr{Expr: p.column("artist", "name")},
	}
	byTitle := ir.OrderExpr{Expr: p.column("album", "title")}
	p.add("order_by_related", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) {
		r.OrderBy = orderBy(descending(ir.OrderItem{Target: album(true, artist)}), ir.OrderItem{Target: album(false, byTitle), NullsFirst: true}, p.by("id"))
		r.Limit = p.number("20")
	}), Fields: []ir.Field{id, p.one("album", "album", join("album_id", "id"), nil, title)}})
	tracksOf := ir.OrderAggregate{From: ir.Table{Name: p.Name("track")}, Join: join("id", "album_id")}
	mean := tracksOf
	mean.Function, mean.Expr = "avg", p.column("track", "seconds")
	mean.Where = compare(p.column("track", "seconds"), ir.OpGt, p.number("150"))
	p.add("order_by_aggregate", &ir.Select{Rows: ir.Rows{
		From:    ir.Table{Name: p.Name("album")},
		OrderBy: orderBy(ir.OrderItem{Target: tracksOf, Desc: true}, ir.OrderItem{Target: mean}, p.by("id")),
		Limit:   p.number("3"),
	}, Fields: []ir.Field{title, p.one("artist", "artist", join("artist_id", "id"), nil, name)}})
	p.add("distinct_on", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) {
		r.DistinctOn = []ir.Expr{p.column("track", "album_id")}
		r.OrderBy = orderBy(p.by("album_id"), descending(p.by("seconds")), p.by("id"))
		r.MaxRows = 4
	}), Fields: []ir.Field{id, p.field("track", "album_id"), p.one("album", "album", join("album_id", "id"), nil, title)}})
	hidden := ir.Redacted{Expr: p.column("track", "seconds"), When: ir.Exists{
		From: ir.Table{Name: p.Name("album")}, Join: join("album_id", "id"), Where: compare(p.column("track", "id"), ir.OpGt, p.number("1")),
	}}
	p.add("distinct_on_redacted", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) {
		r.DistinctOn = []ir.Expr{hidden}
		r.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: hidden}}, p.by("id"))
	}), Fields: []ir.Field{id}})
	p.add("order_by_count_of_related", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) {
		r.OrderBy = orderBy(descending(ir.OrderItem{Target: album(true, tracksOf)}), p.by("id"))
	}), Fields: []ir.Field{id}})
	owned := compare(p.column("artist", "owner_id"), ir.OpEq, p.number("7"))
	ofOwned := ir.Rule{Exp: ir.Exists{
		From: ir.Table{Name: p.Name("artist")}, Join: join("artist_id", "id"), Unique: true, Where: owned,
	}}
	p.add("rule_of_the_row_before", &ir.Select{Rows: ir.Rows{
		From: ir.Table{Name: p.Name("artist")}, Where: ir.Rule{Exp: owned}, OrderBy: orderBy(p.by("id")),
	}, Fields: []ir.Field{name, many("albums", join("id", "artist_id"), ir.Rows{
		From: ir.Table{Name: p.Name("album")}, Where: ofOwned, OrderBy: orderBy(p.by("id")),
	}, title)}})
	p.add("offset_with_lists", &ir.Select{Rows: ir.Rows{
		From: ir.Table{Name: p.Name("album")}, OrderBy: orderBy(p.by("id")), Offset: ir.Literal{Text: "2", Type: p.typeOf("track", "plays")},
	}, Fields: []ir.Field{title, many("tracks", join("id", "album_id"), p.rows("track", nil), id)}})
}
