package changes

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/catalog"
	"queryengine/pkg/changemessage"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/metadata"
	changev1 "queryengine/proto/change/v1"
)

const (
	// wantedFor is how long reading goes on after an executor has wanted it last.
	wantedFor = 20 * time.Second
	// heartbeat is how often the number of the last message is published.
	heartbeat = time.Second
	// takeOver is how often another process is tried to be followed.
	takeOver = time.Second
	// retryFirst and retryLast bound the pause after a fault of the source.
	retryFirst = time.Second
	retryLast  = time.Minute
)

// reader reads the log of one source.
type reader struct {
	*Config
	meta    *metadata.Source
	slot    string
	changes backend.Changes
	ctx     context.Context //nolint:containedctx // the life of the reader
	end     context.CancelFunc
	wake    chan struct{}

	mu sync.Mutex
	// wanted is when the changes were wanted last.
	wanted time.Time
	// reading is the name of what is read now, empty for nothing, and number that of its last message.
	reading string
	number  uint64
}

func newReader(c *Config, m *metadata.Source, slot string, changes backend.Changes) *reader {
	r := &reader{Config: c, meta: m, slot: slot, changes: changes, wake: make(chan struct{}, 1)}
	r.ctx, r.end = context.WithCancel(context.Background())
	return r
}

// want notes that an executor depends on the changes, and lets it know when they are read already.
func (r *reader) want() {
	r.mu.Lock()
	r.wanted = time.Now()
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
	r.tell(nil)
}

func (r *reader) isWanted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.wanted) < wantedFor
}

func (r *reader) reads(reading string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return reading != "" && r.reading == reading
}

// watch watches relations and, where possible, columns of the only one.
func (r *reader) watch(ctx context.Context, relations []catalog.Name, columns backend.RowColumns) (tables []string, told []backend.ToldColumn, err error) {
	if rows, ok := r.changes.(backend.RowChanges); ok && len(columns.Told)+len(columns.Compared) > 0 && len(relations) == 1 {
		return rows.WatchRows(ctx, relations[0], columns)
	}
	tables, err = r.changes.Watch(ctx, relations)
	return tables, nil, err
}

// run reads while the changes are wanted, until end.
func (r *reader) run() {
	pause := retryFirst
	var said string
	for r.ctx.Err() == nil {
		if !r.isWanted() {
			select {
			case <-r.wake:
			case <-r.ctx.Done():
			}
			continue
		}
		began := time.Now()
		err := guard.Do(r.Logger, "panic in the reading of a WAL", r.read)
		switch {
		case r.ctx.Err() != nil || !r.isWanted():
		case errors.Is(err, backend.ErrRead):
			lifecycle.Sleep(r.ctx, takeOver)
		default:
			if time.Since(began) > retryLast {
				pause, said = retryFirst, "" // it was well in between
			}
			if text := err.Error(); text != said {
				r.Logger.WarnContext(r.ctx, "the log of a source can't be read: its subscriptions are polled", "source", r.meta.Name, "error", text)
				said = text
			}
			lifecycle.Sleep(r.ctx, pause)
			pause = min(2*pause, retryLast)
		}
	}
}

// read reads until the log can't be read, or isn't wanted.
func (r *reader) read() error {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	var beating sync.WaitGroup
	beating.Go(func() { r.beat(ctx, cancel) })
	err := r.changes.Listen(ctx, func() {
		r.mu.Lock()
		r.reading, r.number = rand.Text(), 0
		r.mu.Unlock()
		r.Metrics.reading(r.meta.Name, true)
		r.Logger.InfoContext(ctx, "reading the WAL of a source for subscriptions", "source", r.meta.Name, "slot", r.slot)
		r.tell(nil)
	}, func(c backend.Change) {
		r.Metrics.changed(r.meta.Name, c.Since)
		r.tell(&c)
	})
	cancel()
	beating.Wait()
	r.leave()
	return err
}

// beat publishes that the log is read, and ends reading when it isn't wanted any more.
func (r *reader) beat(ctx context.Context, cancel context.CancelFunc) {
	for lifecycle.Sleep(ctx, heartbeat) {
		if !r.isWanted() {
			cancel()
			return
		}
		r.tell(nil)
	}
}

// tell publishes a change, nil for none. What can't be published is noticed by its number.
func (r *reader) tell(c *backend.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading == "" {
		return
	}
	told := &changev1.Told{}
	if c != nil {
		r.number++
		told.Changes = []*changev1.Change{changemessage.Encode(c)}
	}
	r.publish(told)
}

// leave says that nothing more will be reported.
func (r *reader) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading == "" {
		return
	}
	r.publish(&changev1.Told{Ended: true})
	r.reading = ""
	r.Metrics.reading(r.meta.Name, false)
}

// publish needs the lock: messages are in the order of their numbers.
func (r *reader) publish(m *changev1.Told) {
	m.Source, m.Reading, m.Instance, m.Number = r.meta.Name, r.reading, r.Bus.Instance(), r.number
	if guarded, ok := r.changes.(backend.GuardedChanges); ok {
		m.Guarded = guarded.Guarded()
	}
	if err := r.Bus.Publish(bus.ChangesTold, m); err != nil {
		r.Logger.Debug("publish changes failed", "source", r.meta.Name, "error", err)
	}
}
