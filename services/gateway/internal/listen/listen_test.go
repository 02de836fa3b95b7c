package listen

import (
	"bytes"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	l, err := Listen(t.Context(), "tcp", "127.0.0.1:0", 100*time.Millisecond)
	require.NoError(t, err)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	server, err := l.Accept()
	require.NoError(t, err)
	defer server.Close()
	_, err = server.Write(make([]byte, 64<<20))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

// pair is a connection as Listen makes them, and its client.
func pair(t *testing.T, timeout time.Duration) (server, client net.Conn) {
	t.Helper()
	inner, client := net.Pipe()
	t.Cleanup(func() {
		_ = inner.Close()
		_ = client.Close()
	})
	return newConn(inner, timeout), client
}

func TestClientThatReadsSlowly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
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
				time.Sleep(190 * time.Millisecond) // nearly half of the timeout, which a client may always take
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
	})
}

func TestSmallWritesAfterALongTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := pair(t, 50*time.Millisecond)
		for range 3 {
			read := readOne(client)
			_, err := server.Write([]byte("x"))
			require.NoError(t, err)
			require.NoError(t, <-read)
			time.Sleep(80 * time.Millisecond) // longer than the timeout: the deadline must move
		}
	})
}

// readOne reads a byte.
func readOne(from net.Conn) <-chan error {
	read := make(chan error, 1)
	go func() {
		_, err := io.ReadFull(from, make([]byte, 1))
		read <- err
	}()
	return read
}

// TestDeadlineOfTheServer holds that a deadline from outside is kept, and that without one the
// client's time counts again.
func TestDeadlineOfTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := pair(t, 100*time.Millisecond)
		require.NoError(t, server.SetDeadline(time.Now().Add(-time.Second)))
		_, err := server.Write([]byte("x"))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, server.SetDeadline(time.Time{}))
		read := readOne(client)
		n, err := server.Write([]byte("x"))
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.NoError(t, <-read)
		require.NoError(t, server.SetWriteDeadline(time.Time{})) // as when a connection becomes a WebSocket
		_, err = server.Write([]byte("unread bytes"))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
}
