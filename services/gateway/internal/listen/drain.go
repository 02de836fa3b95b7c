package listen

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Drain brings clients to leave a server that is going to stop. A server that closes a
// connection while its client sends the next request over it makes that request fail, and no
// client can tell whether it was carried out; so clients are asked to close, with their next answer.
type Drain struct {
	leaving atomic.Bool

	mu    sync.Mutex
	open  map[net.Conn]struct{}
	empty chan struct{} // closed when the last connection has gone; nil while nobody waits
}

// NewDrain makes a Drain for one server, which uses its ConnState and Handler.
func NewDrain() *Drain { return &Drain{open: map[net.Conn]struct{}{}} }

// ConnState follows the connections; it is for http.Server. Hijacked ones are those of WebSockets,
// which end in their own way.
func (d *Drain) ConnState(c net.Conn, s http.ConnState) {
	if s == http.StateActive || s == http.StateIdle {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s == http.StateNew {
		d.open[c] = struct{}{}
		return
	}
	delete(d.open, c)
	if len(d.open) == 0 && d.empty != nil {
		close(d.empty)
		d.empty = nil
	}
}

// Handler serves h. Once Run was called, each answer asks its client to close the connection.
func (d *Drain) Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.leaving.Load() {
			w.Header().Set("Connection", "close") // HTTP/2 says it in its own way
		}
		h.ServeHTTP(w, r)
	})
}

// Run asks clients to leave, and returns when all have gone, at the latest after limit.
func (d *Drain) Run(limit time.Duration) {
	d.leaving.Store(true)
	empty := d.wait()
	if empty == nil {
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-empty:
	case <-timer.C:
	}
}

// wait returns what is closed when all have gone, nil when nobody is there.
func (d *Drain) wait() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.open) == 0 {
		return nil
	}
	d.empty = make(chan struct{})
	return d.empty
}
