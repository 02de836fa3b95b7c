// Package bustest gives tests a real bus: an embedded NATS server of their own, and
// connections to it that end with the test.
package bustest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
)

// Server starts a NATS server with JetStream on a free port.
func Server(t testing.TB) *natsserver.Server {
	t.Helper()
	s, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return s
}

// Connect connects to s over TCP, as a process of its own would.
func Connect(t testing.TB, s *natsserver.Server) *bus.Bus {
	t.Helper()
	return ConnectWith(t, bus.Config{URL: s.ClientURL()})
}

// ConnectWith connects with a configuration. Where that doesn't say, no member counts as silent as soon as in
// programs: a machine that runs tests may be busy for as long.
func ConnectWith(t testing.TB, c bus.Config) *bus.Bus {
	t.Helper()
	if c.Heartbeat == 0 && c.IdleTimeout == 0 {
		c.IdleTimeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	b, err := bus.Connect(ctx, c)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

// QueryCache is the cache of answers, created as metadata does.
func QueryCache(t testing.TB, b *bus.Bus, maxBytes int64) *bus.Cache {
	t.Helper()
	c := b.QueryCache()
	require.NoError(t, c.Ensure(t.Context(), maxBytes))
	return c
}
