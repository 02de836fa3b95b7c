package snapshot

import (
	"context"
	"io"
	"log/slog"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
)

// Config says what a Follower follows. A *bus.Bus gives all three parts: its Changes, its
// Snapshots, and itself as the Announcer.
type Config struct {
	Changes   changes
	Snapshots snapshots
	// Announcer takes the Acks that let metadata hold answers back until this process has
	// seen a change; nil for services that nobody waits for.
	Announcer announcer
	// Service and Instance name this process in its Acks.
	Service  string
	Instance string
	// Heartbeat is how often an Ack is repeated, 1 second by default.
	Heartbeat time.Duration
	// Logger is told when following starts over; nil for none.
	Logger *slog.Logger
}

type changes interface {
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
type Follower struct{ c Config }

// NewFollower returns a Follower; it does nothing before Start.
func NewFollower(c Config) *Follower { return &Follower{c: c} }

// Start begins to follow and returns at once; ctx only bounds the start. The first
// snapshot arrives later: see WaitFor.
func (f *Follower) Start(ctx context.Context) error { return ctx.Err() }

// Stop ends following, and returns when no more Watch function is called. Current keeps
// the last snapshot. It is safe to call twice and before Start.
func (f *Follower) Stop() {}

// Current is the newest snapshot, nil before the first.
func (f *Follower) Current() *Snapshot { return nil }

// WaitFor returns the newest snapshot as soon as it is at version or later; any will do
// for 0. It fails when ctx ends first.
func (f *Follower) WaitFor(ctx context.Context, version int64) (*Snapshot, error) {
	return nil, ctx.Err()
}

// Watch calls h with the current snapshot, if there is one, and then with each new one,
// one after the other, on the follower's goroutine: what h does delays WaitFor and the
// Ack, so that whoever waits for a version finds h's work done. Watch before Start.
func (f *Follower) Watch(h func(*Snapshot)) {}

// Status is nil while the newest changes can be seen, else it says in words what is wrong.
func (f *Follower) Status() error { return nil }
