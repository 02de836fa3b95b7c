package listen

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// laterBy is how much earlier than wanted a deadline may be set before it is moved ahead of a read.
const laterBy = time.Second

// readDeadline sets the deadline for the reads of a connection only when a read depends on it. net/http asks
// for another one some eight times for each request, most of which has come with the first read; each
// would change a timer of the runtime.
type readDeadline struct {
	conn net.Conn

	mu sync.Mutex
	// wanted is what was requested, set is what conn has; during a read, set is not later.
	wanted, set time.Time
	readers     int
	watch       watch
}

// want has reads end at t, also those that wait already.
func (d *readDeadline) want(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if !t.IsZero() {
		d.watch.end()
	}
	if d.readers == 0 || d.serves() {
		return nil
	}
	return d.move()
}

func (d *readDeadline) read(p []byte) (int, error) {
	if len(p) == 1 && d.putOff() {
		return 0, os.ErrDeadlineExceeded
	}
	d.begin()
	defer d.end()
	for {
		n, err := d.conn.Read(p)
		if n > 0 || err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || !d.early() {
			return n, err
		}
	}
}

// putOff puts off a read by which a connection is watched, and reports whether it ended before it began.
func (d *readDeadline) putOff() (ended bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wanted.IsZero() && !d.watch.waiting {
		d.watch.begin(d.look)
		d.mu.Unlock()
		<-d.watch.over
		d.mu.Lock()
	}
	return !d.wanted.IsZero() && !time.Now().Before(d.wanted)
}

func (d *readDeadline) look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watch.look()
}

func (d *readDeadline) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.serves() {
		_ = d.move() // fails on a connection that is closed: reading says so
	}
	d.readers++
}

func (d *readDeadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.readers--
}

// serves reports whether a read may begin with what is set: it does not end later than wanted, and
// rarely earlier.
func (d *readDeadline) serves() bool {
	switch {
	case d.set.IsZero():
		return d.wanted.IsZero()
	case d.wanted.IsZero():
		return true
	}
	ahead := d.wanted.Sub(d.set)
	return ahead >= 0 && ahead <= laterBy
}

// early reports whether a read ended before the wanted deadline, which is set then.
func (d *readDeadline) early() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.set.Equal(d.wanted) || !d.wanted.IsZero() && !time.Now().Before(d.wanted) {
		return false
	}
	_ = d.move() // see begin
	return true
}

func (d *readDeadline) move() error {
	d.set = d.wanted
	return d.conn.SetReadDeadline(d.set)
}
