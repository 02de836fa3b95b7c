package sourcehealth

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/metadata"
)

// fake is a source that answers tests as the test wants.
type fake struct {
	backend.Source
	run   func(ctx context.Context, sql string) error
	tries atomic.Int64
}

func (f *fake) RunSQL(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
	f.tries.Add(1)
	return &backend.RawResult{}, f.run(ctx, r.SQL)
}

// watched is a monitor of one source.
type watched struct {
	*Monitor
	document atomic.Pointer[metadata.Document]
}

func watch(t *testing.T, check string, source func() (backend.Source, error)) *watched {
	w := &watched{}
	w.set(check)
	w.Monitor = New(Config{
		Document: w.document.Load,
		Source:   open.New(func(*metadata.Source) (backend.Source, error) { return source() }).Use,
		Logger:   slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return w
}

func (w *watched) set(check string) {
	doc := metadata.Empty()
	doc.Sources = []*metadata.Source{{Name: "main", HealthCheck: json.RawMessage(check)}}
	w.document.Store(doc)
}

func TestRounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		check string
		run   func(context.Context, string) error
		want  Report
		tries int64
		after time.Duration
	}{
		"OK": {
			`{"interval":5}`, func(_ context.Context, sql string) error {
				if sql != "SELECT 1" {
					return errors.New("another statement: " + sql)
				}
				return nil
			}, Report{Status: OK}, 1, time.Second,
		},
		"its own statement": {
			`{"interval":5,"test":{"sql":"SELECT 2"}}`, func(_ context.Context, sql string) error {
				if sql != "SELECT 2" {
					return errors.New("another statement: " + sql)
				}
				return nil
			}, Report{Status: OK}, 1, time.Second,
		},
		"TIMEOUT after all tries": {
			`{"interval":500,"timeout":2,"retries":2,"retry_interval":1}`, func(ctx context.Context, _ string) error {
				<-ctx.Done()
				return ctx.Err()
			}, Report{Status: Timeout}, 3, 9 * time.Second,
		},
		"ERROR": {
			`{"interval":500,"retries":1,"retry_interval":1}`, func(context.Context, string) error {
				return apierror.New(apierror.PostgresError, "connection error").WithInternal("refused")
			}, Report{Status: Error, Error: complaint{"connection error", json.RawMessage(`"refused"`)}}, 2, 2 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &fake{run: c.run}
				w := watch(t, c.check, func() (backend.Source, error) { return f, nil })
				time.Sleep(c.after)
				synctest.Wait()
				got := w.Reports()["main"]
				require.False(t, got.Timestamp.IsZero())
				got.Timestamp = time.Time{}
				require.Equal(t, c.want, got)
				require.Equal(t, c.tries, f.tries.Load())
			})
		})
	}
}

func TestFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, `{"interval":5,"retries":0}`, func() (backend.Source, error) {
			return nil, apierror.New(apierror.NotFound, "environment variable SHOP is not set")
		})
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, Failed, w.Reports()["main"].Status)
		require.Equal(t, "environment variable SHOP is not set", w.Reports()["main"].Error)
	})
}

func TestConfigurationIsFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{run: func(context.Context, string) error { return nil }}
		w := watch(t, `{"interval":2}`, func() (backend.Source, error) { return f, nil })
		time.Sleep(9 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 5, f.tries.Load(), "a round every two seconds")
		w.set("")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Empty(t, w.Reports(), "a source without a check has no report")
		tries := f.tries.Load()
		w.set(`{"interval":0}`)
		time.Sleep(3500 * time.Millisecond)
		synctest.Wait()
		require.GreaterOrEqual(t, f.tries.Load()-tries, int64(3))
		require.LessOrEqual(t, f.tries.Load()-tries, int64(4), "the pause is at least a second")
	})
}
