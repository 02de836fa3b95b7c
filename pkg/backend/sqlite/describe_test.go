package sqlite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

// TestDescription has definitions that only the texts of SQLite tell, with names and literals that look like them.
func TestDescription(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `
		CREATE TABLE shelf (id INTEGER PRIMARY KEY, "key" TEXT, UNIQUE ("key"));
		CREATE TABLE "a "" (b" ( -- CHECK (no)
			id INTEGER PRIMARY KEY,
			"check" VARCHAR(20) NOT NULL DEFAULT 'CHECK (x, y)' CONSTRAINT "not "" so" CHECK ("check" <> ')' AND length("check") < 9), /* CHECK ( */
			[as] NUMERIC(6, 2) CHECK ([as] IN (1, 2)) CONSTRAINT ignored NOT NULL CHECK ([as] > 0),
			twice INT GENERATED ALWAYS AS ([as] * (1 + 1)) STORED,
			more AS (id + 1),
			shelf TEXT REFERENCES shelf ("key") ON DELETE CASCADE ON UPDATE SET NULL,
			untyped,
			CONSTRAINT whole CHECK (twice > 0 OR "check" = 'it''s'),
			UNIQUE (twice, shelf)
		);
		CREATE INDEX "on (" ON "a "" (b" (lower("check") COLLATE NOCASE DESC, shelf ASC) WHERE twice > 1 AND shelf <> ' WHERE ';
		CREATE UNIQUE INDEX plain ON "a "" (b" (shelf);
		CREATE TRIGGER told AFTER UPDATE ON "a "" (b" BEGIN SELECT 1; END;
		CREATE VIEW shown AS SELECT * FROM shelf;
		CREATE TRIGGER through INSTEAD OF INSERT ON shown BEGIN SELECT 1; END;`, nil)
	found, err := f.source.DescribeTable(t.Context(), table(`a " (b`))
	require.NoError(t, err)
	require.Equal(t, []catalog.ColumnDefinition{
		{Name: "id", Type: "INTEGER"},
		{Name: "check", Type: "VARCHAR(20)", Default: "'CHECK (x, y)'"},
		{Name: "as", Type: "NUMERIC(6, 2)"},
		{Name: "twice", Type: "INT", Nullable: true, Generated: "[as] * (1 + 1)"},
		{Name: "more", Type: "ANY", Nullable: true, Generated: "id + 1"},
		{Name: "shelf", Type: "TEXT", Nullable: true},
		{Name: "untyped", Type: "ANY", Nullable: true},
	}, found.Columns)
	require.Equal(t, []catalog.Definition{
		{Name: `not " so`, Type: catalog.Check, Text: `CHECK ("check" <> ')' AND length("check") < 9)`},
		{Name: `a " (b_check`, Type: catalog.Check, Text: "CHECK ([as] IN (1, 2))"},
		{Name: `a " (b_check1`, Type: catalog.Check, Text: "CHECK ([as] > 0)"},
		{Name: "whole", Type: catalog.Check, Text: `CHECK (twice > 0 OR "check" = 'it''s')`},
		{Name: `a " (b_pkey`, Type: catalog.PrimaryKey, Text: `PRIMARY KEY ("id")`},
		{Name: `a " (b_twice_shelf_key`, Type: catalog.UniqueConstraint, Text: `UNIQUE ("twice", "shelf")`},
		{Name: `a " (b_shelf_fkey`, Type: catalog.ForeignKeyOf, Text: `FOREIGN KEY ("shelf") REFERENCES "shelf" ("key") ON UPDATE SET NULL ON DELETE CASCADE`},
	}, found.Constraints)
	require.Equal(t, []catalog.Index{
		{
			Name: "on (", Method: "btree", Columns: []string{`lower("check") COLLATE NOCASE`, "shelf"}, Where: "twice > 1 AND shelf <> ' WHERE '",
			Text: `CREATE INDEX "on (" ON "a "" (b" (lower("check") COLLATE NOCASE DESC, shelf ASC) WHERE twice > 1 AND shelf <> ' WHERE '`,
		},
		{Name: "plain", Method: "btree", Columns: []string{"shelf"}, Unique: true, Text: `CREATE UNIQUE INDEX plain ON "a "" (b" (shelf)`},
		{Name: `sqlite_autoindex_a " (b_1`, Method: "btree", Columns: []string{"twice", "shelf"}, Unique: true},
	}, found.Indexes)
	require.Equal(t, []catalog.Trigger{{Name: "told", Text: `CREATE TRIGGER told AFTER UPDATE ON "a "" (b" BEGIN SELECT 1; END`}}, found.Triggers)

	shown, err := f.source.DescribeTable(t.Context(), table("shown"))
	require.NoError(t, err)
	require.Len(t, shown.Columns, 2)
	require.Len(t, shown.Triggers, 1)
	require.Empty(t, shown.Constraints)
	none, err := f.source.DescribeTable(t.Context(), table("none"))
	require.NoError(t, err)
	require.Equal(t, &catalog.Details{}, none)

	// Definitions that SQLite writes itself.
	f.exec(t, `CREATE TABLE copied AS SELECT "check" AS "CHECK (1)", 2 AS n FROM "a "" (b"`)
	copied, err := f.source.DescribeTable(t.Context(), table("copied"))
	require.NoError(t, err)
	require.Len(t, copied.Columns, 2)
	require.Empty(t, copied.Constraints)
}

func FuzzDDL(f *testing.F) {
	f.Add(`CREATE TABLE t (a INT CHECK (a > 0), b AS (a))`)
	f.Add(`CREATE INDEX i ON t (lower(a) DESC) WHERE a > ')'`)
	f.Add(`)(,"`)
	f.Add("CREATE TABLE t (a CHECK (")
	f.Fuzz(func(t *testing.T, text string) {
		_, generated := tableDDL(text)
		require.NotNil(t, generated)
		indexDDL(text)
	})
}

// TestEstimatedRows has the number of rows from ANALYZE, and none before it ran.
func TestEstimatedRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE "Box""es" (id INTEGER PRIMARY KEY, size INT); CREATE INDEX sized ON "Box""es" (size); CREATE TABLE bare (id INT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70) INSERT INTO "Box""es" SELECT i, i % 3 FROM n; INSERT INTO bare VALUES (1)`, nil)
	found, err := f.source.DescribeTable(t.Context(), table(`Box"es`))
	require.NoError(t, err)
	require.Nil(t, found.Rows)
	f.exec(t, `ANALYZE`)
	for name, want := range map[string]int64{`Box"es`: 70, "bare": 1} {
		found, err = f.source.DescribeTable(t.Context(), table(name))
		require.NoError(t, err)
		require.NotNil(t, found.Rows, name)
		require.Equal(t, want, *found.Rows, name)
	}
	f.exec(t, `CREATE TABLE fresh (id INT)`)
	found, err = f.source.DescribeTable(t.Context(), table("fresh"))
	require.NoError(t, err)
	require.Nil(t, found.Rows)
}
