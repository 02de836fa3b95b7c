package bus_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"hash"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	queryv1 "queryengine/proto/query/v1"
)

func TestCallAnswers(t *testing.T) {
	t.Parallel()
	h := func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		w.SetHead(&queryv1.ExecuteHead{Headers: []*queryv1.Header{{Name: "Set-Cookie", Value: "a=b"}}})
		return echo(ctx, req, w)
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		head, body, err := call(t.Context(), b, "{ artists { name } }")
		require.NoError(t, err)
		require.Equal(t, "{ artists { name } }", body)
		require.Len(t, head.GetHeaders(), 1)
		require.Equal(t, "Set-Cookie", head.GetHeaders()[0].GetName())
	})
}

func TestCallHasOneHeadWhateverTheHandlerSets(t *testing.T) {
	t.Parallel()
	h := func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		switch req.(*queryv1.ExecuteRequest).GetQuery() {
		case "late":
			_, _ = w.Write([]byte("x"))
			w.SetHead(&queryv1.ExecuteHead{Headers: []*queryv1.Header{{Name: "too", Value: "late"}}})
		case "empty":
			w.SetHead(&queryv1.ExecuteHead{})
		}
		return nil
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		for _, query := range []string{"none", "empty", "late"} {
			sink := &recorder{}
			require.NoError(t, b.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{Query: query}, newHead, sink))
			require.Len(t, sink.heads, 1, query)
			require.Empty(t, sink.heads[0].(*queryv1.ExecuteHead).GetHeaders(), query)
		}
		sink := &recorder{}
		require.NoError(t, b.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{}, nil, sink))
		require.Empty(t, sink.heads)
	})
}

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

func TestCallMessageRefusesMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	ways(t, echo, func(t *testing.T, b *bus.Bus) {
		_, _, err := b.CallMessage(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{Query: "12345"}, newHead, 4)
		require.ErrorContains(t, err, "more than 4 bytes")
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

func TestErrorKeepsItsFields(t *testing.T) {
	t.Parallel()
	want := &apierror.Error{
		Code: apierror.ValidationFailed, Path: "$.selectionSet.artists", Message: "field 'x' not found",
		Status: http.StatusBadRequest, Internal: map[string]any{"a": 1}, RetryAfter: 7,
	}
	ways(t, func(context.Context, proto.Message, bus.ResponseWriter) error { return want }, func(t *testing.T, b *bus.Bus) {
		_, _, err := call(t.Context(), b, "")
		var got *apierror.Error
		require.ErrorAs(t, err, &got)
		require.NotErrorIs(t, err, bus.ErrCutOff)
		require.JSONEq(t, `{"a":1}`, string(got.InternalJSON()))
		plain := *got
		plain.Internal = want.Internal
		require.Equal(t, want, &plain)
	})
}

func TestErrorOfAnyKindIsAnAPIError(t *testing.T) {
	t.Parallel()
	h := func(_ context.Context, req proto.Message, _ bus.ResponseWriter) error {
		switch req.(*queryv1.ExecuteRequest).GetQuery() {
		case "panic":
			panic("secret")
		case "deadline":
			return context.DeadlineExceeded
		case "bytes":
			return apierror.New(apierror.DataException, "bad \xff byte")
		}
		return errors.New("secret")
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		want := map[string]string{
			"plain":    "unexpected at $: internal error",
			"panic":    "unexpected at $: internal error",
			"deadline": "timeout at $: the request took too long",
		}
		for query, text := range want {
			_, _, err := call(t.Context(), b, query)
			require.EqualError(t, err, text, query)
			require.Equal(t, text, apierror.From(err).Error(), query)
		}
		_, _, err := call(t.Context(), b, "bytes")
		require.Equal(t, apierror.DataException, apierror.From(err).Code)
	})
}

func TestErrorAfterTheFirstWriteCutsOff(t *testing.T) {
	t.Parallel()
	h := func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		if _, err := w.Write([]byte(req.(*queryv1.ExecuteRequest).GetQuery())); err != nil {
			return err
		}
		return apierror.New(apierror.DataException, "division by zero")
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		for _, query := range []string{"small", strings.Repeat("x", 3<<20)} {
			_, _, err := call(t.Context(), b, query)
			require.ErrorIs(t, err, bus.ErrCutOff)
			require.Equal(t, "division by zero", apierror.From(err).Message)
		}
	})
}

func TestSinkErrorEndsTheCall(t *testing.T) {
	t.Parallel()
	gone := errors.New("client gone")
	ended := make(chan struct{}, 2)
	h := func(ctx context.Context, _ proto.Message, w bus.ResponseWriter) error {
		defer func() { ended <- struct{}{} }()
		for piece := make([]byte, 512<<10); ; {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		sink := &recorder{write: func([]byte) error { return gone }}
		err := b.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{}, newHead, sink)
		require.ErrorIs(t, err, gone)
		within(t, time.Second, ended, "the handler goes on writing for nobody")
	})
}

func TestCancelEndsTheHandler(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	p := setup(t, func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		started <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, _, err := call(ctx, p.caller, "")
		result <- err
	}()
	within(t, 5*time.Second, started, "the handler did not start")
	cancel()
	within(t, 100*time.Millisecond, ended, "the handler was not cancelled")
	require.ErrorIs(t, <-result, context.Canceled)
}

// A cancellation that is as quick as its request still ends the handler.
func TestCancelAtOnce(t *testing.T) {
	t.Parallel()
	var running atomic.Int64
	p := setup(t, func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		running.Add(1)
		defer running.Add(-1)
		<-ctx.Done()
		return ctx.Err()
	})
	var calls sync.WaitGroup
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		calls.Go(func() {
			_, _, err := call(ctx, p.caller, "")
			require.ErrorIs(t, err, context.Canceled)
		})
		time.AfterFunc(time.Duration(i)*20*time.Microsecond, cancel)
	}
	calls.Wait()
	require.Eventually(t, func() bool { return running.Load() == 0 }, 500*time.Millisecond, time.Millisecond)
}

func TestDeadlineReachesTheHandler(t *testing.T) {
	t.Parallel()
	deadlines := make(chan time.Duration, 1)
	h := func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		d, _ := ctx.Deadline()
		deadlines <- time.Until(d)
		<-ctx.Done()
		return ctx.Err()
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, _, err := call(ctx, b, "")
		require.Equal(t, apierror.Timeout, apierror.From(err).Code)
		require.Equal(t, http.StatusGatewayTimeout, apierror.From(err).Status)
		left := <-deadlines
		require.Positive(t, left)
		require.LessOrEqual(t, left, 50*time.Millisecond)
	})
}

func TestHandlerEndsWhenTheCallerIsGone(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	p := setup(t, func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		started <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return ctx.Err()
	}, withHeartbeat(20*time.Millisecond))
	proxy := newProxy(t, p.server.ClientURL())
	caller := bustest.ConnectWith(t, bus.Config{URL: proxy.url(), Heartbeat: 20 * time.Millisecond})
	result := make(chan error, 1)
	go func() {
		_, _, err := call(t.Context(), caller, "")
		result <- err
	}()
	within(t, 5*time.Second, started, "the handler did not start")
	proxy.cut()
	within(t, 5*time.Second, ended, "the handler works for nobody")
	require.Equal(t, http.StatusServiceUnavailable, apierror.From(<-result).Status)
}

func TestTraceContextCrosses(t *testing.T) {
	t.Parallel()
	spans := make(chan trace.SpanContext, 1)
	h := func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		spans <- trace.SpanContextFromContext(ctx)
		return nil
	}
	want := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1, 2, 3}, SpanID: trace.SpanID{4, 5}, TraceFlags: trace.FlagsSampled,
	})
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		_, _, err := call(trace.ContextWithSpanContext(t.Context(), want), b, "")
		require.NoError(t, err)
		got := <-spans
		require.Equal(t, want.TraceID(), got.TraceID())
		require.Equal(t, want.SpanID(), got.SpanID())
		require.True(t, got.IsSampled())
	})
}

func TestNoResponder(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	_, _, err := call(t.Context(), b, "")
	e := apierror.From(err)
	require.Equal(t, "no query-executor is available", e.Message)
	require.Equal(t, http.StatusServiceUnavailable, e.Status)
	require.Equal(t, apierror.Unexpected, e.Code)
	require.Equal(t, 1, e.RetryAfter)
}

// hold is a handler that waits until it is let go.
func hold(entered chan<- struct{}, release <-chan struct{}) bus.Handler {
	return func(ctx context.Context, _ proto.Message, w bus.ResponseWriter) error {
		entered <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
			return ctx.Err()
		}
		_, err := w.Write([]byte("done"))
		return err
	}
}

func TestBusyPastTheBound(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"remote", "local"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			entered, release := make(chan struct{}, 10), make(chan struct{})
			p := setup(t, hold(entered, release), withConcurrency(1))
			b := p.caller
			if way == "local" {
				b = p.responder
			}
			result := make(chan error, 1)
			go func() {
				_, _, err := call(t.Context(), b, "")
				result <- err
			}()
			within(t, 5*time.Second, entered, "the handler did not start")
			_, _, err := call(t.Context(), b, "")
			e := apierror.From(err)
			require.Equal(t, apierror.Busy, e.Code)
			require.Equal(t, http.StatusServiceUnavailable, e.Status)
			require.Equal(t, 1, e.RetryAfter)
			close(release)
			require.NoError(t, <-result)
			_, _, err = call(t.Context(), b, "")
			require.NoError(t, err)
		})
	}
}

// What is busy here is tried elsewhere.
func TestBusyIsTriedElsewhere(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}, 10), make(chan struct{})
	p := setup(t, hold(entered, release), withConcurrency(1))
	result := make(chan error, 1)
	go func() {
		_, _, err := call(t.Context(), p.responder, "")
		result <- err
	}()
	within(t, 5*time.Second, entered, "the handler did not start")
	// NATS may pick the busy one again, so several idle ones stand by.
	for range 8 {
		serve(t, bustest.Connect(t, p.server), bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, echo)
	}
	ok := 0
	for range 50 {
		if _, body, err := call(t.Context(), p.responder, "hello"); err == nil {
			require.Equal(t, "hello", body)
			ok++
		}
	}
	require.Greater(t, ok, 25)
	close(release)
	require.NoError(t, <-result)
}

func TestStopWaitsForWhatIsInHand(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"remote", "local"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			entered, release := make(chan struct{}, 1), make(chan struct{})
			p := setup(t, hold(entered, release), withConcurrency(1))
			b := p.caller
			if way == "local" {
				b = p.responder
			}
			result := make(chan error, 1)
			go func() {
				_, _, err := call(t.Context(), b, "")
				result <- err
			}()
			within(t, 5*time.Second, entered, "the handler did not start")
			stopped := make(chan error, 1)
			go func() { stopped <- p.service.Stop(t.Context()) }()
			require.Eventually(t, func() bool {
				_, _, err := call(t.Context(), b, "")
				return err != nil && apierror.From(err).Message == "no query-executor is available"
			}, 5*time.Second, time.Millisecond)
			select {
			case err := <-stopped:
				require.FailNow(t, "Stop did not wait", "%v", err)
			default:
			}
			close(release)
			require.NoError(t, <-result)
			require.NoError(t, <-stopped)
			require.NoError(t, p.service.Stop(t.Context()))
		})
	}
}

func TestStopCancelsWhenItMayNotWait(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{}, 1)
	p := setup(t, hold(entered, nil))
	result := make(chan error, 1)
	go func() {
		_, _, err := call(t.Context(), p.caller, "")
		result <- err
	}()
	within(t, 5*time.Second, entered, "the handler did not start")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.service.Stop(ctx), context.DeadlineExceeded)
	require.Error(t, <-result)
}

// An answer of 50 MB arrives whole while neither end keeps more than its window.
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

// liveHeap is what is in use; what the collector has not come to yet depends on the tests
// that ran before.
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
