package resolve_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// change returns the document with one table of source default changed by f.
func change(doc *metadata.Document, name string, f func(*metadata.Table)) *metadata.Document {
	for i, m := range doc.Sources[0].Tables {
		if m.Table == parseName(name) {
			d := touch(doc, i)
			f(d.Sources[0].Tables[i])
			return d
		}
	}
	return doc
}

func rebuild(prev *resolve.Schema, doc *metadata.Document, c *catalog.Source) *resolve.Schema {
	return resolve.Build(doc, map[string]*catalog.Source{"default": c}, nil, prev, options())
}

// watched is the shop with permissions that look at other tables.
func watched(t *testing.T) *metadata.Document {
	return document(t, tracked(artistTable), tracked(genreTable), tracked(staffTable),
		tracked(albumTable, `"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"computed_fields":["label"],"filter":{"tracks":{"title":"x"}}}}]`),
		tracked(trackTable, `"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{"seconds":1}}}]`))
}

func TestAnUnchangedSourceIsTakenOver(t *testing.T) {
	t.Parallel()
	doc, db := watched(t), shop()
	first := build(doc, db)
	second := rebuild(first, doc, db)
	require.Same(t, first.Sources[0], second.Sources[0])
}

func TestWhatDidNotChangeIsTakenOver(t *testing.T) {
	t.Parallel()
	doc, db := watched(t), shop()
	first := build(doc, db)
	permission := table(first, "album").SelectPermission("clerk")
	artist := table(first, "artist").SelectPermission("admin")

	second := rebuild(first, change(doc, "staff", func(m *metadata.Table) { m.IsEnum = false }), db)
	require.NotSame(t, table(second, "staff").Version(), table(first, "staff").Version())
	album := table(second, "album")
	require.Same(t, album.Version(), table(first, "album").Version())
	require.NotSame(t, table(first, "album"), album)
	require.Same(t, album, table(second, "track").Relationship("album").Target)
	require.Same(t, table(second, "track"), album.ComputedField("songs").Returns)
	require.Same(t, permission, album.SelectPermission("clerk"))
	require.Same(t, artist, table(second, "artist").SelectPermission("admin"))
	// The version before still answers by itself.
	require.Same(t, table(first, "track"), table(first, "album").Relationship("tracks").Target)
}

func TestAPermissionFollowsTheTablesThatItLooksAt(t *testing.T) {
	t.Parallel()
	doc, db := watched(t), shop()
	s := build(doc, db)
	before := table(s, "album").SelectPermission("clerk")
	require.NotNil(t, before)
	require.Empty(t, s.Inconsistencies())

	// The table that the rule walks to goes away, and comes back.
	without := *doc.Sources[0]
	without.Tables = without.Tables[:len(without.Tables)-1]
	gone := *doc
	gone.Sources = []*metadata.Source{&without}
	s = rebuild(s, &gone, db)
	require.Nil(t, table(s, "album").SelectPermission("clerk"))
	require.Len(t, s.Inconsistencies(), 3)
	s = rebuild(s, doc, db)
	require.Equal(t, before.Filter, table(s, "album").SelectPermission("clerk").Filter)
	require.Empty(t, s.Inconsistencies())

	// A column that the rule compares goes away in the database.
	changed := shop()
	track := *changed.Tables[public("track")]
	track.Columns = track.Columns[2:]
	next := *db
	next.Tables = map[catalog.Name]*catalog.Table{}
	for n, c := range db.Tables {
		next.Tables[n] = c
	}
	next.Tables[track.Name] = &track
	s = rebuild(s, doc, &next)
	require.Nil(t, table(s, "album").SelectPermission("clerk"))
	require.Equal(t, []string{`in table "album": in permission for role "clerk": "title" does not exist`, `in table "track": in permission for role "clerk": column "id" does not exist`}, problems(s))
}

func TestAPermissionFollowsTheFunctionsThatItUses(t *testing.T) {
	t.Parallel()
	doc, db := watched(t), shop()
	s := build(doc, db)
	require.Len(t, table(s, "album").SelectPermission("clerk").ComputedFields, 1)
	admin := table(s, "album").SelectPermission("admin")
	require.Empty(t, s.Inconsistencies())
	next := *db
	next.Functions = map[catalog.Name][]*catalog.Function{}
	for n, f := range db.Functions {
		next.Functions[n] = f
	}
	delete(next.Functions, public("album_label"))
	s = rebuild(s, doc, &next)
	require.Nil(t, table(s, "album").SelectPermission("clerk"))
	require.Len(t, table(s, "album").SelectPermission("admin").ComputedFields, len(admin.ComputedFields)-1)
	require.Len(t, s.Inconsistencies(), 2)
}

func TestEnumValuesFollowTheTable(t *testing.T) {
	t.Parallel()
	doc, db := watched(t), shop()
	s := build(doc, db)
	next := *db
	next.Enums = map[catalog.Name][]catalog.EnumValue{public("genre"): {{Value: "folk"}}}
	second := rebuild(s, doc, &next)
	require.Equal(t, []catalog.EnumValue{{Value: "folk"}}, table(second, "album").Column("genre").Enum.EnumValues)
	require.Len(t, table(s, "album").Column("genre").Enum.EnumValues, 2)
	require.Same(t, table(second, "artist").Version(), table(s, "artist").Version())
}

func TestInheritedPermissionsFollowTheRoles(t *testing.T) {
	t.Parallel()
	doc, db := watched(t), shop()
	with := *doc
	with.InheritedRoles = []*metadata.InheritedRole{{Name: "boss", Set: []string{"clerk"}}}
	s := build(&with, db)
	boss := table(s, "track").SelectPermission("boss")
	require.NotNil(t, boss)
	again := *doc
	again.InheritedRoles = append([]*metadata.InheritedRole(nil), with.InheritedRoles...)
	require.Same(t, boss, table(rebuild(s, &again, db), "track").SelectPermission("boss"))
	s = rebuild(s, doc, db)
	require.Nil(t, table(s, "track").SelectPermission("boss"))
	require.NotNil(t, table(s, "track").SelectPermission("clerk"))
}

func TestTrackedFunctionsAreTakenOver(t *testing.T) {
	t.Parallel()
	doc := documentWith(t, `"functions":[{"function":"find_albums"}],`, tracked(artistTable), tracked(albumTable), tracked(trackTable))
	db := shop()
	first := build(doc, db)
	second := rebuild(first, change(doc, "artist", func(*metadata.Table) {}), db)
	f := second.Source("default").Functions[0]
	require.Same(t, table(second, "album"), f.Returns)
	require.Same(t, second.Source("default"), f.Source)
	require.Equal(t, first.Source("default").Functions[0].Field, f.Field)

	next := *db
	next.Functions = map[catalog.Name][]*catalog.Function{}
	third := rebuild(second, doc, &next)
	require.Empty(t, third.Source("default").Functions)
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	doc, db := watched(t), shop()
	first := build(doc, db)
	second := rebuild(first, change(doc, "track", func(m *metadata.Table) { m.SelectPermissions = nil }), db)
	var wg sync.WaitGroup
	for i := range 8 {
		s, tracks := first, true
		if i%2 == 1 {
			s, tracks = second, false
		}
		wg.Go(func() {
			for range 100 {
				if (table(s, "track").SelectPermission("clerk") != nil) != tracks || table(s, "album").SelectPermission("clerk") == nil || len(s.Inconsistencies()) > 0 {
					t.Error("a version sees the permissions of another")
					return
				}
			}
		})
	}
	wg.Wait()
}
