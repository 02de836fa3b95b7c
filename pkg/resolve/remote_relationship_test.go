package resolve_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// twoShops has the tables of the shop in two sources; remote are the remote relationships of
// album in source default.
func twoShops(t *testing.T, remote string) *resolve.Schema {
	t.Helper()
	source := func(name, keys string) string {
		return fmt.Sprintf(`{"name":%q,"kind":"postgres","configuration":{"connection_info":{"database_url":"x"}},"tables":[%s,%s,%s]}`,
			name, tracked(artistTable), tracked(genreTable), tracked(albumTable, keys))
	}
	doc := parseDocument(t, `{"version":3,"sources":[`+
		source("default", `"remote_relationships":[`+remote+`]`)+`,`+source("other", `"configuration":{"custom_name":"record"}`)+`]}`)
	return resolve.Build(doc, map[string]*catalog.Source{"default": shop(), "other": shop()}, nil, nil, options())
}

func toSource(name, source, table, kind, mapping string) string {
	return fmt.Sprintf(`{"name":%q,"definition":{"to_source":{"source":%q,"table":%q,"relationship_type":%q,"field_mapping":%s}}}`,
		name, source, table, kind, mapping)
}

func TestRemoteRelationshipsToSources(t *testing.T) {
	t.Parallel()
	s := twoShops(t, toSource("by", "other", "artist", "object", `{"artist_id":"id"}`)+
		`,`+toSource("same", "other", "album", "array", `{"label":"title","artist_id":"artist_id"}`))
	list := s.RemoteRelationships(table(s, "album"))
	require.Len(t, list, 2)

	by := list[0]
	require.Equal(t, "by", by.Name)
	require.Same(t, s.Source("other").Table(public("artist")), by.Source.Table)
	require.True(t, by.Source.Unique)
	require.False(t, by.Source.Array)
	require.Equal(t, "artist_id", by.Left[0].Column.Name)
	require.Equal(t, "id", by.Source.Columns[0].Name)

	same := list[1]
	require.True(t, same.Source.Array)
	require.False(t, same.Source.Unique)
	require.Equal(t, "artist_id", same.Left[0].Column.Name)
	require.Equal(t, "label", same.Left[1].Computed.Name)
	require.Equal(t, "title", same.Source.Columns[1].Name)
}

func TestRemoteRelationshipProblems(t *testing.T) {
	t.Parallel()
	const allowed = `"id", "title", "artist_id", "meta", "raw", "released", "genre", "tags", "path", "price", "old_id", "label", or "personal"`
	for _, c := range []struct{ relationship, want string }{
		{toSource("r", "nowhere", "artist", "object", `{"artist_id":"id"}`), `source not found: "nowhere"`},
		{toSource("r", "other", "staff", "object", `{"artist_id":"id"}`), `table "staff" does not exist in source: other`},
		{toSource("r", "other", "artist", "object", `{"artist_id":"nothing"}`), `"nothing" does not exist`},
		{toSource("r", "other", "album", "array", `{"title":"genre"}`), `relationships to enum fields are not supported yet`},
		{
			toSource("r", "other", "artist", "object", `{"nothing":"id"}`),
			`field with name "nothing"is not provided by the lhs entity"album"for defining a join condition, the allowed fields are ` + allowed,
		},
		{
			toSource("r", "other", "artist", "object", `{"since":"id"}`), // takes an argument
			`field with name "since"is not provided by the lhs entity"album"for defining a join condition, the allowed fields are ` + allowed,
		},
		{
			`{"name":"r","definition":{"remote_schema":"rates","engine_fields":["id"],"remote_field":{"rate":{"arguments":{}}}}}`,
			`remote schema with name "rates" not found`,
		},
		{toSource("not-a-name", "other", "artist", "object", `{"artist_id":"id"}`), `"not-a-name" is not a valid GraphQL identifier`},
	} {
		s := twoShops(t, c.relationship)
		require.Empty(t, s.RemoteRelationships(table(s, "album")))
		found := slices.DeleteFunc(s.Inconsistencies(), func(i metadata.Inconsistency) bool {
			return i.Type != metadata.ObjectRemoteRelationship
		})
		require.Len(t, found, 1, "%s", c.relationship)
		require.Contains(t, found[0].Reason, `Inconsistent object: in table "album": in remote relationship `)
		require.Contains(t, found[0].Reason, `": `+c.want)
	}
}

func TestRemoteRelationshipsDependOnBothSides(t *testing.T) {
	t.Parallel()
	s := twoShops(t, toSource("by", "other", "artist", "object", `{"artist_id":"id"}`)+
		`,`+toSource("labelled", "other", "album", "array", `{"label":"title"}`)+
		`,`+toSource("here", "default", "artist", "object", `{"artist_id":"id"}`))
	by, labelled, here := `remote relationship album.by in source "default"`,
		`remote relationship album.labelled in source "default"`, `remote relationship album.here in source "default"`
	for _, c := range []struct {
		id          metadata.ObjectID
		want, typed []string
	}{
		{metadata.ObjectID{Kind: "source", Source: "other"}, []string{by, labelled}, nil},
		{metadata.ObjectID{Kind: "source", Source: "default"}, nil, nil}, // they go with it
		{metadata.ObjectID{Kind: "table", Source: "other", Table: public("album")}, []string{labelled, `relationship artist.albums in source "other"`}, nil},
		{metadata.ObjectID{Kind: "column", Source: "other", Table: public("artist"), Name: "id"}, []string{by}, []string{by}},
		{metadata.ObjectID{Kind: "column", Source: "other", Table: public("artist"), Name: "name"}, nil, nil},
		{
			metadata.ObjectID{Kind: "column", Source: "default", Table: public("album"), Name: "artist_id"},
			[]string{`relationship album.artist in source "default"`, `relationship artist.albums in source "default"`, by, here},
			[]string{by, here},
		},
		{
			metadata.ObjectID{Kind: "function", Source: "default", Table: public("album_label")},
			[]string{`computed field album.label in source "default"`, labelled},
			nil,
		},
	} {
		require.ElementsMatch(t, c.want, described(s, s.Dependents(c.id)), "%v", c.id)
		require.ElementsMatch(t, c.typed, described(s, s.TypeDependents(c.id)), "%v", c.id)
	}
}

// TestRulesNeedRemoteRelationships: a permission whose rule follows one goes with it.
func TestRulesNeedRemoteRelationships(t *testing.T) {
	t.Parallel()
	permission := `{"role":"fan","permission":{"columns":["id"],"filter":{"_not":{"by":{"name":"Kim"}}}}}`
	s := twoShops(t, toSource("by", "other", "artist", "object", `{"artist_id":"id"}`)+`],"select_permissions":[`+permission)
	want := []string{`permission album.fan.select in source "default"`, `remote relationship album.by in source "default"`}
	require.Equal(t, want[:1], described(s, s.Dependents(metadata.ObjectID{Kind: "remote_relationship", Source: "default", Table: public("album"), Name: "by"})))
	require.Equal(t, want, described(s, s.Dependents(metadata.ObjectID{Kind: "source", Source: "other"})))

	lookups := table(s, "album").SelectPermission("fan").Lookups.All()
	require.Len(t, lookups, 1)
	found, err := s.Lookup(lookups[0])
	require.NoError(t, err)
	require.Equal(t, `{"name":"Kim"}`, found.Where)
	require.Same(t, s.Source("other").Table(public("artist")), found.Table)
}

func described(s *resolve.Schema, ids []metadata.ObjectID) []string {
	var texts []string
	for _, id := range ids {
		texts = append(texts, s.Describe(id))
	}
	return texts
}

func TestRenamesStayInTheSource(t *testing.T) {
	t.Parallel()
	s := twoShops(t, toSource("by", "other", "artist", "object", `{"artist_id":"id"}`)+
		`,`+toSource("here", "default", "artist", "object", `{"artist_id":"id"}`))
	rename := func(source string) []string {
		doc, err := s.Rename(resolve.Renames{
			Source:  source,
			Tables:  map[catalog.Name]catalog.Name{public("artist"): public("band")},
			Columns: map[catalog.Name]map[string]string{public("artist"): {"id": "key"}, public("album"): {"artist_id": "band_id"}},
		})
		require.NoError(t, err)
		var texts []string
		for _, r := range doc.Source("default").Table(public("album")).RemoteRelationships {
			texts = append(texts, dump(t, r.Definition.ToSource.Table.Name)+dump(t, r.Definition.ToSource.FieldMapping))
		}
		return texts
	}
	require.Equal(t, []string{`"artist"{"band_id":"id"}`, `"band"{"band_id":"key"}`}, rename("default"))
	require.Equal(t, []string{`"artist"{"artist_id":"id"}`, `"artist"{"artist_id":"id"}`}, rename("other"))
}
