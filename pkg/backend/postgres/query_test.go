package postgres

import (
	_ "embed"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/backendtest"
)

var update = flag.Bool("update", false, "rewrite the wanted files of testdata")

//go:embed testdata/shop.sql
var ownShop string

// shopSchema is the database of backendtest, with what is PostgreSQL's own.
var shopSchema = exercised.SQL.Statements(backendtest.Shop()) + ownShop

// TestQuery holds the text of each plan to a file, and its answer, made in every way, to
// another one.
func TestQuery(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	for _, c := range f.queryCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			st, err := New().RenderQuery(c.Root, c.Options)
			require.NoError(t, err)
			answer := sameAnswer(t, f.source, c.Root, c.Options, c.Args)
			folder := filepath.Join("testdata", "query", c.Name)
			golden(t, filepath.Join(folder, "want.postgres.sql"), st.SQL())
			if !c.Shared {
				golden(t, filepath.Join(folder, "want.json"), answer)
				return
			}
			golden(t, filepath.Join("..", "backendtest", "testdata", "query", c.Name+".json"), answer)
		})
	}
}

// golden compares text with a file; -update rewrites the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	got += "\n"
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
