package mssql

import (
	"slices"
	"strconv"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// positive is a check, and ofCustomer one that looks at other rows.
var (
	positive   = compare(price, "_gt", literal(price, "0"))
	ofCustomer = ir.Exists{From: customers, Join: toCustomer, Unique: true, Where: compare(name, "_eq", ir.SessionVar{Name: "x-engine-name", Type: name.Type})}
)

// answered gives back a number, or rows, too.
func answered(f ...ir.Field) ir.Output {
	o := ir.Output{Answer: []ir.OutputField{{Alias: "affected_rows", Value: ir.AffectedRows{}}}}
	if f != nil {
		o.Answer = append(o.Answer, ir.OutputField{Alias: "returning", Value: ir.Returning(f)})
	}
	return o
}

func orderRows(n int) [][]ir.Value {
	rows := make([][]ir.Value, n)
	for i := range rows {
		rows[i] = []ir.Value{literal(price, strconv.Itoa(i)), owned(customerID), literal(region, "r"+strconv.Itoa(i))}
	}
	return rows
}

func (c *collector) inserts() {
	columns := []ir.Column{price, customerID, region}
	insert := func(name string, i ir.Insert) {
		i.Table = orders.Name
		c.mutation("insert", name, &i)
	}
	insert("a row", ir.Insert{Columns: columns, Rows: orderRows(1), Output: answered()})
	insert("a row given back", ir.Insert{Columns: columns, Rows: orderRows(1), Output: answered(fields(id, price)...)})
	insert("one", ir.Insert{Columns: columns, Rows: orderRows(1), Output: ir.Output{Returning: fields(id, price), One: true}})
	insert("two rows", ir.Insert{Columns: columns, Rows: orderRows(2), Output: answered()})
	insert("two rows given back", ir.Insert{Columns: columns, Rows: orderRows(2), Output: answered(fields(id, col("version", "rowversion"))...)})
	insert("many rows", ir.Insert{Columns: columns, Rows: orderRows(30), Output: answered()})
	insert("many rows given back", ir.Insert{Columns: columns, Rows: orderRows(30), Output: answered(fields(id)...), Check: positive})
	insert("many rows with a check", ir.Insert{Columns: columns, Rows: orderRows(30), Output: answered(), Check: positive})
	insert("a check", ir.Insert{Columns: columns, Rows: orderRows(1), Check: positive, Output: answered()})
	insert("a check of other rows", ir.Insert{Columns: columns, Rows: orderRows(2), Check: ofCustomer, Output: answered(fields(id)...)})
	insert("an identity", ir.Insert{Columns: []ir.Column{id, price}, Rows: [][]ir.Value{{literal(id, "7"), literal(price, "1")}}, Identity: "id", Output: answered()})
	insert("an identity given back", ir.Insert{Columns: []ir.Column{id, price}, Rows: [][]ir.Value{{literal(id, "7"), literal(price, "1")}}, Identity: "id", Output: answered(fields(id)...)})
	insert("defaults", ir.Insert{Rows: [][]ir.Value{{}}, Output: answered(fields(id)...)})
	insert("some defaults", ir.Insert{Columns: columns[:2], Rows: [][]ir.Value{{literal(price, "1"), ir.Default{}}, {ir.Default{}, literal(customerID, "2")}}, Output: answered(fields(id)...)})
	mixed := orderRows(30)
	for n, row := range mixed {
		if n >= 15 {
			row[2] = ir.Default{}
		}
	}
	insert("many rows, some defaults", ir.Insert{Columns: columns, Rows: mixed, Output: answered()})
	bare := make([][]ir.Value, 22)
	for n := range bare {
		bare[n] = []ir.Value{ir.Default{}}
	}
	insert("many rows of defaults alone", ir.Insert{Columns: columns[:1], Rows: bare, Output: answered()})
	own := append(slices.Clone(bare[:1]), []ir.Value{literal(id, "5")}, []ir.Value{ir.Default{}})
	insert("an identity of some rows", ir.Insert{Columns: []ir.Column{id}, Rows: own, Identity: "id", Output: answered()})
	insert("null", ir.Insert{Columns: columns[:1], Rows: [][]ir.Value{{ir.Literal{Null: true, Type: price.Type}}}, Output: answered()})
	each := [][]ir.Value{{ir.Each{Index: 0, Type: price.Type}, owned(customerID), ir.Each{Index: 1, Type: region.Type}}}
	insert("rows of lists", ir.Insert{Columns: columns, Rows: each, Output: answered()})
	insert("rows of lists, handed out", ir.Insert{Columns: columns, Rows: each, Output: ir.Output{Returning: fields(id, price), Handed: true}})
	all := []ir.Column{id, customerID, price, col("place", "geometry"), col("path", "hierarchyid"), col("data", "bytea"), col("note", "text_old"), col("version", "rowversion")}
	insert("a reference to the row", ir.Insert{Columns: columns, Rows: orderRows(1), Output: ir.Output{
		Returning: []ir.Field{{Alias: "row", Value: ir.Scalar{Expr: ir.RowRef{Columns: all}, Type: typeText}}}, Handed: true,
	}})
}

func (c *collector) upserts() {
	columns := []ir.Column{region, price, customerID}
	rows := [][]ir.Value{
		{literal(region, "north"), literal(price, "1"), owned(customerID)},
		{literal(region, "south"), literal(price, "2"), owned(customerID)},
	}
	upsert := func(name string, conflict ir.OnConflict, i ir.Insert) {
		i.Table, i.OnConflict = orders.Name, &conflict
		if i.Columns == nil {
			i.Columns, i.Rows = columns, rows
		}
		c.mutation("if_matched", name, &i)
	}
	byRegion := ir.ConflictTarget{Columns: []string{"region"}}
	upsert("update", ir.OnConflict{Target: byRegion, Set: []string{"price"}}, ir.Insert{Output: answered()})
	upsert("update given back", ir.OnConflict{Target: byRegion, Set: []string{"price"}}, ir.Insert{Output: answered(fields(id, price)...)})
	upsert("no update", ir.OnConflict{Target: byRegion}, ir.Insert{Output: answered(fields(id)...)})
	upsert("no columns to match", ir.OnConflict{Set: []string{"price"}}, ir.Insert{Output: answered(fields(id)...)})
	upsert("two columns to match", ir.OnConflict{Target: ir.ConflictTarget{Columns: []string{"region", "customer_id"}}, Set: []string{"price"}}, ir.Insert{Output: answered()})
	upsert("a column to match that isn't given", ir.OnConflict{Target: ir.ConflictTarget{Columns: []string{"id"}}, Set: []string{"price"}}, ir.Insert{Output: answered()})
	code := ir.Column{Name: "code", Type: catalog.Type{Name: "varchar", Length: 50, Collation: "Cyrillic_General_CI_AS"}}
	upsert("a text of another code page to match", ir.OnConflict{Target: ir.ConflictTarget{Columns: []string{"code"}}, Set: []string{"price"}}, ir.Insert{
		Columns: []ir.Column{code, price}, Rows: [][]ir.Value{{literal(code, "север"), literal(price, "1")}, {literal(code, "юг"), literal(price, "2")}}, Output: answered(),
	})
	n, note := col("n", "int4"), col("note", "text_old")
	upsert("columns of the old type and with our names", ir.OnConflict{Target: ir.ConflictTarget{Columns: []string{"note"}}, Set: []string{"n"}}, ir.Insert{
		Columns: []ir.Column{note, n}, Rows: [][]ir.Value{{literal(note, "a"), literal(n, "1")}, {literal(note, "b"), literal(n, "2")}}, Output: answered(fields(n)...),
	})
	upsert("condition and presets", ir.OnConflict{
		Target: byRegion, Set: []string{"price"}, Where: compare(price, "_lt", variable(price, 0)),
		Presets: []ir.Assignment{{Column: customerID, Op: ir.AssignSet, Value: owned(customerID)}},
	}, ir.Insert{Output: answered()})
	upsert("checks", ir.OnConflict{Target: byRegion, Set: []string{"price"}}, ir.Insert{Check: positive, UpdateCheck: ofCustomer, Output: answered(fields(id)...)})
	upsert("check of inserts", ir.OnConflict{Target: byRegion}, ir.Insert{Check: positive, UpdateCheck: ofCustomer, Output: answered()})
	upsert("an identity", ir.OnConflict{Target: ir.ConflictTarget{Columns: []string{"id"}}, Set: []string{"price"}}, ir.Insert{
		Columns: []ir.Column{id, price}, Rows: [][]ir.Value{{literal(id, "1"), literal(price, "2")}}, Identity: "id", Output: answered(),
	})
	upsert("some defaults", ir.OnConflict{Target: byRegion, Set: []string{"price"}}, ir.Insert{
		Columns: columns[:2], Rows: [][]ir.Value{{literal(region, "north"), ir.Default{}}, {ir.Default{}, literal(price, "2")}}, Output: answered(fields(id)...),
	})
}

func (c *collector) updates() {
	update := func(name string, u ir.Update) {
		u.Table = orders.Name
		if u.Set == nil {
			u.Set = []ir.Assignment{{Column: price, Op: ir.AssignSet, Value: literal(price, "1.5")}}
		}
		c.mutation("update", name, &u)
	}
	one := compare(id, "_eq", literal(id, "1"))
	update("number", ir.Update{Where: one, Output: answered()})
	update("rows", ir.Update{Where: one, Output: answered(fields(id, price)...)})
	update("all rows", ir.Update{Output: answered()})
	update("by key", ir.Update{Where: one, Output: ir.Output{Returning: fields(id, price), One: true}})
	update("increment", ir.Update{Set: []ir.Assignment{{Column: price, Op: ir.AssignInc, Value: literal(price, "1")}}, Where: one, Output: answered()})
	update("default and null", ir.Update{Set: []ir.Assignment{
		{Column: price, Op: ir.AssignSet, Value: ir.Default{}}, {Column: region, Op: ir.AssignSet, Value: ir.Literal{Null: true, Type: region.Type}},
	}, Where: one, Output: answered()})
	update("check", ir.Update{Where: one, Check: positive, Output: answered()})
	update("check of other rows", ir.Update{Where: one, Check: ofCustomer, Output: answered(fields(id)...)})
	update("condition on other rows", ir.Update{Where: ofCustomer, Output: answered()})
	update("names of types", ir.Update{Where: one, Output: answered(ir.Field{Alias: "__typename", Value: ir.Typename("order")})})
	update("cells that a role may see", ir.Update{Where: one, Output: answered(ir.Field{
		Alias: "price", Value: ir.Scalar{Expr: ir.Redacted{Expr: price, When: compare(id, "_eq", owned(id))}, Type: price.Type},
	})})
}

func (c *collector) deletes() {
	remove := func(name string, d ir.Delete) {
		d.Table = orders.Name
		c.mutation("delete", name, &d)
	}
	one := compare(id, "_eq", literal(id, "1"))
	remove("number", ir.Delete{Where: one, Output: answered()})
	remove("rows", ir.Delete{Where: one, Output: answered(fields(id, price)...)})
	remove("all rows", ir.Delete{Output: answered()})
	remove("by key", ir.Delete{Where: one, Output: ir.Output{Returning: fields(id), One: true}})
	remove("condition on other rows", ir.Delete{Where: ofCustomer, Output: answered(fields(id)...)})
	remove("self", ir.Delete{Where: ir.Exists{From: orders, Join: []ir.JoinPair{{Outer: "id", Inner: "parent_id"}}}, Output: answered()})
	c.mutation("delete", "keyword", &ir.Delete{Table: catalog.Name{Schema: "dbo", Name: "select"}, Where: compare(col("from", "text"), "_eq", literal(name, "x")), Output: answered()})
}
