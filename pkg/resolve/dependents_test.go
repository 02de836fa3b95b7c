package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// dependencyShop has an object of each kind that depends on something.
func dependencyShop(t *testing.T) *resolve.Schema {
	doc := documentWith(t, `"functions":[{"function":"find_albums","permissions":[{"role":"clerk"}]}],`,
		tracked(artistTable, `"select_permissions":[
			{"role":"clerk","permission":{"columns":["id","name"],"filter":{"albums":{"price":{"_gt":1}}}}},
			{"role":"watcher","permission":{"columns":"*","filter":{"_exists":{"_table":"staff","_where":{"is_admin":true}}}}}]`),
		tracked(albumTable,
			`"select_permissions":[{"role":"clerk","permission":{"columns":["id","title"],"computed_fields":["label"],"filter":{"old_id":{"_ceq":"artist_id"}}}}]`,
			`"insert_permissions":[{"role":"clerk","permission":{"check":{},"set":{"price":1}}}]`,
			`"delete_permissions":[{"role":"clerk","permission":{"filter":{"label":"x"}}}]`,
			`"update_permissions":[{"role":"clerk","permission":{"columns":["released"],"filter":{"songs":{"seconds":1}}}}]`),
		tracked(trackTable[:len(`{"table":"track"`)], `"object_relationships":[{"name":"twin","using":{"manual_configuration":{"remote_table":"album","column_mapping":{"seconds":"price"}}}}]`,
			`"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{"twin":{"price":{"_ceq":["$","price"]}}}}}]`),
		tracked(staffTable), tracked(genreTable))
	s := build(doc, shop())
	require.Empty(t, s.Inconsistencies())
	return s
}

func TestDependents(t *testing.T) {
	t.Parallel()
	s := dependencyShop(t)
	id := func(kind, table, name string) metadata.ObjectID {
		return metadata.ObjectID{Kind: kind, Source: "default", Table: public(table), Name: name}
	}
	const src = ` in source "default"`
	for _, c := range []struct {
		id   metadata.ObjectID
		want []string
	}{
		{id("table", "staff", ""), []string{"permission artist.watcher.select"}},
		{id("table", "genre", ""), nil}, // its values are an enum for album.genre
		{id("table", "track", ""), []string{
			"computed field album.songs", "permission album.clerk.update", "relationship album.tracks",
		}},
		{id("table", "album", ""), []string{
			"function find_albums", "permission artist.clerk.select", "permission track.clerk.select", "relationship artist.albums", "relationship track.twin",
		}},
		{id("column", "album", "title"), []string{"function permission find_albums.clerk", "permission album.clerk.select"}},
		{id("column", "album", "released"), []string{"permission album.clerk.update"}},
		{id("column", "album", "artist_id"), []string{
			"function permission find_albums.clerk", "permission album.clerk.select", "permission artist.clerk.select", "relationship album.artist", "relationship artist.albums",
		}},
		{id("column", "album", "price"), []string{
			"permission album.clerk.insert", "permission artist.clerk.select", "permission track.clerk.select", "relationship track.twin",
		}},
		{id("column", "track", "seconds"), []string{"permission album.clerk.update", "permission track.clerk.select", "relationship track.twin"}},
		{id("column", "track", "price"), []string{"permission track.clerk.select"}},
		{id("column", "artist", "home"), nil},
		{id("constraint", "album", "album_artist_id_fkey"), []string{"permission artist.clerk.select", "relationship album.artist", "relationship artist.albums"}},
		{id("constraint", "track", "track_album_id_fkey"), []string{"relationship album.tracks"}},
		{id("array_relation", "artist", "albums"), []string{"permission artist.clerk.select"}},
		{id("computed_field", "album", "label"), []string{"function permission find_albums.clerk", "permission album.clerk.delete", "permission album.clerk.select"}},
		{id("function", "album_label", ""), []string{
			"computed field album.label", "function permission find_albums.clerk", "permission album.clerk.delete", "permission album.clerk.select",
		}},
		{id("function", "find_albums", ""), nil},
		{metadata.ObjectID{Kind: "select_permission", Source: "default", Table: public("album"), Role: "clerk"}, []string{"function permission find_albums.clerk"}},
		{metadata.ObjectID{Kind: "table", Source: "other", Table: public("album")}, nil},
	} {
		var got []string
		for _, d := range s.Dependents(c.id) {
			got = append(got, s.Describe(d))
		}
		var want []string
		for _, w := range c.want {
			want = append(want, w+src)
		}
		require.Equal(t, want, got, "%+v", c.id)
	}
}

func TestDependentsOfSeveral(t *testing.T) {
	t.Parallel()
	s := dependencyShop(t)
	var got []string
	for _, d := range s.Dependents(
		metadata.ObjectID{Kind: "table", Source: "default", Table: public("album")},
		metadata.ObjectID{Kind: "table", Source: "default", Table: public("artist")},
		metadata.ObjectID{Kind: "column", Source: "default", Table: public("staff"), Name: "is_admin"},
	) {
		got = append(got, s.Describe(d))
	}
	require.Equal(t, []string{
		`function find_albums in source "default"`,
		`permission track.clerk.select in source "default"`,
		`relationship track.twin in source "default"`,
	}, got)
}

func TestTypeDependents(t *testing.T) {
	t.Parallel()
	s := dependencyShop(t)
	of := func(table, column string) []string {
		var got []string
		for _, d := range s.TypeDependents(metadata.ObjectID{Kind: "column", Source: "default", Table: public(table), Name: column}) {
			got = append(got, s.Describe(d))
		}
		return got
	}
	require.Equal(t, []string{`permission album.clerk.insert in source "default"`, `permission artist.clerk.select in source "default"`, `permission track.clerk.select in source "default"`}, of("album", "price"))
	require.Equal(t, []string{`permission album.clerk.select in source "default"`}, of("album", "old_id"))
	require.Nil(t, of("album", "title"))
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	s := &resolve.Schema{Document: &metadata.Document{}}
	archived := metadata.ObjectID{Source: "s", Table: parseName("archive.album"), Name: "n", Role: "r"}
	for kind, want := range map[string]string{
		"source":              `source s`,
		"inherited_role":      `role r`,
		"table":               `table archive.album in source "s"`,
		"column":              `column archive.album.n in source "s"`,
		"constraint":          `constraint archive.album.n in source "s"`,
		"object_relation":     `relationship archive.album.n in source "s"`,
		"array_relation":      `relationship archive.album.n in source "s"`,
		"computed_field":      `computed field archive.album.n in source "s"`,
		"remote_relationship": `remote relationship archive.album.n in source "s"`,
		"event_trigger":       `event-trigger archive.album.n in source "s"`,
		"insert_permission":   `permission archive.album.r.insert in source "s"`,
		"delete_permission":   `permission archive.album.r.delete in source "s"`,
		"function":            `function archive.album in source "s"`,
		"function_permission": `function permission archive.album.r in source "s"`,
	} {
		id := archived
		id.Kind = kind
		require.Equal(t, want, s.Describe(id))
	}
}
