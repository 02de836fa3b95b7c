package bus

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	followRetry      = 100 * time.Millisecond
	followHeartbeat  = time.Second
	followExpiry     = 30 * time.Second
	followInactivity = 5 * time.Minute
	// followAhead is how many messages are fetched before they are requested.
	followAhead = 32
)

// errRestart asks for another consumer at the same place.
var errRestart = errors.New("the consumer of changes has to be made again")

// Follow calls h for every change after version after, each once and in order, first those
// that the stream holds and then each as it comes. It waits for a stream that does not
// exist yet, and goes on after losses of the connection. It ends with ctx's error, with
// the error of h, or with ErrForeignStream when the stream is replaced.
func (c *Changes) Follow(ctx context.Context, after int64, h func(ctx context.Context, version int64, data []byte) error) error {
	return c.FollowStream(ctx, "", after, h)
}

// FollowStream is Follow that ends with ErrForeignStream at once unless the stream has the
// identity streamID: nothing can come in between a check of Info and the start.
func (c *Changes) FollowStream(ctx context.Context, streamID string, after int64, h func(ctx context.Context, version int64, data []byte) error) error {
	f := &follower{bus: c.bus, streamID: streamID, after: after, handle: h}
	for {
		err := f.run(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case f.failed != nil:
			return f.failed
		case errors.Is(err, ErrForeignStream):
			return err
		}
		c.bus.log.Debug("metadata stream: following again", "after", f.after, "reason", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followRetry):
		}
	}
}

// follower is a place in the stream. A consumer of the server is made for it, and made
// again whenever anything about it is not as it should be.
type follower struct {
	bus      *Bus
	streamID string
	created  time.Time // of the stream: one that is deleted and made again is another one
	after    int64     // version that the handler has
	next     uint64    // sequence that comes next, 0 when not known yet
	handle   func(ctx context.Context, version int64, data []byte) error
	failed   error // of the handler

	parts    []byte // of a change that is not complete
	expected int    // part that comes next
}

func (f *follower) run(ctx context.Context) error {
	// When the connection comes back, the server may have forgotten the consumer.
	ctx, cancel := f.bus.until(ctx, nats.CONNECTED)
	defer cancel()
	s, err := f.bus.reads.Stream(ctx, ChangesStream)
	if err != nil {
		return err
	}
	if err := f.check(s); err != nil {
		return err
	}
	if f.next == 0 {
		next, err := position(ctx, s, f.after)
		if err != nil {
			return err // the place that was found so far isn't the right one
		}
		f.next = next
	}
	consumer, err := s.CreateConsumer(ctx, jetstream.ConsumerConfig{
		AckPolicy:         jetstream.AckNonePolicy,
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       f.next,
		InactiveThreshold: followInactivity,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return err
	}
	// Checked again: the consumer may have been made on a stream that came in between.
	if _, err := s.Info(ctx); err != nil {
		return err
	}
	if err := f.check(s); err != nil {
		return err
	}
	return f.consume(ctx, consumer)
}

func (f *follower) check(s jetstream.Stream) error {
	info := s.CachedInfo()
	id := info.Config.Metadata[streamIDKey]
	if f.streamID == "" {
		f.streamID = id
	}
	if f.created.IsZero() {
		f.created = info.Created
	}
	if id != f.streamID || !info.Created.Equal(f.created) {
		return ErrForeignStream
	}
	return nil
}

// position finds the sequence of the first change after a version; 0 with an error.
func position(ctx context.Context, s jetstream.Stream, after int64) (uint64, error) {
	state := s.CachedInfo().State
	if state.Msgs == 0 {
		return state.LastSeq + 1, nil
	}
	var err error
	n := sort.Search(int(state.LastSeq-state.FirstSeq)+1, func(i int) bool {
		if err != nil {
			return true
		}
		var c change
		c, err = readChange(ctx, s, state.FirstSeq+uint64(i))
		return c.version > after
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, errUnreadable) {
		// A message was taken out of the middle, or isn't a change; skipping from the start finds it too.
		return state.FirstSeq, nil
	}
	if err != nil {
		return 0, err
	}
	return state.FirstSeq + uint64(n), nil
}

func (f *follower) consume(ctx context.Context, consumer jetstream.Consumer) error {
	messages, err := consumer.Messages(
		jetstream.PullMaxMessages(followAhead),
		jetstream.PullHeartbeat(followHeartbeat),
		jetstream.PullExpiry(followExpiry),
	)
	if err != nil {
		return err
	}
	defer messages.Stop()
	f.expected, f.parts = 1, nil
	for delivered := uint64(1); ; delivered++ {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Consumer != delivered {
			return errRestart // one was lost on the way
		}
		c, err := parseChange(m.Headers(), m.Data())
		if err != nil {
			f.bus.log.Error("a metadata change cannot be read", "sequence", meta.Sequence.Stream, "error", err)
			continue
		}
		if c.streamID != f.streamID {
			// Any message may say so; that the stream was replaced shows in its configuration.
			f.bus.log.Error("metadata change of another stream skipped", "sequence", meta.Sequence.Stream)
			continue
		}
		if err := f.take(ctx, c, meta.Sequence.Stream); err != nil {
			return err
		}
	}
}

// take hands on the change that c is or completes.
func (f *follower) take(ctx context.Context, c change, sequence uint64) error {
	data := c.data
	if c.parts > 1 {
		if c.part == 1 {
			f.expected, f.parts = 1, nil
		}
		if c.part != f.expected {
			return nil // the beginning is not in the stream any more
		}
		f.expected++
		f.parts = append(f.parts, c.data...)
		if c.part < c.parts {
			return nil
		}
		data, f.parts = f.parts, nil
	}
	f.next = sequence + 1
	if c.version <= f.after {
		return nil
	}
	var err error
	if sealer := f.bus.cfg.Sealer; sealer != nil {
		data, err = sealer.Open(c.streamID, c.version, data)
	}
	if err == nil {
		err = f.handle(ctx, c.version, data)
	}
	if err != nil {
		f.failed = fmt.Errorf("apply version %d: %w", c.version, err)
		return err
	}
	f.after = c.version
	return nil
}
