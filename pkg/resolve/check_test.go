package resolve_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

func TestConsistentMetadata(t *testing.T) {
	t.Parallel()
	require.Empty(t, schema(t).Inconsistencies())
}

func TestAnInconsistentTableTakesItsDependentsAlong(t *testing.T) {
	t.Parallel()
	db := shop()
	delete(db.Tables, public("track"))
	s := build(document(t, tracked(artistTable),
		tracked(albumTable, `"select_permissions":[
			{"role":"a","permission":{"columns":[],"filter":{"tracks":{}}}},
			{"role":"b","permission":{"columns":[],"filter":{"songs":{}}}},
			{"role":"c","permission":{"columns":[],"filter":{}}}]`),
		tracked(trackTable, `"select_permissions":[{"role":"a","permission":{"columns":["x"],"filter":{}}}]`)), db)
	require.JSONEq(t, `[
		{"type":"table","name":"table track in source default","reason":"Inconsistent object: no such table/view exists in source: \"track\"",
			"definition":{"schema":"public","name":"track"}},
		{"type":"array_relation","name":"array_relation tracks in table album in source default",
			"reason":"Inconsistent object: in table \"album\": in relationship \"tracks\": table \"track\" does not exist in source: default",
			"definition":{"source":"default","table":{"schema":"public","name":"album"},"name":"tracks","comment":null,
				"using":{"foreign_key_constraint_on":{"table":{"schema":"public","name":"track"},"column":"album_id"}}}},
		{"type":"computed_field","name":"computed_field songs in table album in source default",
			"reason":"Inconsistent object: in table \"album\": in computed field \"songs\": the computed field \"songs\" cannot be added to table \"album\" because the function \"album_tracks\" returning set of table \"track\" is not tracked or not found in database",
			"definition":{"source":"default","table":{"schema":"public","name":"album"},"name":"songs","comment":null,
				"definition":{"function":{"schema":"public","name":"album_tracks"}}}},
		{"type":"select_permission","name":"select_permission a in table album in source default",
			"reason":"Inconsistent object: in table \"album\": in permission for role \"a\": table \"track\" does not exist in source: default",
			"definition":{"source":"default","table":{"schema":"public","name":"album"},"role":"a","comment":null,
				"permission":{"columns":[],"filter":{"tracks":{}}}}},
		{"type":"select_permission","name":"select_permission b in table album in source default",
			"reason":"Inconsistent object: in table \"album\": in permission for role \"b\": \"songs\" does not exist",
			"definition":{"source":"default","table":{"schema":"public","name":"album"},"role":"b","comment":null,
				"permission":{"columns":[],"filter":{"songs":{}}}}}
	]`, dump(t, s.Inconsistencies()))
	require.NotNil(t, table(s, "album").SelectPermission("c"))
	require.Nil(t, table(s, "album").SelectPermission("a"))
}

func TestPermissionOfAdminIsRefused(t *testing.T) {
	t.Parallel()
	s := build(document(t, `{"table":"track","delete_permissions":[{"role":"admin","permission":{"filter":{}}}]}`), shop())
	require.Equal(t, []string{`in table "track": in permission for role "admin": cannot define permission for admin role`}, problems(s))
}

func TestFieldConflicts(t *testing.T) {
	t.Parallel()
	const toSource = `{"to_source":{"source":"default","table":{"name":"artist","schema":"public"},"relationship_type":"object","field_mapping":{"artist_id":"id"}}}`
	const toArtist = `"using":{"foreign_key_constraint_on":"artist_id"}`
	s := build(document(t, tracked(artistTable), `{"table":"album","configuration":{"column_config":{"id":{"custom_name":"AlbumId"}}},
		"object_relationships":[{"name":"AlbumId",`+toArtist+`},{"name":"id",`+toArtist+`},{"name":"twice",`+toArtist+`},{"name":"fine",`+toArtist+`}],
		"computed_fields":[{"name":"twice","definition":{"function":"album_label"}}],
		"remote_relationships":[{"name":"remote","definition":`+toSource+`},{"name":"title","definition":`+toSource+`}]}`), shop())
	require.JSONEq(t, `[
		{"type":"object_relation","name":"object_relation AlbumId in table album in source default",
			"reason":"Inconsistent object: field definition conflicts with custom field name for postgres column \"id\"",
			"definition":{"source":"default","table":{"schema":"public","name":"album"},"name":"AlbumId","comment":null,`+toArtist+`}},
		{"type":"object_relation","name":"object_relation id in table album in source default",
			"reason":"Inconsistent object: field definition conflicts with postgres column",
			"definition":{"source":"default","table":{"schema":"public","name":"album"},"name":"id","comment":null,`+toArtist+`}},
		{"type":"remote_relationship","name":"remote_relationship title in table album in source default",
			"reason":"Inconsistent object: field definition conflicts with postgres column","definition":{"source":"default","table":{"schema":"public","name":"album"},"name":"title","definition":`+toSource+`}},
		{"reason":"Conflicting objects: conflicting definitions for field \"twice\"","objects":[
			{"type":"object_relation","name":"object_relation twice in table album in source default",
				"definition":{"source":"default","table":{"schema":"public","name":"album"},"name":"twice","comment":null,`+toArtist+`}},
			{"type":"computed_field","name":"computed_field twice in table album in source default",
				"definition":{"source":"default","table":{"schema":"public","name":"album"},"name":"twice","comment":null,
					"definition":{"function":{"schema":"public","name":"album_label"}}}}]}
	]`, dump(t, s.Inconsistencies()))
	require.Len(t, s.Inconsistencies()[3].IDs(), 2)
	album := table(s, "album")
	require.Len(t, album.Relationships, 1)
	require.Empty(t, album.ComputedFields)
	err := resolve.CheckPermission(album, "buyer", definition[metadata.Definition[metadata.SelectPermission]](t, `{"columns":["remote"],"filter":{}}`))
	require.ErrorContains(t, err, `expecting a database column; but, "remote" is a remote relationship; `)
}

func TestSources(t *testing.T) {
	t.Parallel()
	source := func(name, kind string) string {
		return fmt.Sprintf(`{"name":%q,"kind":%q,"tables":[{"table":"track"}],"configuration":{"connection_info":{"database_url":"x"}}}`, name, kind)
	}
	doc := parseDocument(t, `{"version":3,"sources":[`+source("down", "postgres")+`,`+source("new", "postgres")+`,`+source("old", "postgres")+`,`+source("other", "postgres")+`]}`)
	unknown := *doc.Sources[3]
	unknown.Kind = "dbase"
	doc.Sources[3] = &unknown
	s := resolve.Build(doc, map[string]*catalog.Source{"old": shop(), "other": shop()},
		map[string]string{"down": "connection error", "old": "stale"}, nil, options())
	require.JSONEq(t, `[
		{"type":"source","name":"source down","definition":"down","reason":"Inconsistent object: connection error"},
		{"type":"source","name":"source new","definition":"new","reason":"Inconsistent object: source \"new\" has not been introspected"},
		{"type":"source","name":"source old","definition":"old","reason":"Inconsistent object: stale"},
		{"type":"source","name":"source other","definition":"other","reason":"Inconsistent object: sources of kind \"dbase\" are not supported"}
	]`, dump(t, s.Inconsistencies()))
	require.Len(t, s.Sources, 1)
	require.NotNil(t, s.Source("old").Table(public("track")))
	require.Nil(t, s.Source("down"))
}

// What chooses a connection for each request isn't there, so the primary must not answer.
func TestSourcesThatRouteRequests(t *testing.T) {
	t.Parallel()
	const info = `"connection_info":{"database_url":"x"}`
	for _, routing := range []string{
		`"connection_template":{"template":"{{$.primary}}"}`,
		`"connection_set":[{"name":"a",` + info + `}]`,
	} {
		doc := parseDocument(t, `{"version":3,"sources":[{"name":"s","kind":"postgres","tables":[{"table":"track"}],"configuration":{`+info+`,`+routing+`}}]}`)
		s := resolve.Build(doc, map[string]*catalog.Source{"s": shop()}, nil, nil, options())
		require.Empty(t, s.Sources)
		require.JSONEq(t, `[{"type":"source","name":"source s","definition":"s","reason":
			"Inconsistent object: connection_template and connection_set are not supported: the primary would answer all requests"}]`,
			dump(t, s.Inconsistencies()))
	}
}

func TestRootFieldConflicts(t *testing.T) {
	t.Parallel()
	source := func(name, more string) string {
		return fmt.Sprintf(`{"name":%q,"kind":"postgres",%s"configuration":{"connection_info":{"database_url":"x"}}}`, name, more)
	}
	check := func(prev *resolve.Schema, sources string) (*resolve.Schema, []string) {
		db := shop()
		db.Functions[public("track")] = []*catalog.Function{function("track", "setof track")}
		o := options()
		o.Kinds = maps.Clone(o.Kinds)
		s := resolve.Build(parseDocument(t, `{"version":3,"sources":[`+sources+`]}`), map[string]*catalog.Source{"a": db, "b": db}, nil, prev, o)
		return s, problems(s)
	}
	const tracks = `"tables":[{"table":"track"}],`
	const want = "Conflicting objects: Encountered conflicting definitions in the selection set for 'query_root' for field '%s' defined in [%s, %s]. " +
		"Fields must not be defined more than once across all sources."
	first, list := check(nil, source("a", tracks))
	require.Empty(t, list)

	// The same conflict is found at the first look and after a change.
	for _, prev := range []*resolve.Schema{nil, first} {
		_, list = check(prev, source("a", tracks)+","+source("b", tracks))
		require.Equal(t, []string{fmt.Sprintf(want, "track", "table track in source a", "table track in source b")}, list)
		_, list = check(prev, source("a", tracks+`"functions":[{"function":"track"}],`))
		require.Equal(t, []string{fmt.Sprintf(want, "track", "table track in source a", "function track in source a")}, list)
		_, list = check(prev, source("a", `"tables":[{"table":"track"},{"table":"staff","configuration":{"custom_root_fields":{"select_by_pk":"track"}}}],`))
		require.Equal(t, []string{fmt.Sprintf(want, "track", "table staff in source a", "table track in source a")}, list)
		_, list = check(prev, source("a", tracks)+","+source("b", tracks+`"customization":{"root_fields":{"namespace":"b"}},`))
		require.Empty(t, list)
		_, list = check(prev, source("a", tracks)+","+source("b", tracks+`"customization":{"root_fields":{"prefix":"b_"}},`))
		require.Empty(t, list)
		const named = `"tables":[{"table":"track"},{"table":"staff","configuration":{"custom_root_fields":{"select_by_pk":"track_groups"}}}],`
		_, list = check(prev, source("a", named))
		require.Empty(t, list)
		_, list = check(prev, source("a", named+`"customization":{"groups":true},`))
		require.Equal(t, []string{fmt.Sprintf(want, "track_groups", "table staff in source a", "table track in source a")}, list)
	}
	conflicting, list := check(nil, source("a", tracks)+","+source("b", tracks))
	require.Len(t, list, 1)
	_, list = check(conflicting, source("a", tracks)+","+source("b", tracks))
	require.Len(t, list, 1)
}

// TestHiddenRootFields holds that a field that is left out of the schema leaves its name to others.
func TestHiddenRootFields(t *testing.T) {
	t.Parallel()
	const tables = `{"version":3,"sources":[{"name":"a","kind":"postgres","configuration":{"connection_info":{"database_url":"x"}},"tables":[
		{"table":"track"},{"table":"staff","configuration":{"custom_root_fields":{%q:%q}}}]}]}`
	for _, c := range []struct {
		field, name, root string
		hide              func(*resolve.Options)
	}{
		{"select", "track_stream", "subscription_root", func(o *resolve.Options) { o.HideStreamFields = true }},
		{"select_aggregate", "track_stream", "subscription_root", func(o *resolve.Options) { o.HideStreamFields = true }},
		{"insert", "update_track_many", "mutation_root", func(o *resolve.Options) { o.HideUpdateManyFields = true }},
	} {
		doc := parseDocument(t, fmt.Sprintf(tables, c.field, c.name))
		o := options()
		build := func() []string {
			return problems(resolve.Build(doc, map[string]*catalog.Source{"a": shop()}, nil, nil, o))
		}
		list := build()
		require.Len(t, list, 1)
		require.Contains(t, list[0], fmt.Sprintf("in the selection set for '%s' for field '%s'", c.root, c.name))
		c.hide(&o)
		require.Empty(t, build())
	}
}
