package postgres

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// connectionCases are the plans of pages.
func connectionCases() []queryCase {
	var cases []queryCase
	add := func(name string, root ir.Root, change func(*queryCase)) {
		c := queryCase{name: "connection_" + name, root: root}
		if change != nil {
			change(&c)
		}
		cases = append(cases, c)
	}
	key := func(name string) ir.CursorKey {
		return ir.CursorKey{Path: []string{name}, Type: int4Type, NotNull: name == "id"}
	}
	id := ir.Field{Alias: "id", NodeID: &ir.NodeID{Table: public("track"), Key: []ir.Column{column("id", int4Type)}}}
	several := tracks(func(rows *ir.Rows) { rows.Where = compare(column("id", int4Type), ir.OpLt, number4("9")) })
	all := []ir.ConnectionField{
		{Alias: "is", Typename: "trackConnection"},
		{Alias: "edges", IsEdges: true, Edges: []ir.EdgeField{
			{Alias: "at", Cursor: true},
			{Alias: "is", Typename: "trackEdge"},
			{Alias: "node", IsNode: true, Node: []ir.Field{id, titleField}},
		}},
		{Alias: "page", IsPageInfo: true, PageInfo: []ir.PageInfoField{
			{Alias: "is", Typename: "PageInfo"},
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
		c.OrderBy = orderBy(item, by("id"))
		c.Keys = []ir.CursorKey{key("album_id"), key("id")}
	}
	add("all", page(nil), nil)
	add("numbers_as_numbers", page(nil), func(c *queryCase) { c.options = backend.RenderOptions{StringifyNumeric: true} })
	add("first", page(func(c *ir.Connection) { c.Size = 2 }), nil)
	add("last_before", page(func(c *ir.Connection) {
		c.Size, c.Last = 1, true
		c.Split = &ir.Split{Values: []ir.Value{number4("3")}}
	}), nil)
	add("after_keys", page(func(c *ir.Connection) {
		byAlbum(c, descending(by("album_id")))
		c.Size, c.Split = 2, &ir.Split{After: true, Values: []ir.Value{number4("2"), number4("3")}}
	}), nil)
	add("after_null", page(func(c *ir.Connection) {
		byAlbum(c, descending(by("album_id")))
		c.Split = &ir.Split{After: true, Values: []ir.Value{nil, number4("1")}}
	}), nil)
	add("before_null", page(func(c *ir.Connection) {
		byAlbum(c, by("album_id"))
		c.Size, c.Last, c.Split = 2, true, &ir.Split{Values: []ir.Value{nil, number4("100")}}
	}), nil)
	add("distinct", page(func(c *ir.Connection) {
		byAlbum(c, by("album_id"))
		c.DistinctOn = []ir.Expr{column("album_id", int4Type)}
		c.Size, c.Split = 1, &ir.Split{After: true, Values: []ir.Value{number4("1"), number4("1")}}
	}), nil)
	add("by_relationship", page(func(c *ir.Connection) {
		c.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderRelated{
			From: ir.Table{Name: public("album")}, Join: pair("album_id", "id"), Unique: true,
			Target: ir.OrderExpr{Expr: column("title", textType)},
		}}, by("id"))
		c.Keys = []ir.CursorKey{{Path: []string{"album", "title"}, Type: textType}, key("id")}
		c.Size = 2
	}), nil)
	nested := page(func(c *ir.Connection) { c.Size = 1 })
	add("nested", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: public("album")}, OrderBy: orderBy(by("id"))},
		Fields: []ir.Field{
			titleField, {Alias: "pages", Nested: &ir.Nested{Join: pair("id", "album_id"), Root: nested}},
		},
	}, nil)
	add("joins_what_it_keeps", page(func(c *ir.Connection) {
		c.Size = 2
		c.Fields = []ir.ConnectionField{{Alias: "edges", IsEdges: true, Edges: []ir.EdgeField{{
			Alias: "node", IsNode: true, Node: []ir.Field{titleField, one("album", "album", pair("album_id", "id"), nil, titleField)},
		}}}}
	}), nil)
	return cases
}
