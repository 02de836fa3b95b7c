package bus

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// renewTimeout bounds each step of recreating a stream. The request that found it stuck may have no
// time left.
const renewTimeout = 5 * time.Second

// ErrStuck reports that a stream accepts nothing although NATS answers requests about it. A stream is
// in this state after a full disk until it is recreated: free space alone doesn't help.
var ErrStuck = errors.New("the stream takes no messages")

// stuckWatch distinguishes a stream that is stuck from one that is slow or without quorum. It is safe
// for concurrent use.
type stuckWatch struct {
	bus    *Bus
	stream string

	mu sync.Mutex
	// failed reports whether the last write was not acknowledged; created and last are the stream, and
	// its last sequence, as they were after that.
	failed  bool
	created time.Time
	last    uint64
}

// after notes how a write ended. It reports whether the stream is stuck: the second write in a row was
// not acknowledged, and no other process's was stored in between.
func (w *stuckWatch) after(err error) bool {
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failed = false
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	s, err := w.bus.reads.Stream(ctx, w.stream) // without the lock: other writes end meanwhile
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failed = false // without quorum there is no answer
		return false
	}
	info := s.CachedInfo()
	if w.failed && w.created.Equal(info.Created) && w.last == info.State.LastSeq {
		w.failed = false
		return true
	}
	w.failed, w.created, w.last = true, info.Created, info.State.LastSeq
	return false
}

// deleteStuck deletes a stream that is stuck.
func (b *Bus) deleteStuck(ctx context.Context, stream string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer cancel()
	if err := b.js.DeleteStream(ctx, stream); !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	return nil
}
