package rewrite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// The rows of the tests: lines of invoices, which belong to a user.
var (
	invoice = catalog.Name{Schema: "public", Name: "invoice"}
	toLines = []ir.JoinPair{{Outer: "id", Inner: "invoice_id"}}
	back    = []ir.JoinPair{{Outer: "invoice_id", Inner: "id"}}
)

func column(name string) ir.Column { return ir.Column{Name: name, Type: catalog.Type{Name: "int4"}} }

func ownedBy(user string) ir.BoolExp {
	return ir.Compare{Left: column("user_id"), Op: "_eq", Args: []ir.Value{ir.SessionVar{Name: user}}}
}

func ofInvoice(where ir.BoolExp) ir.Exists {
	return ir.Exists{From: ir.Table{Name: invoice}, Join: back, Unique: true, Where: where}
}

// What the row of an invoice satisfies isn't asked of it again from its lines, however the
// conditions are put together.
func TestOpenLeavesOutWhatIsKnown(t *testing.T) {
	t.Parallel()
	cheap := ir.Compare{Left: column("price"), Op: "_lt", Args: []ir.Value{ir.Literal{Text: "3"}}}
	known := Know(ir.Table{Name: invoice}, ir.And{Exps: []ir.BoolExp{ir.Rule{Exp: ownedBy("x-engine-user-id")}, cheap}})
	nothing := ir.And{}

	require.Equal(t, nothing, Open(ofInvoice(ownedBy("x-engine-user-id")), toLines, &known))
	require.Equal(t, nothing, Open(ofInvoice(nil), toLines, &known))
	require.Equal(t, ir.Rule{Exp: ir.And{Exps: []ir.BoolExp{nothing, cheap}}},
		Open(ir.Rule{Exp: ir.And{Exps: []ir.BoolExp{ofInvoice(ir.Rule{Exp: ownedBy("x-engine-user-id")}), cheap}}}, toLines, &known))
}

func TestOpenKeepsWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	known := Know(ir.Table{Name: invoice}, ownedBy("x-engine-user-id"))
	mine := ofInvoice(ownedBy("x-engine-user-id"))
	elsewhere := mine
	elsewhere.Join = []ir.JoinPair{{Outer: "corrected_id", Inner: "id"}}
	for name, where := range map[string]ir.BoolExp{
		"another condition": ofInvoice(ownedBy("x-engine-team-id")),
		"another join":      elsewhere,
		"a negation":        ir.Not{Exp: mine},
		"a choice":          ir.Or{Exps: []ir.BoolExp{mine, ownedBy("x-engine-team-id")}},
	} {
		require.Equal(t, where, Open(where, toLines, &known), name)
	}
	require.Equal(t, ir.BoolExp(mine), Open(mine, toLines, nil), "no outer row")
	require.Equal(t, ir.BoolExp(mine), Open(mine, nil, &known), "no join")
	unknown := Know(ir.Function{Name: invoice}, ownedBy("x-engine-user-id"))
	require.Equal(t, ir.BoolExp(mine), Open(mine, toLines, &unknown), "rows of a function")
}

// The root of a rule is another row in another rule, so what is compared with it is not known.
func TestKnowLeavesOutComparisonsWithTheRoot(t *testing.T) {
	t.Parallel()
	root := column("user_id")
	root.Root = true
	same := ir.CompareColumn{Left: column("user_id"), Op: "_eq", Right: root}
	known := Know(ir.Table{Name: invoice}, ir.And{Exps: []ir.BoolExp{same, ownedBy("x-engine-user-id")}})
	require.False(t, known.Satisfies(same))
	require.True(t, known.Satisfies(ownedBy("x-engine-user-id")))
}

func TestAlong(t *testing.T) {
	t.Parallel()
	equal := func(name string) ir.BoolExp {
		return ir.Compare{Left: column(name), Op: ir.OpEq, Args: []ir.Value{ir.Literal{Text: "3"}}}
	}
	join := []ir.JoinPair{{Outer: "tenant_id", Inner: "owner"}, {Outer: "id", Inner: "invoice_id"}}
	known := Know(ir.Table{Name: invoice}, ir.And{Exps: []ir.BoolExp{ir.Rule{Exp: equal("tenant_id")}, equal("price"), ir.Not{Exp: equal("id")}}})
	require.Equal(t, ir.And{Exps: []ir.BoolExp{equal("owner")}}, Along(nil, join, &known))
	require.Equal(t, ir.And{Exps: []ir.BoolExp{equal("owner"), equal("price")}}, Along(equal("price"), join, &known))
	require.Equal(t, equal("price"), Along(equal("price"), join[1:], &known))
	require.Nil(t, Along(nil, join, &Known{}))
}
