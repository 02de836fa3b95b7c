package schedule

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/puddle/v2"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/wire"
)

// connecting is how long it takes not to get a connection.
const connecting = time.Millisecond

// gathering is a sharer of one round trip at a time, which no connection is ever opened for.
type gathering struct {
	*Batcher
	// yields counts the statements that let others go first, until the test lets them go on.
	yields int
	goOn   chan struct{}
}

func newGathering(t *testing.T) *gathering {
	t.Helper()
	conns, err := puddle.NewPool(&puddle.Config[*wire.Conn]{
		Constructor: func(context.Context) (*wire.Conn, error) {
			time.Sleep(connecting)
			return nil, errors.New("no connection")
		},
		Destructor: func(*wire.Conn) {},
		MaxSize:    1,
	})
	require.NoError(t, err)
	g := &gathering{Batcher: newBatcher(&wire.Pool{Conns: conns}, Auto, false), goOn: make(chan struct{})}
	g.RoundTrips = 1
	g.possible.Store(true)
	g.Yield = func() {
		g.yields++
		<-g.goOn
	}
	return g
}

// joined is what became of a statement.
type joined struct {
	shared *shared
	turn   Ticket
}

// join has a statement join that is known to be short, in a goroutine of its own.
func (g *gathering) join(ctx context.Context) <-chan joined {
	j, result := Job{Text: &wire.Text{}, Cost: &Cost{}}, make(chan joined, 1)
	for range knownAfter {
		j.Cost.Ran(shortTime/2, 0)
	}
	go func() {
		q, turn := g.Batcher.join(ctx, j)
		result <- joined{q, turn}
	}()
	synctest.Wait()
	return result
}

// TestGather holds that a statement that finds a free place shares its round trip with those that come while others go first,
// and counts as one that the rule decides about.
func TestGather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		g.rule.known = true // the last window was crowded
		all := []<-chan joined{g.join(t.Context()), g.join(t.Context()), g.join(t.Context())}
		require.Equal(t, 1, g.yields)
		require.Equal(t, 2, g.Waiting())
		g.goOn <- struct{}{}
		for i, result := range all {
			got := <-result
			require.NotNil(t, got.shared)
			require.Equal(t, Refused, got.shared.outcome)
			require.Error(t, got.shared.err)
			require.Equal(t, i, got.shared.place, "they are sent in the order in which they came")
			require.Len(t, got.shared.batch.list, len(all))
		}
		synctest.Wait()
		require.Equal(t, len(all), g.rule.crowded)
		require.Equal(t, 0, g.inflight.free(g.RoundTrips))
	})
}

// TestGatherNobody holds that a statement runs alone that no other has joined, or whose place was given to others since it takes
// too long.
func TestGatherNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		g.rule.crowded = 1
		first := g.join(t.Context())
		g.goOn <- struct{}{}
		alone := <-first
		require.Nil(t, alone.shared)
		alone.turn.End()
		require.Equal(t, 1, g.rule.crowded)

		first = g.join(t.Context())
		next := g.join(t.Context())
		for g.Waiting() > 0 {
			time.Sleep(connecting / 2)
		}
		last := g.join(t.Context())
		require.Equal(t, 1, g.Waiting())
		g.goOn <- struct{}{}
		alone = <-first
		require.Nil(t, alone.shared)
		alone.turn.End()
		require.NotNil(t, (<-next).shared)
		require.NotNil(t, (<-last).shared)
		synctest.Wait()
		require.Equal(t, 0, g.inflight.free(g.RoundTrips))
	})
}

// TestGatherLeaving holds that those that have joined a statement go on when its request ends while it lets them go first.
func TestGatherLeaving(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		g.rule.known = true
		ctx, cancel := context.WithCancel(t.Context())
		first, next := g.join(ctx), g.join(t.Context())
		cancel()
		g.goOn <- struct{}{}
		left := (<-first).shared
		require.Equal(t, Left, left.outcome)
		require.ErrorContains(t, left.err, context.Canceled.Error())
		require.Equal(t, Refused, (<-next).shared.outcome)
		synctest.Wait()
		require.Equal(t, 0, g.inflight.free(g.RoundTrips))
	})
}

// TestGatherNot holds that statements go first themselves while there are no others to share with, and in windows in which
// nothing is shared, so that the windows can be compared.
func TestGatherNot(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]rule{
		"one client": {},
		"apart":      {known: true, crowded: crowd, apart: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newGathering(t)
				g.rule = r
				alone := <-g.join(t.Context())
				require.Nil(t, alone.shared)
				require.Zero(t, g.yields)
				alone.turn.End()
			})
		})
	}
}
