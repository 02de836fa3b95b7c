package bigquery

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// The library that plans are about.
var (
	authors   = ir.Table{Name: catalog.Name{Schema: "hub", Name: "author"}}
	articles  = ir.Table{Name: catalog.Name{Schema: "hub", Name: "article"}}
	citations = ir.Table{Name: catalog.Name{Schema: "hub", Name: "citation"}}

	toArticles  = []ir.JoinPair{{Outer: "id", Inner: "author_id"}}
	toAuthor    = []ir.JoinPair{{Outer: "author_id", Inner: "id"}}
	toCitations = []ir.JoinPair{{Outer: "id", Inner: "article_id"}}

	id, name, title = col("id", "int8"), col("name", "text"), col("title", "text")
	authorID        = col("author_id", "int8")
	created         = col("created_at", "timestamptz")
	published       = col("is_published", "bool")
	place           = col("place", "geography")
	articleID       = col("article_id", "int8")
)

func col(name, of string) ir.Column { return ir.Column{Name: name, Type: catalog.Type{Name: of}} }

func fields(columns ...ir.Column) []ir.Field {
	list := make([]ir.Field, len(columns))
	for i, c := range columns {
		list[i] = ir.Field{Alias: c.Name, Value: ir.Scalar{Expr: c, Type: c.Type}}
	}
	return list
}

func with(list []ir.Field, alias string, n *ir.Nested) []ir.Field {
	return append(append([]ir.Field{}, list...), ir.Field{Alias: alias, Value: n})
}

func literalOf(c ir.Column, text string) ir.Value { return ir.Literal{Text: text, Type: c.Type} }

func compare(c ir.Column, op ir.Op, values ...ir.Value) ir.BoolExp {
	return ir.Compare{Left: c, Op: op, Args: values}
}

func asc(c ir.Column) ir.OrderItem {
	return ir.OrderItem{Target: ir.OrderExpr{Expr: c}, NullsFirst: true}
}

func descFirst(c ir.Column) ir.OrderItem {
	return ir.OrderItem{Target: ir.OrderExpr{Expr: c}, Desc: true, NullsFirst: true}
}

func many(rows ir.Rows, join []ir.JoinPair, f []ir.Field) *ir.Nested {
	return &ir.Nested{Join: join, Root: &ir.Select{Rows: rows, Fields: f}}
}

func one(from ir.From, join []ir.JoinPair, unique bool, f []ir.Field) *ir.Nested {
	return &ir.Nested{Join: join, Unique: unique, Root: &ir.Select{Rows: ir.Rows{From: from}, Fields: f, One: true}}
}

func values(column ir.Column, functions ...string) ir.AggregateField {
	list := ir.Aggregates{{Alias: "count", Value: &ir.Count{}}}
	for _, f := range functions {
		list = append(list, ir.AggregateExpr{Alias: f, Value: &ir.AggregateCall{Function: f, Columns: []ir.AggregateColumn{
			{Alias: column.Name, Value: ir.Scalar{Expr: column, Type: column.Type}},
		}}})
	}
	return ir.AggregateField{Alias: "aggregate", Value: list}
}

func number(n string) ir.Value { return ir.Literal{Text: n, Type: typeInteger} }

// plans are the plans of the golden file, by their names.
func plans() []struct {
	name string
	root ir.Root
} {
	limit := ir.Variable{Index: 0, Type: typeInteger}
	nodes := ir.AggregateField{Alias: "nodes", Value: ir.Nodes(fields(id))}
	call := ir.Function{Name: catalog.Name{Schema: "hub", Name: "written"}, Args: []ir.CallArg{{Column: &id}, {Value: literalOf(title, "%x%")}}}
	called := func(rows ir.Rows, f []ir.Field) *ir.Nested {
		return &ir.Nested{Root: &ir.Select{Rows: rows, Fields: f}}
	}
	nested := func(a *ir.Aggregate) ir.Root {
		return &ir.Select{
			Rows: ir.Rows{From: authors, OrderBy: []ir.OrderItem{asc(id)}}, Fields: with(fields(id), "articles_aggregate", &ir.Nested{Join: toArticles, Root: a}),
		}
	}
	all := []ir.Column{
		id, col("big", "bignumeric"), col("n", "numeric"), col("f", "float8"), published, col("d", "date"), col("t", "time"),
		col("dt", "timestamp"), created, col("b", "bytea"), place, col("doc", "jsonb"),
		{Name: "tags", Type: catalog.Type{Name: "text", Dims: 1}},
		{Name: "seen", Type: catalog.Type{Name: "timestamptz", Dims: 1}},
	}
	distinct := ir.Rows{From: articles, DistinctOn: []ir.Expr{authorID, published}, OrderBy: []ir.OrderItem{asc(authorID), asc(published), descFirst(created)}}
	return []struct {
		name string
		root ir.Root
	}{
		{"a list", &ir.Select{Rows: ir.Rows{From: authors, OrderBy: []ir.OrderItem{asc(id)}}, Fields: fields(id, name)}},
		{"by key", &ir.Select{Rows: ir.Rows{From: authors, Where: compare(id, ir.OpEq, number("1"))}, Fields: fields(name), One: true}},
		{"all types", &ir.Select{Rows: ir.Rows{From: articles}, Fields: fields(all...)}},
		{"a page", &ir.Select{Rows: ir.Rows{From: authors, OrderBy: []ir.OrderItem{descFirst(name)}, Limit: number("5"), Offset: number("2")}, Fields: fields(id)}},
		{"an offset alone", &ir.Select{Rows: ir.Rows{From: authors, Offset: number("2")}, Fields: fields(id)}},
		{"a limit that is a variable", &ir.Select{Rows: ir.Rows{From: authors, OrderBy: []ir.OrderItem{asc(id)}, Limit: limit, MaxRows: 10}, Fields: fields(id)}},
		{"conditions", &ir.Select{Rows: ir.Rows{From: articles, Where: ir.Or{Exps: []ir.BoolExp{
			compare(title, "_like", literalOf(title, "%x")),
			compare(created, ir.OpGt, literalOf(created, "2008-12-26")),
			compare(id, ir.OpIn, ir.Literal{Text: `["1","2"]`, Type: id.Type, List: true}),
			compare(place, "_st_contains", literalOf(place, "POINT(1 1)")),
			compare(place, "_st_equals", ir.Literal{Text: "{}", Type: place.Type, Wrap: wrapGeoJSON}),
			compare(place, "_st_d_within", ir.Literal{Text: "1", Type: typeDouble}, literalOf(place, "POINT(1 1)"), ir.Literal{Text: "false", Type: typeBoolean}),
			ir.Not{Exp: ir.IsNull{Expr: title}},
		}}}, Fields: fields(id)}},
		{"related rows exist", &ir.Select{Rows: ir.Rows{From: authors, Where: ir.Exists{
			From: articles, Join: toArticles, Where: compare(published, ir.OpEq, ir.SessionVar{Name: "x-engine-flag", Type: typeBoolean}),
		}}, Fields: fields(id)}},
		{"a number of related rows", &ir.Select{Rows: ir.Rows{From: authors, Where: ir.AggregateCompare{
			From: articles, Join: toArticles, Function: "count", Predicate: []ir.Compare{{Op: ir.OpGt, Args: []ir.Value{number("1")}}},
		}}, Fields: fields(id)}},
		{"related rows", &ir.Select{Rows: ir.Rows{From: authors, OrderBy: []ir.OrderItem{asc(id)}}, Fields: with(fields(id), "articles",
			many(ir.Rows{From: articles, OrderBy: []ir.OrderItem{descFirst(title)}}, toArticles, with(fields(title), "citations",
				many(ir.Rows{From: citations, OrderBy: []ir.OrderItem{asc(articleID)}}, toCitations, fields(articleID)))))}},
		{"a page of related rows", &ir.Select{Rows: ir.Rows{From: authors}, Fields: with(fields(id), "articles",
			many(ir.Rows{From: articles, OrderBy: []ir.OrderItem{asc(title)}, Limit: number("2"), Offset: limit}, toArticles, fields(title)))}},
		{"a related row", &ir.Select{Rows: ir.Rows{From: articles, Limit: number("3")}, Fields: with(fields(id), "author", one(authors, toAuthor, false, fields(name)))}},
		{"a related row by a key", &ir.Select{Rows: ir.Rows{From: articles}, Fields: with(fields(id), "author", one(authors, toAuthor, true, with(fields(name), "articles",
			many(ir.Rows{From: articles}, toArticles, fields(id)))))}},
		{"the second page of related rows", &ir.Select{Rows: ir.Rows{From: authors}, Fields: with(fields(id), "articles",
			many(ir.Rows{From: articles, OrderBy: []ir.OrderItem{asc(title)}, Limit: number("2"), Offset: number("2")}, toArticles, fields(title)))}},
		{"rows related by a number with a point", &ir.Select{Rows: ir.Rows{From: articles}, Fields: with(fields(id), "alike",
			many(ir.Rows{From: articles, OrderBy: []ir.OrderItem{asc(title)}, Limit: number("2")}, []ir.JoinPair{{Outer: "f", Inner: "f"}}, fields(title)))}},
		{"a page of distinct rows", &ir.Select{Rows: ir.Rows{From: articles, DistinctOn: distinct.DistinctOn, OrderBy: distinct.OrderBy, MaxRows: 5, Offset: number("1")}, Fields: fields(id)}},
		{"distinct", &ir.Select{Rows: distinct, Fields: with(fields(id), "author", one(authors, toAuthor, false, fields(name)))}},
		{"distinct related rows", &ir.Select{Rows: ir.Rows{From: authors}, Fields: with(fields(id), "articles", many(distinct, toArticles, fields(title)))}},
		{"distinct numbers", &ir.Select{
			Rows:   ir.Rows{From: articles, DistinctOn: []ir.Expr{col("f", "float8"), id}, OrderBy: []ir.OrderItem{asc(col("f", "float8")), asc(id)}},
			Fields: fields(id),
		}},
		{"aggregates", &ir.Aggregate{Rows: ir.Rows{From: articles, Where: compare(id, ir.OpGt, number("1"))}, Fields: []ir.AggregateField{values(id, "sum", "avg"), nodes}}},
		{"aggregates of a page", &ir.Aggregate{Rows: ir.Rows{From: articles, OrderBy: []ir.OrderItem{asc(id)}, Limit: number("2")}, Fields: []ir.AggregateField{values(id, "max"), nodes}}},
		{"aggregates of related rows", nested(&ir.Aggregate{Rows: ir.Rows{From: articles, OrderBy: []ir.OrderItem{asc(id)}}, Fields: []ir.AggregateField{nodes, values(created, "max")}})},
		{"aggregates of a page of related rows", nested(&ir.Aggregate{Rows: ir.Rows{From: articles, OrderBy: []ir.OrderItem{asc(id)}, Limit: number("1"), Offset: number("1")}, Fields: []ir.AggregateField{nodes, values(id, "sum")}})},
		{"aggregates of distinct related rows", nested(&ir.Aggregate{Rows: distinct, Fields: []ir.AggregateField{values(id, "sum")}})},
		{"names of types alone", nested(&ir.Aggregate{Rows: ir.Rows{From: articles}, Fields: []ir.AggregateField{{Alias: "__typename", Value: ir.Typename("x")}}})},
		{"ordered by related rows", &ir.Select{Rows: ir.Rows{From: articles, OrderBy: []ir.OrderItem{
			{Target: ir.OrderRelated{From: authors, Join: toAuthor, Target: ir.OrderExpr{Expr: name}}, Desc: true},
			{Target: ir.OrderAggregate{From: citations, Join: toCitations, Function: "count"}, NullsFirst: true},
		}, Limit: number("2")}, Fields: fields(id)}},
		{"rows of another source", &ir.Select{
			Rows: ir.Rows{
				From:    ir.Keys{Index: 0, Columns: []ir.Column{authorID, title}, Ordinal: "ordinal"},
				OrderBy: []ir.OrderItem{asc(col("ordinal", "int8"))},
			},
			Fields: []ir.Field{{Alias: "articles", Value: many(ir.Rows{From: articles, OrderBy: []ir.OrderItem{asc(id)}},
				[]ir.JoinPair{{Outer: "author_id", Inner: "author_id"}, {Outer: "title", Inner: "title"}}, fields(id))}},
		}},
		{"rows of a function", &ir.Select{
			Rows: ir.Rows{
				From: authors, Where: ir.Exists{From: call, Where: compare(title, ir.OpEq, literalOf(title, "x"))},
				OrderBy: []ir.OrderItem{{Target: ir.OrderAggregate{From: call, Function: "count"}}, asc(id)},
			},
			Fields: with(fields(id), "written", called(ir.Rows{
				From: call, Where: compare(published, ir.OpEq, literalOf(published, "true")),
				OrderBy: []ir.OrderItem{asc(title)}, MaxRows: 10,
			}, with(fields(title), "author", one(authors, toAuthor, false, fields(name))))),
		}},
		{"a page of the rows of a function", &ir.Select{Rows: ir.Rows{From: authors}, Fields: with(fields(id), "written",
			called(ir.Rows{From: call, OrderBy: []ir.OrderItem{asc(title)}, Limit: limit, Offset: number("2")}, fields(title)))}},
		{"distinct rows of a function", &ir.Select{Rows: ir.Rows{From: authors}, Fields: with(fields(id), "written",
			called(ir.Rows{From: call, DistinctOn: []ir.Expr{published}, OrderBy: []ir.OrderItem{asc(published), asc(title)}}, fields(title)))}},
		{"rows of a function of a related row", &ir.Select{Rows: ir.Rows{From: articles}, Fields: with(fields(id), "author", one(authors, toAuthor, true,
			with(fields(name), "written", called(ir.Rows{From: call}, fields(title)))))}},
		{"a native query", &ir.Select{Rows: ir.Rows{From: ir.NativeQuery{
			Code:    []ir.Code{{Text: "SELECT id, name FROM hub.author WHERE id > "}, {Value: number("1")}, {Text: " -- all;"}},
			Columns: []ir.NativeColumn{{Name: "id", Type: id.Type}},
		}}, Fields: fields(id)}},
	}
}

// golden is the file of the statements; UPDATE_GOLDEN writes it.
var golden = filepath.Join("testdata", "statements.sql")

func TestStatements(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, p := range plans() {
		st, err := Dialect{}.RenderQuery(p.root, backend.RenderOptions{})
		require.NoError(t, err, p.name)
		s, err := statementOf(st)
		require.NoError(t, err)
		types := make([]string, len(s.params))
		for i, param := range s.params {
			types[i] = parameterName(i+1) + " " + rowOf(param.As.Type).boundAs()
			if param.As.List {
				types[i] = parameterName(i+1) + " ARRAY<" + rowOf(param.As.Type).boundAs() + ">"
			}
		}
		fmt.Fprintf(&b, "-- %s\n-- (%s)\n%s;\n\n", p.name, strings.Join(types, ", "), st.SQL())
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	root := &ir.Select{Rows: ir.Rows{From: authors, Limit: number("50")}, Fields: with(fields(id), "articles", many(ir.Rows{From: articles}, toArticles, fields(id)))}
	st, err := Dialect{Limit: 7}.RenderQuery(root, backend.RenderOptions{})
	require.NoError(t, err)
	require.Contains(t, st.SQL(), "LIMIT 7")
	require.Contains(t, st.SQL(), "ARRAY_AGG(STRUCT(c0 AS c0) LIMIT 7)")
	require.Zero(t, root.MaxRows, "the plan stays as it is")

	keys := ir.Keys{Columns: []ir.Column{authorID}, Ordinal: "ordinal"}
	st, err = Dialect{Limit: 7}.RenderQuery(&ir.Select{Rows: ir.Rows{From: keys}, Fields: fields(authorID)}, backend.RenderOptions{})
	require.NoError(t, err)
	require.NotContains(t, st.SQL(), "7", "each row of another source is answered")
}

func TestMutationsAreRefused(t *testing.T) {
	t.Parallel()
	_, err := Dialect{}.RenderMutation(&ir.Delete{}, backend.RenderOptions{})
	require.ErrorContains(t, err, "mutations are not supported")
}
