// Package freeport gives tests TCP ports of 127.0.0.1 for the servers they start.
package freeport

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The ports given lie below those that kernels choose for outgoing connections and for listeners on
// port 0: such a port may be taken before the server listens, or while a server that a test has
// stopped is down.
const (
	lowest = 10_000
	count  = 6_000
)

// given holds the ports that tests of this process have been given.
var given sync.Map

// Take returns a port without a listener. No other test of the process is given it, and no process while
// the test runs: it holds the UDP port of that number, by which other processes know.
func Take(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := lowest + rand.IntN(count) //nolint:gosec // G404: no secret
		if _, taken := given.LoadOrStore(port, true); taken {
			continue
		}
		var c net.ListenConfig
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		held, err := c.ListenPacket(t.Context(), "udp4", address)
		if err != nil {
			continue
		}
		l, err := c.Listen(t.Context(), "tcp4", address)
		if err != nil {
			_ = held.Close()
			continue
		}
		t.Cleanup(func() { _ = held.Close() })
		require.NoError(t, l.Close())
		return port
	}
	require.Fail(t, "no port is free")
	return 0
}

// Text is Take for arguments and addresses.
func Text(t testing.TB) string {
	t.Helper()
	return strconv.Itoa(Take(t))
}
