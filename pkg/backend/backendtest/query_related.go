package backendtest

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// addRelated adds plans with relationships.
func (p *queries) addRelated() {
	id, title, name := p.field("track", "id"), p.field("album", "title"), p.field("artist", "name")
	p.add("object_relationships", &ir.Select{Rows: p.rows("track", nil), Fields: []ir.Field{
		id,
		p.one("album", "album", join("album_id", "id"), nil, title,
			p.one("artist", "artist", join("artist_id", "id"), compare(p.column("artist", "owner_id"), ir.OpEq, p.number("7")), name, p.field("artist", "born"))),
		p.one("genre", "genre", join("genre_id", "id"), nil, name),
	}})
	p.add("object_relationship_under_limit", &ir.Select{
		Rows: p.rows("track", func(r *ir.Rows) {
			r.OrderBy = orderBy(descending(p.by("seconds")), p.by("id"))
			r.Limit = p.number("5")
		}),
		Fields: []ir.Field{
			id, p.one("album", "album", join("album_id", "id"), nil, title),
		},
	})
	manual := p.one("twin", "track", join("seconds", "seconds"), nil, id)
	related := manual.Value.(*ir.Nested)
	related.Unique = false
	related.Root.(*ir.Select).OrderBy = orderBy(p.by("id"))
	p.add("object_relationship_without_key", &ir.Select{Rows: p.rows("track", nil), Fields: []ir.Field{id, manual}})
	p.add("array_relationships", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: p.Name("artist")}, OrderBy: orderBy(p.by("id"))},
		Fields: []ir.Field{
			name,
			many("albums", join("id", "artist_id"), ir.Rows{From: ir.Table{Name: p.Name("album")}, OrderBy: orderBy(p.by("id")), MaxRows: 10}, title,
				p.field("album", "released"),
				many("tracks", join("id", "album_id"), p.rows("track", func(r *ir.Rows) {
					r.Limit, r.MaxRows = ir.Variable{Index: 0, Type: p.typeOf("track", "id")}, 5
				}), id, p.one("genre", "genre", join("genre_id", "id"), nil, name))),
		},
	}).Args = backend.Args{Variables: [][]byte{[]byte("2")}}
	p.add("array_relationship_of_object", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) { r.Limit = p.number("12") }), Fields: []ir.Field{
		id, p.one("album", "album", join("album_id", "id"), nil, many("tracks", join("id", "album_id"), p.rows("track", func(r *ir.Rows) {
			r.Limit = p.number("2")
		}), id)),
	}})
	p.add("other_schema", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) { r.Limit = p.number("3") }), Fields: []ir.Field{
		id, many("notes", join("id", "track_id"), ir.Rows{
			From:    ir.Table{Name: p.Name("elsewhere.note")},
			OrderBy: orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: p.column("elsewhere.note", "body")}}),
		}, p.field("elsewhere.note", "body")),
	}})
}
