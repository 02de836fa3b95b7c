package dirlock_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dirlock"
)

func TestDirectoriesHaveOneHolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "here")
	first, err := dirlock.Take(dir, 0o700)
	require.NoError(t, err)
	_, err = dirlock.Take(dir, 0o700)
	require.ErrorIs(t, err, dirlock.ErrInUse)
	require.ErrorContains(t, err, dir+" is in use by another process")
	require.NoError(t, first.Close())
	again, err := dirlock.Take(dir, 0o700)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}
