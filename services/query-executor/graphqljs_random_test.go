package queryexecutor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/nodetest"
	"queryengine/pkg/remoteschema/remotetest"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/testlong"
	"queryengine/services/query-executor/internal/schema"
)

// TestRandomSchemas holds for random models full of odd names that each role's schema has one meaning for each name, that graphql-js takes
// what introspection answers, also for Relay, and that Apollo composes the text for federation.
func TestRandomSchemas(t *testing.T) {
	t.Parallel()
	dir := nodetest.Install(t, "testdata/graphqljs")
	seed := testlong.Seed(t, 37)
	var schemas []checkedSchema
	for i := range testlong.Of(8, 400) {
		m := &oddModel{Rand: rand.New(rand.NewPCG(seed, uint64(i))), t: t} //nolint:gosec // no secret
		resolved := m.schema()
		t.Cleanup(func() {
			if t.Failed() && os.Getenv(testlong.SeedVariable) != "" {
				t.Logf("model %d:\n%s", i, m.text)
			}
		})
		for _, role := range []string{session.Admin, "clerk", "agent"} {
			for _, o := range []schema.Options{{Federation: true}, {Relay: true}, {ArrayScalars: true, HideStreamFields: true}} {
				r := schema.New(resolved, role, o)
				name := fmt.Sprintf("model %d as %s, federation %t, relay %t", i, role, o.Federation, o.Relay)
				requireOneMeaning(t, name, r)
				s := checkedSchema{Name: name, Introspection: introspection(t, r)}
				if o.Federation {
					var service struct{ SDL string }
					require.NoError(t, json.Unmarshal(introspected(t, r, "{ _service { sdl } }"), &service))
					s.SDL = service.SDL
				}
				schemas = append(schemas, s)
			}
		}
		if len(schemas) > 200 || i == testlong.Of(8, 400)-1 {
			require.JSONEq(t, "[]", string(checkSchemas(t, dir, schemas)))
			schemas = nil
		}
	}
}

// requireOneMeaning holds that no name has two meanings: of types in the schema, and of members in a type.
func requireOneMeaning(t *testing.T, name string, r *schema.Role) {
	t.Helper()
	known := map[string]string{}
	seen := map[*schema.Type]bool{}
	var visit func(*schema.Type)
	inputs := func(list []schema.Input) (out []string) {
		for i := range list {
			out = append(out, list[i].Name+": "+list[i].Type.String())
		}
		return out
	}
	visit = func(of *schema.Type) {
		if of == nil || seen[of] {
			return
		}
		seen[of] = true
		members := inputs(of.Inputs())
		for _, f := range of.Fields() {
			arguments := inputs(f.Args())
			requireDistinct(t, arguments, name+": arguments of "+of.Name+"."+f.Name)
			members = append(members, f.Name+": "+f.Type.String()+"("+strings.Join(arguments, ", ")+")")
		}
		for _, v := range of.Values() {
			members = append(members, v.Name)
		}
		for _, p := range of.Possible() {
			members = append(members, p.Name)
		}
		requireDistinct(t, members, name+": members of "+of.Name)
		slices.Sort(members)
		meaning := fmt.Sprint(of.Kind, members)
		if other, ok := known[of.Name]; ok {
			require.Equal(t, other, meaning, "%s: type %s", name, of.Name)
		}
		known[of.Name] = meaning
		for _, f := range of.Fields() {
			visit(f.Type.Named)
			for _, a := range f.Args() {
				visit(a.Type.Named)
			}
		}
		for _, a := range of.Inputs() {
			visit(a.Type.Named)
		}
		for _, p := range append(of.Possible(), of.Interfaces()...) {
			visit(p)
		}
	}
	for _, root := range append(r.MetaTypes(), r.Query(), r.Mutation(), r.Subscription()) {
		visit(root)
	}
}

func requireDistinct(t *testing.T, members []string, name string) {
	t.Helper()
	seen := map[string]bool{}
	for _, m := range members {
		m, _, _ = strings.Cut(m, ":")
		require.False(t, seen[m], "%s: %s is there twice", name, m)
		seen[m] = true
	}
}

// oddModel makes a model of names that are taken elsewhere, or nearly so.
type oddModel struct {
	*rand.Rand
	t      *testing.T
	text   string // the metadata
	tables []string
}

var (
	oddNames = []string{
		"x", "x_avg", "x_max", "x_updates", "x_aggregate", "x_enum", "x_constraint", "x_order_by", "x_y_fields", "y", "order", "order_by", "user", "userEdge", "userConnection",
		"Int", "String", "Float", "Boolean", "ID", "date", "numeric", "text", "jsonb", "Node", "PageInfo", "query_root", "subscription_root",
		"String_comparison_exp", "cursor_ordering", "__x", "__typename", "_Entity", "_Any", "_Service", "_entities", "_service", "node", "type", "input", "true", "null",
		"a b", "été", "mood", "_text", "x_args", "Result", "Given", "act", "no_queries_available", "xs", "b_x",
	}
	oddColumns = []string{
		"id", "a", "b", "_and", "_or", "_not", "_exists", "__c", "where", "count", "node", "aggregate", "nodes", "a b", "_PLACEHOLDER", "type", "x", "x_aggregate", "columns",
		"_is_null", "created_at", "createdAt", "affected_rows", "returning", "data", "cursor",
	}
	oddTypes = []string{"int4", "text", "numeric", "date", "jsonb", "bool", "timestamptz", "uuid", "int8", "float8", "text[]", "mood", "x", "geometry", "ltree", "json"}
)

func (m *oddModel) pick(list []string) string { return list[m.IntN(len(list))] }

func (m *oddModel) some(list []string, n int) []string {
	list = slices.Clone(list)
	m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, len(list))]
}

func (m *oddModel) chance(percent int) bool { return m.IntN(100) < percent }

func (m *oddModel) columnType() catalog.Type {
	name := m.pick(oddTypes)
	c := catalog.Type{Name: strings.TrimSuffix(name, "[]")}
	if c.Name != name {
		c.Dims = 1
	}
	if c.Name == "mood" || c.Name == "x" {
		c.Kind, c.Schema = catalog.TypeEnum, "public"
	}
	return c
}

func (m *oddModel) table(name string) *catalog.Table {
	c := &catalog.Table{
		Name: catalog.Name{Schema: "public", Name: name}, Kind: catalog.KindTable, Insertable: m.chance(80), Updatable: m.chance(80), Deletable: true, RowEstimate: -1,
	}
	for i, column := range m.some(oddColumns, 1+m.IntN(6)) {
		c.Columns = append(c.Columns, &catalog.Column{Name: column, ID: strconv.Itoa(i + 1), Type: m.columnType(), Nullable: m.chance(50)})
	}
	if m.chance(80) {
		c.PrimaryKey = &catalog.Constraint{Name: m.pick([]string{name + "_pkey", "__key", "a b"}), Columns: []string{c.Columns[0].Name}}
	}
	return c
}

func (m *oddModel) permission(c *catalog.Table) map[string]any {
	columns := []string{}
	for _, column := range c.Columns {
		if m.chance(60) {
			columns = append(columns, column.Name)
		}
	}
	return map[string]any{"columns": columns, "filter": map[string]any{}}
}

// tracked is the metadata of a table.
func (m *oddModel) tracked(c *catalog.Table) map[string]any {
	t := map[string]any{"table": c.Name.Name}
	if m.chance(25) {
		t["configuration"] = map[string]any{"custom_name": m.pick(slices.DeleteFunc(slices.Clone(oddNames), func(n string) bool { return n == "a b" || n == "été" }))}
	}
	var rows, inserts, updates, deletes []any
	for _, role := range []string{"clerk", "agent"} {
		if m.chance(70) {
			p := m.permission(c)
			p["allow_aggregations"] = m.chance(50)
			rows = append(rows, map[string]any{"role": role, "permission": p})
		}
		if m.chance(40) {
			p := m.permission(c)
			inserts = append(inserts, map[string]any{"role": role, "permission": map[string]any{"columns": p["columns"], "check": map[string]any{}}})
		}
		if m.chance(40) {
			updates = append(updates, map[string]any{"role": role, "permission": m.permission(c)})
		}
		if m.chance(40) {
			deletes = append(deletes, map[string]any{"role": role, "permission": map[string]any{"filter": map[string]any{}}})
		}
	}
	t["select_permissions"], t["insert_permissions"], t["update_permissions"], t["delete_permissions"] = rows, inserts, updates, deletes
	t["apollo_federation_config"] = map[string]any{"enable": "v1"}
	var object, array []any
	for _, name := range m.some([]string{"x", "xs", "order_by", "__rel", "a", "node", "x_aggregate"}, m.IntN(3)) {
		to := map[string]any{"name": name, "using": map[string]any{"manual_configuration": map[string]any{
			"remote_table": m.pick(m.tables), "column_mapping": map[string]any{c.Columns[0].Name: c.Columns[0].Name},
		}}}
		if m.chance(50) {
			object = append(object, to)
		} else {
			array = append(array, to)
		}
	}
	t["object_relationships"], t["array_relationships"] = object, array
	return t
}

func (m *oddModel) source(name string, found map[string]*catalog.Source) map[string]any {
	db := &catalog.Source{Version: 150000, Tables: map[catalog.Name]*catalog.Table{}, Functions: map[catalog.Name][]*catalog.Function{}}
	m.tables = m.some(oddNames, 3+m.IntN(10))
	var tables, functions []any
	for _, table := range m.tables {
		c := m.table(table)
		db.Tables[c.Name] = c
	}
	for _, table := range m.tables {
		tables = append(tables, m.tracked(db.Tables[catalog.Name{Schema: "public", Name: table}]))
	}
	for _, function := range m.some(oddNames, m.IntN(3)) {
		of := catalog.Name{Schema: "public", Name: m.pick(m.tables)}
		f := &catalog.Function{
			Name: catalog.Name{Schema: "public", Name: function}, Volatility: catalog.Stable, ReturnsSet: true, ReturnTable: &of,
			Return: catalog.Type{Name: of.Name, Schema: "public", Kind: catalog.TypeComposite},
		}
		if m.chance(70) {
			f.Args = []catalog.Argument{{Name: m.pick(oddColumns), Type: m.columnType()}}
		}
		db.Functions[f.Name] = []*catalog.Function{f}
		functions = append(functions, map[string]any{"function": function})
	}
	found[name] = db
	s := map[string]any{
		"name": name, "kind": "postgres", "tables": tables, "functions": functions,
		"configuration": map[string]any{"connection_info": map[string]any{"database_url": "x"}},
	}
	model := m.pick(oddNames[:20])
	s["logical_models"] = []any{map[string]any{"name": model, "fields": []any{map[string]any{"name": m.pick(oddColumns), "type": "integer"}}}}
	s["native_queries"] = []any{map[string]any{"root_field_name": m.pick(oddNames[:20]), "code": "SELECT {{a}}", "returns": model, "arguments": map[string]any{"a": map[string]any{"type": "text"}}}}
	customization := map[string]any{}
	if m.chance(30) {
		customization["naming_convention"] = "graphql-default"
	}
	if m.chance(30) {
		customization["root_fields"] = map[string]any{"namespace": m.pick(oddNames[:9]), "prefix": m.pick([]string{"", "b_", "__"})}
	}
	if m.chance(30) {
		customization["type_names"] = map[string]any{"prefix": m.pick([]string{"", "b_", "_", "__"}), "suffix": m.pick([]string{"", "_fields", "_by", "s"})}
	}
	s["customization"] = customization
	return s
}

func (m *oddModel) schema() *resolve.Schema {
	found := resolve.Findings{Catalogs: map[string]*catalog.Source{}, Remotes: map[string]json.RawMessage{}}
	doc := map[string]any{"version": 3, "sources": []any{m.source("default", found.Catalogs)}}
	if m.chance(50) {
		doc["sources"] = append(doc["sources"].([]any), m.source("other", found.Catalogs)) //nolint:forcetypeassert // see above
	}
	// Node and PageInfo are types of Relay's schema, which has no others of these names in it by now.
	names := slices.DeleteFunc(slices.Clone(oddNames), func(n string) bool { return n == "a b" || n == "été" || n == "Node" || n == "PageInfo" })
	types := m.some(names, 3)
	doc["custom_types"] = map[string]any{
		"objects":       []any{map[string]any{"name": types[0], "fields": []any{map[string]any{"name": m.pick(oddColumns[:7]), "type": "Int"}}}},
		"input_objects": []any{map[string]any{"name": types[1], "fields": []any{map[string]any{"name": "a", "type": "String"}}}},
		"enums":         []any{map[string]any{"name": types[2], "values": []any{map[string]any{"value": "a"}}}},
	}
	kinds := []string{"synchronous", "asynchronous"}
	doc["actions"] = []any{map[string]any{
		"name": m.pick(names), "permissions": []any{map[string]any{"role": "clerk"}},
		"definition": map[string]any{
			"handler": "http://h", "type": "mutation", "kind": m.pick(kinds), "output_type": types[0],
			"arguments": []any{map[string]any{"name": m.pick(oddColumns[:7]), "type": types[1]}, map[string]any{"name": "e", "type": types[2]}},
		},
	}}
	// The engine's own types and types of remotes are compared by kind alone: a remote that is such an engine has the same.
	remote := m.pick(slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return strings.HasPrefix(n, "_") || strings.Contains(n, "order") || slices.Contains([]string{"Query", "Int", "String", "Float", "Boolean", "ID"}, n)
	}))
	kind0 := m.pick([]string{"type %s { a: Int }", "interface %s { a: Int } type Is%[1]s implements %[1]s { a: Int }", "enum %s { a }", "scalar %s"})
	found.Remotes["far"] = remotetest.Answer(m.t, "type Query { far_"+remote+": "+remote+" } "+fmt.Sprintf(kind0, remote))
	doc["remote_schemas"] = []any{map[string]any{"name": "far", "definition": map[string]any{"url": "http://far"}}}
	raw, err := json.MarshalIndent(doc, "", " ")
	require.NoError(m.t, err)
	m.text = string(raw)
	kinds0 := kind.All(os.LookupEnv, "test")
	document, err := metadata.Parse(raw, &metadata.Document{}, kinds0.Metadata())
	require.NoError(m.t, err, m.text)
	s := resolve.New(document, found, nil, resolve.Options{Kinds: kinds0, InferFunctionPermissions: true, NamingConventionEnabled: true})
	_ = s.Inconsistencies()
	return s
}
