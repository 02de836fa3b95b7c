package postgres

import (
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

var (
	timestamptzType = catalog.Type{Name: "timestamptz", OID: 1184}
	dateType        = catalog.Type{Name: "date", OID: 1082}
	moodType        = catalog.Type{Name: "mood", Schema: "public", Kind: catalog.TypeEnum}
	textsType       = catalog.Type{Name: "text", OID: 25, Dims: 1}
	int4sType       = catalog.Type{Name: "int4", OID: 23, Dims: 1}
)

func column(name string, t catalog.Type) ir.Column { return ir.Column{Name: name, Type: t} }

func orderBy(items ...ir.OrderItem) []ir.OrderItem { return items }

func by(name string) ir.OrderItem {
	return ir.OrderItem{Target: ir.OrderExpr{Expr: column(name, int4Type)}}
}

func descending(i ir.OrderItem) ir.OrderItem {
	i.Desc, i.NullsFirst = true, true
	return i
}

func pair(outer, inner string) []ir.JoinPair { return []ir.JoinPair{{Outer: outer, Inner: inner}} }

// one is an object relationship along a key of the target.
func one(alias, target string, join []ir.JoinPair, where ir.BoolExp, fields ...ir.Field) ir.Field {
	rows := table(target)
	rows.Where = where
	return ir.Field{Alias: alias, Nested: &ir.Nested{
		Join: join, Unique: true, Root: &ir.Select{Rows: rows, Fields: fields, One: true},
	}}
}

// many is an array relationship.
func many(alias string, join []ir.JoinPair, rows ir.Rows, fields ...ir.Field) ir.Field {
	return ir.Field{Alias: alias, Nested: &ir.Nested{Join: join, Root: &ir.Select{Rows: rows, Fields: fields}}}
}

func count(alias string) ir.AggregateExpr { return ir.AggregateExpr{Alias: alias, Count: &ir.Count{}} }

func aggregateOf(alias, function string, c ir.Column) ir.AggregateExpr {
	return ir.AggregateExpr{Alias: alias, Function: function, Columns: []ir.AggregateColumn{{Alias: c.Name, Expr: c, Type: c.Type}}}
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

// queryCases are the plans of the golden tests.
func queryCases() []queryCase {
	long := strings.Repeat("long_", 13)
	var cases []queryCase
	add := func(name string, root ir.Root) *queryCase {
		cases = append(cases, queryCase{name: name, root: root})
		return &cases[len(cases)-1]
	}

	add("by_key", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: public("album")}, Where: equals("id", int4Type, ir.Variable{Index: 0, Type: int4Type})},
		One:  true,
		Fields: []ir.Field{
			idField, titleField, field("released", timestamptzType), field(`odd "name`, textType), {Alias: "__typename", Typename: "album"},
		},
	}).args = backend.Args{Variables: [][]byte{[]byte("3")}}
	keyed := func(name string, keys string, columns ...ir.Column) {
		join := make([]ir.JoinPair, len(columns))
		for i := range columns {
			join[i] = ir.JoinPair{Outer: columns[i].Name, Inner: columns[i].Name}
		}
		rows := ir.Rows{From: ir.Keys{Columns: columns, Ordinal: "n"}, OrderBy: orderBy(by("n")), Estimate: -1}
		add(name, &ir.Select{Rows: rows, Fields: []ir.Field{
			one("album", "album", join, nil, idField), many("tracks", join, tracks(func(r *ir.Rows) { r.Limit = number4("2") }), titleField),
		}}).args = backend.Args{Variables: [][]byte{[]byte(keys)}}
	}
	keyed("by_keys", `[{"id":"4","title":"Lost"},{"title":"track 7","id":7},{"id":4,"title":"Lost"},{"id":4},{"id":2,"title":"Hejira"}]`,
		column("id", int4Type), column("title", textType))
	keyed("by_keys_without_columns", `[{},{}]`)

	names := ir.Lookup{Source: "other", Table: public("name"), Column: "name", Where: `{"known":true}`, Type: catalog.Type{Name: "text", Dims: 1}}
	looked := func(name string, values ...string) {
		found := [][]byte{}
		for _, v := range values {
			found = append(found, []byte(v))
		}
		rows := table("album")
		rows.Where, rows.OrderBy = compare(column("title", textType), ir.OpIn, names), orderBy(by("id"))
		add(name, &ir.Select{Rows: rows, Fields: []ir.Field{idField}}).args = backend.Args{Lookups: map[string][][]byte{backend.LookupKey(names): found}}
	}
	looked("lookup", "Hejira", `a "quoted\" title`)
	looked("lookup_of_nothing")

	add("by_key_missing", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: public("album")}, Where: equals("id", int4Type, number4("99"))}, One: true, Fields: []ir.Field{idField},
	})
	add("no_rows", &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("album")}, Where: ir.Or{}}, Fields: []ir.Field{idField}})
	add("no_fields", &ir.Select{Rows: table("genre")})
	add("long_key", &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("2") }), Fields: []ir.Field{
		idField, {Alias: long, Expr: column("title", textType), ExprType: textType}, {Alias: "t", Typename: "track"},
	}})
	add("all_types", &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("7"); r.Offset = number4("1") }), Fields: []ir.Field{
		idField, titleField, field("seconds", int4Type), field("price", numericType), field("plays", int8Type),
		field("mood", moodType), field("tags", textsType),
	}})
	add("stringified", &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("3") }), Fields: []ir.Field{
		field("price", numericType), field("plays", int8Type), field("seconds", int4Type),
	}}).options = backend.RenderOptions{StringifyNumeric: true}

	addWhereCases(add)
	addRelationshipCases(add)
	addOrderCases(add)
	addAggregateCases(add)
	addFunctionCases(add)
	return cases
}

func addRelationshipCases(add func(string, ir.Root) *queryCase) {
	add("object_relationships", &ir.Select{Rows: tracks(nil), Fields: []ir.Field{
		idField,
		one("album", "album", pair("album_id", "id"), nil, titleField,
			one("artist", "artist", pair("artist_id", "id"), compare(column("owner_id", int4Type), ir.OpEq, number4("7")), nameField, field("born", dateType))),
		one("genre", "genre", pair("genre_id", "id"), nil, nameField),
	}})
	add("object_relationship_under_limit", &ir.Select{
		Rows: tracks(func(r *ir.Rows) { r.OrderBy = orderBy(descending(by("seconds")), by("id")); r.Limit = number4("5") }),
		Fields: []ir.Field{
			idField, one("album", "album", pair("album_id", "id"), nil, titleField),
		},
	})
	manual := one("twin", "track", pair("seconds", "seconds"), nil, idField)
	manual.Nested.Unique = false
	manual.Nested.Root.(*ir.Select).OrderBy = orderBy(by("id"))
	add("object_relationship_without_key", &ir.Select{Rows: tracks(nil), Fields: []ir.Field{idField, manual}})
	add("array_relationships", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: public("artist")}, OrderBy: orderBy(by("id"))},
		Fields: []ir.Field{
			nameField,
			many("albums", pair("id", "artist_id"), ir.Rows{From: ir.Table{Name: public("album")}, OrderBy: orderBy(by("id")), MaxRows: 10}, titleField,
				field("released", timestamptzType),
				many("tracks", pair("id", "album_id"), tracks(func(r *ir.Rows) {
					r.Limit, r.MaxRows = ir.Variable{Index: 0, Type: int4Type}, 5
				}), idField, one("genre", "genre", pair("genre_id", "id"), nil, nameField))),
		},
	}).args = backend.Args{Variables: [][]byte{[]byte("2")}}
	add("array_relationship_of_object", &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("12") }), Fields: []ir.Field{
		idField, one("album", "album", pair("album_id", "id"), nil, many("tracks", pair("id", "album_id"), tracks(func(r *ir.Rows) {
			r.Limit = number4("2")
		}), idField)),
	}})
	add("other_schema", &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("3") }), Fields: []ir.Field{
		idField, many("notes", pair("id", "track_id"), ir.Rows{
			From:    ir.Table{Name: catalog.Name{Schema: "archive", Name: "note"}},
			OrderBy: orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: column("body", textType)}}),
		}, field("body", textType)),
	}})
}

func addOrderCases(add func(string, ir.Root) *queryCase) {
	album := func(unique bool, target ir.OrderTarget) ir.OrderRelated {
		return ir.OrderRelated{From: ir.Table{Name: public("album")}, Join: pair("album_id", "id"), Unique: unique, Target: target}
	}
	artist := ir.OrderRelated{
		From: ir.Table{Name: public("artist")}, Join: pair("artist_id", "id"), Unique: true,
		Where: compare(column("owner_id", int4Type), ir.OpEq, number4("7")), Target: ir.OrderExpr{Expr: column("name", textType)},
	}
	title := ir.OrderExpr{Expr: column("title", textType)}
	add("order_by_related", &ir.Select{Rows: tracks(func(r *ir.Rows) {
		r.OrderBy = orderBy(descending(ir.OrderItem{Target: album(true, artist)}), ir.OrderItem{Target: album(false, title), NullsFirst: true}, by("id"))
		r.Limit = number4("20")
	}), Fields: []ir.Field{idField, one("album", "album", pair("album_id", "id"), nil, titleField)}})
	tracksOf := ir.OrderAggregate{From: ir.Table{Name: public("track")}, Join: pair("id", "album_id")}
	mean := tracksOf
	mean.Function, mean.Expr = "avg", column("seconds", int4Type)
	mean.Where = compare(column("seconds", int4Type), ir.OpGt, number4("150"))
	add("order_by_aggregate", &ir.Select{Rows: ir.Rows{
		From:    ir.Table{Name: public("album")},
		OrderBy: orderBy(ir.OrderItem{Target: tracksOf, Desc: true}, ir.OrderItem{Target: mean}, by("id")),
		Limit:   number4("3"),
	}, Fields: []ir.Field{titleField, one("artist", "artist", pair("artist_id", "id"), nil, nameField)}})
	add("distinct_on", &ir.Select{Rows: tracks(func(r *ir.Rows) {
		r.DistinctOn = []ir.Expr{column("album_id", int4Type)}
		r.OrderBy = orderBy(by("album_id"), descending(by("seconds")), by("id"))
		r.MaxRows = 4
	}), Fields: []ir.Field{idField, field("album_id", int4Type), one("album", "album", pair("album_id", "id"), nil, titleField)}})
	hidden := ir.Redacted{Expr: column("seconds", int4Type), When: ir.Exists{
		From: ir.Table{Name: public("album")}, Join: pair("album_id", "id"), Where: compare(idColumn, ir.OpGt, number4("1")),
	}}
	add("distinct_on_redacted", &ir.Select{Rows: tracks(func(r *ir.Rows) {
		r.DistinctOn = []ir.Expr{hidden}
		r.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: hidden}}, by("id"))
	}), Fields: []ir.Field{idField}})
	add("order_by_count_of_related", &ir.Select{Rows: tracks(func(r *ir.Rows) {
		r.OrderBy = orderBy(descending(ir.OrderItem{Target: album(true, tracksOf)}), by("id"))
	}), Fields: []ir.Field{idField}})
	owned := compare(column("owner_id", int4Type), ir.OpEq, number4("7"))
	ofOwned := ir.Rule{Exp: ir.Exists{
		From: ir.Table{Name: public("artist")}, Join: pair("artist_id", "id"), Unique: true, Where: owned,
	}}
	add("rule_of_the_row_before", &ir.Select{Rows: ir.Rows{
		From: ir.Table{Name: public("artist")}, Where: ir.Rule{Exp: owned}, OrderBy: orderBy(by("id")),
	}, Fields: []ir.Field{nameField, many("albums", pair("id", "artist_id"), ir.Rows{
		From: ir.Table{Name: public("album")}, Where: ofOwned, OrderBy: orderBy(by("id")),
	}, titleField)}})
	add("offset_with_lists", &ir.Select{Rows: ir.Rows{
		From: ir.Table{Name: public("album")}, OrderBy: orderBy(by("id")), Offset: ir.Literal{Text: "2", Type: int8Type},
	}, Fields: []ir.Field{titleField, many("tracks", pair("id", "album_id"), tracks(nil), idField)}})
	add("order_by_computed", &ir.Select{Rows: tracks(func(r *ir.Rows) {
		r.OrderBy = orderBy(ir.OrderItem{Target: ir.OrderExpr{Expr: trackLabel}, Desc: true})
		r.Limit = number4("3")
	}), Fields: []ir.Field{
		{Alias: "label", Expr: trackLabel, ExprType: textType}, one("album", "album", pair("album_id", "id"), nil, titleField),
	}})
}

var trackLabel = ir.Call{Function: public("track_label"), Args: []ir.CallArg{{Row: true}}, Type: textType}

func addAggregateCases(add func(string, ir.Root) *queryCase) {
	numbers := []ir.AggregateExpr{
		count("count"),
		{Alias: "albums", Count: &ir.Count{Args: []ir.Expr{column("album_id", int4Type), column("genre_id", int4Type)}, Distinct: true}},
		{Alias: "priced", Count: &ir.Count{Args: []ir.Expr{column("seconds", int4Type)}}},
		aggregateOf("avg", "avg", column("seconds", int4Type)),
		aggregateOf("sum", "sum", column("plays", int8Type)),
		aggregateOf("min", "min", column("mood", moodType)),
		aggregateOf("max", "max", column("price", numericType)),
		aggregateOf("stddev", "stddev", column("price", numericType)),
		{Alias: "__typename", Typename: "track_aggregate_fields"},
	}
	all := []ir.AggregateField{
		{Alias: "aggregate", Aggregates: numbers},
		{Alias: "nodes", Nodes: []ir.Field{idField}, IsNodes: true},
		{Alias: "__typename", Typename: "track_aggregate"},
	}
	add("aggregate", &ir.Aggregate{Rows: tracks(nil), Fields: all})
	add("aggregate_of_nothing", &ir.Aggregate{Rows: tracks(func(r *ir.Rows) { r.Where = ir.Or{} }), Fields: all})
	add("aggregate_stringified", &ir.Aggregate{Rows: tracks(nil), Fields: all[:1]}).options = backend.RenderOptions{StringifyNumeric: true}
	add("aggregate_of_slice", &ir.Aggregate{Rows: tracks(func(r *ir.Rows) {
		r.Limit, r.Offset, r.MaxRows = number4("6"), number4("1"), 2
	}), Fields: []ir.AggregateField{
		{Alias: "aggregate", Aggregates: []ir.AggregateExpr{count("count"), aggregateOf("max", "max", column("id", int4Type))}},
		{Alias: "nodes", Nodes: []ir.Field{idField, one("album", "album", pair("album_id", "id"), nil, titleField)}, IsNodes: true},
	}})
	add("aggregate_nodes_only", &ir.Aggregate{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("2") }), Fields: all[1:]})
	related := ir.Field{Alias: "tracks_aggregate", Nested: &ir.Nested{Join: pair("id", "album_id"), Root: &ir.Aggregate{
		Rows: tracks(func(r *ir.Rows) { r.Where = compare(column("seconds", int4Type), ir.OpGt, number4("150")) }),
		Fields: []ir.AggregateField{
			{Alias: "aggregate", Aggregates: []ir.AggregateExpr{count("count"), aggregateOf("max", "max", column("title", textType))}},
			{Alias: "nodes", Nodes: []ir.Field{idField}, IsNodes: true},
		},
	}}}
	add("aggregate_relationship", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: public("album")}, OrderBy: orderBy(by("id"))}, Fields: []ir.Field{titleField, related},
	})
	wide := ir.AggregateExpr{Alias: "max", Function: "max"}
	for range 60 {
		wide.Columns = append(wide.Columns, ir.AggregateColumn{
			Alias: "c" + strings.Repeat("x", len(wide.Columns)), Expr: column("id", int4Type), Type: int4Type,
		})
	}
	add("aggregate_of_many_columns", &ir.Aggregate{Rows: tracks(nil), Fields: []ir.AggregateField{{Alias: "aggregate", Aggregates: []ir.AggregateExpr{wide}}}})
}

func addFunctionCases(add func(string, ir.Root) *queryCase) {
	search := ir.Function{Name: public("search_track"), Args: []ir.CallArg{{Value: ir.Variable{Index: 0, Type: textType}}}}
	byID := orderBy(by("id"))
	args := backend.Args{Variables: [][]byte{[]byte("2")}, Session: as("buyer", nil)}
	add("function", &ir.Select{Rows: ir.Rows{From: search, OrderBy: byID, Limit: number4("3")}, Fields: []ir.Field{
		idField, {Alias: "label", Expr: trackLabel, ExprType: textType}, one("album", "album", pair("album_id", "id"), nil, titleField),
	}}).args = args
	add("aggregate_without_nodes", &ir.Aggregate{
		Rows: ir.Rows{From: ir.Table{Name: public("album")}, OrderBy: orderBy(by("id")), Limit: number4("3"), MaxRows: ir.NoRows},
		Fields: []ir.AggregateField{
			{Alias: "aggregate", Aggregates: []ir.AggregateExpr{count("count")}}, {Alias: "nodes", Nodes: []ir.Field{idField}, IsNodes: true},
		},
	})
	add("function_aggregate", &ir.Aggregate{Rows: ir.Rows{From: search, OrderBy: byID, MaxRows: 2}, Fields: []ir.AggregateField{
		{Alias: "aggregate", Aggregates: []ir.AggregateExpr{count("count")}},
		{Alias: "nodes", Nodes: []ir.Field{
			{Alias: "label", Expr: trackLabel, ExprType: textType}, one("album", "album", pair("album_id", "id"), nil, titleField),
		}, IsNodes: true},
	}}).args = args
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
		{Alias: "title", Expr: title, ExprType: textType}, {Alias: "strict", Expr: strict, ExprType: textType}, many("long", nil, long, idField),
	}
	add("computed_fields", &ir.Select{
		Rows: ir.Rows{From: ir.Table{Name: public("album")}, OrderBy: byID, Limit: number4("3")}, Fields: append([]ir.Field{idField}, computed...),
	}).args = args
	add("computed_fields_of_object", &ir.Select{Rows: tracks(nil), Fields: []ir.Field{
		idField, one("album", "album", pair("album_id", "id"), nil, computed...),
	}}).args = args
	keyless := one("album", "album", pair("album_id", "id"), nil, computed...)
	keyless.Nested.Unique = false
	add("computed_fields_of_any_object", &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Limit = number4("11") }), Fields: []ir.Field{idField, keyless}}).args = args
}

func addWhereCases(add func(string, ir.Root) *queryCase) {
	seconds, mood, tags := column("seconds", int4Type), column("mood", moodType), column("tags", textsType)
	where := func(name string, e ir.BoolExp) *queryCase {
		return add("where_"+name, &ir.Select{Rows: tracks(func(r *ir.Rows) { r.Where = e }), Fields: []ir.Field{idField}})
	}
	where("logic", ir.And{Exps: []ir.BoolExp{
		ir.Or{Exps: []ir.BoolExp{compare(seconds, ir.OpGt, number4("200")), ir.IsNull{Expr: seconds}}},
		ir.Not{Exp: ir.Or{Exps: []ir.BoolExp{compare(column("id", int4Type), ir.OpLt, number4("10")), compare(mood, ir.OpEq, ir.Literal{Text: "loud", Type: moodType})}}},
		ir.And{},
		ir.IsNull{Expr: column("album_id", int4Type), Not: true},
	}})
	where("lists", ir.And{Exps: []ir.BoolExp{
		compare(column("id", int4Type), ir.OpIn, ir.Variable{Index: 0, Type: int4sType}),
		compare(column("id", int4Type), ir.OpNin, ir.SessionVar{Name: "x-engine-ids", Type: int4sType}),
		compare(tags, ir.OpContains, ir.Literal{Text: `{"x,\"y"}`, Type: textsType}),
	}}).args = backend.Args{Variables: [][]byte{[]byte("{1,2,3,4,5}")}, Session: as("buyer", map[string]string{"x-engine-ids": "{3}"})}
	where("null_safe", ir.Or{Exps: []ir.BoolExp{
		ir.Compare{Left: seconds, Op: ir.OpEq, Args: []ir.Value{ir.Variable{Index: 0, Type: int4Type}}, NullSafe: true},
		ir.Compare{Left: mood, Op: ir.OpEq, Args: []ir.Value{ir.Literal{Text: "calm", Type: moodType}}, NullSafe: true},
		ir.CompareColumn{Left: column("album_id", int4Type), Op: ir.OpNeq, Right: column("genre_id", int4Type), NullSafe: true},
	}}).args = backend.Args{Variables: [][]byte{nil}}
	where("text", ir.And{Exps: []ir.BoolExp{
		compare(column("title", textType), ir.OpIlike, ir.Literal{Text: "TRACK%", Type: textType}),
		compare(column("title", textType), ir.OpNregex, ir.Literal{Text: `[1-3]$`, Type: textType}),
		compare(column("title", textType), ir.OpSimilar, ir.Literal{Text: `track (5|14|6)`, Type: textType}),
	}})
	album := func(e ir.BoolExp) ir.Exists {
		return ir.Exists{From: ir.Table{Name: public("album")}, Join: pair("album_id", "id"), Where: e}
	}
	meta := column("meta", jsonbType)
	where("related", album(ir.And{Exps: []ir.BoolExp{
		compare(meta, ir.OpHasKey, ir.Literal{Text: "labels", Type: textType}),
		compare(ir.JSONPath{Expr: meta, Path: []string{"labels", "0"}}, ir.OpEq, ir.Literal{Text: `"Reprise"`, Type: jsonbType}),
		compare(ir.Cast{Expr: meta, Type: textType}, ir.OpLike, ir.Literal{Text: "%1971%", Type: textType}),
	}}))
	where("related_by_key", ir.Exists{From: ir.Table{Name: public("album")}, Join: pair("album_id", "id"), Unique: true, Where: ir.And{Exps: []ir.BoolExp{
		compare(titleColumn, ir.OpNeq, given(titleColumn, "Lost")),
		ir.Rule{Exp: ir.Exists{From: ir.Table{Name: public("artist")}, Join: pair("artist_id", "id"), Unique: true, Where: ir.And{Exps: []ir.BoolExp{
			ir.CompareColumn{Left: idColumn, Op: ir.OpLte, Right: ir.Column{Name: "id", Type: int4Type, Root: true}},
			ir.Not{Exp: ir.Exists{From: ir.Table{Name: public("album")}, Join: pair("id", "id"), Unique: true, Where: compare(idColumn, ir.OpEq, number4("2"))}},
		}}}},
	}}})
	// A rule on tracks: there is a note whose track is this one; and one on albums within it.
	note := ir.Exists{From: ir.Table{Name: catalog.Name{Schema: "archive", Name: "note"}}, Where: ir.CompareColumn{
		Left: column("track_id", int4Type), Op: ir.OpEq, Right: ir.Column{Name: "id", Type: int4Type, Root: true},
	}}
	where("root_of_rule", ir.And{Exps: []ir.BoolExp{ir.Rule{Exp: note}, album(ir.Rule{Exp: note})}})
	aggregate := ir.AggregateCompare{
		From: ir.Table{Name: public("track")}, Join: pair("id", "album_id"), Function: "count",
		Filter:    compare(seconds, ir.OpGt, number4("200")),
		Predicate: []ir.Compare{{Op: ir.OpGte, Args: []ir.Value{number4("3")}}, {Op: ir.OpLt, Args: []ir.Value{number4("5")}}},
	}
	null := true
	mean := ir.AggregateCompare{From: ir.Table{Name: public("track")}, Join: pair("id", "album_id"), Function: "avg", Args: []ir.Expr{seconds}, Null: &null}
	add("where_aggregate", &ir.Select{Rows: ir.Rows{
		From: ir.Table{Name: public("album")}, OrderBy: orderBy(by("id")), Where: ir.Or{Exps: []ir.BoolExp{aggregate, mean}},
	}, Fields: []ir.Field{idField, titleField}})
	visible := compare(column("id", int4Type), ir.OpLt, ir.SessionVar{Name: "x-engine-limit", Type: int4Type})
	hidden := ir.Redacted{Expr: seconds, When: visible}
	add("redacted", &ir.Select{Rows: tracks(func(r *ir.Rows) {
		r.Where = ir.Or{Exps: []ir.BoolExp{compare(hidden, ir.OpGt, number4("100")), compare(column("id", int4Type), ir.OpGt, number4("38"))}}
		r.OrderBy = orderBy(descending(ir.OrderItem{Target: ir.OrderExpr{Expr: hidden}}), by("id"))
	}), Fields: []ir.Field{
		idField,
		{Alias: "seconds", Expr: hidden, ExprType: int4Type},
		{Alias: "shout", Expr: ir.Upper{Expr: column("title", textType)}, ExprType: textType},
	}}).args = backend.Args{Session: as("buyer", map[string]string{"x-engine-limit": "7"})}
}
