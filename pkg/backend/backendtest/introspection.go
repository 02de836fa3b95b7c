package backendtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

func (x *exercise) introspection(t *testing.T, at string) {
	b := x.open(t, append(Shop(), Table{
		Name: "book", Key: []string{"shelf", "place"},
		Columns: []Column{
			{Name: "number", Type: Serial, NotNull: true},
			{Name: "shelf", Type: Integer, NotNull: true},
			{Name: "place", Type: Integer, NotNull: true},
			{Name: "lent", Type: Boolean, NotNull: true, Default: "false"},
		},
		Unique: [][]string{{"number"}},
	})...)
	found := b.Catalog
	table := func(t *testing.T, name string) *catalog.Table {
		t.Helper()
		require.Contains(t, found.Tables, b.Name(name))
		return found.Tables[b.Name(name)]
	}
	x.sub(t, at, "tables", func(t *testing.T, _ string) {
		require.Len(t, found.Tables, 6)
		require.Positive(t, found.Version)
		track := table(t, "track")
		require.Equal(t, b.Name("track"), track.Name)
		require.Equal(t, catalog.KindTable, track.Kind)
		require.False(t, track.Unlisted)
		var names []string
		ids := map[string]bool{}
		for _, c := range track.Columns {
			names = append(names, c.Name)
			require.Nil(t, c.Comment)
			require.True(t, c.ID == "" || !ids[c.ID], "columns have different IDs, or none")
			ids[c.ID] = true
		}
		require.Equal(t, []string{"id", "album_id", "genre_id", "title", "seconds", "price", "plays", "mood"}, names)
		require.NotNil(t, table(t, "album").Column(`odd "name`))
	})
	x.sub(t, at, "elsewhere", func(t *testing.T, _ string) {
		require.Equal(t, x.SQL.Other, table(t, "elsewhere.note").Name.Schema)
	})
	x.sub(t, at, "writable", func(t *testing.T, _ string) {
		track := table(t, "track")
		require.True(t, track.Insertable)
		require.True(t, track.Updatable)
		require.True(t, track.Deletable)
	})
	x.sub(t, at, "null", func(t *testing.T, _ string) {
		for name, nullable := range map[string]bool{"id": false, "title": false, "price": false, "seconds": true, "album_id": true} {
			require.Equal(t, nullable, table(t, "track").Column(name).Nullable, name)
		}
	})
	x.sub(t, at, "defaults", func(t *testing.T, _ string) {
		book := table(t, "book")
		require.True(t, book.Column("lent").Default)
		require.False(t, book.Column("place").Default)
		number := book.Column("number")
		require.True(t, number.Default || number.Identity != "", "what is counted up need not be given")
		require.True(t, number.Mutable())
	})
	x.sub(t, at, "keys", func(t *testing.T, _ string) {
		require.Equal(t, []string{"id"}, table(t, "track").PrimaryKey.Columns)
		require.NotEmpty(t, table(t, "track").PrimaryKey.Name)
		require.Equal(t, []string{"shelf", "place"}, table(t, "book").PrimaryKey.Columns)
		require.Nil(t, table(t, "elsewhere.note").PrimaryKey)
		require.Empty(t, table(t, "track").Uniques)
		unique := table(t, "genre").Uniques
		require.Len(t, unique, 1)
		require.Equal(t, []string{"name"}, unique[0].Columns)
	})
	x.sub(t, at, "foreign keys", func(t *testing.T, _ string) {
		targets := map[string]catalog.Name{}
		for _, k := range table(t, "track").ForeignKeys {
			require.NotEmpty(t, k.Name)
			require.Len(t, k.Columns, 1)
			require.Equal(t, []string{"id"}, k.TargetColumns)
			targets[k.Columns[0]] = k.Target
		}
		require.Equal(t, map[string]catalog.Name{"album_id": b.Name("album"), "genre_id": b.Name("genre")}, targets)
	})
	x.sub(t, at, "enum tables", func(t *testing.T, _ string) {
		e := x.open(t,
			Table{
				Name: "color", Key: []string{"value"},
				Columns: []Column{{Name: "value", Type: Text, NotNull: true}, {Name: "comment", Type: Text}},
				Rows:    [][]string{{"red", "like blood"}, {"green", Null}},
			},
			Table{Name: "pair", Key: []string{"a", "b"}, Columns: []Column{{Name: "a", Type: Text, NotNull: true}, {Name: "b", Type: Text, NotNull: true}}})
		found, err := e.Source.Introspect(t.Context(), []catalog.Name{e.Name("color"), e.Name("pair"), e.Name("missing")})
		require.NoError(t, err)
		require.ElementsMatch(t, []catalog.EnumValue{{Value: "red", Comment: "like blood"}, {Value: "green"}}, found.Enums[e.Name("color")])
		require.NotContains(t, found.Enums, e.Name("pair"), "its key isn't one column")
		require.NotContains(t, found.Enums, e.Name("missing"))
	})
	x.sub(t, at, "identity", func(t *testing.T, _ string) {
		again, err := b.Source.Introspect(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, found.Tables, again.Tables, "introspection of the same tables is the same")
	})
	x.sub(t, at, "description", func(t *testing.T, _ string) {
		describer, can := b.Source.(backend.TableDescriber)
		require.True(t, can)
		for _, name := range []string{"track", "book", "genre"} {
			of := table(t, name)
			details, err := describer.DescribeTable(t.Context(), of.Name)
			require.NoError(t, err)
			require.Len(t, details.Columns, len(of.Columns))
			for i, c := range of.Columns {
				d := details.Columns[i]
				require.Equal(t, c.Name, d.Name)
				require.Equal(t, c.Nullable, d.Nullable, d.Name)
				require.NotEmpty(t, d.Type)
				require.Equal(t, c.Default && c.Identity == "" && name+"."+c.Name == "book.lent", d.Default != "" && d.Name == "lent", d.Name)
			}
			defined := map[string]catalog.ConstraintType{}
			for _, k := range details.Constraints {
				require.NotEmpty(t, k.Text)
				defined[k.Name] = k.Type
			}
			want := map[string]catalog.ConstraintType{of.PrimaryKey.Name: catalog.PrimaryKey}
			for _, k := range of.Uniques {
				want[k.Name] = catalog.UniqueConstraint
			}
			for _, k := range of.ForeignKeys {
				want[k.Name] = catalog.ForeignKeyOf
			}
			require.Equal(t, want, defined, "the catalog has these constraints, with their definitions")
		}
		none, err := describer.DescribeTable(t.Context(), b.Name("missing"))
		require.NoError(t, err)
		require.Empty(t, len(none.Columns)+len(none.Constraints)+len(none.Indexes)+len(none.Triggers))
	})
	x.sub(t, at, "part", func(t *testing.T, _ string) {
		parts, can := b.Source.(backend.PartIntrospector)
		require.True(t, can)
		part, err := parts.IntrospectPart(t.Context(), backend.Part{Tables: []catalog.Name{b.Name("track"), b.Name("missing")}}, nil)
		require.NoError(t, err)
		require.Equal(t, map[catalog.Name]*catalog.Table{b.Name("track"): table(t, "track")}, part.Tables)
	})
}
