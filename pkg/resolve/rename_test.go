package resolve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

const renameAlbum = `{"table":{"name":"album","schema":"public"},
	"configuration":{"column_config":{"title":{"custom_name":"Title"}},"custom_column_names":{"title":"Title"},"custom_root_fields":{}},
	"object_relationships":[{"name":"artist","using":{"foreign_key_constraint_on":"artist_id"}}],
	"array_relationships":[{"name":"tracks","using":{"foreign_key_constraint_on":{"column":"album_id","table":{"name":"track","schema":"public"}}}}],
	"computed_fields":[{"name":"songs","definition":{"function":{"name":"album_tracks","schema":"public"}}}],
	"remote_relationships":[{"name":"far","definition":{"to_source":{"source":"x","table":{"name":"album","schema":"public"},"relationship_type":"object","field_mapping":{"title":"title"}}}},
		{"name":"wide","definition":{"to_remote_schema":{"remote_schema":"r","lhs_fields":["id","title"],"remote_field":{"a":{"arguments":{"in":["$title",{"b":"title"}]}}}}}}],
	"insert_permissions":[{"role":"a","permission":{"check":{"title":{"_ceq":"genre"}},"set":{"title":"x"},"columns":["id","title"]}},
		{"role":"b","permission":{"check":{}}}],
	"select_permissions":[{"role":"a","permission":{"columns":["id","title"],"filter":{"_or":[{"tracks":{"id":{"_ceq":["$","old_id"]}}},
		{"_not":{"_exists":{"_table":{"name":"track","schema":"public"},"_where":{"album":{"title":"x"}}}}},{"songs":{"seconds":{"$clt":["id"]}}}]}}}],
	"update_permissions":[{"role":"a","permission":{"columns":["title"],"filter":{"meta":{"_cast":{"text":{"_cne":"title"}}}},"check":null,"set":{"title":"x"}}}],
	"delete_permissions":[{"role":"a","permission":{"filter":{"$and":[{"artist":{"albums":{"title":{"_eq":"x"}}}}]}}}],
	"event_triggers":[{"name":"e","definition":{"enable_manual":false,"update":{"columns":["title","id"],"payload":["title"]}},
		"retry_conf":{"num_retries":0,"interval_sec":10,"timeout_sec":60},"webhook":"http://x"}]}`

const renameTrack = `{"table":{"name":"track","schema":"public"},
	"object_relationships":[{"name":"album","using":{"foreign_key_constraint_on":"album_id"}},
		{"name":"twin","using":{"manual_configuration":{"column_mapping":{"title":"title"},"insertion_order":null,"remote_table":{"name":"album","schema":"public"}}}}]}`

const renameArtist = `{"table":{"name":"artist","schema":"public"},
	"array_relationships":[{"name":"albums","using":{"foreign_key_constraint_on":{"column":"artist_id","table":{"name":"album","schema":"public"}}}}]}`

func compact(t *testing.T, text string) string {
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return dump(t, v)
}

// renamed applies r to the document and returns the three tables as text.
func renamed(t *testing.T, r resolve.Renames) map[string]string {
	r.Source = "default"
	doc, err := build(document(t, renameAlbum, renameTrack, renameArtist), shop()).Rename(r)
	require.NoError(t, err)
	tables := map[string]string{}
	for _, m := range doc.Sources[0].Tables {
		tables[m.Table.Name] = compact(t, dump(t, m))
	}
	return tables
}

// replaced is the text with the replacements made.
func replaced(t *testing.T, text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, text, pairs[i])
	}
	return compact(t, strings.NewReplacer(pairs...).Replace(text))
}

func TestRenameColumn(t *testing.T) {
	t.Parallel()
	got := renamed(t, resolve.Renames{Columns: map[catalog.Name]map[string]string{public("album"): {"title": "label"}}})
	require.Equal(t, replaced(t, renameAlbum,
		`{"title":{"custom_name"`, `{"label":{"custom_name"`, `{"title":"Title"}`, `{"label":"Title"}`,
		`"$title"`, `"$label"`, `"field_mapping":{"title"`, `"field_mapping":{"label"`, `["id","title"]`, `["id","label"]`,
		`{"title":{"_ceq"`, `{"label":{"_ceq"`, `"set":{"title"`, `"set":{"label"`,
		`"album":{"title"`, `"album":{"label"`, `["title"]`, `["label"]`, `"_cne":"title"`, `"_cne":"label"`,
		`"albums":{"title"`, `"albums":{"label"`, `["title","id"]`, `["label","id"]`,
	), got["album"])
	require.Equal(t, replaced(t, renameTrack, `{"title":"title"}`, `{"title":"label"}`), got["track"])
	require.Equal(t, compact(t, renameArtist), got["artist"])

	got = renamed(t, resolve.Renames{Columns: map[catalog.Name]map[string]string{public("album"): {"artist_id": "by", "old_id": "was"}}})
	require.Equal(t, replaced(t, renameAlbum, `on":"artist_id"`, `on":"by"`, `["$","old_id"]`, `["$","was"]`), got["album"])
	require.Equal(t, replaced(t, renameArtist, `artist_id`, `by`), got["artist"])

	got = renamed(t, resolve.Renames{Columns: map[catalog.Name]map[string]string{public("track"): {"id": "key", "album_id": "of", "seconds": "time", "title": "name"}}})
	require.Equal(t, replaced(t, renameAlbum, `"column":"album_id"`, `"column":"of"`, `"tracks":{"id"`, `"tracks":{"key"`,
		`"songs":{"seconds":{"$clt":["id"]`, `"songs":{"time":{"$clt":["key"]`), got["album"])
	require.Equal(t, replaced(t, renameTrack, `on":"album_id"`, `on":"of"`, `{"title":"title"}`, `{"name":"title"}`), got["track"])
}

func TestRenameColumnsThatSwap(t *testing.T) {
	t.Parallel()
	got := renamed(t, resolve.Renames{Columns: map[catalog.Name]map[string]string{public("album"): {"title": "genre", "genre": "title"}}})
	require.Contains(t, got["album"], `{"genre":{"_ceq":"title"}}`)
}

func TestRenameTable(t *testing.T) {
	t.Parallel()
	got := renamed(t, resolve.Renames{Tables: map[catalog.Name]catalog.Name{public("track"): parseName("archive.song")}})
	require.Equal(t, replaced(t, renameAlbum, `{"name":"track","schema":"public"}`, `{"name":"song","schema":"archive"}`), got["album"])
	require.Equal(t, replaced(t, renameTrack, `{"name":"track","schema":"public"}`, `{"name":"song","schema":"archive"}`), got["song"])
	require.NotContains(t, got, "track")

	got = renamed(t, resolve.Renames{Tables: map[catalog.Name]catalog.Name{public("album"): public("record")}})
	require.Equal(t, replaced(t, renameArtist, `"name":"album"`, `"name":"record"`), got["artist"])
	require.Equal(t, replaced(t, renameTrack, `"name":"album","schema"`, `"name":"record","schema"`), got["track"])
}

func TestRenameRelationship(t *testing.T) {
	t.Parallel()
	s := build(document(t, renameAlbum, renameTrack, renameArtist), shop())
	doc, err := s.RenameRelationship(metadata.ObjectID{Kind: "array_relation", Source: "default", Table: public("artist"), Name: "albums"}, "records")
	require.NoError(t, err)
	artist, album, track := doc.Sources[0].Tables[1], doc.Sources[0].Tables[0], doc.Sources[0].Tables[2]
	require.Equal(t, "records", artist.ArrayRelationships[0].Name)
	require.Equal(t, `{"$and":[{"artist":{"records":{"title":{"_eq":"x"}}}}]}`, string(album.DeletePermissions[0].Permission.Rules[0].Filter)) //nolint:testifylint // rules are kept as they were given
	// What doesn't walk there is shared.
	require.Same(t, s.Document.Sources[0].Tables[2], track)
	require.Same(t, s.Document.Sources[0].Tables[0].SelectPermissions[0], album.SelectPermissions[0])
	require.Equal(t, problems(s), problems(build(doc, shop())))
}

func TestRenameKeepsTheOrderOfKeysAndLists(t *testing.T) {
	t.Parallel()
	s := build(document(t, `{"table":"album","select_permissions":[{"role":"a","permission":{"columns":[],"filter":{"title":"a<b","artist_id":1,"id":{"_lt":1,"_gt":2}}}}],
		"object_relationships":[{"name":"a","using":{"foreign_key_constraint_on":"artist_id"}},{"name":"b","using":{"foreign_key_constraint_on":"artist_id"}}]}`,
		renameArtist), shop())
	doc, err := s.Rename(resolve.Renames{
		Source:        "default",
		Columns:       map[catalog.Name]map[string]string{public("album"): {"artist_id": "by<"}},
		Relationships: map[catalog.Name]map[string]string{public("album"): {"a": "c"}},
		Tables:        map[catalog.Name]catalog.Name{public("album"): public("record")},
	})
	require.NoError(t, err)
	record := doc.Sources[0].Tables[1]
	require.Equal(t, public("record"), record.Table)
	require.Equal(t, `{"title":"a<b","by<":1,"id":{"_lt":1,"_gt":2}}`, string(record.SelectPermissions[0].Permission.Rules[0].Filter)) //nolint:testifylint // the order of keys matters
	require.Equal(t, "b", record.ObjectRelationships[0].Name)
	require.Equal(t, "c", record.ObjectRelationships[1].Name)
}

func TestRenameToTheNameOfARelationship(t *testing.T) {
	t.Parallel()
	s := schema(t)
	_, err := s.Rename(resolve.Renames{Source: "default", Columns: map[catalog.Name]map[string]string{public("album"): {"title": "tracks"}}})
	require.EqualError(t, err, `already-exists at $: cannot rename column "title" to "tracks" in table "album" as a relationship with the name already exists`)
	doc, err := s.Rename(resolve.Renames{Source: "other"})
	require.NoError(t, err)
	require.Same(t, s.Document, doc)
}
