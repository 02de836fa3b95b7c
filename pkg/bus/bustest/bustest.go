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

// ConnectWith connects with a configuration.
func ConnectWith(t testing.TB, c bus.Config) *bus.Bus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	b, err := bus.Connect(ctx, c)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}
