package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/cron"
)

// TestTicksAfterAPause holds that missed ticks that aren't too late are planned together with the next
// ticks, whether some of those planned before the pause are left or not.
func TestTicksAfterAPause(t *testing.T) {
	t.Parallel()
	schedule, err := cron.Parse("* * * * *")
	require.NoError(t, err)
	now := time.Date(2001, 3, 1, 9, 0, 30, 0, time.UTC)
	ago := func(d time.Duration) *time.Time {
		at := now.Add(-d).Truncate(time.Minute)
		return &at
	}
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		waiting   waiting
		tolerance time.Duration
		missed    int
		all       bool
	}{
		"a new trigger":                  {waiting{}, time.Hour, 0, true},
		"no pause":                       {waiting{ahead: 50, last: ago(-50 * time.Minute), ever: ago(-50 * time.Minute)}, time.Hour, 0, true},
		"shorter than the tolerance":     {waiting{ever: ago(20 * time.Minute)}, time.Hour, 20, true},
		"longer than the tolerance":      {waiting{ever: ago(400 * day)}, 6 * time.Hour, 360, true},
		"some planned ones are left":     {waiting{last: ago(20 * time.Minute), ever: ago(20 * time.Minute)}, time.Hour, 20, true},
		"those that are left are late":   {waiting{last: ago(400 * day), ever: ago(400 * day)}, 6 * time.Hour, 360, true},
		"more than is planned at a time": {waiting{ever: ago(400 * day)}, 1000 * day, missedTicks, false},
	} {
		times, all := planned{schedule, c.tolerance}.ticks(c.waiting, now)
		require.Equal(t, c.all, all, name)
		missed := 0
		for missed < len(times) && !times[missed].After(now) {
			missed++
		}
		require.Equal(t, c.missed, missed, name)
		if all {
			require.Len(t, times, missed+plannedTicks, name)
		}
	}
}
