package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

const rowModel = `{"name":"row","fields":[{"name":"id","type":"integer"},{"name":"tags","type":{"array":{"scalar":"character varying(10)"}}}]`

func models(list string) string { return `"logical_models":[` + list + `],` }

func queries(list string) string { return `"native_queries":[` + list + `],` }

func TestNativeQueriesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, keys string
		want       []string
	}{
		{"nothing wrong", models(rowModel+`}`) + queries(`{"root_field_name":"rows","code":"SELECT","returns":"row"}`), []string{}},
		{"no model", queries(`{"root_field_name":"rows","code":"SELECT","returns":"row"}`), []string{`logical model "row" is not tracked`}},
		{
			"a model embeds what isn't there, and others embed it",
			models(`{"name":"a","fields":[{"name":"b","type":{"logical_model":"b"}}]},{"name":"b","fields":[{"name":"c","type":{"logical_model":"c"}}]}`) +
				queries(`{"root_field_name":"rows","code":"SELECT","returns":"a"}`),
			[]string{`logical model "a" is not tracked`, `logical model "b" is not tracked`, `logical model "c" is not tracked`},
		},
		{
			"lists of lists", models(rowModel + `},{"name":"a","fields":[{"name":"b","type":{"array":{"array":{"logical_model":"row"}}}}]}`),
			[]string{`field "b" is a list of lists of a logical model, which is not supported`},
		},
		{
			"relationships",
			models(rowModel+`}`) + queries(`
				{"root_field_name":"a","code":"SELECT","returns":"row","object_relationships":[{"name":"x","using":{"column_mapping":{"id":"id"},"remote_table":"none"}}]},
				{"root_field_name":"b","code":"SELECT","returns":"row","object_relationships":[{"name":"x","using":{"column_mapping":{"no":"id"},"remote_table":"track"}}]},
				{"root_field_name":"c","code":"SELECT","returns":"row","array_relationships":[{"name":"id","using":{"column_mapping":{"id":"id"},"remote_table":"track"}}]},
				{"root_field_name":"d","code":"SELECT","returns":"row","array_relationships":[{"name":"x","using":{"column_mapping":{"id":"id"},"remote_native_query":"b"}}]},
				{"root_field_name":"e","code":"SELECT","returns":"row","array_relationships":[{"name":"x","using":{"column_mapping":{"id":"id"},"remote_native_query":"e"}}]}`),
			[]string{
				`table "none" is not tracked`, `in relationship "x": "no" does not exist`,
				`in relationship "id": field definition conflicts with postgres column`, `native query "b" is not tracked`,
			},
		},
		{
			"names of types",
			models(`{"name":"track","fields":[]}`) + queries(`{"root_field_name":"tracks","code":"SELECT","returns":"track"}`),
			[]string{`the type "track" of its rows has the name of the type of table "track"`},
		},
		{
			"permissions",
			models(rowModel + `,"select_permissions":[{"role":"admin","permission":{"columns":[],"filter":{}}},{"role":"a","permission":{"columns":["x"],"filter":{}}}]}`),
			[]string{
				`in logical model "row": in permission for role "a": column "x" does not exist`,
				`in logical model "row": in permission for role "admin": cannot define permission for admin role`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.ElementsMatch(t, c.want, problems(build(documentWith(t, c.keys, tracked(trackTable[:len(`{"table":"track"`)])), shop())))
		})
	}
}

func TestColumnsOfNativeQueries(t *testing.T) {
	t.Parallel()
	s := build(documentWith(t, models(rowModel+`}`)+queries(`{"root_field_name":"rows","code":"SELECT {{a}}","returns":"row","arguments":{"a":{"type":"genre"}}}`)), shop())
	q := s.Source("default").NativeQuery("rows")
	require.Equal(t, catalog.Type{Name: "int4", ID: "23"}, q.Rows.Columns[0].Type)
	require.Equal(t, catalog.Type{Name: "varchar", ID: "1043", Dims: 1}, q.Rows.Columns[1].Type)
	require.Equal(t, catalog.Type{Name: "genre"}, q.Args[0].Type, "a type that is unknown is the database's business")
	require.Equal(t, resolve.TableKey{NativeQuery: "rows"}, q.Rows.Key())
	require.Same(t, q.Rows, s.Source("default").Relation(q.Rows.Key()))
}

// A plan knows by its table's version whether it is still good.
func TestVersionsOfNativeQueries(t *testing.T) {
	t.Parallel()
	text := models(rowModel+`}`) + queries(`{"root_field_name":"rows","code":"SELECT","returns":"row"}`)
	db := shop()
	first := documentWith(t, text)
	before := build(first, db)
	version := func(s *resolve.Schema) any { return s.Source("default").NativeQuery("rows").Rows.Version() }
	again := func(doc *metadata.Document) *resolve.Schema {
		doc.Sources[0].ShareModels(first.Sources[0])
		return resolve.Build(doc, map[string]*catalog.Source{"default": db}, nil, before, options())
	}
	other := documentWith(t, text, tracked(genreTable[:len(`{"table":"genre"`)]))
	require.Same(t, version(before), version(again(other)), "another table is tracked")
	changed := documentWith(t, models(rowModel+`}`)+queries(`{"root_field_name":"rows","code":"SELECT 1","returns":"row"}`))
	require.NotSame(t, version(before), version(again(changed)))
	allowed := documentWith(t, models(rowModel+`,"select_permissions":[{"role":"a","permission":{"columns":[],"filter":{}}}]}`)+
		queries(`{"root_field_name":"rows","code":"SELECT","returns":"row"}`))
	require.NotSame(t, version(before), version(again(allowed)))
}
