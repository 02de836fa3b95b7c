package resolve_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// publishing is a schema whose clerk has a rule for albums, and publishes changes of tables.
func publishing(t *testing.T, tables, columns, filter string) *resolve.Schema {
	t.Helper()
	doc := documentWith(t, fmt.Sprintf(`"published_changes":[{"name":"changes","tables":[%s],"role":"clerk",
		"session_variables":{"x-engine-user-id":"7"}}],`, tables),
		tracked(artistTable), tracked(trackTable[:len(`{"table":"track"`)]), tracked(staffTable), tracked(genreTable),
		tracked(albumTable, fmt.Sprintf(`"select_permissions":[{"role":"clerk","permission":{"columns":%s,"filter":%s}}]`, columns, filter)))
	return build(doc, shop())
}

func TestPublishedChangesFollowFromTheRow(t *testing.T) {
	t.Parallel()
	s := publishing(t, `"album"`, `["id","title"]`, `{"_or":[{"artist_id":"X-Engine-User-Id"},{"_not":{"old_id":{"_ceq":"artist_id"}}},{"price":{"_is_null":true}}]}`)
	require.Empty(t, s.Inconsistencies())
	source := s.Source("default")
	tables, reason := source.Published(source.Meta.PublishedChanges[0])
	require.Empty(t, reason)
	require.Len(t, tables, 1)
	require.Equal(t, public("album"), tables[0].Name)
	require.Len(t, tables[0].Columns, 2)
	require.Equal(t, "id", tables[0].Key[0].Name)
	require.NotNil(t, tables[0].Filter)
}

func TestPublishedChangesThatAreRefused(t *testing.T) {
	t.Parallel()
	const all = `["id","title"]`
	for _, c := range []struct{ tables, columns, filter, reason string }{
		{`"nothing"`, all, `{}`, `table "nothing" is not tracked`},
		{`"artist"`, all, `{}`, `in table "artist": role "clerk" has no select permission`},
		{`"album"`, `["title"]`, `{}`, `in table "album": role "clerk" doesn't see column "id" of the primary key`},
		{`"album"`, all, `{"artist":{"id":1}}`, `in table "album": the rule of the role depends on other rows, which isn't supported for published changes`},
		{
			`"album"`, all, `{"_exists":{"_table":"staff","_where":{}}}`,
			`in table "album": the rule of the role depends on other rows, which isn't supported for published changes`,
		},
		{`"album"`, all, `{"label":"x"}`, `in table "album": the rule of the role calls a function, which isn't supported for published changes`},
		{`"album"`, all, `{"artist_id":"X-Engine-Artist-Id"}`, `in table "album": the rule of the role needs the session variable "x-engine-artist-id"`},
	} {
		found := publishing(t, c.tables, c.columns, c.filter).Inconsistencies()
		require.Len(t, found, 1, c.filter)
		require.Equal(t, `Inconsistent object: in published changes "changes": `+c.reason, found[0].Reason)
		require.Equal(t, "published_changes changes in source default", found[0].Name)
	}
}

func TestPublishedChangesDependOnTheirTables(t *testing.T) {
	t.Parallel()
	s := publishing(t, `"album"`, `["id","title"]`, `{}`)
	for _, id := range []metadata.ObjectID{
		{Kind: "table", Source: "default", Table: public("album")},
		{Kind: "select_permission", Source: "default", Table: public("album"), Role: "clerk"},
	} {
		require.Contains(t, s.Dependents(id), metadata.PublishedID("default", "changes"))
	}
	require.Equal(t, `published changes changes in source "default"`, s.Describe(metadata.PublishedID("default", "changes")))
	renamed, err := s.Rename(resolve.Renames{Source: "default", Tables: map[catalog.Name]catalog.Name{public("album"): public("record")}})
	require.NoError(t, err)
	require.Equal(t, []catalog.Name{public("record")}, renamed.Source("default").PublishedChanges[0].Tables)
	require.Equal(t, []catalog.Name{public("album")}, s.Document.Source("default").PublishedChanges[0].Tables)
}
