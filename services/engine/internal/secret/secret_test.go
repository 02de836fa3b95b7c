package secret_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/engine/internal/secret"
)

func TestKeptIsMadeOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "users", "gateway")
	made := make([]string, 8)
	var all sync.WaitGroup
	for i := range made {
		all.Go(func() { made[i], _ = secret.Kept(path) })
	}
	all.Wait()
	for _, text := range made {
		require.Equal(t, made[0], text)
	}
	require.Regexp(t, `^[A-Za-z0-9_-]{43}$`, made[0])
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	other, err := secret.Kept(path + "-2")
	require.NoError(t, err)
	require.NotEqual(t, made[0], other)
	require.NoError(t, os.WriteFile(path, []byte("\n"), 0o600))
	_, err = secret.Kept(path)
	require.ErrorContains(t, err, "is empty")
}
