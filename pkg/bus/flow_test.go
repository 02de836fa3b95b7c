package bus_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

func TestCallKeepsAnswersOfEverySizeAndCut(t *testing.T) {
	t.Parallel()
	const frame = 512 << 10
	body := randomBytes(5*frame + 17)
	h := func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		var sizes []int
		if err := json.Unmarshal(req.(*queryv1.ExecuteRequest).GetVariables(), &sizes); err != nil {
			return err
		}
		rest := body
		for _, n := range sizes {
			if _, err := w.Write(rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return nil
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		cuts := [][]int{
			{},
			{0},
			{1},
			{frame - 1},
			{frame},
			{frame + 1},
			{2 * frame},
			{len(body)},
			{10, frame, 10, frame, 10},
			{frame / 4, frame/4 - 1, frame / 4},
			{1, 2, 3, 0, 4},
			{frame - 1, 1, 1},
			{frame / 5, frame / 5, frame / 5, frame / 5, frame / 5, frame / 5, frame / 5},
		}
		for _, cut := range cuts {
			sizes, err := json.Marshal(cut)
			require.NoError(t, err)
			_, got, err := b.CallMessage(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{Variables: sizes}, newHead, 1<<30)
			require.NoError(t, err)
			total := 0
			for _, n := range cut {
				total += n
			}
			require.Len(t, got, total, "%v", cut)
			require.Equal(t, sha256.Sum256(body[:total]), sha256.Sum256(got), "%v", cut)
		}
	})
}

func TestRequestLargerThanAMessage(t *testing.T) {
	t.Parallel()
	h := func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		sum := sha256.Sum256(req.(*queryv1.ExecuteRequest).GetVariables())
		_, err := w.Write(sum[:])
		return err
	}
	p := setup(t, h)
	variables := randomBytes(30 << 20)
	_, got, err := p.caller.CallMessage(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{Variables: variables}, newHead, 100)
	require.NoError(t, err)
	want := sha256.Sum256(variables)
	require.Equal(t, want[:], got)
}

func TestLargeAnswerNeedsLittleMemory(t *testing.T) {
	const size, piece = 50 << 20, 256 << 10
	source := randomBytes(piece)
	h := func(_ context.Context, _ proto.Message, w bus.ResponseWriter) error {
		for range size / piece {
			if _, err := w.Write(source); err != nil {
				return err
			}
		}
		return nil
	}
	p := setup(t, h)
	want := sha256.New()
	for range size / piece {
		_, _ = want.Write(source)
	}
	before, peak := liveHeap(), uint64(0)
	sink := &hashSink{hash: sha256.New()}
	sink.after = func() {
		if sink.size%(4<<20) == 0 {
			peak = max(peak, liveHeap())
		}
	}
	require.NoError(t, p.caller.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{}, newHead, sink))
	require.Equal(t, size, sink.size)
	require.Equal(t, want.Sum(nil), sink.hash.Sum(nil))
	// Both ends and the server are in this process.
	growth := int64(peak) - int64(before)
	t.Logf("heap grew by %.1f MB", float64(growth)/(1<<20))
	require.Less(t, growth, int64(20<<20))
}

type hashSink struct {
	hash  hash.Hash
	size  int
	after func()
}

func (s *hashSink) Head(proto.Message) error { return nil }

func (s *hashSink) Write(p []byte) (int, error) {
	s.size += len(p)
	s.after()
	return s.hash.Write(p)
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestSlowSinkSlowsTheSender(t *testing.T) {
	t.Parallel()
	const frame, window = 512 << 10, 4
	var sent atomic.Int64
	h := func(_ context.Context, _ proto.Message, w bus.ResponseWriter) error {
		for piece := make([]byte, frame); sent.Load() < 40; {
			if _, err := w.Write(piece); err != nil {
				return err
			}
			sent.Add(1)
		}
		return nil
	}
	p := setup(t, h)
	taken := int64(0)
	sink := &recorder{write: func([]byte) error {
		// Give the sender time to run ahead if it could.
		time.Sleep(2 * time.Millisecond)
		require.LessOrEqual(t, sent.Load()-taken, int64(window))
		taken++
		return nil
	}}
	require.NoError(t, p.caller.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{}, newHead, sink))
	require.EqualValues(t, 40, taken)
	require.Equal(t, 40*frame, sink.body.Len())
}

func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	p := setup(t, echo)
	var calls sync.WaitGroup
	for i := range 64 {
		calls.Go(func() {
			query := strings.Repeat(string(rune('a'+i%26)), 1+i*9973)
			for range 5 {
				_, body, err := call(t.Context(), p.caller, query)
				require.NoError(t, err)
				require.Equal(t, sha256.Sum256([]byte(query)), sha256.Sum256([]byte(body)))
			}
		})
	}
	calls.Wait()
}

func randomBytes(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

// TestFlush has a part of an answer arrive long before its end.
func TestFlush(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	h := func(ctx context.Context, _ proto.Message, w bus.ResponseWriter) error {
		if _, err := w.Write([]byte("soon")); err != nil {
			return err
		}
		if err := bus.Flush(w); err != nil {
			return err
		}
		select {
		case <-seen:
		case <-ctx.Done():
			return ctx.Err()
		}
		_, err := w.Write([]byte(", late"))
		return err
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		sink := &flushSink{arrived: func() { seen <- struct{}{} }}
		require.NoError(t, b.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{}, nil, sink))
		require.Equal(t, "soon, late", sink.text.String())
	})
}

// flushSink calls arrived when it has the first part, on a goroutine of its own: one way of
// calling writes on the goroutine of the handler.
type flushSink struct {
	text    strings.Builder
	arrived func()
}

func (*flushSink) Head(proto.Message) error { return nil }

func (s *flushSink) Write(p []byte) (int, error) {
	if s.text.Len() == 0 {
		go s.arrived()
	}
	return s.text.Write(p)
}
