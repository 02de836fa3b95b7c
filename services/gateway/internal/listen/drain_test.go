package listen_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/listen"
)

// drained is a server with a Drain, and a way to ask it over one connection.
func drained(t *testing.T) (d *listen.Drain, ask func() *http.Response) {
	t.Helper()
	d = listen.NewDrain()
	s := httptest.NewUnstartedServer(d.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "here")
	})))
	s.Config.ConnState = d.ConnState
	s.Start()
	t.Cleanup(s.Close)
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	answers := bufio.NewReader(c)
	return d, func() *http.Response {
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		require.NoError(t, err)
		r, err := http.ReadResponse(answers, nil)
		require.NoError(t, err)
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.Equal(t, "here", string(text))
		return r
	}
}

func TestClientsAreAskedToLeave(t *testing.T) {
	t.Parallel()
	d, ask := drained(t)
	require.False(t, ask().Close)

	gone := make(chan struct{})
	go func() {
		d.Run(time.Minute)
		close(gone)
	}()
	// The connection stays open for the next request, and ends with its answer.
	require.Eventually(t, func() bool { return ask().Close }, 10*time.Second, 10*time.Millisecond)
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Fatal("still waiting for connections that are closed")
	}
}

func TestIdleClientsAreNotWaitedForWithoutEnd(t *testing.T) {
	t.Parallel()
	d, ask := drained(t)
	ask()
	began := time.Now()
	d.Run(50 * time.Millisecond)
	require.GreaterOrEqual(t, time.Since(began), 50*time.Millisecond)
	require.True(t, ask().Close, "what comes afterwards is answered all the same")
}

func TestNobodyIsWaitedFor(t *testing.T) {
	t.Parallel()
	began := time.Now()
	listen.NewDrain().Run(time.Minute)
	require.Less(t, time.Since(began), 30*time.Second)
}
