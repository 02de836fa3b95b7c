package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/resolve"
)

// withFunction is a source with albums and one tracked function.
func withFunction(t *testing.T, function string, db *catalog.Source, o resolve.Options) *resolve.Schema {
	doc := documentWith(t, `"functions":[`+function+`],`, tracked(albumTable[:len(`{"table":"album"`)],
		`"select_permissions":[{"role":"buyer","permission":{"columns":["id"],"filter":{}}},{"role":"clerk","permission":{"columns":["id"],"filter":{}}}]`))
	return resolve.Build(doc, map[string]*catalog.Source{"default": db}, nil, nil, o)
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	db := shop()
	db.Functions[public("find_albums")][0].Defaults = 1
	s := withFunction(t, `{"function":"find_albums"}`, db, options())
	require.Empty(t, s.Inconsistencies())
	f := s.Source("default").Functions[0]
	require.Equal(t, "find_albums", f.Field.Name)
	require.Equal(t, `execute function "find_albums" which returns "album"`, *f.Field.Description())
	require.Equal(t, "find_albums_aggregate", f.AggregateField.Name)
	require.Equal(t, `execute function "find_albums" and query aggregates on result of table type "album"`, *f.AggregateField.Description())
	require.Equal(t, "find_albums_args", f.ArgsType)
	require.Same(t, table(s, "album"), f.Returns)
	require.False(t, f.Mutation)
	require.Equal(t, -1, f.SessionArg)
	require.Len(t, f.Args, 2)
	require.Equal(t, "search", f.Args[0].Field)
	require.False(t, f.Args[0].Optional)
	require.Equal(t, "arg_1", f.Args[1].Field)
	require.True(t, f.Args[1].Optional)
}

func TestFunctionCustomisation(t *testing.T) {
	t.Parallel()
	db := shop()
	db.Functions[public("make_albums")] = []*catalog.Function{function("make_albums", "setof album", arg("s", "json"))}
	db.Functions[public("make_albums")][0].Volatility = catalog.Volatile
	s := withFunction(t, `{"function":"make_albums","comment":"mind","configuration":{"custom_name":"Make","session_argument":"s"}},
		{"function":"find_albums","configuration":{"custom_name":"Find","custom_root_fields":{"function":"look","function_aggregate":"lookAll"}}}`, db, options())
	require.Empty(t, s.Inconsistencies())
	find, create := s.Source("default").Functions[0], s.Source("default").Functions[1]
	require.Equal(t, []string{"look", "lookAll", "Find_args"}, []string{find.Field.Name, find.AggregateField.Name, find.ArgsType})
	require.Equal(t, "Make", create.Field.Name)
	require.True(t, create.Mutation)
	require.Equal(t, "mind", *create.Field.Description())
	require.Zero(t, create.SessionArg)
	require.Empty(t, create.Args)
}

func TestFunctionNamesFollowTheConvention(t *testing.T) {
	t.Parallel()
	o := options()
	o.NamingConventionEnabled, o.DefaultNamingConvention = true, "graphql-default"
	f := withFunction(t, `{"function":"find_albums"}`, shop(), o).Source("default").Functions[0]
	require.Equal(t, []string{"findAlbums", "findAlbumsAggregate", "findAlbumsArgs"}, []string{f.Field.Name, f.AggregateField.Name, f.ArgsType})
}

func TestFunctionPermissions(t *testing.T) {
	t.Parallel()
	explicit := options()
	explicit.InferFunctionPermissions = false
	const query = `{"function":"find_albums","permissions":[{"role":"clerk"}]}`
	const mutation = `{"function":"find_albums","configuration":{"exposed_as":"mutation"},"permissions":[{"role":"clerk"}]}`
	volatile := shop()
	volatile.Functions[public("find_albums")][0].Volatility = catalog.Volatile
	for name, c := range map[string]struct {
		s            *resolve.Schema
		buyer, clerk bool
	}{
		"inferred query":    {withFunction(t, query, shop(), options()), true, true},
		"explicit query":    {withFunction(t, query, shop(), explicit), false, true},
		"inferred mutation": {withFunction(t, mutation, volatile, options()), false, true},
	} {
		require.Empty(t, c.s.Inconsistencies(), name)
		f := c.s.Source("default").Functions[0]
		require.True(t, f.Allowed("admin"), name)
		require.Equal(t, c.buyer, f.Allowed("buyer"), name)
		require.Equal(t, c.clerk, f.Allowed("clerk"), name)
	}
	s := withFunction(t, `{"function":"find_albums","permissions":[{"role":"stranger"}]}`, shop(), options())
	require.JSONEq(t, `[{"type":"function_permission","name":"function_permission stranger permission for function find_albums in source default",
		"reason":"Inconsistent object: no select permission defined on table \"album\" for role \"stranger\"",
		"definition":{"function":{"schema":"public","name":"find_albums"},"source":"default","role":"stranger"}}]`, dump(t, s.Inconsistencies()))
}

func TestFunctionProblems(t *testing.T) {
	t.Parallel()
	variadic := function("f", "setof album", arg("x", "text[]"))
	variadic.Variadic = true
	composite := function("f", "pair")
	composite.Return.Kind = catalog.TypeComposite
	const refused = `in function "f": the function "f" cannot be tracked `
	for _, c := range []struct {
		configuration string
		functions     []*catalog.Function
		want          string
	}{
		{`{}`, nil, `in function "f": no such function exists: "f"`},
		{`{}`, []*catalog.Function{variadic, composite}, `in function "f": function "f" is overloaded. Overloaded functions are not supported`},
		{`{}`, []*catalog.Function{variadic}, refused + `because function with "VARIADIC" parameters are not supported`},
		{`{}`, []*catalog.Function{composite}, refused + `because the function does not return a table`},
		{`{}`, []*catalog.Function{function("f", "int4")}, refused + "for the following reasons:\n  • the function does not return a \"COMPOSITE\" type\n  • the function does not return a table\n"},
		{`{"exposed_as":"mutation"}`, []*catalog.Function{function("f", "setof album")}, refused +
			`because the function was requested to be exposed as a mutation, but is not marked VOLATILE. Maybe the function was given the wrong volatility when it was defined?`},
		{`{"session_argument":"s"}`, []*catalog.Function{function("f", "setof album", arg("s", "text"))}, refused + `because given session argument "s" is not of type json`},
		{`{"session_argument":"s"}`, []*catalog.Function{function("f", "setof album")}, refused + `because given session argument "s" not the input argument of the function`},
		{`{}`, []*catalog.Function{function("f", "setof album", arg("a b", "text"), arg("c", "text"), arg("d-e", "text"))}, refused +
			`because the function arguments a b,d-e are not in compliance with GraphQL spec`},
		{`{}`, []*catalog.Function{function("f", "setof staff")}, `table "staff" is not tracked`},
	} {
		db := shop()
		db.Functions[public("f")] = c.functions
		s := withFunction(t, `{"function":"f","configuration":`+c.configuration+`}`, db, options())
		require.Equal(t, []string{c.want}, problems(s))
		require.Empty(t, s.Source("default").Functions)
	}
	db := shop()
	db.Functions[public("f g")] = []*catalog.Function{function("f g", "setof album")}
	require.Equal(t, []string{`in function "f g": the function "f g" cannot be tracked because function name is not a legal GraphQL identifier`},
		problems(withFunction(t, `{"function":"f g"}`, db, options())))
	require.Empty(t, withFunction(t, `{"function":"f g","configuration":{"custom_name":"fg"}}`, db, options()).Inconsistencies())
}
