package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
)

func TestPartOfTheCatalogIsThatOfTheWhole(t *testing.T) {
	t.Parallel()
	s := newFixture(t, `
		CREATE SCHEMA "odd ""schema";
		CREATE DOMAIN label AS text NOT NULL;
		CREATE TABLE kind (name text PRIMARY KEY, remark text);
		INSERT INTO kind VALUES ('b', 'second'), ('a', NULL);
		CREATE TABLE "odd ""schema"."it's" (id int PRIMARY KEY);
		CREATE TABLE stock (
			id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text REFERENCES kind, title label,
			other int UNIQUE REFERENCES "odd ""schema"."it's", tags text[]);
		CREATE UNIQUE INDEX by_title ON stock (title);
		CREATE VIEW cheap AS SELECT * FROM stock;
		CREATE TABLE bystander (id int REFERENCES stock);
		CREATE FUNCTION find(kind text, s stock) RETURNS SETOF stock LANGUAGE sql STABLE AS 'SELECT * FROM stock';
		CREATE FUNCTION find(n int DEFAULT 1) RETURNS int LANGUAGE sql AS 'SELECT 1';
		CREATE FUNCTION other() RETURNS int LANGUAGE sql AS 'SELECT 1';`, nil).source
	public := func(name string) catalog.Name { return catalog.Name{Schema: "public", Name: name} }
	odd := catalog.Name{Schema: `odd "schema`, Name: "it's"}
	enums := []catalog.Name{public("kind")}
	whole, err := s.Introspect(t.Context(), enums)
	require.NoError(t, err)

	for _, part := range []backend.Part{
		{},
		{Tables: []catalog.Name{public("stock")}},
		{Tables: []catalog.Name{public("kind"), odd, public("cheap")}},
		{Functions: []catalog.Name{public("find")}},
		{Tables: []catalog.Name{public("bystander")}, Functions: []catalog.Name{public("other")}},
	} {
		found, err := s.IntrospectPart(t.Context(), part, enums)
		require.NoError(t, err)
		require.Len(t, found.Tables, len(part.Tables))
		for _, n := range part.Tables {
			require.Equal(t, whole.Tables[n], found.Tables[n])
			require.Equal(t, whole.Enums[n], found.Enums[n])
		}
		require.Len(t, found.Functions, len(part.Functions))
		for _, n := range part.Functions {
			require.Equal(t, whole.Functions[n], found.Functions[n])
		}
	}
	found, err := s.IntrospectPart(t.Context(), backend.Part{Tables: []catalog.Name{public("none")}}, nil)
	require.NoError(t, err)
	require.Empty(t, found.Tables)
}
