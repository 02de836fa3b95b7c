package freeport_test

import (
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/freeport"
)

func TestPortsAreFreeAndGivenOnce(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for range 20 {
		port := freeport.Take(t)
		require.False(t, seen[port], "port %d was given twice", port)
		seen[port] = true
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", fmt.Sprint("127.0.0.1:", port))
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
}

func TestPortsAreNotThoseOfOutgoingConnections(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		t.Skip("the range of outgoing connections is known on Linux only:", err)
	}
	var low, high int
	_, err = fmt.Sscan(string(b), &low, &high)
	require.NoError(t, err)
	if low < 16_000 {
		t.Skip("the range of outgoing connections is wider here than kernels have it:", low, high)
	}
	for range 20 {
		port := freeport.Take(t)
		require.False(t, low <= port && port <= high, "port %d is in the range %d to %d", port, low, high)
	}
}

// TestPortsAreHeld: other processes leave a port alone until its test has ended.
func TestPortsAreHeld(t *testing.T) {
	t.Parallel()
	var address string
	t.Run("a test", func(t *testing.T) { //nolint:paralleltest // ends before the check below
		address = "127.0.0.1:" + freeport.Text(t)
		_, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp4", address)
		require.ErrorContains(t, err, "in use")
	})
	held, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp4", address)
	require.NoError(t, err)
	require.NoError(t, held.Close())
}
