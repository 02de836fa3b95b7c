package delivery

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	deliveryv1 "queryengine/proto/delivery/v1"
)

func sharerOf(name string) sharer { return sharer{kind: deliveryv1.Kind_KIND_CRON, name: name} }

// fill enters until there is no room any more.
func fill(r *room, name string) int {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	n := 0
	for r.enter(ended, sharerOf(name), patience) == nil {
		n++
	}
	return n
}

func TestRoomLeavesSomeForOthers(t *testing.T) {
	t.Parallel()
	r := newRoom(100)
	for _, c := range []struct {
		name string
		want int
	}{{"a", 40}, {"b", 20}, {"c", 10}, {"d", 5}, {"e", 3}, {"f", 1}, {"g", 1}, {"h", 1}} {
		require.Equal(t, c.want, fill(r, c.name), c.name)
	}
	require.Zero(t, fill(r, "a"), "who has more than is left gets nothing")
	for range 40 {
		r.leave(sharerOf("a"))
	}
	require.Equal(t, 20, fill(r, "i"), "half of what is free")
	require.NotContains(t, r.shares, sharerOf("a"))
	require.Equal(t, 1, fill(newRoom(1), "a"))
}

func TestRoomServesInTurns(t *testing.T) {
	t.Parallel()
	r := newRoom(5)
	a, b := sharerOf("a"), sharerOf("b")
	enter := func(k sharer) <-chan error {
		t.Helper()
		waiting := func() int {
			r.mu.Lock()
			defer r.mu.Unlock()
			return len(r.shares[k].waiting)
		}
		before := waiting()
		entered := make(chan error, 1)
		go func() { entered <- r.enter(t.Context(), k, patience) }()
		require.Eventually(t, func() bool { return waiting() == before+1 }, patience, time.Millisecond)
		return entered
	}
	require.NoError(t, r.enter(t.Context(), a, patience))
	require.NoError(t, r.enter(t.Context(), a, patience))
	third, fourth := enter(a), enter(a) // two of five are all that it gets
	require.NoError(t, r.enter(t.Context(), b, patience))
	second := enter(b)
	r.leave(a)
	require.NoError(t, <-third, "it has one, as the other has, and a third is left")
	r.leave(b)
	require.NoError(t, <-second)
	r.leave(b)
	r.leave(a)
	require.NoError(t, <-fourth)
}

func TestRoomIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newRoom(2)
	a := sharerOf("a")
	require.NoError(t, r.enter(t.Context(), a, patience))
	require.Zero(t, fill(r, "a"))
	require.Empty(t, r.turn)
	r.leave(a)
	require.Zero(t, r.taken)
	require.Empty(t, r.shares)
	require.NoError(t, r.enter(t.Context(), a, patience), "what was given up is free again")
}
