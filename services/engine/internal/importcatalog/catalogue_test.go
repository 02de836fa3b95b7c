package importcatalog

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

const tables = `CREATE SCHEMA hdb_catalog;
CREATE TABLE hdb_catalog.hdb_metadata (id int PRIMARY KEY, metadata json NOT NULL, resource_version int NOT NULL);
CREATE TABLE hdb_catalog.hdb_version (version text, cli_state jsonb NOT NULL DEFAULT '{}');`

const document = `INSERT INTO hdb_catalog.hdb_metadata VALUES (1, '{"version": 3}', 7);`

func version(text string) string {
	return `INSERT INTO hdb_catalog.hdb_version (version) VALUES (` + text + `);`
}

// open reads a catalogue that statements have made.
func open(t *testing.T, statements string) (*Catalogue, error) {
	t.Helper()
	url := dbtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), statements)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	c, err := Open(t.Context(), url)
	if err == nil {
		t.Cleanup(func() { _ = c.Close(t.Context()) })
	}
	return c, err
}

func TestVersionsOfTheCatalogue(t *testing.T) {
	t.Parallel()
	for _, known := range []string{`'44'`, `'47'`, `'48'`} {
		c, err := open(t, tables+document+version(known))
		require.NoError(t, err, known)
		require.EqualValues(t, 7, c.Version)
		require.JSONEq(t, `{"version": 3}`, string(c.Metadata))
	}
	const reads = "import reads versions 44 to 48"
	for name, c := range map[string]struct {
		statements string
		wants      []string
	}{
		"newer":        {tables + document + version(`'49'`), []string{`version "49"`, reads, "newer release"}},
		"older":        {tables + document + version(`'43'`), []string{`version "43"`, reads, "up to date"}},
		"of fractions": {tables + document + version(`'0.8'`), []string{`version "0.8"`, reads, "up to date"}},
		"no text":      {tables + document + version(`NULL`), []string{`version ""`, reads}},
		"no version":   {tables + document, []string{"no version", reads}},
		"no table":     {tables + document + `DROP TABLE hdb_catalog.hdb_version`, []string{"no version", reads}},
		"no metadata":  {tables + version(`'48'`), []string{"has no row"}},
		"no catalogue": {`SELECT 1`, []string{ErrNone.Error()}},
	} {
		_, err := open(t, c.statements)
		for _, want := range c.wants {
			require.ErrorContains(t, err, want, name)
		}
		require.NotErrorIs(t, err, pgx.ErrNoRows, name)
	}
}
