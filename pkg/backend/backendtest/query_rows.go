package backendtest

import (
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// addRows adds plans that read rows of one table.
func (p *queries) addRows() {
	id, title := p.field("track", "id"), p.field("album", "title")
	integer := p.typeOf("track", "id")
	long := strings.Repeat("long_", 13)
	p.add("by_key", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: p.Name("album")}, Where: compare(p.column("album", "id"), ir.OpEq, bound(0, integer))},
		One:  true,
		Fields: []ir.Field{
			id, title, p.field("album", "released"), p.field("album", `odd "name`), {Alias: "__typename", Value: ir.Typename("album")},
		},
	}).Args = backend.Args{Variables: [][]byte{[]byte("3")}}
	ordinal := ir.OrderItem{Target: ir.OrderExpr{Expr: ir.Column{Name: "n", Type: integer}}}
	keyed := func(name string, keys string, columns ...ir.Column) {
		join := make([]ir.JoinPair, len(columns))
		for i := range columns {
			join[i] = ir.JoinPair{Outer: columns[i].Name, Inner: columns[i].Name}
		}
		rows := ir.Rows{From: ir.Keys{Columns: columns, Ordinal: "n"}, OrderBy: orderBy(ordinal), Estimate: -1}
		p.add(name, &ir.Select{Rows: rows, Fields: []ir.Field{
			p.one("album", "album", join, nil, id), many("tracks", join, p.rows("track", func(r *ir.Rows) { r.Limit = p.number("2") }), title),
		}}).Args = backend.Args{Variables: [][]byte{[]byte(keys)}}
	}
	keyed("by_keys", `[{"id":"4","title":"Lost"},{"title":"track 7","id":7},{"id":4,"title":"Lost"},{"id":4},{"id":2,"title":"Hejira"}]`,
		p.column("track", "id"), p.column("album", "title"))
	keyed("by_keys_without_columns", `[{},{}]`)

	names := ir.Lookup{Source: "other", Table: p.Name("name"), Column: "name", Where: `{"known":true}`, Type: p.typeOf("album", "title")}
	looked := func(name string, values ...string) {
		found := [][]byte{}
		for _, v := range values {
			found = append(found, []byte(v))
		}
		rows := p.rows("album", func(r *ir.Rows) { r.Where = compare(p.column("album", "title"), ir.OpIn, names) })
		p.add(name, &ir.Select{Rows: rows, Fields: []ir.Field{id}}).Args = backend.Args{Lookups: map[string][][]byte{backend.LookupKey(names): found}}
	}
	looked("lookup", "Hejira", `a "quoted\" title`)
	looked("lookup_of_nothing")

	p.add("by_key_missing", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: p.Name("album")}, Where: compare(p.column("album", "id"), ir.OpEq, p.number("99"))}, One: true, Fields: []ir.Field{id},
	})
	p.add("no_rows", &ir.Select{Rows: ir.Rows{From: ir.Table{Name: p.Name("album")}, Where: ir.Or{}}, Fields: []ir.Field{id}})
	p.add("no_fields", &ir.Select{Rows: ir.Rows{From: ir.Table{Name: p.Name("genre")}}})
	p.add("long_key", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) { r.Limit = p.number("2") }), Fields: []ir.Field{
		id, {Alias: long, Value: ir.Scalar{Expr: p.column("album", "title"), Type: p.typeOf("album", "title")}}, {Alias: "t", Value: ir.Typename("track")},
	}})
	p.add("stringified", &ir.Select{Rows: p.rows("track", func(r *ir.Rows) { r.Limit = p.number("3") }), Fields: []ir.Field{
		p.field("track", "price"), p.field("track", "plays"), p.field("track", "seconds"),
	}}).Options = backend.RenderOptions{StringifyNumeric: true}
}
