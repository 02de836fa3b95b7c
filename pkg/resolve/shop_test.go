package resolve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// The tests speak of a music shop. Its tables are spelt in words: the first column is the
// primary key, "!" is NOT NULL, "[]" an array.

func public(name string) catalog.Name { return catalog.Name{Schema: "public", Name: name} }

// parseName reads name or schema.name.
func parseName(s string) catalog.Name {
	if schema, name, ok := strings.Cut(s, "."); ok {
		return catalog.Name{Schema: schema, Name: name}
	}
	return public(s)
}

func catalogTable(name, columns string) *catalog.Table {
	t := &catalog.Table{
		Name: parseName(name), Kind: catalog.KindTable, Insertable: true, Updatable: true, Deletable: true, RowEstimate: -1,
	}
	for i, spec := range strings.Split(columns, ", ") {
		space := strings.LastIndexByte(spec, ' ') // names may have spaces, types have none
		column, typ := spec[:space], spec[space+1:]
		c := &catalog.Column{Name: column, ID: strconv.Itoa(i + 1), Nullable: !strings.HasSuffix(typ, "!")}
		c.Type = catalogType(strings.TrimSuffix(typ, "!"))
		t.Columns = append(t.Columns, c)
	}
	t.PrimaryKey = &catalog.Constraint{Name: t.Name.Name + "_pkey", Columns: []string{t.Columns[0].Name}}
	return t
}

func catalogType(name string) catalog.Type {
	t := catalog.Type{Name: strings.TrimSuffix(name, "[]")}
	if t.Name != name {
		t.Dims = 1
	}
	return t
}

// references adds a foreign key named <table>_<columns>_fkey.
func references(t *catalog.Table, columns, target, targetColumns string) {
	t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{
		Name: t.Name.Name + "_" + strings.ReplaceAll(columns, ", ", "_") + "_fkey", Target: parseName(target),
		Columns: strings.Split(columns, ", "), TargetColumns: strings.Split(targetColumns, ", "),
	})
}

func rowArg(name, table string) catalog.Argument {
	n := parseName(table)
	return catalog.Argument{Name: name, Type: catalog.Type{Name: n.Name, Schema: n.Schema, Kind: catalog.TypeComposite}, Table: &n}
}

func arg(name, typ string) catalog.Argument {
	return catalog.Argument{Name: name, Type: catalogType(typ)}
}

func function(name string, returns string, args ...catalog.Argument) *catalog.Function {
	f := &catalog.Function{Name: parseName(name), Volatility: catalog.Stable, Args: args}
	table, isSet := strings.CutPrefix(returns, "setof ")
	f.ReturnsSet = isSet
	if isSet || strings.HasPrefix(returns, "row ") {
		n := parseName(strings.TrimPrefix(table, "row "))
		f.ReturnTable = &n
		f.Return = catalog.Type{Name: n.Name, Schema: n.Schema, Kind: catalog.TypeComposite}
		return f
	}
	f.Return = catalogType(returns)
	return f
}

// shop is the catalog that all tests start from; each gets its own.
func shop() *catalog.Source {
	artist := catalogTable("artist", "id int4!, name text!, manager_id int4, home geometry")
	album := catalogTable("album", "id int4!, title text!, artist_id int4, meta jsonb, raw json, released date, genre text, tags text[], path ltree, price numeric, old_id int4")
	track := catalogTable("track", "id int4!, title text!, album_id int4!, seconds int4, price numeric")
	staff := catalogTable("staff", "id int4!, is_admin bool!, name text, album_id int4")
	genre := catalogTable("genre", "value text!, comment text")
	archive := catalogTable("archive.album", "id int4!, title text")
	references(album, "artist_id", "artist", "id")
	references(album, "genre", "genre", "value")
	references(track, "album_id", "album", "id")
	staff.Uniques = []catalog.Constraint{{Name: "staff_album_id_key", Columns: []string{"album_id"}}}
	references(staff, "album_id", "album", "id")
	c := &catalog.Source{
		Version: 150000,
		Tables:  map[catalog.Name]*catalog.Table{},
		Functions: map[catalog.Name][]*catalog.Function{
			public("album_label"):  {function("album_label", "text", rowArg("a", "album"))},
			public("album_since"):  {function("album_since", "text", rowArg("a", "album"), arg("since", "date"))},
			public("album_for"):    {function("album_for", "text", arg("s", "json"), rowArg("a", "album"))},
			public("album_tracks"): {function("album_tracks", "setof track", rowArg("a", "album"))},
			public("find_albums"):  {function("find_albums", "setof album", arg("search", "text"), arg("", "int4"))},
		},
		Enums: map[catalog.Name][]catalog.EnumValue{public("genre"): {{Value: "jazz", Comment: "improvised"}, {Value: "rock"}}},
	}
	for _, t := range []*catalog.Table{artist, album, track, staff, genre, archive} {
		c.Tables[t.Name] = t
	}
	return c
}

const (
	artistTable = `{"table":"artist",
		"array_relationships":[{"name":"albums","using":{"foreign_key_constraint_on":{"table":"album","column":"artist_id"}}}]`
	albumTable = `{"table":"album",
		"object_relationships":[{"name":"artist","using":{"foreign_key_constraint_on":"artist_id"}}],
		"array_relationships":[{"name":"tracks","using":{"foreign_key_constraint_on":{"table":"track","column":"album_id"}}}],
		"computed_fields":[
			{"name":"label","definition":{"function":"album_label"}},
			{"name":"since","definition":{"function":"album_since"}},
			{"name":"personal","definition":{"function":"album_for","table_argument":"a","session_argument":"s"}},
			{"name":"songs","definition":{"function":"album_tracks"}}]`
	trackTable = `{"table":"track",
		"object_relationships":[{"name":"album","using":{"foreign_key_constraint_on":"album_id"}}]`
	staffTable = `{"table":"staff"`
	genreTable = `{"table":"genre","is_enum":true`
)

// tracked completes the object of a table with more keys.
func tracked(table string, more ...string) string {
	return strings.Join(append([]string{table}, more...), ",") + "}"
}

// document reads metadata with the tables in source default.
func document(t testing.TB, tables ...string) *metadata.Document {
	return documentWith(t, "", tables...)
}

// documentWith is document with more keys of the source, each with a comma after it.
func documentWith(t testing.TB, keys string, tables ...string) *metadata.Document {
	text := fmt.Sprintf(`{"version":3,"sources":[{"name":"default","kind":"postgres",%s"tables":[%s],
		"configuration":{"connection_info":{"database_url":"x"}}}]}`, keys, strings.Join(tables, ","))
	return parseDocument(t, text)
}

func parseDocument(t testing.TB, text string) *metadata.Document {
	doc, err := metadata.Parse(json.RawMessage(text), &metadata.Document{}, kind.All(os.LookupEnv, "test").Metadata())
	require.NoError(t, err)
	return doc
}

func everything(t testing.TB) *metadata.Document {
	return document(t, tracked(artistTable), tracked(albumTable), tracked(trackTable), tracked(staffTable), tracked(genreTable))
}

func options() resolve.Options {
	return resolve.Options{
		Kinds:                    kind.All(os.LookupEnv, "test"),
		InferFunctionPermissions: true,
	}
}

func build(doc *metadata.Document, c *catalog.Source) *resolve.Schema {
	return resolve.Build(doc, map[string]*catalog.Source{"default": c}, nil, nil, options())
}

// schema is the shop with all tables tracked.
func schema(t testing.TB) *resolve.Schema { return build(everything(t), shop()) }

func table(s *resolve.Schema, name string) *resolve.Table {
	return s.Source("default").Table(parseName(name))
}

// problems are the reasons of all inconsistencies, without what they have in common.
func problems(s *resolve.Schema) []string {
	list := []string{}
	for _, i := range s.Inconsistencies() {
		list = append(list, strings.TrimPrefix(i.Reason, "Inconsistent object: "))
	}
	return list
}

func dump(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
