package bus

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
)

// TestCacheIsMadeAnew: without its bucket, as after a restart of NATS, the cache has no entries, until metadata has created the bucket again.
func TestCacheIsMadeAnew(t *testing.T) {
	t.Parallel()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	b, err := Connect(t.Context(), Config{InProcess: server})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	owner := b.QueryCache()
	for range 2 {
		c := b.QueryCache()
		for range 2 {
			_, _, err = c.Get(t.Context(), "f", "k")
			require.ErrorIs(t, err, ErrNoEntry)
			require.ErrorIs(t, c.Put(t.Context(), "f", "k", []byte("x"), time.Minute), ErrNoEntry)
			require.NoError(t, c.Clear(t.Context(), "f", ""))
			require.NoError(t, owner.Ensure(t.Context(), 1<<20))
			require.NoError(t, c.Put(t.Context(), "f", "k", []byte("x"), time.Minute))
			require.NoError(t, owner.Ensure(t.Context(), 1<<20))
			_, _, err = c.Get(t.Context(), "f", "k")
			require.NoError(t, err)
			require.NoError(t, b.js.DeleteStream(t.Context(), cacheStream))
		}
	}
}
