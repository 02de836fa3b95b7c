package listen

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// ends is when a read that nothing comes for ends by its deadline.
func ends(t *testing.T, c net.Conn) <-chan time.Time {
	t.Helper()
	ended := make(chan time.Time, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a read ended with %v", err)
		}
		ended <- time.Now()
	}()
	synctest.Wait()
	return ended
}

func TestDeadlineOfReads(t *testing.T) {
	t.Parallel()
	for name, deadlines := range map[string]struct {
		before []time.Duration // of earlier reads, the last one is that of the read; 0 is none
		during []time.Duration
	}{
		"one":                           {before: []time.Duration{3 * time.Second}},
		"a later one":                   {before: []time.Duration{time.Second, 3 * time.Second}},
		"a little later one":            {before: []time.Duration{2900 * time.Millisecond, 3 * time.Second}},
		"an earlier one":                {before: []time.Duration{time.Minute, 3 * time.Second}},
		"a later one during a read":     {before: []time.Duration{2 * time.Second}, during: []time.Duration{3 * time.Second}},
		"an earlier one during a read":  {before: []time.Duration{time.Minute}, during: []time.Duration{3 * time.Second}},
		"one again":                     {before: []time.Duration{time.Second, 0, 3 * time.Second}},
		"one after none during a read":  {before: []time.Duration{0}, during: []time.Duration{3 * time.Second}},
		"one that is taken away, again": {before: []time.Duration{time.Second}, during: []time.Duration{0, 3 * time.Second}},
		"one after one that is over":    {before: []time.Duration{-time.Second, 3 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, client := pair(t, time.Minute)
				started := time.Now()
				set := func(after time.Duration) {
					at := time.Time{}
					if after != 0 {
						at = started.Add(after)
					}
					require.NoError(t, server.SetReadDeadline(at))
				}
				for i, after := range deadlines.before {
					if i > 0 { // a read with what was set before
						if deadlines.before[i-1] >= 0 {
							go func() { _, _ = client.Write([]byte("x")) }()
						}
						_, _ = server.Read(make([]byte, 1))
					}
					set(after)
				}
				ended := ends(t, server)
				for _, after := range deadlines.during {
					set(after)
				}
				require.Equal(t, started.Add(3*time.Second), <-ended)
			})
		})
	}
}

func TestReadAfterADeadlineThatWasTakenAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := pair(t, time.Minute)
		require.NoError(t, server.SetReadDeadline(time.Now().Add(time.Second)))
		ended := ends(t, server)
		<-ended
		require.NoError(t, server.SetReadDeadline(time.Time{}))
		go func() {
			time.Sleep(time.Hour)
			_, _ = client.Write([]byte("x"))
		}()
		n, err := server.Read(make([]byte, 1))
		require.NoError(t, err)
		require.Equal(t, 1, n)
	})
}

// counted counts how often deadlines are set.
type counted struct {
	net.Conn
	reads, writes *atomic.Int64
}

func (c *counted) SetReadDeadline(t time.Time) error {
	c.reads.Add(1)
	return c.Conn.SetReadDeadline(t)
}

func (c *counted) SetWriteDeadline(t time.Time) error {
	c.writes.Add(1)
	return c.Conn.SetWriteDeadline(t)
}

type countedListener struct {
	net.Listener
	reads, writes atomic.Int64
}

func (l *countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &counted{c, &l.reads, &l.writes}, nil
}

// TestDeadlinesOfRequests holds that requests one after the other, which are answered at once, set no deadlines.
func TestDeadlinesOfRequests(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := http.NewResponseController(w)
		_ = d.SetReadDeadline(time.Now().Add(time.Minute))
		_, _ = r.Body.Read(make([]byte, 100))
		_ = d.SetReadDeadline(time.Time{})
	}))
	inner := &countedListener{Listener: server.Listener}
	server.Listener = &listener{Listener: inner, timeout: time.Minute}
	server.Config.ReadHeaderTimeout, server.Config.IdleTimeout = time.Minute, 2*time.Minute
	server.Start()
	defer server.Close()
	const requests = 100
	for range requests {
		answer, err := server.Client().Post(server.URL, "text/plain", strings.NewReader("body"))
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
	}
	require.LessOrEqual(t, inner.reads.Load(), int64(requests/10))
	require.LessOrEqual(t, inner.writes.Load(), int64(requests/10))
}
