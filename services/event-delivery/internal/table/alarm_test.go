package table

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
)

// toyBell is a bell in memory.
type toyBell struct {
	armable, armed, closed bool
	rung                   chan struct{}
	broken                 error
}

func (b *toyBell) Arm(context.Context) (bool, error) {
	b.armed = b.armable
	return b.armed, b.broken
}

func (b *toyBell) Disarm(context.Context) error {
	b.armed = false
	return b.broken
}

func (b *toyBell) Wait(ctx context.Context) (bool, error) {
	select {
	case <-b.rung:
		return true, b.broken
	case <-ctx.Done():
		return false, b.broken
	}
}

func (b *toyBell) Close() { b.closed = true }

func newToyAlarm(interval time.Duration) (*alarm, *toyBell, chan struct{}) {
	wake := make(chan struct{}, 1)
	b := &toyBell{armable: true, rung: make(chan struct{}, 1)}
	return &alarm{
		open: func(context.Context) (backend.EventBell, error) { return b, nil },
		wake: wake, interval: interval, logger: slog.New(slog.DiscardHandler),
	}, b, wake
}

func TestAlarmSleepsOnlyAfterOneMoreLook(t *testing.T) {
	t.Parallel()
	a, b, wake := newToyAlarm(time.Hour)
	a.rest(t.Context())
	require.True(t, b.armed, "it has returned for one more look")
	b.rung <- struct{}{}
	a.rest(t.Context())
	require.False(t, b.armed, "writers are spared while events are taken")
	require.WithinDuration(t, time.Now(), a.found, linger+time.Minute)

	a.found = time.Time{}
	a.rest(t.Context())
	require.True(t, b.armed)
	wake <- struct{}{}
	a.rest(t.Context())
	require.True(t, b.armed, "nothing was written: it may sleep on")
	a.took(t.Context(), 0)
	require.True(t, b.armed)
	a.took(t.Context(), 1)
	require.False(t, b.armed)
}

// TestAlarmTakesNoSignalOfTheNextWait holds that nothing of a wait that is over is left.
func TestAlarmTakesNoSignalOfTheNextWait(t *testing.T) {
	t.Parallel()
	a, b, wake := newToyAlarm(time.Hour)
	for range 200 {
		a.found, a.armed = time.Time{}, true
		b.rung <- struct{}{}
		a.rest(t.Context())
		wake <- struct{}{}
		for range 10 {
			runtime.Gosched()
		}
		require.Len(t, wake, 1)
		<-wake
	}
}

// TestAlarmStaysAwake holds that events are looked for again soon while there are some, and while there
// is a writer that sends no notification.
func TestAlarmStaysAwake(t *testing.T) {
	t.Parallel()
	a, b, _ := newToyAlarm(time.Hour)
	a.took(t.Context(), 1)
	a.rest(t.Context())
	require.False(t, b.armed)
	b.armable = false
	a.found = time.Time{}
	for range 3 {
		a.rest(t.Context())
		require.False(t, a.armed)
	}
}

func TestAlarmWithoutABell(t *testing.T) {
	t.Parallel()
	a, b, _ := newToyAlarm(time.Millisecond)
	b.broken = errors.New("the connection is gone")
	a.rest(t.Context())
	require.True(t, b.closed)
	require.Nil(t, a.bell)
	a.rest(t.Context()) // for the interval
	require.Nil(t, a.bell, "it isn't tried again at once")
	b.broken = nil
	a.retry = time.Time{}
	a.rest(t.Context())
	require.NotNil(t, a.bell)
	a.close()
	require.Nil(t, a.bell)
}
