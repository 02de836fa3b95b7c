package delivery

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	deliveryv1 "queryengine/proto/delivery/v1"
)

func flowOf(name string) flow { return flow{kind: deliveryv1.Kind_KIND_CRON, name: name} }

// fill acquires slots until there are none left.
func fill(f *fairSemaphore, name string) int {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	n := 0
	for f.acquire(ended, flowOf(name), patience) == nil {
		n++
	}
	return n
}

func TestFairSemaphoreLeavesSomeForOthers(t *testing.T) {
	t.Parallel()
	f := newFairSemaphore(100)
	for _, c := range []struct {
		name string
		want int
	}{{"a", 40}, {"b", 20}, {"c", 10}, {"d", 5}, {"e", 3}, {"f", 1}, {"g", 1}, {"h", 1}} {
		require.Equal(t, c.want, fill(f, c.name), c.name)
	}
	require.Zero(t, fill(f, "a"), "a flow with more than is left gets nothing")
	for range 40 {
		f.release(flowOf("a"))
	}
	require.Equal(t, 20, fill(f, "i"), "half of what is free")
	require.NotContains(t, f.shares, flowOf("a"))
	require.Equal(t, 1, fill(newFairSemaphore(1), "a"))
}

func TestFairSemaphoreServesInTurns(t *testing.T) {
	t.Parallel()
	f := newFairSemaphore(5)
	a, b := flowOf("a"), flowOf("b")
	acquire := func(k flow) <-chan error {
		t.Helper()
		waiting := func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.shares[k].waiting)
		}
		before := waiting()
		entered := make(chan error, 1)
		go func() { entered <- f.acquire(t.Context(), k, patience) }()
		require.Eventually(t, func() bool { return waiting() == before+1 }, patience, time.Millisecond)
		return entered
	}
	require.NoError(t, f.acquire(t.Context(), a, patience))
	require.NoError(t, f.acquire(t.Context(), a, patience))
	third, fourth := acquire(a), acquire(a) // two of five are all that it gets
	require.NoError(t, f.acquire(t.Context(), b, patience))
	second := acquire(b)
	f.release(a)
	require.NoError(t, <-third, "it has one, as the other has, and a third is left")
	f.release(b)
	require.NoError(t, <-second)
	f.release(b)
	f.release(a)
	require.NoError(t, <-fourth)
}

func TestFairSemaphoreIsAbandoned(t *testing.T) {
	t.Parallel()
	f := newFairSemaphore(2)
	a := flowOf("a")
	require.NoError(t, f.acquire(t.Context(), a, patience))
	require.Zero(t, fill(f, "a"))
	require.Empty(t, f.queue)
	f.release(a)
	require.Zero(t, f.acquired)
	require.Empty(t, f.shares)
	require.NoError(t, f.acquire(t.Context(), a, patience), "what was given up is free again")
}
