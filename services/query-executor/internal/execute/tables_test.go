package execute

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

func TestTablesOf(t *testing.T) {
	t.Parallel()
	name := func(s string) catalog.Name { return catalog.Name{Schema: "public", Name: s} }
	table := func(s string) ir.Table { return ir.Table{Name: name(s)} }
	artists := &ir.Select{
		Rows: ir.Rows{
			From:  table("artist"),
			Where: ir.Rule{Exp: ir.And{Exps: []ir.BoolExp{ir.Not{Exp: ir.Exists{From: table("ban")}}}}},
			OrderBy: []ir.OrderItem{{Target: ir.OrderRelated{
				From: table("label"), Target: ir.OrderExpr{Expr: ir.Column{Name: "name"}},
			}}},
		},
		Fields: []ir.Field{{Alias: "albums", Value: &ir.Nested{Root: &ir.Aggregate{Rows: ir.Rows{From: table("album")}}}}},
	}
	require.ElementsMatch(t, []catalog.Name{name("artist"), name("ban"), name("label"), name("album")}, findTables([]ir.Root{artists}).list())
	search := &ir.Select{Rows: ir.Rows{From: ir.Function{Name: name("search")}}}
	require.Nil(t, findTables([]ir.Root{artists, search}).list())
	computed := &ir.Select{Rows: ir.Rows{From: table("artist")}, Fields: []ir.Field{{Alias: "x", Value: ir.Scalar{Expr: ir.Call{Function: name("x")}}}}}
	require.Nil(t, findTables([]ir.Root{computed}).list())
}
