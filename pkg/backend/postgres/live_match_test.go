package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

func TestLiveMatch(t *testing.T) {
	t.Parallel()
	integer, long := catalog.Type{Name: "int4"}, catalog.Type{Name: "int8"}
	id := ir.Column{Name: "id", Type: integer}
	variable := ir.Variable{Index: 3, Type: integer}
	equals := func(left ir.Expr, right ir.Value) ir.Compare {
		return ir.Compare{Left: left, Op: ir.OpEq, Args: []ir.Value{right}}
	}
	user := equals(ir.Column{Name: "owner", Type: long}, ir.SessionVar{Name: "x-engine-user-id", Type: long})
	other := equals(ir.Column{Name: "price", Type: catalog.Type{Name: "numeric"}}, ir.Variable{Index: 4, Type: catalog.Type{Name: "numeric"}})
	greater := ir.Compare{Left: id, Op: ir.OpGt, Args: []ir.Value{variable}}
	and := func(list ...ir.BoolExp) ir.BoolExp { return ir.And{Exps: list} }
	for name, c := range map[string]struct {
		where  ir.BoolExp
		column string
	}{
		"by key":            {equals(id, variable), "id"},
		"among others":      {and(other, greater, equals(id, variable)), "id"},
		"rule":              {and(ir.Rule{Exp: and(user)}, greater), "owner"},
		"nothing":           {nil, ""},
		"greater":           {greater, ""},
		"or":                {ir.Or{Exps: []ir.BoolExp{equals(id, variable), user}}, ""},
		"not":               {ir.Not{Exp: equals(id, variable)}, ""},
		"another type":      {other, ""},
		"the same for all":  {equals(id, ir.Literal{Text: "1", Type: integer}), ""},
		"null is null":      {ir.Compare{Left: id, Op: ir.OpEq, Args: []ir.Value{variable}, NullSafe: true}, ""},
		"a list":            {equals(id, ir.Variable{Index: 3, Type: integer, List: true}), ""},
		"cast":              {equals(ir.Cast{Expr: id, Type: long}, variable), ""},
		"array":             {equals(ir.Column{Name: "id", Type: catalog.Type{Name: "int4", Dims: 1}}, variable), ""},
		"domain":            {equals(ir.Column{Name: "id", Type: catalog.Type{Name: "int4", Domain: &catalog.Name{Name: "d"}}}, variable), ""},
		"of related tables": {ir.Exists{From: ir.Table{Name: public("b")}, Where: equals(id, variable)}, ""},
	} {
		rows := ir.Rows{From: ir.Table{Name: public("a")}, Where: c.where}
		selected := &ir.Select{Rows: rows, Fields: []ir.Field{{Alias: "id", Value: ir.Scalar{Expr: id, Type: integer}}}}
		s, err := (&Dialect{}).RenderLive(ir.Live{Roots: []ir.Root{selected}}, backend.RenderOptions{})
		require.NoError(t, err, name)
		match := s.(backend.LiveMatcher).Match() //nolint:forcetypeassert // fails the test
		if c.column == "" {
			require.Nil(t, match, name)
			continue
		}
		require.NotNil(t, match, name)
		require.Equal(t, []any{public("a"), c.column}, []any{match.Table, match.Column}, name)
		from := s.Columns()[match.Value]
		require.True(t, from.Variable == 3 || from.Session == "x-engine-user-id", name)
		if c.column == "owner" {
			require.Equal(t, "x-engine-user-id", from.Session, name)
		}
	}
	function := &ir.Select{Rows: ir.Rows{From: ir.Function{Name: public("f")}, Where: equals(id, variable)}}
	require.Nil(t, matchOf(ir.Live{Roots: []ir.Root{function}}, nil))
}

func TestCanonicalValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, value, want string }{
		{"int4", "7", "7"},
		{"int4", " +007 ", "7"},
		{"int8", "-0", "0"},
		{"int2", "0x10", ""},
		{"int2", "1_000", ""},
		{"int2", "", ""},
		{"uuid", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"uuid", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", ""},
		{"uuid", "a0eebc999c0b4ef8bb6d6bb9bd380a11", ""},
		{"uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1x", ""},
		{"text", " A ", " A "},
		{"varchar", "ä", "ä"},
	} {
		got, ok := canonicals[c.kind]([]byte(c.value))
		require.Equal(t, c.want != "", ok, c)
		if ok {
			require.Equal(t, c.want, got, c)
		}
	}
	for kind, canonical := range canonicals {
		_, ok := canonical(nil)
		require.False(t, ok, kind)
	}
}
