package table

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func TestPace(t *testing.T) {
	t.Parallel()
	p := newPace(4)
	require.Equal(t, 16, p.window())
	call := func(taken bool) {
		t.Helper()
		require.NoError(t, p.Enter(t.Context()))
		p.Leave(taken)
	}
	for _, want := range []int{8, 4, 4} {
		call(false)
		require.Equal(t, want, p.window())
	}
	for _, want := range []int{8, 12, 16, 16} {
		call(true)
		require.Equal(t, want, p.window())
	}
	require.Equal(t, 4, newPace(0).window(), "there is always room for one")
}

// TestPaceFollowsTheSpeed holds that a trigger has as many events in progress as its webhook delivers
// in a second, when that is more than its calls need, and only as long as it is that fast.
func TestPaceFollowsTheSpeed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		each time.Duration
		want int
	}{
		"slow":      {each: 100 * time.Millisecond, want: 16},
		"fast":      {each: 25 * time.Millisecond, want: 40},
		"very fast": {each: time.Millisecond, want: 64},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPace(4)
				for began := time.Now(); time.Since(began) < 3*measured; {
					require.NoError(t, p.Enter(t.Context()))
					time.Sleep(c.each)
					p.Leave(true)
				}
				require.InDelta(t, c.want, p.window(), 1)
				time.Sleep(2 * measured)
				p.window() // closes what was counted
				time.Sleep(measured)
				require.Equal(t, 16, p.window())
			})
		})
	}
}

func TestPaceBoundsWhatIsInside(t *testing.T) {
	t.Parallel()
	metrics, err := NewMetrics(prometheus.NewRegistry(), true)
	require.NoError(t, err)
	g := gate{newPace(1), metrics}
	require.NoError(t, g.Enter(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, g.Enter(ctx), context.Canceled)
	entered := make(chan error)
	go func() { entered <- g.Enter(t.Context()) }()
	g.Leave(true)
	require.NoError(t, <-entered)
	g.Leave(true)
}

func TestBodyOfAnAttempt(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"1","event":{"session_variables":{"x-engine-role":"clerk"}}}`)
	require.JSONEq(t, `{"delivery_info":{"current_retry":1,"max_retries":3},"id":"1","event":{"session_variables":{"x-engine-role":"clerk"}}}`,
		string(withDeliveryInfo(body, 1, 3)))
	require.Equal(t, map[string]string{"x-engine-role": "clerk"}, sessionOf(body))
	require.Nil(t, sessionOf([]byte(`{"event":{"session_variables":null}}`)))
}
