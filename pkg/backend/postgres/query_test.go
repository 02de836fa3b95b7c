package postgres

import (
	_ "embed"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

var update = flag.Bool("update", false, "rewrite the wanted files of testdata")

//go:embed testdata/shop.sql
var shopSchema string

// queryCase is a plan, with what is bound when it runs. Its text and its answer are in
// testdata/query/<name>.
type queryCase struct {
	name    string
	root    ir.Root
	options backend.RenderOptions
	args    backend.Args
}

// TestQuery holds the text of each plan to a file, and its answer, made in every way, to
// another one.
func TestQuery(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	for _, c := range append(queryCases(), connectionCases()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st, err := New().RenderQuery(c.root, c.options)
			require.NoError(t, err)
			answer := sameAnswer(t, f.source, c.root, c.options, c.args)
			folder := filepath.Join("testdata", "query", c.name)
			golden(t, filepath.Join(folder, "want.postgres.sql"), st.SQL())
			golden(t, filepath.Join(folder, "want.json"), answer)
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
