package bus

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// lossyStreams is a JetStream whose streams fail to read a message once, the nth that is requested.
type lossyStreams struct {
	jetstream.JetStream
	nth int
}

func (l *lossyStreams) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := l.JetStream.Stream(ctx, name)
	return lossyStream{Stream: s, streams: l}, err
}

type lossyStream struct {
	jetstream.Stream
	streams *lossyStreams
}

func (s lossyStream) GetMsg(ctx context.Context, sequence uint64, o ...jetstream.GetMsgOpt) (*jetstream.RawStreamMsg, error) {
	if s.streams.nth--; s.streams.nth == 0 {
		return nil, errors.New("the connection was lost")
	}
	return s.Stream.GetMsg(ctx, sequence, o...)
}

// A follower that loses its connection while it looks for its place looks again: what it knew by
// then is a place behind changes that it has not seen.
func TestFollowSurvivesALossWhileItLooksForItsPlace(t *testing.T) {
	t.Parallel()
	b := connected(t)
	require.NoError(t, b.Changes().Ensure(t.Context(), "db-1", 1))
	const last = 20
	for v := range int64(last) {
		require.NoError(t, b.Changes().Publish(t.Context(), v+1, []byte(strconv.FormatInt(v+1, 10))))
	}
	reads := b.reads
	for _, after := range []int64{0, 7, last - 1} {
		for nth := 1; nth <= 4; nth++ {
			lossy := &lossyStreams{JetStream: reads, nth: nth}
			b.reads = lossy
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			var got []int64
			done := errors.New("done")
			err := b.Changes().Follow(ctx, after, func(_ context.Context, version int64, _ []byte) error {
				if got = append(got, version); version == last {
					return done
				}
				return nil
			})
			cancel()
			require.ErrorIs(t, err, done)
			var want []int64
			for v := after + 1; v <= last; v++ {
				want = append(want, v)
			}
			require.Equal(t, want, got, "after %d, with the loss of reading %d", after, nth)
			require.LessOrEqual(t, lossy.nth, 0, "nothing was lost")
		}
	}
}
