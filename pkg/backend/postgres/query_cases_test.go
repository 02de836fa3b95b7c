package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

var (
	timestamptzType = catalog.Type{Name: "timestamptz", ID: "1184"}
	dateType        = catalog.Type{Name: "date", ID: "1082"}
	moodType        = catalog.Type{Name: "mood", Schema: "public", Kind: catalog.TypeEnum}
	textsType       = catalog.Type{Name: "text", ID: "25", Dims: 1}
	int4sType       = catalog.Type{Name: "int4", ID: "23", Dims: 1}
)

func column(name string, t catalog.Type) ir.Column { return ir.Column{Name: name, Type: t} }

func orderBy(items ...ir.OrderItem) []ir.OrderItem { return items }

func by(name string) ir.OrderItem {
	return ir.OrderItem{Target: ir.OrderExpr{Expr: column(name, int4Type)}}
}

func pair(outer, inner string) []ir.JoinPair { return []ir.JoinPair{{Outer: outer, Inner: inner}} }

// one is an object relationship along a key of the target.
func one(alias, target string, join []ir.JoinPair, where ir.BoolExp, fields ...ir.Field) ir.Field {
	rows := table(target)
	rows.Where = where
	return ir.Field{Alias: alias, Value: &ir.Nested{
		Join: join, Unique: true, Root: &ir.Select{Rows: rows, Fields: fields, One: true},
	}}
}

// many is an array relationship.
func many(alias string, join []ir.JoinPair, rows ir.Rows, fields ...ir.Field) ir.Field {
	return ir.Field{Alias: alias, Value: &ir.Nested{Join: join, Root: &ir.Select{Rows: rows, Fields: fields}}}
}

func count(alias string) ir.AggregateExpr { return ir.AggregateExpr{Alias: alias, Value: &ir.Count{}} }

func aggregateOf(alias, function string, c ir.Column) ir.AggregateExpr {
	return ir.AggregateExpr{Alias: alias, Value: &ir.AggregateCall{Function: function, Columns: []ir.AggregateColumn{{Alias: c.Name, Value: ir.Scalar{Expr: c, Type: c.Type}}}}}
}

var (
	idField    = field("id", int4Type)
	nameField  = field("name", textType)
	titleField = field("title", textType)
)

func tracks(change func(*ir.Rows)) ir.Rows {
	rows := table("track")
	rows.OrderBy = orderBy(by("id"))
	if change != nil {
		change(&rows)
	}
	return rows
}

func compare(c ir.Expr, op ir.Op, v ...ir.Value) ir.Compare {
	return ir.Compare{Left: c, Op: op, Args: v}
}

// queryCases are plans on the database of shopSchema: those that every kind of database has, and
// some with what is PostgreSQL's own.
func (f *fixture) queryCases(t testing.TB) []backendtest.Query {
	t.Helper()
	found, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	return append(ownQueryCases(), backendtest.Queries(backendtest.PlansOf(exercised, found))...)
}

func ownQueryCases() []backendtest.Query {
	var cases []backendtest.Query
	add := func(name string, root ir.Root) *backendtest.Query {
		cases = append(cases, backendtest.Query{Name: name, Root: root})
		return &cases[len(cases)-1]
	}
	add("all_types", &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("7"); r.Offset = number4("1") }), Fields: []ir.Field{
		idField, titleField, field("seconds", int4Type), field("price", numericType), field("plays", int8Type),
		field("mood", moodType), field("tags", textsType),
	}})
	addWhereCases(add)
	addGroupCases(add)
	addFunctionCases(add)
	return cases
}

var trackLabel = ir.Call{Function: public("track_label"), Args: []ir.CallArg{{Row: true}}, Type: textType}

func addFunctionCases(add func(string, ir.Root) *backendtest.Query) {
	search := ir.Function{Name: public("search_track"), Args: []ir.CallArg{{Value: ir.Variable{Index: 0, Type: textType}}}}
	byID := orderBy(by("id"))
	args := backend.Args{Variables: [][]byte{[]byte("2")}, Session: as("buyer", nil)}
	add("order_by_computed", &ir.Select{Rows: tracks(func(r *ir.Rows) {
		r.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: trackLabel}, Desc: true})
		r.Limit = number4("3")
	}), Fields: []ir.Field{
		{Alias: "label", Value: ir.Scalar{Expr: trackLabel, Type: textType}}, one("album", "album", pair("album_id", "id"), nil, titleField),
	}})
	add("function", &ir.Select{Rows: ir.Rows{From: search, OrderBy: byID, Limit: number4("3")}, Fields: []ir.Field{
		idField, {Alias: "label", Value: ir.Scalar{Expr: trackLabel, Type: textType}}, one("album", "album", pair("album_id", "id"), nil, titleField),
	}}).Args = args
	add("function_aggregate", &ir.Aggregate{Rows: ir.Rows{From: search, OrderBy: byID, MaxRows: 2}, Fields: []ir.AggregateField{
		{Alias: "aggregate", Value: ir.Aggregates{count("count")}},
		{Alias: "nodes", Value: ir.Nodes{
			{Alias: "label", Value: ir.Scalar{Expr: trackLabel, Type: textType}}, one("album", "album", pair("album_id", "id"), nil, titleField),
		}},
	}}).Args = args
	single := func(id string) *ir.Select {
		return &ir.Select{Rows: ir.Rows{From: ir.Function{
			Name: public("one_album"), Args: []ir.CallArg{{Name: "wanted", Value: number4(id)}}, Single: true,
		}}, Fields: []ir.Field{titleField}, One: true}
	}
	add("function_of_one_row", single("1"))
	add("function_of_no_row", single("99"))
	title := ir.Call{Function: public("album_title"), Type: textType, Args: []ir.CallArg{
		{Row: true}, {Value: ir.SessionObject{Type: catalog.Type{Name: "json"}}}, {Name: "prefix", Value: ir.Variable{Index: 0, Type: textType}},
	}}
	strict := ir.Call{Function: public("strict_title"), Type: textType, Args: []ir.CallArg{{Row: true}}}
	long := ir.Rows{From: ir.Function{Name: public("album_long_tracks"), Args: []ir.CallArg{{Row: true}, {Value: number4("200")}}}, OrderBy: byID}
	computed := []ir.Field{
		{Alias: "title", Value: ir.Scalar{Expr: title, Type: textType}}, {Alias: "strict", Value: ir.Scalar{Expr: strict, Type: textType}}, many("long", nil, long, idField),
	}
	add("computed_fields", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: public("album")}, OrderBy: byID, Limit: number4("3")}, Fields: append([]ir.Field{idField}, computed...),
	}).Args = args
	add("computed_fields_of_object", &ir.Select{Rows: tracks(nil), Fields: []ir.Field{
		idField, one("album", "album", pair("album_id", "id"), nil, computed...),
	}}).Args = args
	keyless := one("album", "album", pair("album_id", "id"), nil, computed...)
	keyless.Value.(*ir.Nested).Unique = false
	add("computed_fields_of_any_object", &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("11") }), Fields: []ir.Field{idField, keyless}}).Args = args
}

// addGroupCases groups rows whose hidden ones don't count, and filters, orders and cuts the groups.
func addGroupCases(add func(string, ir.Root) *backendtest.Query) {
	album, seconds, title := column("album_id", int4Type), column("seconds", int4Type), column("title", textType)
	groups := ir.Groups{
		Rows: ir.Rows{From: ir.Table{Name: public("track")}, Where: compare(column("id", int4Type), ir.OpGt, number4("1"))},
		Keys: []ir.GroupKey{{Name: "k0", Expr: album}, {Name: "k1", Expr: ir.Redacted{Expr: title, When: compare(seconds, ir.OpGt, number4("100000"))}}},
		Aggregates: []ir.GroupAggregate{
			{Name: "a0", Function: "count"},
			{Name: "a1", Function: "count", Distinct: true, Args: []ir.Expr{album, seconds}},
			{Name: "a2", Function: "sum", Args: []ir.Expr{seconds}},
			{Name: "a3", Function: "max", Args: []ir.Expr{title}},
		},
	}
	value := func(name, function string, t catalog.Type) ir.Aggregated {
		return ir.Aggregated{Column: column(name, t), Function: function, Type: t}
	}
	k0, a0 := column("k0", int4Type), column("a0", int8Type)
	add("groups", &ir.Select{
		Rows: ir.Rows{
			From: groups, Where: compare(a0, ir.OpGt, ir.Variable{Index: 0, Type: int4Type}), Limit: number4("3"), Offset: number4("1"),
			OrderBy: orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: a0}, Desc: true}, ir.OrderItem{Target: ir.OrderExpr{Expr: k0}}),
		},
		Fields: []ir.Field{
			{Alias: "key", Value: ir.Object{{Alias: "album", Value: ir.Scalar{Expr: k0, Type: int4Type}}, {Alias: "title", Value: ir.Scalar{Expr: column("k1", textType), Type: textType}}}},
			{Alias: "aggregate", Value: ir.Object{
				{Alias: "count", Value: value("a0", "count", int8Type)}, {Alias: "different", Value: value("a1", "count", int8Type)},
				{Alias: "sum", Value: ir.Object{{Alias: "seconds", Value: value("a2", "sum", int4Type)}}},
				{Alias: "max", Value: ir.Object{{Alias: "title", Value: value("a3", "max", textType)}, {Alias: "__typename", Value: ir.Typename("max")}}},
			}},
		},
	}).Args = backend.Args{Variables: [][]byte{[]byte("1")}}
}

func addWhereCases(add func(string, ir.Root) *backendtest.Query) {
	tags := column("tags", textsType)
	where := func(name string, e ir.BoolExp) *backendtest.Query {
		return add("where_"+name, &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Where = e }), Fields: []ir.Field{idField}})
	}
	where("lists", ir.And{Exps: []ir.BoolExp{
		compare(column("id", int4Type), ir.OpIn, ir.Variable{Index: 0, Type: int4sType}),
		compare(column("id", int4Type), ir.OpNin, ir.SessionVar{Name: "x-engine-ids", Type: int4sType}),
		compare(tags, opContains, ir.Literal{Text: `{"x,\"y"}`, Type: textsType}),
	}}).Args = backend.Args{Variables: [][]byte{[]byte("{1,2,3,4,5}")}, Session: as("buyer", map[string]string{"x-engine-ids": "{3}"})}
	where("text", ir.And{Exps: []ir.BoolExp{
		compare(column("title", textType), opIlike, ir.Literal{Text: "TRACK%", Type: textType}),
		compare(column("title", textType), opNregex, ir.Literal{Text: `[1-3]$`, Type: textType}),
		compare(column("title", textType), opSimilar, ir.Literal{Text: `track (5|14|6)`, Type: textType}),
	}})
	album := func(e ir.BoolExp) ir.Exists {
		return ir.Exists{From: ir.Table{Name: public("album")}, Join: pair("album_id", "id"), Where: e}
	}
	meta := column("meta", jsonbType)
	where("related", album(ir.And{Exps: []ir.BoolExp{
		compare(meta, opHasKey, ir.Literal{Text: "labels", Type: textType}),
		compare(ir.JSONPath{Expr: meta, Path: []string{"labels", "0"}}, ir.OpEq, ir.Literal{Text: `"Reprise"`, Type: jsonbType}),
		compare(ir.Cast{Expr: meta, Type: textType}, opLike, ir.Literal{Text: "%1971%", Type: textType}),
	}}))
	where("json_parts", album(ir.Or{Exps: []ir.BoolExp{
		compare(ir.JSONValue{Expr: meta, Path: []string{"labels", "0"}, Kind: "text", Type: textType}, opLike, ir.Literal{Text: "R%", Type: textType}),
		compare(ir.JSONValue{Expr: meta, Path: []string{"labels"}, Kind: "int", Type: numericType}, ir.OpGt, number4("1")),
		ir.IsNull{Expr: ir.JSONValue{Expr: meta, Path: []string{}, Kind: "bool", Type: typeBoolean}, Not: true},
	}}))
}
