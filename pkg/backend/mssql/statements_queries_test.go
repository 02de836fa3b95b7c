package mssql

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// typeNames are the names of all types, in their order.
func typeNames() []string {
	var names []string
	for name := range typeRows {
		names = append(names, name)
	}
	slices.Sort(names)
	return append(names, "some_alias")
}

// types reads and writes columns of each type.
func (c *collector) types() {
	table := ir.Table{Name: catalog.Name{Schema: "dbo", Name: "types"}}
	for _, of := range typeNames() {
		value := col("value", of)
		c.query("types", "read and nested "+of, &ir.Select{Rows: ir.Rows{From: table}, Fields: append(fields(value), ir.Field{
			Alias: "same", Value: related(ir.Rows{From: table}, []ir.JoinPair{{Outer: "id", Inner: "id"}}, field(value)),
		})})
		c.mutation("types", "written "+of, &ir.Update{
			Table: table.Name, Set: []ir.Assignment{{Column: value, Op: ir.AssignSet, Value: literal(value, "x")}}, Where: compare(id, "_eq", literal(id, "1")),
			Output: ir.Output{Returning: fields(value)},
		})
	}
}

func (c *collector) conditions() {
	table := ir.Table{Name: catalog.Name{Schema: "dbo", Name: "types"}}
	where := func(name string, e ir.BoolExp) {
		c.query("conditions", name, &ir.Select{Rows: ir.Rows{From: table, Where: e}, Fields: fields(id)})
	}
	for _, of := range []string{"int4", "text", "varchar", "text_old", "xml", "datetime", "timestamptz", "uuid", "bool", "decimal", "bytea", "hierarchyid", "geometry", "geography"} {
		value := col("value", of)
		for _, o := range New().Operators(value.Type) {
			operand := literal(value, "x")
			if o.Operand == backend.OperandList {
				operand = listed(value, "x", "y")
			}
			if (of == "uuid" || of == "bool" || of == "bytea") && o.Op != ir.OpEq && o.Op != ir.OpIn {
				continue
			}
			where(of+" "+string(o.Op), compare(value, o.Op, operand))
		}
	}
	number := col("number", "int4")
	where("null", ir.IsNull{Expr: number})
	where("not null", ir.IsNull{Expr: number, Not: true})
	where("and or not", ir.And{Exps: []ir.BoolExp{
		compare(id, "_gt", literal(id, "1")),
		ir.Or{Exps: []ir.BoolExp{compare(id, "_lt", literal(id, "9")), ir.IsNull{Expr: number}}},
		ir.Not{Exp: ir.Or{Exps: []ir.BoolExp{compare(number, "_eq", literal(number, "2")), compare(number, "_eq", literal(number, "3"))}}},
	}})
	where("empty or", ir.Or{})
	where("empty and", ir.And{})
	where("not empty and", ir.Not{Exp: ir.And{}})
	where("two columns", ir.CompareColumn{Left: id, Op: ir.OpLt, Right: number})
	where("null-safe columns", ir.CompareColumn{Left: id, Op: ir.OpEq, Right: number, NullSafe: true})
	where("null-safe variable", ir.Compare{Left: number, Op: ir.OpNeq, Args: []ir.Value{variable(number, 0)}, NullSafe: true})
	where("variable list", ir.Compare{Left: number, Op: ir.OpIn, Args: []ir.Value{ir.Variable{Index: 0, Type: number.Type, List: true}}})
	where("session variable", compare(number, "_eq", owned(number)))
	where("session list", ir.Compare{Left: number, Op: ir.OpIn, Args: []ir.Value{ir.SessionVar{Name: "x-engine-ids", Type: number.Type, List: true}}})
	where("lookup", ir.Compare{Left: number, Op: ir.OpIn, Args: []ir.Value{ir.Lookup{Source: "other", Table: table.Name, Column: "id", Type: number.Type}}})
	for _, of := range []string{"varchar", "text", "text_old"} {
		own := ir.Column{Name: "value", Type: catalog.Type{Name: of, Collation: "Cyrillic_General_CI_AS"}}
		where("a collation of its own, "+of, ir.And{Exps: []ir.BoolExp{compare(own, "_eq", variable(own, 0)), compare(own, "_in", listed(own, "север", "юг"))}})
	}
	where("same value twice", ir.And{Exps: []ir.BoolExp{compare(id, "_gt", variable(id, 0)), compare(number, "_gt", variable(number, 0))}})
	exists := ir.Exists{From: orders, Join: toOrders, Where: compare(price, "_gt", literal(price, "2.5"))}
	where("exists", exists)
	where("not exists", ir.Not{Exp: exists})
	where("exists in or", ir.Or{Exps: []ir.BoolExp{exists, compare(id, "_eq", literal(id, "1"))}})
	where("exists of an object", ir.Exists{From: customers, Join: toCustomer, Unique: true, Where: compare(name, "_eq", literal(name, "it's"))})
	where("exists of two columns", ir.Exists{From: items, Join: toItems, Where: ir.And{}})
	where("exists anywhere", ir.Exists{From: customers, Where: compare(id, "_eq", owned(id))})
	root := id
	root.Root = true
	where("column of the root", ir.Rule{Exp: ir.Exists{From: orders, Join: toOrders, Where: ir.CompareColumn{Left: customerID, Op: ir.OpEq, Right: root}}})
	for _, f := range []string{"avg", "max", "sum", "stddev_samp"} {
		where("predicate "+f, ir.AggregateCompare{
			From: orders, Join: toOrders, Function: f, Args: []ir.Expr{col("weight", "float8")},
			Predicate: []ir.Compare{{Op: ir.OpGt, Args: []ir.Value{literal(col("", "float8"), "5")}}},
		})
	}
	where("predicate count distinct", ir.AggregateCompare{
		From: orders, Join: toOrders, Function: "count", Distinct: true, Args: []ir.Expr{region}, Filter: compare(price, "_gt", literal(price, "1")),
		Predicate: []ir.Compare{{Op: ir.OpGt, Args: []ir.Value{literal(id, "1")}}, {Op: ir.OpLt, Args: []ir.Value{literal(id, "9")}}},
	})
	where("not predicate", ir.Not{Exp: ir.AggregateCompare{
		From: orders, Join: toOrders, Function: "max", Args: []ir.Expr{col("weight", "float8")},
		Predicate: []ir.Compare{{Op: ir.OpGt, Args: []ir.Value{literal(col("", "float8"), "5")}}},
	}})
}

func (c *collector) relations() {
	orderFields := fields(id, price)
	customer := object(customers, toCustomer, true, fields(id, name)...)
	list := related(ir.Rows{From: orders, OrderBy: by(asc(id))}, toOrders, orderFields...)
	rows := func(from ir.From) ir.Rows { return ir.Rows{From: from} }
	query := func(name string, from ir.From, f ...ir.Field) {
		c.query("relationships", name, &ir.Select{Rows: rows(from), Fields: f})
	}
	query("object", orders, field(id), ir.Field{Alias: "customer", Value: customer})
	query("object of several", orders, field(id), ir.Field{Alias: "customer", Value: object(customers, toCustomer, false, fields(id, name)...)})
	query("array", customers, field(id), ir.Field{Alias: "orders", Value: list})
	query("array of no columns", customers, ir.Field{Alias: "orders", Value: related(rows(orders), toOrders, ir.Field{Alias: "__typename", Value: ir.Typename("order")})})
	query("array of two columns", orders, field(id), ir.Field{Alias: "items", Value: related(rows(items), toItems, fields(name)...)})
	query("array in an array", customers, field(id), ir.Field{Alias: "orders", Value: related(rows(orders), toOrders, append(fields(id), ir.Field{
		Alias: "items", Value: related(ir.Rows{From: items, OrderBy: by(desc(name))}, toItems, fields(name)...),
	})...)})
	query("object in an array", customers, field(id), ir.Field{Alias: "orders", Value: related(rows(orders), toOrders, append(fields(id), ir.Field{Alias: "customer", Value: customer})...)})
	query("array in an object", orders, field(id), ir.Field{Alias: "customer", Value: object(customers, toCustomer, true, append(fields(id), ir.Field{Alias: "orders", Value: list})...)})
	query("array in an object of several", orders, field(id), ir.Field{Alias: "customer", Value: object(customers, toCustomer, false, append(fields(id), ir.Field{Alias: "orders", Value: list})...)})
	query("filtered array", customers, field(id), ir.Field{Alias: "orders", Value: related(
		ir.Rows{From: orders, Where: compare(price, "_gt", variable(price, 0)), MaxRows: 10}, toOrders, orderFields...)})
	query("page of an array", customers, field(id), ir.Field{Alias: "orders", Value: related(
		ir.Rows{From: orders, OrderBy: by(desc(price)), Limit: literal(id, "2"), Offset: literal(id, "1")}, toOrders, orderFields...)})
	query("aggregate", customers, field(id), ir.Field{Alias: "orders_aggregate", Value: &ir.Nested{Join: toOrders, Root: &ir.Aggregate{
		Rows: rows(orders), Fields: []ir.AggregateField{{Alias: "aggregate", Value: aggregated(price, "sum", "avg")}, {Alias: "nodes", Value: ir.Nodes(orderFields)}},
	}}})
	c.query("relationships", "object of a page", &ir.Select{
		Rows: ir.Rows{From: orders, OrderBy: by(asc(id)), Limit: literal(id, "5")}, Fields: append(fields(id), ir.Field{Alias: "customer", Value: customer}),
	})
	c.query("relationships", "cells that a role may see", &ir.Select{Rows: rows(customers), Fields: []ir.Field{
		field(id), {Alias: "name", Value: ir.Scalar{Expr: ir.Redacted{Expr: name, When: compare(id, "_eq", owned(id))}, Type: name.Type}},
	}})
	c.query("relationships", "rows of another source", &ir.Select{
		Rows:   ir.Rows{From: ir.Keys{Index: 0, Columns: []ir.Column{id, region}, Ordinal: "ordinal"}},
		Fields: append(fields(col("ordinal", "int4")), ir.Field{Alias: "rows", Value: related(rows(items), toItems, fields(name)...)}),
	})
	c.query("relationships", "rows that were written", &ir.Select{
		Rows:   ir.Rows{From: ir.Written{Table: orders.Name, Columns: []ir.Column{id, customerID, price, col("data", "bytea")}, Rows: []ir.Value{ir.Each{Index: 0}}}},
		Fields: append(fields(id), ir.Field{Alias: "customer", Value: customer}),
	})
}

func (c *collector) orders() {
	order := func(name string, items ...ir.OrderItem) {
		c.query("order", name, &ir.Select{Rows: ir.Rows{From: orders, OrderBy: items}, Fields: fields(id)})
	}
	for _, o := range tables.Ordering {
		order(o.Name, ir.OrderItem{Target: ir.OrderExpr{Expr: price}, Desc: o.Desc, NullsFirst: o.NullsFirst})
	}
	order("two keys", desc(price), asc(id))
	order("a key twice", asc(id), desc(id))
	order("text of the old type", asc(col("note", "text_old")))
	order("object", ir.OrderItem{Target: ir.OrderRelated{From: customers, Join: toCustomer, Unique: true, Target: ir.OrderExpr{Expr: name}}, NullsFirst: true})
	order("object of several", ir.OrderItem{Target: ir.OrderRelated{From: customers, Join: toCustomer, Target: ir.OrderExpr{Expr: name}}, NullsFirst: true})
	order("object that a role may see", ir.OrderItem{Target: ir.OrderRelated{
		From: customers, Join: toCustomer, Unique: true, Where: compare(id, "_eq", owned(id)), Target: ir.OrderExpr{Expr: name},
	}, NullsFirst: true})
	order("count", ir.OrderItem{Target: ir.OrderAggregate{From: items, Join: toItems, Function: "count"}, Desc: true})
	order("average", ir.OrderItem{Target: ir.OrderAggregate{From: items, Join: toItems, Function: "avg", Expr: id}, NullsFirst: true})
	order("nulls last of an aggregate", ir.OrderItem{Target: ir.OrderAggregate{From: items, Join: toItems, Function: "max", Expr: id}})
}

func (c *collector) pages() {
	nested := []ir.Field{field(id), {Alias: "customer", Value: object(customers, toCustomer, true, fields(name)...)}}
	for name, rows := range map[string]ir.Rows{
		"limit":                     {Limit: literal(id, "5")},
		"no rows":                   {Limit: literal(id, "0")},
		"no rows behind an offset":  {Limit: literal(id, "0"), Offset: literal(id, "3")},
		"limit of a variable":       {Limit: variable(id, 0)},
		"limit and order":           {Limit: literal(id, "5"), OrderBy: by(asc(id))},
		"limit of the role":         {MaxRows: 3},
		"both limits":               {Limit: literal(id, "5"), MaxRows: 3},
		"limit of a variable, role": {Limit: variable(id, 0), MaxRows: 3},
		"role without rows":         {MaxRows: ir.NoRows},
		"offset":                    {Offset: literal(id, "5")},
		"offset and order":          {Offset: literal(id, "5"), OrderBy: by(desc(id))},
		"limit and offset":          {Limit: literal(id, "5"), Offset: literal(id, "10"), OrderBy: by(asc(id))},
		"variables":                 {Limit: variable(id, 0), Offset: variable(id, 1), OrderBy: by(asc(id))},
		"ties":                      {Limit: literal(id, "5"), WithTies: true, OrderBy: by(asc(id))},
		"limit and filter":          {Limit: literal(id, "5"), Where: compare(price, "_gt", literal(price, "1"))},
	} {
		rows.From = orders
		c.query("pages", name, &ir.Select{Rows: rows, Fields: fields(id)})
		c.query("pages", name+" with an object", &ir.Select{Rows: rows, Fields: nested})
	}
	slices.SortFunc(c.list[len(c.list)-30:], func(a, b rendered) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	c.query("pages", "by key", &ir.Select{Rows: ir.Rows{From: orders, Where: compare(id, "_eq", variable(id, 0))}, Fields: fields(id, price), One: true})
}

func (c *collector) aggregates() {
	every := []string{"avg", "max", "min", "stddev", "stddev_pop", "stddev_samp", "sum", "var_pop", "var_samp", "variance"}
	aggregate := func(name string, rows ir.Rows, f ...ir.AggregateField) {
		rows.From = orders
		c.query("aggregates", name, &ir.Aggregate{Rows: rows, Fields: f})
	}
	of := func(a ir.Aggregates) ir.AggregateField { return ir.AggregateField{Alias: "aggregate", Value: a} }
	for _, t := range []string{"int4", "int8", "decimal", "float8", "money"} {
		aggregate("all of "+t, ir.Rows{}, of(aggregated(col("value", t), every...)))
	}
	for _, t := range []string{"text", "text_old", "datetime", "uuid"} {
		aggregate("least and greatest "+t, ir.Rows{}, of(aggregated(col("value", t), "max", "min")))
	}
	aggregate("count of a column", ir.Rows{}, of(ir.Aggregates{{Alias: "count", Value: &ir.Count{Args: []ir.Expr{region}}}}))
	aggregate("count of different values", ir.Rows{}, of(ir.Aggregates{{Alias: "count", Value: &ir.Count{Args: []ir.Expr{region}, Distinct: true}}}))
	aggregate("filtered", ir.Rows{Where: compare(price, "_gt", literal(price, "1"))}, of(aggregated(id)))
	aggregate("of a page", ir.Rows{Limit: literal(id, "5"), Offset: literal(id, "2"), OrderBy: by(desc(id))}, of(aggregated(id, "sum")))
	aggregate("and nodes", ir.Rows{OrderBy: by(asc(id)), MaxRows: 5}, of(aggregated(id, "sum")), ir.AggregateField{Alias: "nodes", Value: ir.Nodes(fields(id, price))})
	aggregate("nodes alone", ir.Rows{}, ir.AggregateField{Alias: "nodes", Value: ir.Nodes(fields(id))})
	hidden := seenWithItems(price)
	aggregate("of cells that are seen in some rows", ir.Rows{}, of(ir.Aggregates{
		{Alias: "sum", Value: &ir.AggregateCall{Function: "sum", Columns: []ir.AggregateColumn{{Alias: "price", Value: ir.Scalar{Expr: hidden, Type: price.Type}}}}},
		{Alias: "count", Value: &ir.Count{Args: []ir.Expr{hidden}, Distinct: true}},
	}))
	c.query("aggregates", "order by one of cells that are seen in some rows", &ir.Select{
		Rows: ir.Rows{From: customers, OrderBy: by(ir.OrderItem{Target: ir.OrderAggregate{From: orders, Join: toOrders, Function: "max", Expr: hidden}})}, Fields: fields(name),
	})
	c.query("aggregates", "condition on one of cells that are seen in some rows", &ir.Select{
		Rows: ir.Rows{From: customers, Where: ir.AggregateCompare{
			From: orders, Join: toOrders, Function: "sum", Args: []ir.Expr{hidden}, Predicate: []ir.Compare{{Op: ir.OpGt, Args: []ir.Value{literal(price, "5")}}},
		}}, Fields: fields(name),
	})
	aggregate("names of types alone", ir.Rows{}, ir.AggregateField{Alias: "__typename", Value: ir.Typename("order_aggregate")})
}

func (c *collector) subscriptions() {
	rows := ir.Rows{From: orders, Where: ir.And{Exps: []ir.BoolExp{compare(price, "_gt", variable(price, 0)), compare(customerID, "_eq", owned(customerID))}}}
	list := &ir.Select{Rows: rows, Fields: append(fields(id, price), ir.Field{Alias: "items", Value: related(ir.Rows{From: items}, toItems, fields(name)...)})}
	c.live("subscriptions", "list", ir.Live{Roots: []ir.Root{list}})
	c.live("subscriptions", "by key", ir.Live{Roots: []ir.Root{&ir.Select{Rows: ir.Rows{From: orders, Where: compare(id, "_eq", variable(id, 0))}, Fields: fields(id), One: true}}})
	c.live("subscriptions", "aggregate", ir.Live{Roots: []ir.Root{&ir.Aggregate{Rows: rows, Fields: []ir.AggregateField{{Alias: "aggregate", Value: aggregated(price, "sum")}}}}})
	c.live("subscriptions", "aggregate of cells that are seen in some rows", ir.Live{Roots: []ir.Root{&ir.Aggregate{Rows: rows, Fields: []ir.AggregateField{{
		Alias: "aggregate", Value: ir.Aggregates{{Alias: "sum", Value: &ir.AggregateCall{Function: "sum", Columns: []ir.AggregateColumn{{
			Alias: "price", Value: ir.Scalar{Expr: ir.Redacted{Expr: price, When: compare(customerID, "_eq", owned(customerID))}, Type: price.Type},
		}}}}},
	}}}}})
	c.live("subscriptions", "several roots", ir.Live{Roots: []ir.Root{list, &ir.Select{Rows: ir.Rows{From: customers}, Fields: fields(name)}}})
	c.live("subscriptions", "constants", ir.Live{Roots: []ir.Root{&ir.Select{Rows: ir.Rows{From: orders, Where: compare(region, "_eq", literal(region, "north"))}, Fields: fields(id)}}})
	c.live("subscriptions", "list of a variable", ir.Live{Roots: []ir.Root{&ir.Select{
		Rows: ir.Rows{From: orders, Where: ir.Compare{Left: id, Op: ir.OpIn, Args: []ir.Value{ir.Variable{Type: id.Type, List: true}}}}, Fields: fields(id),
	}}})
	page := ir.Rows{From: orders, OrderBy: by(asc(id)), Limit: variable(id, 0)}
	c.live("subscriptions", "limit of a variable", ir.Live{Roots: []ir.Root{&ir.Select{Rows: page, Fields: fields(id)}}})
	page.Offset = variable(id, 1)
	c.live("subscriptions", "page of variables", ir.Live{Roots: []ir.Root{&ir.Select{Rows: page, Fields: fields(id, price)}}})
	c.live("subscriptions", "stream", ir.Live{
		Roots: []ir.Root{&ir.Select{Rows: ir.Rows{
			From: orders, Where: compare(id, "_gt", variable(id, 0)), OrderBy: by(asc(id)), Limit: literal(id, "10"), WithTies: true,
		}, Fields: fields(price)}},
		Cursor: &ir.Cursor{Column: "id", Variable: 0},
	})
	weight := col("weight", "float8")
	c.live("subscriptions", "stream along floats", ir.Live{
		Roots: []ir.Root{&ir.Select{Rows: ir.Rows{
			From: orders, Where: compare(weight, "_gt", variable(weight, 0)), OrderBy: by(asc(weight)), Limit: literal(id, "10"), WithTies: true,
		}, Fields: fields(id)}},
		Cursor: &ir.Cursor{Column: "weight", Variable: 0},
	})
}

func (c *collector) others() {
	query := ir.NativeQuery{
		Code: []ir.Code{
			{Text: "SELECT id, name FROM customer WHERE name LIKE "}, {Value: variable(name, 0)}, {Text: " AND id > "}, {Value: literal(id, "3")}, {Text: ";\n"},
		},
		Columns: []ir.NativeColumn{{Name: "id", Type: id.Type}, {Name: "name", Type: name.Type}},
	}
	c.query("native queries", "rows", &ir.Select{Rows: ir.Rows{From: query}, Fields: fields(id, name)})
	c.query("native queries", "filtered page", &ir.Select{
		Rows: ir.Rows{From: query, Where: compare(id, "_gt", literal(id, "3")), OrderBy: by(desc(name)), Limit: literal(id, "3")}, Fields: fields(id, name),
	})
	c.query("native queries", "related rows", &ir.Select{Rows: ir.Rows{From: query}, Fields: append(fields(id), ir.Field{
		Alias: "orders", Value: related(ir.Rows{From: orders}, toOrders, fields(id)...),
	})})
	c.query("native queries", "aggregate", &ir.Aggregate{Rows: ir.Rows{From: query}, Fields: []ir.AggregateField{{Alias: "aggregate", Value: aggregated(id, "max")}}})

	procedure := ir.Procedure{
		Name:    catalog.Name{Schema: "sales", Name: "best]customers"},
		Args:    []ir.ProcedureArg{{Name: "least", Type: price.Type, Value: variable(price, 0)}, {Name: "like", Type: name.Type, Value: literal(name, "a%")}},
		Columns: []ir.NativeColumn{{Name: "id", Type: id.Type}, {Name: "name", Type: name.Type}, {Name: "notes", Type: catalog.Type{Name: "xml"}}},
	}
	c.query("procedures", "rows", &ir.Select{Rows: ir.Rows{From: procedure}, Fields: fields(id, name)})
	c.query("procedures", "filtered page", &ir.Select{
		Rows: ir.Rows{From: procedure, Where: compare(id, "_gt", owned(id)), OrderBy: by(desc(name)), Limit: literal(id, "3")}, Fields: fields(id, name),
	})
	c.query("procedures", "without arguments", &ir.Select{
		Rows: ir.Rows{From: ir.Procedure{Name: catalog.Name{Schema: "dbo", Name: "all"}, Columns: procedure.Columns[:1]}, Offset: literal(id, "1")}, Fields: fields(id),
	})
}
