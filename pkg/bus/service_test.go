package bus_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	queryv1 "queryengine/proto/query/v1"
)

func TestCancelEndsTheHandler(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	p := setup(t, func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		started <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return ctx.Err()
	}, withHeartbeat(time.Hour)) // so that nothing but the cancellation ends it
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, _, err := call(ctx, p.caller, "")
		result <- err
	}()
	awaitSignal(t, started, "the handler did not start")
	cancel()
	awaitSignal(t, ended, "the handler was not cancelled")
	require.ErrorIs(t, <-result, context.Canceled)
}

func TestCancelAtOnce(t *testing.T) {
	t.Parallel()
	var running atomic.Int64
	p := setup(t, func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		running.Add(1)
		defer running.Add(-1)
		<-ctx.Done()
		return ctx.Err()
	}, withHeartbeat(time.Hour)) // so that nothing but the cancellation ends it
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
	require.Eventually(t, func() bool { return running.Load() == 0 }, patience, time.Millisecond)
}

func TestDeadlineReachesTheHandler(t *testing.T) {
	t.Parallel()
	h := func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		if req.(*queryv1.ExecuteRequest).GetQuery() == "wait" {
			<-ctx.Done()
			return ctx.Err()
		}
		deadline, _ := ctx.Deadline()
		_, err := w.Write([]byte(deadline.Format(time.RFC3339Nano)))
		return err
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		asked := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, told, err := call(ctx, b, "")
		require.NoError(t, err)
		deadline, err := time.Parse(time.RFC3339Nano, told)
		require.NoError(t, err)
		// What crosses is the time that is left, in whole milliseconds, which counts from the arrival.
		require.False(t, deadline.Before(asked.Add(time.Hour-time.Millisecond)), told)
		require.False(t, deadline.After(time.Now().Add(time.Hour)), told)

		ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, _, err = call(ctx, b, "wait")
		require.Equal(t, apierror.Timeout, apierror.From(err).Code)
		require.Equal(t, http.StatusGatewayTimeout, apierror.From(err).Status)
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
	awaitSignal(t, started, "the handler did not start")
	proxy.cut()
	awaitSignal(t, ended, "the handler works without a caller")
	require.Equal(t, http.StatusServiceUnavailable, apierror.From(<-result).Status)
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
			awaitSignal(t, entered, "the handler did not start")
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

func TestBusyIsTriedElsewhere(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}, 10), make(chan struct{})
	p := setup(t, hold(entered, release), withConcurrency(1))
	result := make(chan error, 1)
	go func() {
		_, _, err := call(t.Context(), p.responder, "")
		result <- err
	}()
	awaitSignal(t, entered, "the handler did not start")
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
			awaitSignal(t, entered, "the handler did not start")
			stopped := make(chan error, 1)
			go func() { stopped <- p.service.Stop(t.Context()) }()
			require.Eventually(t, func() bool {
				_, _, err := call(t.Context(), b, "")
				return err != nil && apierror.From(err).Message == "no query-executor is available"
			}, patience, time.Millisecond)
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
	awaitSignal(t, entered, "the handler did not start")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.service.Stop(ctx), context.DeadlineExceeded)
	require.Error(t, <-result)
}

// TestMessagesOfStreamsAreNoRequests: a user that may write to a stream and consume from it can make
// NATS send its messages to any subject.
func TestMessagesOfStreamsAreNoRequests(t *testing.T) {
	t.Parallel()
	var handled atomic.Int64
	p := setup(t, func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		handled.Add(1)
		return echo(ctx, req, w)
	})
	nc, err := nats.Connect(p.server.ClientURL())
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	for _, reply := range []string{"$JS.ACK.DELIVERIES.event-delivery.1.1.1.1.0", "_INBOX.a.r.b", "_INBOX_x.r.b", "_INBOX_x.y.z.r.b", "_INBOX_x.y.r.b.c"} {
		require.NoError(t, nc.PublishRequest(bus.QueryExecute.Subject, reply, nil))
	}
	require.NoError(t, nc.Flush())
	_, _, err = call(t.Context(), p.caller, "x") // comes after them
	require.NoError(t, err)
	require.EqualValues(t, 1, handled.Load())
}
