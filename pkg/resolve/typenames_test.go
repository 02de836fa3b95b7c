package resolve_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema/remotetest"
	"queryengine/pkg/resolve"
	"queryengine/pkg/testlong"
)

// TestNamesOfTypes holds that whatever has a type of a name that is taken is inconsistent, and that the reason names what has it: a matrix of the kinds
// of objects that give names to types and of the names that may be taken.
func TestNamesOfTypes(t *testing.T) {
	t.Parallel()
	const model = `"logical_models":[{"name":"%[1]s","fields":[{"name":"id","type":"integer"}]}],"native_queries":[{"root_field_name":"rows","code":"SELECT","returns":"%[1]s"}],`
	const inline = `"native_queries":[{"root_field_name":"%s","code":"SELECT","returns":{"fields":[{"name":"id","type":"integer"}]}}],`
	handler := func(name, output, kind string) string {
		return fmt.Sprintf(`{"name":%q,"definition":{"handler":"http://h","output_type":%q,"type":"mutation","kind":%q}}`, name, output, kind)
	}
	// Each kind of object: the document in which one has a type called name, and the type in inconsistencies.
	kinds := map[string]struct {
		object string
		put    func(name string) (source, tables, rest string)
	}{
		"table": {"table", func(name string) (string, string, string) { return "", fmt.Sprintf(`,{"table":%q}`, name), "" }},
		"table with a custom name": {"table", func(name string) (string, string, string) {
			return "", fmt.Sprintf(`,{"table":"spare","configuration":{"custom_name":%q}}`, name), ""
		}},
		"logical model": {"native_query", func(name string) (string, string, string) { return fmt.Sprintf(model, name), "", "" }},
		"native query":  {"native_query", func(name string) (string, string, string) { return fmt.Sprintf(inline, name), "", "" }},
		"object type": {"custom_types", func(name string) (string, string, string) {
			return "", "", fmt.Sprintf(`,"custom_types":{"objects":[{"name":%q,"fields":[{"name":"a","type":"Int"}]}]},"actions":[%s]`, name, handler("act", name, "synchronous"))
		}},
		"input type": {"custom_types", func(name string) (string, string, string) {
			return "", "", fmt.Sprintf(`,"custom_types":{"input_objects":[{"name":%q,"fields":[{"name":"a","type":"Int"}]}]}`, name)
		}},
		"enum type": {"custom_types", func(name string) (string, string, string) {
			return "", "", fmt.Sprintf(`,"custom_types":{"enums":[{"name":%q,"values":[{"value":"a"}]}]}`, name)
		}},
		"asynchronous action": {"action", func(name string) (string, string, string) {
			return "", "", `,"actions":[` + handler(name, "Int", "asynchronous") + `]`
		}},
		"type of a remote schema": {"remote_schema", func(name string) (string, string, string) {
			return "", "", `,"remote_schemas":[` + remote("other", fmt.Sprintf(`,"customization":{"type_names":{"mapping":{"Before":%q}}}`, name)) + `}]`
		}},
	}
	names := map[string]string{
		"Int": "scalar", "Float": "scalar", "String": "scalar", "Boolean": "scalar", "ID": "scalar",
		"query_root": "root", "mutation_root": "root", "subscription_root": "root", "__x": "introspection",
		"_Any": "Federation", "_Entity": "Federation", "_Service": "Federation",
		"order_by": "orders", "cursor_ordering": "orders", "Int_comparison_exp": "operators",
		"date": "scalar", "numeric": "scalar", "jsonb": "scalar",
		"album": `table "album"`, "track_updates": `table "track"`, "album_bool_exp": `table "album"`, "genre_enum": `table "genre"`,
		"track_max_fields": `table "track"`, "album_aggregate": `table "album"`, "track_stream_cursor_input": `table "track"`,
		"find_albums_args": `function "find_albums"`, "album_constraint": `table "album"`, "track_avg_order_by": `table "track"`,
	}
	for kind, k := range kinds {
		for name, by := range names {
			if name == "album" && kind == "table" {
				continue // it is that table
			}
			db := shop()
			for _, table := range []string{name, "spare"} {
				if db.Tables[public(table)] == nil {
					db.Tables[public(table)] = catalogTable(table, "id int4!, title text")
				}
			}
			source, more, rest := k.put(name)
			tables := strings.Join([]string{tracked(artistTable), tracked(albumTable), tracked(trackTable), tracked(staffTable), tracked(genreTable)}, ",")
			doc := parseDocument(t, fmt.Sprintf(`{"version":3,"sources":[{"name":"default","kind":"postgres",%s"tables":[%s%s],"functions":[{"function":"find_albums"}],
				"configuration":{"connection_info":{"database_url":"x"}}}]%s}`, source, tables, more, rest))
			found := resolve.Findings{
				Catalogs: map[string]*catalog.Source{"default": db},
				Remotes:  map[string]json.RawMessage{"other": remotetest.Answer(t, "type Query { b: Before } type Before { a: Int }")},
			}
			s := resolve.New(doc, found, nil, options())
			told := ""
			for _, i := range s.Inconsistencies() {
				if i.Type == k.object || i.Type == "function" || i.Type == "logical_model" {
					told += i.Name + ": " + i.Reason
				}
			}
			if name == "album" && strings.HasPrefix(kind, "table") {
				require.Contains(t, strings.Join(problems(s), "\n"), "for field 'album' defined in [table album in source default, table spare in source default]")
				require.True(t, s.Hides(table(s, "spare")))
				continue // the root fields are in conflict, too, which is the reason given
			}
			switch {
			case kind == "table" && name == "__x":
				require.Empty(t, told) // it has no name in the schema, as tables whose name is none
				require.Empty(t, s.Source("default").Table(public("__x")).Name)
				continue
			case name == "__x":
				require.Contains(t, told, "introspection", "%s %s", kind, name)
				continue
			}
			if k.object == "custom_types" && strings.Contains(told, "duplicate type names") {
				by = "duplicate type names" // as the wire format has it for scalars of GraphQL
			}
			if kind == "type of a remote schema" {
				by = "onflicting definitions" // named by the type alone, as the wire format has it
				switch {
				case strings.Contains(told, "not distinct"): // its own scalars
					by = "not distinct"
				case name == "album_aggregate" || name == "track_max_fields":
					require.Empty(t, told) // objects like the types of tables: a remote that is such an engine has the same
					continue
				}
			}
			require.Contains(t, told, by, "%s %s", kind, name)
			require.Contains(t, told, fmt.Sprintf("%q", name)[1:len(name)+1], "%s %s", kind, name)

			// The same is found in a document that follows one without it.
			before := resolve.New(everything(t), found, nil, options())
			require.Equal(t, problems(s), problems(resolve.New(doc, found, before, options())), "%s %s", kind, name)
		}
	}
}

// TestNamesOfTypesThatAreFree: what isn't made for a table doesn't take names.
func TestNamesOfTypesThatAreFree(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*catalog.Source){
		"staff_max_order_by": nil, // nothing leads to lists of staff
		"staff_max":          nil,
		"track_updates":      func(db *catalog.Source) { db.Tables[public("track")].Updatable = false },
		"uuid":               nil,
		"Node":               nil, // which is a type of the Relay schema alone
		"album_connection":   nil,
	} {
		db := shop()
		db.Tables[public(name)] = catalogTable(name, "id int4!, title text")
		if prepare != nil {
			prepare(db)
		}
		doc := document(t, tracked(artistTable), tracked(albumTable), tracked(trackTable), tracked(staffTable), tracked(genreTable), fmt.Sprintf(`{"table":%q}`, name))
		s := build(doc, db)
		require.Empty(t, problems(s), name)
		require.False(t, s.Hides(table(s, name)), name)
	}
	// The table x_max is ordered by a type that orders lists of x by max, too.
	db := shop()
	db.Tables[public("track_max")] = catalogTable("track_max", "id int4!, title text")
	s := build(document(t, tracked(artistTable), tracked(albumTable), tracked(trackTable), tracked(genreTable), `{"table":"track_max"}`), db)
	require.Equal(t, []string{`in table "track_max": found conflicting definitions for GraphQL type "track_max_order_by", which is made for the rows of table "track" in source default`},
		problems(s))
	require.True(t, s.Hides(table(s, "track_max")))
	require.False(t, s.Hides(table(s, "track")))
}

// TestNamesOfIntrospection: GraphQL keeps names that begin with two underscores, whatever has them.
func TestNamesOfIntrospection(t *testing.T) {
	t.Parallel()
	db := shop()
	db.Tables[public("odd")] = catalogTable("odd", "id int4!, __hidden text")
	db.Functions[public("__find")] = []*catalog.Function{function("__find", "setof album")}
	db.Functions[public("odd_args")] = []*catalog.Function{function("odd_args", "setof album", arg("__a", "text"))}
	s := build(document(t, `{"table":"odd"}`), db)
	require.Empty(t, problems(s))
	require.Empty(t, table(s, "odd").Column("__hidden").Field, "it is left out as columns whose name is none")

	for tables, want := range map[string]string{
		`{"table":"odd","configuration":{"column_config":{"__hidden":{"custom_name":"__y"}}}}`:                                                                                           `in column "__hidden": "__y" can't be its name`,
		`{"table":"odd","configuration":{"custom_name":"__y"}}`:                                                                                                                          `"__y" can't be its name`,
		`{"table":"odd","configuration":{"custom_root_fields":{"select":"__y"}}}`:                                                                                                        `the root field "__y" of table odd in source default can't be`,
		`{"table":"odd","configuration":{"custom_root_fields":{"select":"_entities"}}}`:                                                                                                  `the root field "_entities" of table odd in source default can't be`,
		`{"table":"album"},{"table":"track","object_relationships":[{"name":"__a","using":{"foreign_key_constraint_on":"album_id"}}]}`:                                                   `"__a" can't be its name`,
		`{"table":"album","computed_fields":[{"name":"__l","definition":{"function":"album_label"}}]}`:                                                                                   `"__l" can't be its name`,
		`{"table":"odd","remote_relationships":[{"name":"__r","definition":{"to_source":{"source":"default","table":"odd","relationship_type":"object","field_mapping":{"id":"id"}}}}]}`: `"__r" can't be its name`,
	} {
		require.Contains(t, strings.Join(problems(build(document(t, tables), db)), "\n"), want, tables)
	}
	list := strings.Join(problems(build(documentWith(t, `"functions":[{"function":"__find"},{"function":"odd_args"}],`, `{"table":"album"}`), db)), "\n")
	require.Contains(t, list, "function name is not a legal GraphQL identifier")
	require.Contains(t, list, "the function arguments __a are not in compliance with GraphQL spec")

	types := `{"objects":[{"name":"O","fields":[{"name":"__a","type":"Int"}]}],"enums":[{"name":"E","values":[{"value":"true"}]}],"input_objects":[{"name":"I","fields":[{"name":"__b","type":"Int"}]}]}`
	list = strings.Join(problems(build(withActions(t, types, `{"name":"__act","definition":{"handler":"http://h","output_type":"Int"}}`), shop())), "\n")
	for _, want := range []string{`the object "O" can't have a field "__a"`, `the input object "I" can't have a field "__b"`, `the value "true" of the enum type "E"`} {
		require.Contains(t, list, want)
	}
	list = strings.Join(problems(build(withActions(t, `{}`, `{"name":"__act","definition":{"handler":"http://h","output_type":"Int"}},
		{"name":"act","definition":{"handler":"http://h","output_type":"Int","arguments":[{"name":"__c","type":"Int"}]}}`), shop())), "\n")
	require.Contains(t, list, `in action "__act": "__act" can't be its name`)
	require.Contains(t, list, `in action "act": in argument "__c": "__c" can't be its name`)
}

// TestNamesOfTypesFollowChanges: a schema that takes over the names of types gives the same as one that is built afresh. Each
// part of the metadata is absent, unchanged, or changed, with or without an effect on types.
func TestNamesOfTypesFollowChanges(t *testing.T) {
	t.Parallel()
	parts := [][]string{
		{``, `,"select_permissions":[{"role":"clerk","permission":{"columns":"*","filter":{}}}]`},
		{``, `,"array_relationships":[{"name":"tracks","using":{"foreign_key_constraint_on":{"table":"track","column":"album_id"}}}]`},
		{``, `,"computed_fields":[{"name":"songs","definition":{"function":"album_tracks"}}]`},
		{``, `,"configuration":{"custom_name":"disc"}`, `,"configuration":{"column_config":{"title":{"custom_name":"name"}}}`},
		{``, `,"functions":[{"function":"find_albums"}]`},
		{``, `,"native_queries":[{"root_field_name":"rows","code":"SELECT","returns":{"fields":[{"name":"id","type":"integer"}]}}]`},
		// Names that a list of tracks makes.
		{``, `,{"table":"track_max_order_by"}`, `,{"table":"track_aggregate"}`},
	}
	db := shop()
	for _, name := range []string{"track_max_order_by", "track_aggregate"} {
		db.Tables[public(name)] = catalogTable(name, "id int4!")
	}
	catalogs := map[string]*catalog.Source{"default": db}
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // no secret
	var prev *resolve.Schema
	chosen := make([]int, len(parts))
	tables := map[string]*metadata.Table{}
	for range testlong.Of(500, 20_000) {
		i := random.IntN(len(parts))
		chosen[i] = random.IntN(len(parts[i]))
		part := func(i int) string { return parts[i][chosen[i]] }
		doc := parseDocument(t, `{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[{"table":"album"`+part(0)+part(1)+part(2)+part(3)+`},{"table":"track"}`+part(6)+`]`+
			part(4)+part(5)+`,"configuration":{"connection_info":{"database_url":"x"}}}]}`)
		// What is the same is the same object, as in the service.
		for k, table := range doc.Sources[0].Tables {
			text := fmt.Sprintf("%s %+v", table.Table.Name, encoded(t, table))
			if tables[text] == nil {
				tables[text] = table
			}
			doc.Sources[0].Tables[k] = tables[text]
		}
		next, fresh := resolve.Build(doc, catalogs, nil, prev, options()), resolve.Build(doc, catalogs, nil, nil, options())
		require.Equal(t, problems(fresh), problems(next), "%v", chosen)
		for _, name := range []string{"album", "disc", "track", "find_albums_args", "rows", "track_aggregate"} {
			require.Equal(t, fresh.HasType(name), next.HasType(name), "%s: %v", name, chosen)
		}
		for _, table := range next.Sources[0].Tables {
			require.Equal(t, fresh.Hides(fresh.Sources[0].Table(table.Meta.Table)), next.Hides(table), "%v", chosen)
		}
		prev = next
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
