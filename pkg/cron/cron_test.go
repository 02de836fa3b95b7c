package cron

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schedule, after, want string }{
		{"* * * * *", "2015-03-01T09:00:00Z", "2015-03-01T09:01:00Z"},
		{"* * * * *", "2015-03-01T09:00:59.9Z", "2015-03-01T09:01:00Z"},
		{"*/15 * * * *", "2015-03-01T09:44:00Z", "2015-03-01T09:45:00Z"},
		{"*/15 * * * *", "2015-12-31T23:45:00Z", "2016-01-01T00:00:00Z"},
		{"5-20/5,59 * * * *", "2015-03-01T09:20:00Z", "2015-03-01T09:59:00Z"},
		{"0 2 * * *", "2015-03-01T02:00:00Z", "2015-03-02T02:00:00Z"},
		{"30 0 1 1 *", "2015-03-01T00:00:00Z", "2016-01-01T00:30:00Z"},
		{"0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"0 0 * * 7", "2015-03-02T00:00:00Z", "2015-03-08T00:00:00Z"}, // Sunday
		{"0 0 * * 0", "2015-03-02T00:00:00Z", "2015-03-08T00:00:00Z"},
		{"0 0 * * 5-7", "2015-03-02T00:00:00Z", "2015-03-06T00:00:00Z"},
		{"0 0 13 * 5", "2015-03-09T00:00:00Z", "2015-03-13T00:00:00Z"},  // either the 13th
		{"0 0 13 * 5", "2015-03-13T00:00:00Z", "2015-03-20T00:00:00Z"},  // or a Friday
		{"0 0 */2 * 1", "2015-03-01T00:00:00Z", "2015-03-02T00:00:00Z"}, // a step restricts too
		{"15 14 1 * *", "2015-03-01T15:14:00+01:00", "2015-03-01T14:15:00Z"},
	} {
		s, err := Parse(c.schedule)
		require.NoError(t, err, c.schedule)
		after, err := time.Parse(time.RFC3339, c.after)
		require.NoError(t, err)
		got, ok := s.Next(after)
		require.True(t, ok, c.schedule)
		require.Equal(t, c.want, got.Format(time.RFC3339), "%s after %s", c.schedule, c.after)
	}
}

func TestNeverFires(t *testing.T) {
	t.Parallel()
	s, err := Parse("0 0 31 2,4 *")
	require.NoError(t, err)
	_, ok := s.Next(time.Now())
	require.False(t, ok)
	require.Empty(t, s.NextN(time.Now(), 3))
	_, ok = Schedule{}.Next(time.Now())
	require.False(t, ok)
}

func TestNextN(t *testing.T) {
	t.Parallel()
	s, err := Parse("0 */12 * * *")
	require.NoError(t, err)
	start := time.Date(2015, 3, 1, 1, 0, 0, 0, time.UTC)
	var got []string
	for _, next := range s.NextN(start, 3) {
		got = append(got, next.Format("02T15"))
	}
	require.Equal(t, []string{"01T12", "02T00", "02T12"}, got)
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 8",
		"5-1 * * * *", "*/0 * * * *", "5/2 * * * *", "a * * * *", "* * * jan *", "-1 * * * *", "1,, * * * *", "+1 * * * *",
		"1-2-3 * * * *", "99999999999999999999 * * * *", "@daily", "*/ * * * *", "** * * * *",
	} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
}

// FuzzNext holds Next against a search minute by minute.
func FuzzNext(f *testing.F) {
	f.Add("*/7 3-5 * * 1", int64(1_770_000_000))
	f.Add("59 23 31 12 *", int64(0))
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		s, err := Parse(text)
		if err != nil || unix < 0 || unix > 4_000_000_000 {
			return
		}
		after := time.Unix(unix, 0)
		next, ok := s.Next(after)
		const window = 3 * 24 * 60
		minute := after.UTC().Truncate(time.Minute)
		for range window {
			minute = minute.Add(time.Minute)
			if s.fires(minute) {
				require.True(t, ok)
				require.Equal(t, minute, next)
				return
			}
		}
		if ok {
			require.True(t, next.After(minute) && s.fires(next))
		}
	})
}

func (s Schedule) fires(t time.Time) bool {
	return s.minutes&(1<<t.Minute()) != 0 && s.hours&(1<<t.Hour()) != 0 && s.months&(1<<int(t.Month())) != 0 && s.matchesDay(t)
}
