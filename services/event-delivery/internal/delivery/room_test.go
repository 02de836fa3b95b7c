package delivery

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	deliveryv1 "queryengine/proto/delivery/v1"
)

func sharerOf(name string) sharer { return sharer{kind: deliveryv1.Kind_KIND_CRON, name: name} }

// joined joins until there is no place any more.
func joined(r *room, name string) int {
	n := 0
	for {
		if _, ok := r.join(sharerOf(name)); !ok {
			return n
		}
		n++
	}
}

func TestRoomLeavesPlacesForOthers(t *testing.T) {
	t.Parallel()
	r := newRoom(100, 1)
	for _, c := range []struct {
		name string
		want int
	}{{"a", 40}, {"b", 20}, {"c", 10}, {"d", 5}, {"e", 3}, {"f", 1}, {"g", 1}, {"h", 1}} {
		require.Equal(t, c.want, joined(r, c.name), c.name)
	}
	require.Zero(t, joined(r, "a"), "who has more than is left gets nothing")
	for range 40 {
		r.part(sharerOf("a"))
	}
	require.Equal(t, 20, joined(r, "i"), "half of what is free")
}

func TestRoomServesInTurns(t *testing.T) {
	t.Parallel()
	r := newRoom(100, 5)
	a, _ := r.join(sharerOf("a"))
	b, _ := r.join(sharerOf("b"))
	enter := func(s *share) <-chan error {
		began := make(chan error, 1)
		r.mu.Lock()
		before := len(s.waiting)
		r.mu.Unlock()
		go func() { began <- r.enter(t.Context(), s) }()
		require.Eventually(t, func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			return len(s.waiting) == before+1
		}, patience, time.Millisecond)
		return began
	}
	require.NoError(t, r.enter(t.Context(), a))
	require.NoError(t, r.enter(t.Context(), a))
	third, fourth := enter(a), enter(a) // two of five are all that it gets
	require.NoError(t, r.enter(t.Context(), b))
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
	r := newRoom(100, 2)
	a, _ := r.join(sharerOf("a"))
	require.NoError(t, r.enter(t.Context(), a))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.enter(ended, a), context.Canceled)
	require.Empty(t, r.turn)
	r.leave(a)
	require.Zero(t, r.calling)
	require.NoError(t, r.enter(t.Context(), a), "what was given up is free again")
}
