package postgres

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

func TestKeysOfLiveMatches(t *testing.T) {
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
	number := func(n int64) backend.RowKey { return backend.RowKey{Number: n} }
	for name, c := range map[string]struct {
		where ir.BoolExp
		// columns are all that decide, keys those of rows that matter to the cohort; nil when rows with any key may.
		columns []string
		keys    []backend.RowKey
	}{
		"by key":            {equals(id, variable), []string{"id"}, []backend.RowKey{number(3)}},
		"among others":      {and(other, greater, equals(id, variable)), []string{"price", "id"}, []backend.RowKey{number(1_500_000)}},
		"rule":              {and(ir.Rule{Exp: and(user)}, greater), []string{"owner", "id"}, []backend.RowKey{number(12)}},
		"a list":            {among(id, ids), []string{"id"}, []backend.RowKey{number(5), number(6)}},
		"an empty list":     {among(id, ir.Literal{Text: "{}", Type: integer, List: true}), []string{"id"}, []backend.RowKey{}},
		"a constant":        {open, []string{"open"}, []backend.RowKey{number(1)}},
		"constants":         {among(id, ir.Literal{Text: "{8,9}", Type: integer, List: true}), []string{"id"}, []backend.RowKey{number(8), number(9)}},
		"values before all": {and(open, among(id, ids), user), []string{"open", "id", "owner"}, []backend.RowKey{number(12)}},
		"a list before one": {and(open, among(id, ids)), []string{"open", "id"}, []backend.RowKey{number(5), number(6)}},
		"greater":           {greater, []string{"id"}, nil},
		"or":                {ir.Or{Exps: []ir.BoolExp{equals(id, variable), user}}, []string{"id", "owner"}, nil},
		"not":               {ir.Not{Exp: equals(id, variable)}, []string{"id"}, nil},
		"missing":           {ir.IsNull{Expr: id}, []string{"id"}, nil},
		"null is null":      {ir.Compare{Left: id, Op: ir.OpEq, Args: []ir.Value{variable}, NullSafe: true}, []string{"id"}, nil},
		"nothing":           {nil, nil, nil},
		"equal to a list":   {equals(id, ids), nil, nil},
		"cast":              {equals(ir.Cast{Expr: id, Type: long}, variable), nil, nil},
		"array":             {equals(ir.Column{Name: "id", Type: catalog.Type{Name: "int4", Dims: 1}}, variable), nil, nil},
		"domain":            {equals(ir.Column{Name: "id", Type: catalog.Type{Name: "int4", Domain: &catalog.Name{Name: "d"}}}, variable), nil, nil},
		"of related tables": {ir.Exists{From: ir.Table{Name: public("b")}, Where: equals(id, variable)}, nil, nil},
	} {
		rows := ir.Rows{From: ir.Table{Name: public("a")}, Where: c.where}
		selected := &ir.Select{Rows: rows, Fields: []ir.Field{{Alias: "id", Value: ir.Scalar{Expr: id, Type: integer}}}}
		s, err := (&Dialect{}).RenderLive(ir.Live{Roots: []ir.Root{selected}}, backend.RenderOptions{})
		require.NoError(t, err, name)
		match := s.(backend.LiveMatcher).Match() //nolint:forcetypeassert // fails the test
		if c.columns == nil {
			require.Nil(t, match, name)
			continue
		}
		require.NotNil(t, match, name)
		var columns []string
		for _, column := range match.Columns() {
			columns = append(columns, column.Name)
		}
		require.Equal(t, public("a"), match.Table(), name)
		require.Equal(t, c.columns, columns, name)
		values, err := s.Bind(cohort)
		require.NoError(t, err, name)
		keys, ok := match.Test(values).Keys()
		require.Equal(t, c.keys != nil, ok, name)
		require.ElementsMatch(t, c.keys, keys, name)
	}
	function := &ir.Select{Rows: ir.Rows{From: ir.Function{Name: public("f")}, Where: equals(id, variable)}}
	require.Nil(t, matchOf(ir.Live{Roots: []ir.Root{function}}, nil))
}

// TestTestsOfLiveMatches decides by the values of a cohort and images of rows.
func TestTestsOfLiveMatches(t *testing.T) {
	t.Parallel()
	integer := catalog.Type{Name: "int4"}
	where := ir.And{Exps: []ir.BoolExp{
		ir.Compare{Left: ir.Column{Name: "owner", Type: integer}, Op: ir.OpEq, Args: []ir.Value{ir.SessionVar{Name: "x-engine-user-id", Type: integer}}},
		ir.Compare{Left: ir.Column{Name: "n", Type: integer}, Op: ir.OpGte, Args: []ir.Value{ir.Variable{Type: integer}}},
	}}
	selected := &ir.Select{Rows: ir.Rows{From: ir.Table{Name: public("a")}, Where: where}}
	s, err := (&Dialect{}).RenderLive(ir.Live{Roots: []ir.Root{selected}}, backend.RenderOptions{})
	require.NoError(t, err)
	match := s.(backend.LiveMatcher).Match() //nolint:forcetypeassert // fails the test
	values, err := s.Bind(backend.Args{Session: as("user", map[string]string{"x-engine-user-id": "12"}), Variables: [][]byte{[]byte("5")}})
	require.NoError(t, err)
	test := match.Test(values)
	text := func(s string) backend.Cell { return backend.Cell{State: backend.CellText, Text: s} }
	null, unknown := backend.Cell{}, backend.Cell{State: backend.CellUnknown}
	for _, c := range []struct {
		owner, n backend.Cell
		key      backend.RowKey
		keyed    bool
		maybe    bool
	}{
		{text("12"), text("5"), backend.RowKey{Number: 12}, true, true},
		{text("12"), text("4"), backend.RowKey{Number: 12}, true, false},
		{text("12"), unknown, backend.RowKey{Number: 12}, true, true},
		{text("12"), null, backend.RowKey{Number: 12}, true, false},
		{text("13"), text("5"), backend.RowKey{Number: 13}, true, false},
		{null, text("5"), backend.RowKey{Null: true}, true, false},
		{unknown, text("5"), backend.RowKey{}, false, true},
		{unknown, text("4"), backend.RowKey{}, false, false},
	} {
		image := match.Image([]backend.Cell{c.owner, c.n})
		key, keyed := image.Key()
		require.Equal(t, c.keyed, keyed, c)
		require.Equal(t, c.key, key, c)
		require.Equal(t, c.maybe, test.Maybe(image), c)
	}
}

func TestItemsOfLists(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]int{
		`{}`: 0, `{1,2}`: 2, `{NULL}`: 1, `{" 7 "}`: 1, `1`: -1, `{{1},{2}}`: 2, `{` + strings.Repeat("1,", mostTexts) + `1}`: -1,
	} {
		items, ok := itemsOf([]byte(list))
		require.Equal(t, want >= 0, ok, list)
		if ok {
			require.Len(t, items, want, list)
		}
	}
	_, ok := itemsOf(nil)
	require.False(t, ok, "nothing is known of NULL")
}
