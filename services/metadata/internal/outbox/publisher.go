// Package outbox publishes the committed changes to the metadata stream, in the order of
// their versions, and keeps the snapshots that followers start from.
//
// Of all processes on one metadata database one publishes, the one that holds a lock in
// it. A publisher that dies between two steps is followed by one that repeats the last of
// them: a version that the stream has already is not sent twice.
//
// The stream belongs to one metadata database and to one history of it. When it doesn't
// fit, because it is another's, was lost, or the database was restored from a backup, the
// publisher rebuilds it; where versions would get another meaning, under a new identity.
package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/bus"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/store"
)

const (
	// leaderLock is the advisory lock of the publisher; the number has no meaning.
	leaderLock = 7_402_311_900_002
	// standby is how often a process tries to become the publisher.
	standby = 500 * time.Millisecond
	// poll is how long the publisher waits for the notification of a commit before it
	// looks by itself.
	poll = 5 * time.Second
	// longestPause is the longest pause before publishing starts over: until it does, no change
	// takes effect.
	longestPause = 2 * time.Second
	// atOnce is how many changes are read from the outbox at once.
	atOnce = 200
)

type changes interface {
	Ensure(ctx context.Context, streamID string, replicas int) error
	Rebuild(ctx context.Context, streamID string, replicas int) error
	Info(ctx context.Context) (bus.ChangesInfo, error)
	Publish(ctx context.Context, version int64, data []byte) error
	FollowStream(ctx context.Context, streamID string, after int64, h func(ctx context.Context, version int64, data []byte) error) error
}

type snapshots interface {
	Put(ctx context.Context, streamID string, version int64, data io.Reader) error
	Latest(ctx context.Context) (bus.SnapshotInfo, io.ReadCloser, error)
	Check(ctx context.Context) error
}

// Config is what a Publisher works with.
type Config struct {
	Store     *store.Store
	Changes   changes
	Snapshots snapshots
	// State returns the current state.
	State    func(context.Context) (*snapshot.Snapshot, error)
	Replicas int
	Logger   *slog.Logger
	// LargeChange is the size in bytes from which a change travels as a reference to a
	// snapshot, 256 KiB by default.
	LargeChange int
	// Cache creates the bucket of cached answers where it is missing; nil for no cache.
	Cache func(context.Context) error
	// SnapshotEvery is after how many changes a snapshot is stored, 200 by default.
	SnapshotEvery int64
}

// Publisher runs between Start and Stop. It is safe for concurrent use.
type Publisher struct {
	c      Config
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu     sync.Mutex
	status error
	// stuck reports whether the stream has to be rebuilt, because it takes nothing.
	stuck bool
	// stored is the version of the newest snapshot in the store.
	stored int64
}

// New returns a Publisher that does nothing before Start.
func New(c Config) *Publisher {
	if c.LargeChange == 0 {
		c.LargeChange = 256 << 10
	}
	if c.SnapshotEvery == 0 {
		c.SnapshotEvery = 200
	}
	return &Publisher{c: c}
}

// Start begins to publish, or to stand by.
func (p *Publisher) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.done.Go(func() { p.run(ctx) })
}

// Stop ends it. What is in the outbox is published after the next start.
func (p *Publisher) Stop() {
	p.cancel()
	p.done.Wait()
}

// Status is nil while changes are published, by this process or another, else a description of the
// problem.
func (p *Publisher) Status() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

func (p *Publisher) setStatus(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("metadata changes are not published: %w", err)
	}
	p.status = err
}

func (p *Publisher) run(ctx context.Context) {
	pause := standby
	for ctx.Err() == nil {
		began := time.Now()
		err := guard.Do(p.c.Logger, "panic in the publication of metadata changes", func() error { return p.lead(ctx) })
		if ctx.Err() != nil {
			return
		}
		p.setStatus(err)
		p.c.Logger.WarnContext(ctx, "publishing of metadata changes restarts", "error", err)
		if time.Since(began) > poll {
			pause = standby
		}
		lifecycle.Sleep(ctx, pause)
		pause = min(2*pause, longestPause)
	}
}

// lead becomes the publisher and is it until something fails.
func (p *Publisher) lead(ctx context.Context) error {
	conn, err := p.c.Store.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := p.become(ctx, conn); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+store.Channel); err != nil {
		return err
	}
	reached, err := p.reconcile(ctx)
	if err != nil {
		return err
	}
	if _, err := p.publish(ctx, 0); err != nil {
		return err
	}
	sent, checked := reached.Number, time.Now()
	for {
		if time.Since(checked) > poll {
			if err := p.intact(ctx, reached.StreamID, sent); err != nil {
				return err
			}
			checked = time.Now()
		}
		if sent, err = p.publish(ctx, sent); err != nil {
			return err
		}
		p.setStatus(nil)
		if err := wait(ctx, conn); err != nil {
			return err
		}
	}
}

// become takes the lock of the publisher. Trying again and again, rather than waiting for
// it, keeps no transaction open.
func (p *Publisher) become(ctx context.Context, conn *pgx.Conn) error {
	for {
		var leader bool
		if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, int64(leaderLock)).Scan(&leader); err != nil {
			return err
		}
		if leader {
			return nil
		}
		p.setStatus(nil)
		lifecycle.Sleep(ctx, standby)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// wait returns when a commit was notified, or after a while.
func wait(ctx context.Context, conn *pgx.Conn) error {
	waiting, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	_, err := conn.WaitForNotification(waiting)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return conn.Ping(ctx)
	}
	return err
}

// errWentBack means that versions which were sent are to be made again: a backup was restored
// under the running service.
var errWentBack = errors.New("the metadata database is at an older version than the stream")

// publish empties the outbox, of versions after sent, and returns the last version that is sent.
func (p *Publisher) publish(ctx context.Context, sent int64) (int64, error) {
	for {
		pending, err := p.c.Store.Pending(ctx, atOnce)
		if err != nil || len(pending) == 0 {
			return sent, err
		}
		if pending[0].Version <= sent {
			return sent, errWentBack
		}
		for _, change := range pending {
			data, err := p.message(ctx, change)
			if err != nil {
				return sent, err
			}
			if err := p.c.Changes.Publish(ctx, change.Version, data); err != nil {
				p.stuck = p.stuck || errors.Is(err, bus.ErrStuck)
				return sent, err
			}
		}
		sent = pending[len(pending)-1].Version
		if err := p.c.Store.Published(ctx, sent); err != nil {
			return sent, err
		}
		if sent-p.newest() >= p.c.SnapshotEvery {
			if _, err := p.Snapshot(ctx); err != nil {
				return sent, err
			}
		}
	}
}

// message is the published form of a change: the change, or a reference when it is large. The snapshot
// that a reference names is stored before.
func (p *Publisher) message(ctx context.Context, change store.Pending) ([]byte, error) {
	if len(change.Change) < p.c.LargeChange {
		return change.Change, nil
	}
	c, err := snapshot.DecodeChange(change.Change)
	if err != nil {
		return nil, err
	}
	if p.newest() < change.Version {
		if _, err := p.Snapshot(ctx); err != nil {
			return nil, err
		}
	}
	return c.AsReference()
}

// Snapshot stores the current state and returns it.
func (p *Publisher) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	s, err := p.c.State(ctx)
	if err != nil {
		return nil, err
	}
	data, err := snapshot.Encode(s)
	if err != nil {
		return nil, err
	}
	if err := p.c.Snapshots.Put(ctx, s.StreamID, s.Version, bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("store the snapshot of version %d: %w", s.Version, err)
	}
	p.setNewest(s.Version)
	return s, nil
}

func (p *Publisher) newest() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stored
}

func (p *Publisher) setNewest(version int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stored = version
}
