package listen_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/listen"
)

func pair(t *testing.T, timeout time.Duration) (server, client net.Conn) {
	t.Helper()
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0", timeout)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	client, err = net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	server, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	return server, client
}

func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	server, _ := pair(t, 100*time.Millisecond)
	_, err := server.Write(make([]byte, 64<<20))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

func TestClientThatReadsSlowly(t *testing.T) {
	t.Parallel()
	server, client := pair(t, 400*time.Millisecond)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
	received := make(chan []byte)
	go func() {
		var got bytes.Buffer
		buf := make([]byte, 1<<20)
		for {
			n, err := client.Read(buf)
			got.Write(buf[:n])
			if err != nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		received <- got.Bytes()
	}()
	for range 4 {
		n, err := server.Write(sent[:4<<20])
		require.NoError(t, err)
		require.Equal(t, 4<<20, n)
	}
	require.NoError(t, server.Close())
	require.Len(t, <-received, 16<<20)
}

func TestSmallWritesAfterALongTime(t *testing.T) {
	t.Parallel()
	server, client := pair(t, 50*time.Millisecond)
	for range 3 {
		_, err := server.Write([]byte("x"))
		require.NoError(t, err)
		b := make([]byte, 1)
		_, err = io.ReadFull(client, b)
		require.NoError(t, err)
		time.Sleep(80 * time.Millisecond) // longer than the timeout: the deadline must move
	}
}
