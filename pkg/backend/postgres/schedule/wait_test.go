package schedule

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// entering has a transaction enter in a goroutine of its own, inside of a bubble.
func entering(ctx context.Context, w *Writers) <-chan WriteTicket {
	turn := make(chan WriteTicket, 1)
	go func() { turn <- w.Enter(ctx) }()
	synctest.Wait()
	return turn
}

// entered is the turn of one that needn't wait.
func entered(t *testing.T, turn <-chan WriteTicket) WriteTicket {
	t.Helper()
	synctest.Wait()
	select {
	case e := <-turn:
		return e
	default:
		require.Fail(t, "it waits")
		return WriteTicket{}
	}
}

// waits holds that nothing more than that many wait.
func waits(t *testing.T, w *Writers, many int) {
	t.Helper()
	synctest.Wait()
	require.Equal(t, many, w.Waiting())
}

func newTestWriters(most int) *Writers {
	w := newWriters(Auto, func(bool) {})
	w.Most, w.Always = most, true
	return w
}

// TestWritersWait holds that as many are under way as there may be, and the others begin in their order.
func TestWritersWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTestWriters(2)
		first, second := entered(t, entering(t.Context(), w)), entered(t, entering(t.Context(), w))
		third, fourth := entering(t.Context(), w), entering(t.Context(), w)
		waits(t, w, 2)
		second.End()
		e := entered(t, third)
		waits(t, w, 1)
		e.End()
		entered(t, fourth).End()
		first.End()
		waits(t, w, 0)
		entered(t, entering(t.Context(), w)).End()
	})
}

// TestWritersThatTakeLong holds that no request waits long, and that one that no longer counts gives nothing away at its end.
func TestWritersThatTakeLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTestWriters(1)
		long := entered(t, entering(t.Context(), w))
		next := entering(t.Context(), w)
		time.Sleep(w.Ahead / 2)
		waits(t, w, 1)
		time.Sleep(w.Ahead)
		second := entered(t, next)
		third := entering(t.Context(), w)
		long.End()
		waits(t, w, 1)
		second.End()
		entered(t, third).End()
	})
}

// TestWritersLeave holds that a request that ends doesn't wait, and takes no turn.
func TestWritersLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTestWriters(1)
		w.Ahead = time.Hour
		first := entered(t, entering(t.Context(), w))
		ctx, cancel := context.WithCancel(t.Context())
		gone, stays := entering(ctx, w), entering(t.Context(), w)
		cancel()
		entered(t, gone).End()
		waits(t, w, 1)
		first.End()
		entered(t, stays).End()
		entered(t, entering(t.Context(), w)).End()
	})
}

// TestWritersBesides holds that there is a bound to how many wait, and that none does where that is of no use.
func TestWritersBesides(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTestWriters(1)
		w.Ahead = time.Hour
		first := entered(t, entering(t.Context(), w))
		var queue []<-chan WriteTicket
		for range maxWaiting {
			queue = append(queue, entering(t.Context(), w))
		}
		waits(t, w, maxWaiting)
		entered(t, entering(t.Context(), w)).End()
		first.End()
		for _, q := range queue {
			entered(t, q).End()
		}
		w.Always, w.rule.apart = false, true
		first = entered(t, entering(t.Context(), w))
		entered(t, entering(t.Context(), w)).End()
		first.End()
	})
}
