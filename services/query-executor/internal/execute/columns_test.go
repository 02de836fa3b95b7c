package execute

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

func TestColumnsOf(t *testing.T) {
	t.Parallel()
	name := func(s string) catalog.Name { return catalog.Name{Schema: "public", Name: s} }
	table := func(s string) ir.Table { return ir.Table{Name: name(s)} }
	column := func(s string) ir.Column { return ir.Column{Name: s} }
	join := func(outer, inner string) []ir.JoinPair { return []ir.JoinPair{{Outer: outer, Inner: inner}} }
	equals := func(s string) ir.BoolExp { return ir.Compare{Left: column(s), Op: ir.OpEq} }
	artists := &ir.Select{
		Rows: ir.Rows{
			From: table("artist"),
			Where: ir.And{Exps: []ir.BoolExp{
				ir.Rule{Exp: ir.Not{Exp: ir.Exists{From: table("ban"), Join: join("id", "artist"), Where: ir.And{Exps: []ir.BoolExp{
					ir.CompareColumn{Left: column("country"), Right: ir.Column{Name: "origin", Root: true}},
					ir.Rule{Exp: ir.IsNull{Expr: ir.Column{Name: "lifted", Root: true}}},
				}}}}},
				ir.AggregateCompare{From: table("prize"), Join: join("key", "winner"), Args: []ir.Expr{column("worth")}, Filter: equals("year")},
			}},
			DistinctOn: []ir.Expr{column("city")},
			OrderBy: []ir.OrderItem{
				{Target: ir.OrderRelated{From: table("label"), Join: join("label", "id"), Where: equals("open"), Target: ir.OrderExpr{Expr: column("name")}}},
				{Target: ir.OrderAggregate{From: table("fan"), Join: join("code", "of"), Where: equals("active"), Expr: column("age")}},
			},
		},
		Fields: []ir.Field{
			{Alias: "a", Value: ir.Scalar{Expr: ir.Redacted{Expr: column("phone"), When: equals("public")}}},
			{Alias: "b", Value: &ir.NodeID{Table: name("artist"), Key: []ir.Column{column("id")}}},
			{Alias: "c", Value: &ir.Nested{Join: join("id", "artist"), Root: &ir.Aggregate{
				Rows: ir.Rows{From: table("album"), Where: equals("released")},
				Fields: []ir.AggregateField{
					{Alias: "d", Value: ir.Aggregates{{Alias: "e", Value: &ir.Count{Args: []ir.Expr{column("genre")}}}}},
					{Alias: "f", Value: ir.Nodes{{Alias: "g", Value: ir.Scalar{Expr: ir.Cast{Expr: column("title")}}}}},
				},
			}}},
			{Alias: "h", Value: &ir.Nested{Join: join("id", "artist"), Root: &ir.Connection{
				Rows:   ir.Rows{From: table("tour"), OrderBy: []ir.OrderItem{{Target: ir.OrderExpr{Expr: column("begins")}}}},
				Fields: []ir.ConnectionField{{Alias: "i", Value: ir.Edges{{Alias: "j", Value: ir.Node{{Alias: "k", Value: ir.Scalar{Expr: column("ends")}}}}}}},
			}}},
		},
	}
	found := columnsOf([]ir.Root{artists})
	want := map[string][]string{
		"artist": {"id", "origin", "key", "city", "label", "code", "phone", "public"}, "ban": {"artist", "country", "lifted"},
		"prize": {"winner", "worth", "year"}, "label": {"id", "open", "name"}, "fan": {"of", "active", "age"},
		"album": {"artist", "released", "genre", "title"}, "tour": {"artist", "begins", "ends"},
	}
	require.Len(t, found, len(want))
	for table, columns := range want {
		require.ElementsMatch(t, columns, found[name(table)], table)
	}
	search := &ir.Select{Rows: ir.Rows{From: ir.Function{Name: name("search")}}}
	require.Nil(t, columnsOf([]ir.Root{artists, search}))
}
