package sqlite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

// TestIntrospection reads what SQLite has and other kinds have not.
func TestIntrospection(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `
		CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY AUTOINCREMENT, n INT GENERATED ALWAYS AS (id * 2) STORED, v AS (id + 1), "a b");
		CREATE TABLE keyed (code TEXT PRIMARY KEY, other TEXT UNIQUE, email TEXT, at TEXT DEFAULT CURRENT_TIMESTAMP);
		CREATE UNIQUE INDEX by_lower ON keyed (lower(other));
		CREATE UNIQUE INDEX partial ON keyed (other) WHERE other <> '';
		CREATE UNIQUE INDEX whole ON keyed (other, email);
		CREATE INDEX plain ON keyed (email);
		CREATE TABLE small (a TEXT, b INTEGER, PRIMARY KEY (b, a)) WITHOUT ROWID;
		CREATE TABLE strict_one (n INTEGER NOT NULL, x ANY) STRICT;
		CREATE TABLE refers (
			a INTEGER REFERENCES "odd ""name", b INTEGER, c TEXT REFERENCES KEYED (code), d INTEGER REFERENCES missing,
			FOREIGN KEY (b, c) REFERENCES small
		);
		CREATE VIEW shown AS SELECT id, "a b" FROM "odd ""name";
		CREATE VIRTUAL TABLE words USING fts5(word);
		CREATE TEMP TABLE hidden (n);`, nil)
	found, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for name := range found.Tables {
		require.Empty(t, name.Schema)
		names = append(names, name.Name)
	}
	require.ElementsMatch(t, []string{`odd "name`, "keyed", "small", "strict_one", "refers", "shown", "words"}, names,
		"neither tables of SQLite and of virtual tables, nor temporary ones")

	odd := found.Tables[table(`odd "name`)]
	id := odd.Column("id")
	require.True(t, id.Default && !id.Nullable && id.Mutable(), "it is counted up")
	require.True(t, odd.Column("n").Generated)
	require.True(t, odd.Column("v").Generated)
	require.False(t, odd.Column("v").Mutable())

	keyed := found.Tables[table("keyed")]
	require.True(t, keyed.Column("code").Nullable, "as SQLite has it")
	require.True(t, keyed.Column("at").Default)
	require.Equal(t, "keyed_pkey", keyed.PrimaryKey.Name)
	require.ElementsMatch(t, []catalog.Constraint{
		{Name: "keyed_other_key", Columns: []string{"other"}}, {Name: "whole", Columns: []string{"other", "email"}, Index: true},
	}, keyed.Uniques, "none with an expression or a condition")

	small := found.Tables[table("small")]
	require.Equal(t, []string{"b", "a"}, small.PrimaryKey.Columns)
	require.False(t, small.Column("a").Nullable)
	require.False(t, small.Column("b").Default, "only a key of one INTEGER is counted up")

	keys := map[string]catalog.ForeignKey{}
	for _, k := range found.Tables[table("refers")].ForeignKeys {
		keys[k.Name] = k
	}
	require.Len(t, keys, 3, "not the one to a table that doesn't exist")
	require.Equal(t, []string{"id"}, keys["refers_a_fkey"].TargetColumns, "the primary key is meant")
	require.Equal(t, table("keyed"), keys["refers_c_fkey"].Target, "names are the same in any case")
	require.Equal(t, []string{"b", "a"}, keys["refers_b_c_fkey"].TargetColumns)

	shown := found.Tables[table("shown")]
	require.Equal(t, catalog.KindView, shown.Kind)
	require.False(t, shown.Insertable || shown.Updatable || shown.Deletable)
	require.Len(t, shown.Columns, 2)
	require.Len(t, found.Tables[table("words")].Columns, 1)

	part, err := f.source.IntrospectPart(t.Context(), backend.Part{Tables: []catalog.Name{table("refers"), {Schema: "public", Name: "keyed"}}}, nil)
	require.NoError(t, err)
	require.Equal(t, map[catalog.Name]*catalog.Table{table("refers"): found.Tables[table("refers")]}, part.Tables)
}
