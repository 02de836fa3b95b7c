package backendtest

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// addPages adds plans of pages.
func (p *queries) addPages() {
	id, title := p.column("track", "id"), p.field("track", "title")
	add := func(name string, root ir.Root, change func(*Query)) {
		if q := p.add("connection_"+name, root); change != nil {
			change(q)
		}
	}
	key := func(name string) ir.CursorKey {
		return ir.CursorKey{Path: []string{name}, Type: p.typeOf("track", name), NotNull: name == "id"}
	}
	node := ir.Field{Alias: "id", Value: &ir.NodeID{Table: p.Name("track"), Key: []ir.Column{id}}}
	several := p.rows("track", func(rows *ir.Rows) { rows.Where = compare(id, ir.OpLt, p.number("9")) })
	all := []ir.ConnectionField{
		{Alias: "is", Value: ir.Typename("trackConnection")},
		{Alias: "edges", Value: ir.Edges{
			{Alias: "at", Value: ir.EdgeCursor{}},
			{Alias: "is", Value: ir.Typename("trackEdge")},
			{Alias: "node", Value: ir.Node{node, title}},
		}},
		{Alias: "page", Value: ir.PageInfoFields{
			{Alias: "is", Value: ir.Typename("PageInfo")},
			{Alias: "start", Value: ir.StartCursor},
			{Alias: "end", Value: ir.EndCursor},
			{Alias: "next", Value: ir.HasNextPage},
			{Alias: "previous", Value: ir.HasPreviousPage},
		}},
	}
	page := func(change func(*ir.Connection)) *ir.Connection {
		c := &ir.Connection{Rows: several, Keys: []ir.CursorKey{key("id")}, Size: -1, Fields: all}
		if change != nil {
			change(c)
		}
		return c
	}
	byAlbum := func(c *ir.Connection, item ir.OrderItem) {
		c.OrderBy = orderBy(item, p.by("id"))
		c.Keys = []ir.CursorKey{key("album_id"), key("id")}
	}
	add("all", page(nil), nil)
	add("numbers_as_numbers", page(nil), func(c *Query) { c.Options = backend.RenderOptions{StringifyNumeric: true} })
	add("first", page(func(c *ir.Connection) { c.Size = 2 }), nil)
	add("last_before", page(func(c *ir.Connection) {
		c.Size, c.Last = 1, true
		c.Split = &ir.Split{Values: []ir.Value{p.number("3")}}
	}), nil)
	add("after_keys", page(func(c *ir.Connection) {
		byAlbum(c, descending(p.by("album_id")))
		c.Size, c.Split = 2, &ir.Split{After: true, Values: []ir.Value{p.number("2"), p.number("3")}}
	}), nil)
	add("after_null", page(func(c *ir.Connection) {
		byAlbum(c, descending(p.by("album_id")))
		c.Split = &ir.Split{After: true, Values: []ir.Value{nil, p.number("1")}}
	}), nil)
	add("before_null", page(func(c *ir.Connection) {
		byAlbum(c, p.by("album_id"))
		c.Size, c.Last, c.Split = 2, true, &ir.Split{Values: []ir.Value{nil, p.number("100")}}
	}), nil)
	add("distinct", page(func(c *ir.Connection) {
		byAlbum(c, p.by("album_id"))
		c.DistinctOn = []ir.Expr{p.column("track", "album_id")}
		c.Size, c.Split = 1, &ir.Split{After: true, Values: []ir.Value{p.number("1"), p.number("1")}}
	}), nil)
	add("by_relationship", page(func(c *ir.Connection) {
		c.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderRelated{
			From: ir.Table{Name: p.Name("album")}, Join: join("album_id", "id"), Unique: true,
			Target: ir.OrderExpr{Expr: p.column("album", "title")},
		}}, p.by("id"))
		c.Keys = []ir.CursorKey{{Path: []string{"album", "title"}, Type: p.typeOf("album", "title")}, key("id")}
		c.Size = 2
	}), nil)
	nested := page(func(c *ir.Connection) { c.Size = 1 })
	add("nested", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: p.Name("album")}, OrderBy: orderBy(p.by("id"))},
		Fields: []ir.Field{
			title, {Alias: "pages", Value: &ir.Nested{Join: join("id", "album_id"), Root: nested}},
		},
	}, nil)
	add("joins_what_it_keeps", page(func(c *ir.Connection) {
		c.Size = 2
		c.Fields = []ir.ConnectionField{{Alias: "edges", Value: ir.Edges{{
			Alias: "node", Value: ir.Node{title, p.one("album", "album", join("album_id", "id"), nil, title)},
		}}}}
	}), nil)
}
