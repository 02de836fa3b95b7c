package bus

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
)

// A NATS server that restarts has lost the bucket.
func TestCacheIsMadeAnew(t *testing.T) {
	t.Parallel()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	b, err := Connect(t.Context(), Config{InProcess: server})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	c := b.QueryCache(1 << 20)
	for _, again := range []func() error{
		func() error { return c.Put(t.Context(), "f", "k", []byte("x"), time.Minute) },
		func() error {
			_, _, err := c.Get(t.Context(), "f", "k")
			require.ErrorIs(t, err, ErrNoEntry)
			return nil
		},
		func() error { return c.Clear(t.Context(), "f", "") },
	} {
		require.NoError(t, c.Put(t.Context(), "f", "k", []byte("x"), time.Minute))
		require.NoError(t, b.js.DeleteStream(t.Context(), "KV_"+CacheBucket))
		require.NoError(t, again())
	}
}
