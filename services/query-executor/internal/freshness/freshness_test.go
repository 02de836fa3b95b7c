package freshness

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/live"
)

// feed is a source whose changes the test reports.
type feed struct {
	backend.LiveSource
	mu          sync.Mutex
	changed     func(backend.Change)
	end         context.CancelCauseFunc
	unwatchable bool
}

func (f *feed) Changes() backend.Changes { return f }

func (f *feed) Watch(_ context.Context, relations []catalog.Name) (ids []string, err error) {
	if f.unwatchable {
		return nil, backend.ErrUnwatchable
	}
	for _, r := range relations {
		ids = append(ids, r.Name)
	}
	return ids, nil
}

func (f *feed) Listen(ctx context.Context, ready func(), changed func(backend.Change)) error {
	ctx, end := context.WithCancelCause(ctx)
	f.mu.Lock()
	f.changed, f.end = changed, end
	f.mu.Unlock()
	ready()
	<-ctx.Done()
	return context.Cause(ctx)
}

func watching(t *testing.T, f *feed) (w *Watcher, forgotten func() []string) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	w = New(Deps{
		Changes: live.Changes{Use: func(string) (backend.LiveSource, func(), error) { return f, func() {}, nil }},
		Log:     telemetry.Discard(),
		Forget: func(_ context.Context, family string) {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, family)
		},
	})
	return w, func() []string {
		mu.Lock()
		defer mu.Unlock()
		found := list
		list = nil
		return found
	}
}

var reads = map[string][]catalog.Name{"default": {{Name: "book"}, {Name: "author"}}}

func TestGuard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &feed{}
		w, forgotten := watching(t, f)
		defer w.Close()
		_, err := w.Guard(t.Context(), reads)
		require.ErrorIs(t, err, errDown, "nothing is reported yet")
		synctest.Wait()
		g, err := w.Guard(t.Context(), reads)
		require.NoError(t, err)
		require.False(t, g.Covers("f", time.Now()), "another executor's clock may be ahead")
		require.True(t, g.Keep("f"))
		require.True(t, g.Covers("f", time.Now()), "its own")
		time.Sleep(2 * skew)
		require.True(t, g.Covers("other", time.Now()))

		f.changed(backend.Change{ID: "elsewhere"})
		require.False(t, g.Changed())
		f.changed(backend.Change{ID: "book"})
		require.True(t, g.Changed())
		require.Equal(t, []string{"f"}, forgotten())
		require.False(t, g.Covers("f", time.Now().Add(-time.Second)), "it was stored before the change")
		again, err := w.Guard(t.Context(), reads)
		require.NoError(t, err)
		require.False(t, again.Changed())
		require.True(t, again.Keep("g"))

		f.end(fmt.Errorf("the connection is lost"))
		synctest.Wait()
		require.Contains(t, forgotten(), "g")
		require.True(t, again.Changed(), "a change may be missed")
		require.False(t, again.Covers("g", time.Now()))
		time.Sleep(2 * listenAgain)
		synctest.Wait()
		after, err := w.Guard(t.Context(), reads)
		require.NoError(t, err)
		require.False(t, after.Covers("g", time.Now().Add(-time.Minute)))
	})
}

func TestTablesThatCannotBeWatched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, _ := watching(t, &feed{unwatchable: true})
		defer w.Close()
		_, _ = w.Guard(t.Context(), reads)
		synctest.Wait()
		g, err := w.Guard(t.Context(), reads)
		require.NoError(t, err)
		require.True(t, g.Covers("f", time.Time{}), "they end by their time alone")
	})
}

func TestFamiliesOfATableAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, _ := watching(t, &feed{})
		defer w.Close()
		_, _ = w.Guard(t.Context(), reads)
		synctest.Wait()
		g, err := w.Guard(t.Context(), reads)
		require.NoError(t, err)
		for i := range mostFamilies {
			require.True(t, g.Keep(fmt.Sprint(i)))
		}
		require.False(t, g.Keep("one more"))
		require.True(t, g.Keep("7"))
	})
}
