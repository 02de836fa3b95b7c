package metadata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCountPeriod(t *testing.T) {
	t.Parallel()
	from := time.Date(2020, 1, 1, 0, 0, 0, 5e8, time.UTC)
	for name, c := range map[string]struct {
		length              time.Duration
		interval            int
		wantInterval, wantN int
	}{
		"whole intervals":        {time.Hour, 60, 60, 60},
		"a shorter one at last":  {time.Hour + time.Millisecond, 60, 60, 61},
		"one that is longer":     {time.Minute, 3600, 3600, 1},
		"chosen":                 {time.Hour, 0, 61, 60},
		"chosen for a moment":    {time.Nanosecond, 0, 1, 1},
		"as many as can be":      {1000 * time.Second, 1, 1, 1000},
		"less than an interval":  {time.Millisecond, 1, 1, 1},
		"across the next second": {600 * time.Millisecond, 1, 1, 1},
	} {
		p := CountPeriod{From: Timestamp{from}, To: &Timestamp{from.Add(c.length)}, Interval: c.interval}
		require.NoError(t, p.checkPeriod(), name)
		require.Equal(t, c.wantInterval, p.Interval, name)
		require.Equal(t, c.wantN, p.Intervals(), name)
		require.True(t, p.Start(c.wantN-1).Before(p.To.Time), name)
		require.False(t, p.Start(c.wantN).Before(p.To.Time), name)
	}
	open := CountPeriod{From: Timestamp{from}}
	require.NoError(t, open.checkPeriod())
	require.LessOrEqual(t, open.Intervals(), usualCountIntervals)
	for message, p := range map[string]CountPeriod{
		"the period must begin before it ends":                       {From: Timestamp{from}, To: &Timestamp{from}},
		"unexpected negative value":                                  {From: Timestamp{from}, Interval: -1},
		"the period has 1001 intervals, at most 1000 can be counted": {From: Timestamp{from}, To: &Timestamp{from.Add(1001 * time.Second)}, Interval: 1},
		"the year 1969 is not between 1970 and 9999":                 {From: Timestamp{time.Unix(-1, 0)}},
		"the year 10000 is not between 1970 and 9999":                {From: Timestamp{from}, To: &Timestamp{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		require.ErrorContains(t, p.checkPeriod(), message)
	}
}
