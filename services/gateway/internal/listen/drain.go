package listen

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Drain brings clients to leave a server that is going to stop. A server that closes a
// connection while its client sends the next request over it makes that request fail, and no
// client can tell whether it was carried out; so clients should close, with their next answer.
type Drain struct {
	leaving atomic.Bool
	// probes are the paths of requests that ask how the server is.
	probes []string
	// last is when another request came, in nanoseconds, once clients should leave.
	last atomic.Int64

	mu   sync.Mutex
	open map[net.Conn]*conn // nil for what Listen did not accept
}

// NewDrain makes a Drain for one server, which uses its ConnState and Handler, and a listener of
// Listen. Requests to the paths of probes are not waited for.
func NewDrain(probes ...string) *Drain {
	return &Drain{probes: probes, open: map[net.Conn]*conn{}}
}

// ConnState follows the connections; it is for http.Server. Hijacked connections are WebSockets, which
// end in their own way.
func (d *Drain) ConnState(c net.Conn, s http.ConnState) {
	switch s {
	case http.StateIdle, http.StateActive:
		if own := ownOf(c); own != nil {
			own.setIdle(s == http.StateIdle)
		}
		return
	case http.StateNew:
		d.mu.Lock()
		defer d.mu.Unlock()
		d.open[c] = ownOf(c)
	case http.StateHijacked, http.StateClosed:
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.open, c)
	}
}

// ownOf is the connection of Listen under c, nil when there is none.
func ownOf(c net.Conn) *conn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	own, _ := c.(*conn)
	return own
}

// Handler serves h. Once Run was called, each answer asks its client to close the connection.
func (d *Drain) Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.leaving.Load() {
			if !slices.Contains(d.probes, r.URL.Path) {
				d.last.Store(time.Now().UnixNano())
			}
			w.Header().Set("Connection", "close") // HTTP/2 signals it in its own way
		}
		h.ServeHTTP(w, r)
	})
}

func (d *Drain) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// Run asks clients to leave. It returns when none has sent a request for quiet, or for a
// quarter of that once all have gone, at the latest after limit. Balancers that look every now and
// then whether the server is ready have that time to find out.
func (d *Drain) Run(quiet, limit time.Duration) {
	d.last.Store(time.Now().UnixNano())
	d.leaving.Store(true)
	if d.count() == 0 {
		return
	}
	tick := time.NewTicker(quiet / 20)
	defer tick.Stop()
	for end := time.Now().Add(limit); time.Now().Before(end); <-tick.C {
		needed := quiet
		if d.count() == 0 {
			needed /= 4
		}
		if time.Since(time.Unix(0, d.last.Load())) >= needed {
			return
		}
	}
}

// closeEvery is how often CloseIdle looks for connections that have become idle.
const closeEvery = 10 * time.Millisecond

// CloseIdle closes the connections without a pending request, and returns when no other idle one is
// left, at the latest after limit. http.Server considers a connection idle until it has read the whole
// header of a request, and its Shutdown resets a request that has begun to arrive.
func (d *Drain) CloseIdle(limit time.Duration) {
	tick := time.NewTicker(closeEvery)
	defer tick.Stop()
	for end := time.Now().Add(limit); d.closeIdle() && time.Now().Before(end); {
		<-tick.C
	}
}

// speaksHTTP2 reports whether the connection is one of HTTP/2, which carries more than requests, and
// has its own way to announce that it ends.
func speaksHTTP2(c net.Conn) bool {
	secure, ok := c.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}

// closeIdle reports whether requests come in over connections that count as idle.
func (d *Drain) closeIdle() (some bool) {
	d.mu.Lock()
	var idle []net.Conn
	for c, own := range d.open {
		switch {
		case own == nil || !own.idle.Load() || speaksHTTP2(c):
		case own.comesIn():
			some = true
		default:
			idle = append(idle, c)
		}
	}
	d.mu.Unlock()
	for _, c := range idle {
		_ = c.Close() // nothing can be done about its error
	}
	return some
}
