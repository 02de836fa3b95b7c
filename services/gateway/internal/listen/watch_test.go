package listen

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// watched is what a read of one byte without a deadline gives, and how long it took.
func watched(server net.Conn) (took time.Duration, err error) {
	began := time.Now()
	_, err = server.Read(make([]byte, 1))
	return time.Since(began), err
}

func TestWatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request time.Duration // how long it takes
		gone    time.Duration // when the client goes, 0 for never
		noticed bool
	}{
		"answered at once":               {request: time.Millisecond},
		"answered after it was watched":  {request: time.Second},
		"client goes":                    {request: time.Second, gone: time.Millisecond, noticed: true},
		"client goes after a while":      {request: time.Second, gone: 500 * time.Millisecond, noticed: true},
		"client goes before it is known": {request: 2 * time.Millisecond, gone: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, client := pair(t, time.Minute)
				for range 25 { // requests before, all while the same timer runs
					time.AfterFunc(time.Millisecond, func() { _ = server.SetReadDeadline(time.Unix(1, 0)) })
					_, err := watched(server)
					require.ErrorIs(t, err, os.ErrDeadlineExceeded)
					require.NoError(t, server.SetReadDeadline(time.Time{}))
				}
				if c.gone > 0 {
					time.AfterFunc(c.gone, func() { _ = client.Close() })
				}
				end := time.AfterFunc(c.request, func() { _ = server.SetReadDeadline(time.Unix(1, 0)) })
				defer end.Stop()
				took, err := watched(server)
				if c.noticed {
					require.ErrorIs(t, err, io.EOF)
					require.LessOrEqual(t, took, max(c.gone, 2*watchAfter))
					return
				}
				var timeout net.Error // as net/http asks
				require.ErrorAs(t, err, &timeout)
				require.True(t, timeout.Timeout())
				require.Equal(t, c.request, took)
			})
		})
	}
}

// TestNextRequestWhileWatching holds that what comes early is not lost.
func TestNextRequestWhileWatching(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := pair(t, time.Minute)
		go func() { _, _ = client.Write([]byte("ab")) }()
		for _, want := range []string{"a", "b"} {
			got := make([]byte, 1)
			n, err := server.Read(got)
			require.NoError(t, err)
			require.Equal(t, want, string(got[:n]))
		}
	})
}

// TestClientThatGoes holds that net/http notices it with these connections.
func TestClientThatGoes(t *testing.T) {
	t.Parallel()
	l, err := Listen(t.Context(), "tcp", "127.0.0.1:0", time.Minute)
	require.NoError(t, err)
	began, gone := make(chan struct{}), make(chan error, 1)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		select {
		case <-r.Context().Done():
			gone <- r.Context().Err()
		case <-time.After(time.Minute):
			gone <- nil
		}
	})}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Addr().String(), http.NoBody)
	require.NoError(t, err)
	go func() {
		<-began
		leave()
	}()
	_, err = http.DefaultClient.Do(r) //nolint:bodyclose // there is none
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, <-gone, context.Canceled)
}
