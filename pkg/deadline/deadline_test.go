package deadline_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/deadline"
)

type key struct{}

// ended waits for the end of a context, and returns after what time it came.
func ended(ctx context.Context) time.Duration {
	began := time.Now()
	<-ctx.Done()
	return time.Since(began)
}

func TestEnds(t *testing.T) {
	t.Parallel()
	const second = time.Second
	why := errors.New("the client is gone")
	for name, c := range map[string]struct {
		timeout  time.Duration
		outer    time.Duration // the deadline of the parent, 0 for none
		gone     time.Duration // when the parent is cancelled with why, 0 for never
		canceled time.Duration // when it is itself
		late     bool          // it may end that much later
		after    time.Duration
		err      error
		cause    error
	}{
		"deadline":              {timeout: second, after: second, late: true, err: context.DeadlineExceeded, cause: context.DeadlineExceeded},
		"deadline of parent":    {timeout: time.Hour, outer: second, after: second, late: true, err: context.DeadlineExceeded, cause: context.DeadlineExceeded},
		"later one of parent":   {timeout: second, outer: time.Hour, after: second, late: true, err: context.DeadlineExceeded, cause: context.DeadlineExceeded},
		"end of parent":         {timeout: time.Hour, gone: second, after: second, late: true, err: context.Canceled, cause: why},
		"cancel":                {timeout: time.Hour, canceled: second, after: second, err: context.Canceled, cause: why},
		"ended parent":          {timeout: time.Hour, gone: -1, err: context.Canceled, cause: why},
		"deadline that is over": {timeout: -1, err: context.DeadlineExceeded, cause: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var k deadline.CoarseTimer
				parent, leave := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
				defer leave(nil)
				at := time.Now().Add(c.timeout)
				if c.outer > 0 {
					var stop context.CancelFunc
					parent, stop = context.WithTimeout(parent, c.outer)
					defer stop()
					at = time.Now().Add(min(c.outer, c.timeout))
				}
				if c.gone < 0 {
					leave(why)
				} else if c.gone > 0 {
					time.AfterFunc(c.gone, func() { leave(why) })
				}
				ctx, cancel := k.WithTimeout(parent, c.timeout)
				defer cancel(nil)
				if c.canceled > 0 {
					time.AfterFunc(c.canceled, func() { cancel(why) })
				}
				require.Equal(t, "value", ctx.Value(key{}))
				got, ok := ctx.Deadline()
				require.True(t, ok)
				require.Equal(t, at, got)
				if c.after > 0 {
					require.NoError(t, ctx.Err())
					require.NoError(t, context.Cause(ctx))
				}

				// What depends on it, also behind a context that only has a value.
				within, stop := context.WithCancel(context.WithValue(ctx, key{}, "other"))
				defer stop()
				var told sync.WaitGroup
				told.Add(1)
				context.AfterFunc(within, told.Done)

				took := ended(ctx)
				require.GreaterOrEqual(t, took, c.after)
				if c.late {
					require.LessOrEqual(t, took, c.after+deadline.Every)
				} else {
					require.Equal(t, c.after, took)
				}
				require.ErrorIs(t, ctx.Err(), c.err)
				require.Equal(t, c.cause, context.Cause(ctx))
				synctest.Wait()
				require.ErrorIs(t, within.Err(), c.err)
				require.Equal(t, c.cause, context.Cause(within))
				told.Wait()
			})
		})
	}
}

// TestErrWithoutDone holds that a context ends for those who only ask for its error, too.
func TestErrWithoutDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var k deadline.CoarseTimer
		ctx, cancel := k.WithTimeout(t.Context(), time.Second)
		defer cancel(nil)
		time.Sleep(time.Second + deadline.Every)
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
	})
}

// TestEachEndsAlone holds that contexts come and go in any order, and that nothing runs in between.
func TestEachEndsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var k deadline.CoarseTimer
		for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}} {
			contexts, cancels := make([]context.Context, 4), make([]context.CancelCauseFunc, 4)
			for i := range contexts {
				contexts[i], cancels[i] = k.WithTimeout(t.Context(), time.Duration(i+1)*time.Second)
			}
			cancels[order[0]](nil)
			cancels[order[1]](nil)
			for _, i := range order[2:] {
				require.NoError(t, contexts[i].Err())
			}
			time.Sleep(5 * time.Second)
			for _, i := range order[2:] {
				require.ErrorIs(t, contexts[i].Err(), context.DeadlineExceeded)
				cancels[i](nil)
			}
			require.ErrorIs(t, contexts[order[0]].Err(), context.Canceled)
		}
	})
}

// TestManyAtOnce is for the race detector.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	var k deadline.CoarseTimer
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for i := range 200 {
				parent, leave := context.WithCancel(t.Context())
				ctx, cancel := k.WithTimeout(parent, time.Duration(i%20)*time.Millisecond)
				switch i % 3 {
				case 0:
					<-ctx.Done()
				case 1:
					leave()
				}
				cancel(nil)
				if ctx.Err() == nil {
					t.Error("a context goes on after its end")
				}
				leave()
			}
		})
	}
	running.Wait()
}

func BenchmarkWithTimeout(b *testing.B) {
	var k deadline.CoarseTimer
	for name, with := range map[string]func(context.Context) func(){
		"none": func(context.Context) func() { return func() {} },
		"context": func(parent context.Context) func() {
			ctx, cancel := context.WithTimeout(parent, time.Minute)
			_ = ctx.Done()
			return cancel
		},
		"keeper": func(parent context.Context) func() {
			ctx, cancel := k.WithTimeout(parent, time.Minute)
			_ = ctx.Done()
			return func() { cancel(nil) }
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				// As net/http makes one for each request.
				parent, leave := context.WithCancel(context.Background())
				with(parent)()
				leave()
			}
		})
	}
}
