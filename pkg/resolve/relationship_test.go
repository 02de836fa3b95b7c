package resolve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

func TestRelationships(t *testing.T) {
	t.Parallel()
	c := shop()
	c.Tables[public("track")].Column("album_id").Nullable = false
	s := build(document(t, tracked(artistTable), tracked(trackTable), tracked(staffTable),
		`{"table":"album","object_relationships":[
			{"name":"artist","using":{"foreign_key_constraint_on":"artist_id"}},
			{"name":"seller","using":{"foreign_key_constraint_on":{"table":"staff","column":"album_id"}}},
			{"name":"twin","using":{"manual_configuration":{"remote_table":"album","column_mapping":{"old_id":"id"},"insertion_order":"after_parent"}}},
			{"name":"namesake","using":{"manual_configuration":{"remote_table":"album","column_mapping":{"title":"title","old_id":"price"}}}}],
		 "array_relationships":[{"name":"tracks","using":{"foreign_key_constraint_on":{"table":"track","column":"album_id"}}}]}`), c)
	album, track := table(s, "album"), table(s, "track")

	type facts struct {
		target                               string
		join                                 []ir.JoinPair
		array, nullable, unique, afterParent bool
	}
	of := func(r *resolve.Relationship) facts {
		require.NotNil(t, r)
		return facts{r.Target.Name, r.Join, r.Array, r.Nullable, r.Unique, r.AfterParent}
	}
	require.Equal(t, facts{"artist", []ir.JoinPair{{Outer: "artist_id", Inner: "id"}}, false, true, true, false}, of(album.Relationship("artist")))
	require.Equal(t, facts{"staff", []ir.JoinPair{{Outer: "id", Inner: "album_id"}}, false, true, true, true}, of(album.Relationship("seller")))
	require.Equal(t, facts{"album", []ir.JoinPair{{Outer: "old_id", Inner: "id"}}, false, true, true, true}, of(album.Relationship("twin")))
	require.Equal(t, facts{"album", []ir.JoinPair{{Outer: "old_id", Inner: "price"}, {Outer: "title", Inner: "title"}}, false, true, false, false}, of(album.Relationship("namesake")))
	require.Equal(t, facts{"track", []ir.JoinPair{{Outer: "id", Inner: "album_id"}}, true, true, false, true}, of(album.Relationship("tracks")))
	require.Equal(t, facts{"album", []ir.JoinPair{{Outer: "album_id", Inner: "id"}}, false, false, true, false}, of(track.Relationship("album")))
	require.Same(t, album, track.Relationship("album").Target)
	require.Nil(t, album.Relationship("nothing"))
	require.Empty(t, s.Inconsistencies())
}

func TestRelationshipProblems(t *testing.T) {
	t.Parallel()
	manual := func(table, mapping string) string {
		return `{"manual_configuration":{"remote_table":"` + table + `","column_mapping":` + mapping + `}}`
	}
	for using, want := range map[string]string{
		`{"foreign_key_constraint_on":"title"}`:                                `in table "album": in relationship "r": no foreign constraint exists on the given column(s)`,
		`{"foreign_key_constraint_on":["artist_id","title"]}`:                  `in table "album": in relationship "r": no foreign constraint exists on the given column(s)`,
		`{"foreign_key_constraint_on":"artist_id"}`:                            `in table "album": in relationship "r": more than one foreign key constraint exists on the given column(s)`,
		`{"foreign_key_constraint_on":"genre"}`:                                `table "genre" is not tracked`,
		`{"foreign_key_constraint_on":{"table":"artist","column":"id"}}`:       `in table "album": in relationship "r": no foreign constraint exists on the given column(s)`,
		`{"foreign_key_constraint_on":{"table":"staff","column":"album_id"}}`:  `in table "album": in relationship "r": table "staff" does not exist in source: default`,
		`{"foreign_key_constraint_on":{"table":"track","column":"old_album"}}`: `in table "album": in relationship "r": no foreign constraint exists on the given column(s)`,
		manual("staff", `{"id":"id"}`):                                         `in table "album": in relationship "r": table "staff" does not exist in source: default`,
		manual("artist", `{"title":"id"}`):                                     `in table "album": in relationship "r": the columns "title" (text) and "id" (integer) can't be compared`,
		manual("album", `{"tags":"title"}`):                                    `in table "album": in relationship "r": the columns "tags" (text[]) and "title" (text) can't be compared`,
		manual("artist", `{"x":"id"}`):                                         `in table "album": in relationship "r": "x" does not exist`,
		manual("artist", `{"id":"y"}`):                                         `in table "album": in relationship "r": "y" does not exist`,
	} {
		c := shop()
		references(c.Tables[public("album")], "artist_id", "artist", "id")
		references(c.Tables[public("track")], "old_album", "genre", "value") // leads elsewhere
		s := build(document(t, tracked(artistTable[:len(`{"table":"artist"`)]), `{"table":"track"}`,
			`{"table":"album","object_relationships":[{"name":"r","using":`+using+`}]}`), c)
		require.Equal(t, []string{want}, problems(s), using)
		require.Nil(t, table(s, "album").Relationship("r"))
	}
}

// TestRelationshipsOfPlacements holds which joins are possible where the rows of tables are on different
// nodes: rows of a distributed table find partners on their own node only.
func TestRelationshipsOfPlacements(t *testing.T) {
	t.Parallel()
	refused := map[string]string{
		"local distributed":     "object array",
		"reference distributed": "object",
		"distributed local":     "object array",
	}
	placements := []catalog.Placement{catalog.Local, catalog.Reference, catalog.Distributed}
	for _, from := range placements {
		for _, to := range placements {
			for _, kind := range []string{"object", "array"} {
				c := shop()
				c.Tables[public("album")].Distribution = &catalog.Distribution{Placement: from}
				c.Tables[public("artist")].Distribution = &catalog.Distribution{Placement: to}
				s := build(document(t, tracked(artistTable[:len(`{"table":"artist"`)]), `{"table":"album","`+kind+`_relationships":[
					{"name":"r","using":{"manual_configuration":{"remote_table":"artist","column_mapping":{"artist_id":"id"}}}}]}`), c)
				pair := string(from) + " " + string(to)
				if !slices.Contains(strings.Fields(refused[pair]), kind) {
					require.Empty(t, s.Inconsistencies(), pair)
					require.NotNil(t, table(s, "album").Relationship("r"))
					continue
				}
				reason := fmt.Sprintf("%s tables (album) cannot have an %s relationship against a %s table (artist)", from, kind, to)
				require.Equal(t, []string{`in table "album": in relationship "r": ` + reason}, problems(s), pair)
				require.Equal(t, reason, s.Inconsistencies()[0].Unsupported)
				require.Nil(t, table(s, "album").Relationship("r"))
			}
		}
	}
}
