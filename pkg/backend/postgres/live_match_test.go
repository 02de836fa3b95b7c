package postgres

import (
	"strings"
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
	among := func(left ir.Expr, right ir.Value) ir.Compare {
		return ir.Compare{Left: left, Op: ir.OpIn, Args: []ir.Value{right}}
	}
	ids := ir.Variable{Index: 5, Type: integer, List: true}
	open := equals(ir.Column{Name: "open", Type: catalog.Type{Name: "bool"}}, ir.Literal{Text: "true", Type: catalog.Type{Name: "bool"}})
	// The values of the cohort.
	cohort := backend.Args{
		Session:   as("user", map[string]string{"x-engine-user-id": "12"}),
		Variables: [][]byte{nil, nil, nil, []byte(" 3"), []byte("1.5"), []byte("{5,NULL,006}")},
	}
	and := func(list ...ir.BoolExp) ir.BoolExp { return ir.And{Exps: list} }
	for name, c := range map[string]struct {
		where  ir.BoolExp
		column string
		texts  []string
	}{
		"by key":            {equals(id, variable), "id", []string{"3"}},
		"among others":      {and(other, greater, equals(id, variable)), "id", []string{"3"}},
		"rule":              {and(ir.Rule{Exp: and(user)}, greater), "owner", []string{"12"}},
		"a list":            {among(id, ids), "id", []string{"5", "6"}},
		"an empty list":     {among(id, ir.Literal{Text: "{}", Type: integer, List: true}), "id", []string{}},
		"a constant":        {open, "open", []string{"t"}},
		"constants":         {among(id, ir.Literal{Text: "{8,9}", Type: integer, List: true}), "id", []string{"8", "9"}},
		"values before all": {and(open, among(id, ids), user), "owner", []string{"12"}},
		"a list before one": {and(open, among(id, ids)), "id", []string{"5", "6"}},
		"nothing":           {nil, "", nil},
		"greater":           {greater, "", nil},
		"or":                {ir.Or{Exps: []ir.BoolExp{equals(id, variable), user}}, "", nil},
		"not":               {ir.Not{Exp: equals(id, variable)}, "", nil},
		"another type":      {other, "", nil},
		"null is null":      {ir.Compare{Left: id, Op: ir.OpEq, Args: []ir.Value{variable}, NullSafe: true}, "", nil},
		"equal to a list":   {equals(id, ids), "", nil},
		"cast":              {equals(ir.Cast{Expr: id, Type: long}, variable), "", nil},
		"array":             {equals(ir.Column{Name: "id", Type: catalog.Type{Name: "int4", Dims: 1}}, variable), "", nil},
		"domain":            {equals(ir.Column{Name: "id", Type: catalog.Type{Name: "int4", Domain: &catalog.Name{Name: "d"}}}, variable), "", nil},
		"of related tables": {ir.Exists{From: ir.Table{Name: public("b")}, Where: equals(id, variable)}, "", nil},
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
		values, err := s.Bind(cohort)
		require.NoError(t, err, name)
		texts, ok := match.Texts(values)
		require.True(t, ok, name)
		require.Equal(t, c.texts, texts, name)
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
		{"bool", "true", "t"},
		{"bool", "F", "f"},
		{"bool", "yes", ""},
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

func TestListsOfCanonicalValues(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		`{}`: {}, `{1,2}`: {"1", "2"}, `{NULL}`: {}, `{" 7 "}`: {"7"}, `{x}`: nil, `1`: nil, `{{1},{2}}`: {"1", "2"},
		`{` + strings.Repeat("1,", mostTexts) + `1}`: nil,
	} {
		texts, ok := canonicalTexts([]byte(list), true, canonicalInteger)
		require.Equal(t, want != nil, ok, list)
		if ok {
			require.Equal(t, want, texts, list)
		}
	}
	_, ok := canonicalTexts(nil, true, canonicalInteger)
	require.False(t, ok, "nothing is known of NULL")
}
