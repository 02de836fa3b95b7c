package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/logtype"
	"queryengine/pkg/telemetry"
	metadatav1 "queryengine/proto/metadata/v1"
)

// Config configures a Follower. A *bus.Bus gives all three parts: its Changes, its Snapshots, and
// itself as the Announcer.
type Config struct {
	Changes   changes
	Snapshots snapshots
	// Decoder is shared by the followers of a process; nil for one of its own.
	Decoder *Decoder
	// Announcer takes the Acks that let metadata hold answers back until this process has seen a
	// change; nil for services that need not be waited for.
	Announcer announcer
	// Service and Instance name this process in its Acks.
	Service  string
	Instance string
	// Heartbeat is how often an Ack is repeated, 1 second by default.
	Heartbeat time.Duration
	// Retry is how long to wait before starting over, 200 milliseconds by default; it
	// doubles up to longestPause times that while starting over fails.
	Retry time.Duration
	// Logger logs when following starts over; nil for none.
	Logger *slog.Logger
}

// longestPause is how often Retry fits in the longest pause. Anyone who waits for a version waits for
// this pause, too, when NATS is well again.
const longestPause = 5

type changes interface {
	Info(ctx context.Context) (bus.ChangesInfo, error)
	FollowStream(ctx context.Context, streamID string, after int64, h func(ctx context.Context, version int64, data []byte) error) error
}

type snapshots interface {
	Latest(ctx context.Context) (bus.SnapshotInfo, io.ReadCloser, error)
}

type announcer interface {
	Publish(t bus.Topic, m proto.Message) error
	Subscribe(t bus.Topic, newMessage func() proto.Message, h func(proto.Message)) (stop func(), err error)
}

// Follower keeps the newest snapshot. It is safe for concurrent use.
type Follower struct {
	c        Config
	watchers []func(*Snapshot)

	mu      sync.Mutex
	current *Snapshot
	// changed is closed and replaced when current is.
	changed chan struct{}
	status  error
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

// NewFollower returns a Follower; it does nothing before Start.
func NewFollower(c Config) *Follower {
	if c.Heartbeat == 0 {
		c.Heartbeat = time.Second
	}
	if c.Retry == 0 {
		c.Retry = 200 * time.Millisecond
	}
	if c.Decoder == nil {
		c.Decoder = &Decoder{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Follower{c: c, changed: make(chan struct{}), status: errors.New("no metadata snapshot was received yet")}
}

// Start begins to follow and returns at once; ctx only bounds the start. The first
// snapshot arrives later: see WaitFor.
func (f *Follower) Start(context.Context) error {
	ctx, cancel := context.WithCancel(context.Background())
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancel != nil {
		cancel()
		return errors.New("the follower was started before")
	}
	f.cancel = cancel
	if f.c.Announcer != nil {
		stop, err := f.c.Announcer.Subscribe(bus.MetadataRollCall,
			func() proto.Message { return &metadatav1.RollCall{} }, func(proto.Message) { f.announce(false) })
		if err != nil {
			return fmt.Errorf("subscribe to the roll call: %w", err)
		}
		f.done.Go(func() {
			defer stop()
			f.heartbeat(ctx)
		})
		f.send(nil, false) // metadata is to wait for this process before it shows anything
	}
	f.done.Go(func() { f.run(ctx) })
	return nil
}

// Stop ends following, and returns when no more Watch function is called. Current keeps
// the last snapshot. It is safe to call twice and before Start.
func (f *Follower) Stop() {
	f.mu.Lock()
	cancel := f.cancel
	f.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel()
	f.done.Wait()
}

// Current is the newest snapshot, nil before the first.
func (f *Follower) Current() *Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current
}

// Latest is Current, and a channel that is closed as soon as another one may be.
func (f *Follower) Latest() (*Snapshot, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current, f.changed
}

// WaitFor returns the newest snapshot as soon as it is at version or later; any will do
// for 0. It fails with an apierror of status 503 when ctx ends first.
func (f *Follower) WaitFor(ctx context.Context, version int64) (*Snapshot, error) {
	for {
		current, changed := f.Latest()
		if current != nil && current.Version >= version {
			return current, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, NotArrived(current, version)
		}
	}
}

// NotArrived is the error of status 503 of a request that needs a version, while current, which
// may be nil, is the newest that is here.
func NotArrived(current *Snapshot, version int64) error {
	message := "no metadata has arrived yet"
	if current != nil {
		message = fmt.Sprintf("metadata has arrived up to version %d, version %d is needed", current.Version, version)
	}
	e := apierror.New(apierror.Unexpected, message).WithStatus(http.StatusServiceUnavailable)
	e.RetryAfter = 1
	return e
}

// NotInEffect is the error of status 503 of a change that is committed as a version which has not
// reached every process that must know it. It has no RetryAfter: the change must not be repeated.
func NotInEffect(version int64, why string) *apierror.Error {
	return apierror.Newf(apierror.NotInEffect, "the change is saved as resource version %d, but it is not in effect yet: %s; "+
		"it takes effect by itself", version, why)
}

// Watch calls h with each new snapshot, one after the other, on the follower's goroutine. It delays
// WaitFor and the Ack, so that h is done when WaitFor returns. Call Watch before Start.
func (f *Follower) Watch(h func(*Snapshot)) { f.watchers = append(f.watchers, h) }

// Status is nil while the newest changes can be seen, else a description of the problem.
func (f *Follower) Status() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

// run follows, and starts over when following ends.
func (f *Follower) run(ctx context.Context) {
	defer f.announce(true)
	pause, idle := f.c.Retry, 0 // idle counts the attempts since the last one that brought something
	for ctx.Err() == nil {
		began := f.Current()
		err := f.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		idle++
		if f.Current() != began {
			pause, idle = f.c.Retry, 1
		}
		level := slog.LevelWarn
		switch {
		case errors.Is(err, ErrTooLarge) && idle == 1:
			// A large change: the snapshot that it refers to was stored before it.
			f.startsOver(ctx, slog.LevelInfo, err, 0)
			continue
		case errors.Is(err, bus.ErrNoSnapshot):
			// As in every first start. Another user may wait for it, so that the pause stays short.
			err, level, pause = errors.New("there is no metadata snapshot yet"), slog.LevelInfo, f.c.Retry
		}
		f.setStatus(err)
		f.startsOver(ctx, level, err, pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause*f.c.Retry)
	}
}

// startsOver logs that following starts over.
func (f *Follower) startsOver(ctx context.Context, level slog.Level, reason error, pause time.Duration) {
	telemetry.Of(f.c.Logger, logtype.SchemaSync).Log(ctx, level, "", "thread_type", "follower",
		slog.Group("info", "message", "metadata is taken again from a snapshot", "reason", reason, "in", pause))
}

// follow takes a snapshot and applies changes to it until one doesn't fit. The stored
// snapshot may be older than the stream. No one sees it before it has what the stream holds
// at this moment: a process that has just started must not answer from a past that clients
// have seen the end of.
func (f *Follower) follow(ctx context.Context) error {
	latest, err := f.load(ctx)
	if err != nil {
		return err
	}
	info, err := f.c.Changes.Info(ctx)
	if err != nil {
		return err
	}
	show := func() {
		if info.StreamID == latest.StreamID && latest.Version < info.LastVersion {
			return
		}
		f.set(latest)
		f.setStatus(nil)
	}
	show()
	return f.c.Changes.FollowStream(ctx, latest.StreamID, latest.Version, func(ctx context.Context, version int64, data []byte) error {
		if version <= latest.Version {
			return nil
		}
		change, err := DecodeChange(data)
		if err != nil {
			return err
		}
		next, err := latest.Apply(change)
		if err != nil {
			return err
		}
		latest = next
		show()
		return nil
	})
}

// load returns the stored snapshot, or the current one when that is as new.
func (f *Follower) load(ctx context.Context) (*Snapshot, error) {
	info, content, err := f.c.Snapshots.Latest(ctx)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	if current := f.Current(); current != nil && current.StreamID == info.StreamID && current.Version >= info.Version {
		return current, nil
	}
	return f.c.Decoder.decode(ctx, info, content)
}

func (f *Follower) set(s *Snapshot) {
	if f.Current() != s {
		for _, h := range f.watchers {
			h(s)
		}
	}
	f.mu.Lock()
	f.current = s
	close(f.changed)
	f.changed = make(chan struct{})
	f.mu.Unlock()
	f.announce(false)
}

func (f *Follower) setStatus(err error) {
	f.mu.Lock()
	f.status = err
	f.mu.Unlock()
}

func (f *Follower) heartbeat(ctx context.Context) {
	tick := time.NewTicker(f.c.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f.announce(false)
		}
	}
}

// announce sends an Ack. The next one makes up for one that is lost. Before the first snapshot it is
// for version 0: a process that is about to load one counts among those that have not seen a change.
func (f *Follower) announce(leaving bool) {
	if f.c.Announcer != nil {
		f.send(f.Current(), leaving)
	}
}

func (f *Follower) send(s *Snapshot, leaving bool) {
	ack := &metadatav1.Ack{Service: f.c.Service, Instance: f.c.Instance, Leaving: leaving}
	if s != nil {
		ack.StreamId, ack.Version = s.StreamID, s.Version
	}
	if err := f.c.Announcer.Publish(bus.MetadataAck, ack); err != nil {
		f.c.Logger.Debug("metadata acknowledgement was not sent", "error", err)
	}
}
