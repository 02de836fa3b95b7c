package generate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/proto/generate"
)

// TestGeneratedCodeIsCurrent fails when a .proto file was changed without `make generate`.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	t.Parallel()
	const root = ".."
	files, err := generate.Files(t.Context(), root)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "%s is stale: run make generate", name)
	}
}

func TestFaultNamesItsPlace(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "bad.proto"), []byte("syntax = \"proto3\";\nmessage {}\n"), 0o600))
	_, err := generate.Files(t.Context(), root)
	require.ErrorContains(t, err, "bad.proto:2:9")
}
