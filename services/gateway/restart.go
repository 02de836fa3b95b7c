package gateway

import (
	"sync"
	"time"

	"queryengine/pkg/snapshot"
)

// restartAfter is how long after a change of the metadata WebSockets are closed. Several
// changes close them once.
const restartAfter = time.Second

// metadataChanged is the close reason for WebSockets.
const metadataChanged = "Server state changed, restarting the server"

// restarter closes WebSockets when the metadata has changed; nil does not.
type restarter struct {
	restart func(before time.Time, reason string)

	mu      sync.Mutex
	known   bool
	stream  string
	version int64
	changed time.Time
	timer   *time.Timer // nil while nothing is to be done
	stopped bool
}

func newRestarter(restart func(before time.Time, reason string)) *restarter {
	return &restarter{restart: restart}
}

// applied notes a version of the metadata. The first one is no change.
func (r *restarter) applied(s *snapshot.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := r.known && (s.Version != r.version || s.StreamID != r.stream)
	r.known, r.version, r.stream = true, s.Version, s.StreamID
	if !changed || r.stopped {
		return
	}
	r.changed = time.Now()
	if r.timer == nil {
		r.timer = time.AfterFunc(restartAfter, r.fire)
	}
}

// fire closes the WebSockets that were opened before the last change: those that came later
// have seen nothing else.
func (r *restarter) fire() {
	r.mu.Lock()
	before, stopped := r.changed, r.stopped
	r.timer = nil
	r.mu.Unlock()
	if !stopped {
		r.restart(before, metadataChanged)
	}
}

func (r *restarter) stop() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	if r.timer != nil {
		r.timer.Stop()
	}
}
