package backendtest

import (
	"encoding/json"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Plans makes plans over the tables of a database, with the types that its introspection found.
type Plans struct {
	Dialect backend.Dialect
	Catalog *catalog.Source
	// Name is the name of a table; "elsewhere." begins that of one that is Elsewhere.
	Name func(table string) catalog.Name
}

// PlansOf are plans over what introspection found in a database of the kind.
func PlansOf(f Fixture, found *catalog.Source) Plans {
	return Plans{Dialect: f.Dialect, Catalog: found, Name: f.SQL.Name}
}

// list is the text of a list that holds all elements of a JSON list.
func (p Plans) list(of catalog.Type, elements string) []byte {
	in, err := p.Dialect.ParseList(of, json.RawMessage(elements))
	if err != nil {
		panic("a list of a test: " + err.Error())
	}
	return []byte(in.Text)
}

// typeOf is the type of a column.
func (p Plans) typeOf(table, column string) catalog.Type {
	if t := p.Catalog.Tables[p.Name(table)]; t != nil {
		if c := t.Column(column); c != nil {
			return c.Type
		}
	}
	panic("the catalog has no column " + table + "." + column)
}

func (p Plans) column(table, name string) ir.Column {
	return ir.Column{Name: name, Type: p.typeOf(table, name)}
}

func (p Plans) field(table, name string) ir.Field {
	c := p.column(table, name)
	return ir.Field{Alias: name, Value: ir.Scalar{Expr: c, Type: c.Type}}
}

func (p Plans) fields(table string, names ...string) []ir.Field {
	list := make([]ir.Field, len(names))
	for i, name := range names {
		list[i] = p.field(table, name)
	}
	return list
}

// number is an integer of the type of keys.
func (p Plans) number(text string) ir.Literal {
	return ir.Literal{Text: text, Type: p.typeOf("track", "id")}
}

// by orders by a column of tracks, in ascending order with NULL at the end.
func (p Plans) by(name string) ir.OrderItem {
	return ir.OrderItem{Target: ir.OrderExpr{Expr: p.column("track", name)}}
}

func descending(i ir.OrderItem) ir.OrderItem {
	i.Desc, i.NullsFirst = true, true
	return i
}

// rows are all rows of a table, by their id.
func (p Plans) rows(table string, change func(*ir.Rows)) ir.Rows {
	r := ir.Rows{From: ir.Table{Name: p.Name(table)}, OrderBy: []ir.OrderItem{p.by("id")}}
	if change != nil {
		change(&r)
	}
	return r
}

func join(outer, inner string) []ir.JoinPair { return []ir.JoinPair{{Outer: outer, Inner: inner}} }

// one is an object relationship along a key of the target.
func (p Plans) one(alias, target string, join []ir.JoinPair, where ir.BoolExp, fields ...ir.Field) ir.Field {
	rows := ir.Rows{From: ir.Table{Name: p.Name(target)}, Where: where}
	return ir.Field{Alias: alias, Value: &ir.Nested{
		Join: join, Unique: true, Root: &ir.Select{Rows: rows, Fields: fields, One: true},
	}}
}

// many is an array relationship.
func many(alias string, join []ir.JoinPair, rows ir.Rows, fields ...ir.Field) ir.Field {
	return ir.Field{Alias: alias, Value: &ir.Nested{Join: join, Root: &ir.Select{Rows: rows, Fields: fields}}}
}

func count() ir.AggregateExpr { return ir.AggregateExpr{Alias: "count", Value: &ir.Count{}} }

func aggregateOf(alias, function string, c ir.Column) ir.AggregateExpr {
	return ir.AggregateExpr{Alias: alias, Value: &ir.AggregateCall{Function: function, Columns: []ir.AggregateColumn{{Alias: c.Name, Value: ir.Scalar{Expr: c, Type: c.Type}}}}}
}

func compare(e ir.Expr, op ir.Op, v ...ir.Value) ir.Compare {
	return ir.Compare{Left: e, Op: op, Args: v}
}

func given(c ir.Column, text string) ir.Literal { return ir.Literal{Text: text, Type: c.Type} }

func none(c ir.Column) ir.Literal { return ir.Literal{Null: true, Type: c.Type} }

func bound(i int, t catalog.Type) ir.Variable { return ir.Variable{Index: i, Type: t} }
