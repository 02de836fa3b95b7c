package listen_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/listen"
)

// Connections that the kernel has made, and the server hasn't accepted yet, are not reset when
// it stops to listen.
func TestConnectionsThatWaitToBeAcceptedAreServed(t *testing.T) {
	t.Parallel()
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0", time.Minute)
	require.NoError(t, err)
	clients := make([]net.Conn, 20)
	for i := range clients {
		clients[i], err = net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		defer func() { _ = clients[i].Close() }()
	}
	left := make(chan struct{})
	go func() {
		listen.Leave(l, time.Minute)
		close(left)
	}()
	// Once no new client gets in, the waiting ones are accepted.
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}, 30*time.Second, time.Millisecond)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "here")
			_ = c.Close()
		}
	}()
	<-left
	require.NoError(t, l.Close())
	for _, c := range clients {
		answer, err := io.ReadAll(c)
		require.NoError(t, err)
		require.Equal(t, "here", string(answer))
	}
}
