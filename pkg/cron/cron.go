// Package cron reads cron schedules of five fields and computes when they fire.
//
// The fields are minute, hour, day of month, month and day of week, in UTC; 0 and 7 are
// Sunday. A field is "*", a number, a range, a step ("*/n", "a-b/n"), or a list of those
// separated by commas. There are no names, seconds or time zones. When both day fields are
// restricted, a day that matches either of them will do.
//
// The package has no clock: the caller decides what time it is.
package cron

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Schedule is a parsed schedule. The zero Schedule never fires.
type Schedule struct {
	minutes, hours, days, months, weekdays uint64
	// either reports whether a day matches by its number or by its weekday.
	either bool
}

// field is the range of one of the five fields.
type field struct {
	name     string
	min, max int
}

var fields = [...]field{
	{"minute", 0, 59}, {"hour", 0, 23}, {"day of month", 1, 31}, {"month", 1, 12}, {"day of week", 0, 7},
}

// Parse reads a schedule.
func Parse(text string) (Schedule, error) {
	parts := strings.Fields(text)
	if len(parts) != len(fields) {
		return Schedule{}, fmt.Errorf("a schedule has %d fields, not %d", len(fields), len(parts))
	}
	var sets [len(fields)]uint64
	for i, part := range parts {
		for item := range strings.SplitSeq(part, ",") {
			set, err := fields[i].parse(item)
			if err != nil {
				return Schedule{}, fmt.Errorf("%s %q: %w", fields[i].name, item, err)
			}
			sets[i] |= set
		}
	}
	const sunday, seven = 1, 1 << 7
	if sets[4]&seven != 0 {
		sets[4] = sets[4]&^seven | sunday
	}
	return Schedule{
		minutes: sets[0], hours: sets[1], days: sets[2], months: sets[3], weekdays: sets[4],
		either: parts[2] != "*" && parts[4] != "*",
	}, nil
}

var errSyntax = errors.New("expected *, a number, a range or a step")

func (f field) parse(item string) (uint64, error) {
	span, stepText, stepped := strings.Cut(item, "/")
	step := 1
	if stepped {
		var err error
		if step, err = number(stepText); err != nil || step == 0 {
			return 0, errSyntax
		}
	}
	low, high := f.min, f.max
	if span != "*" {
		lowText, highText, isRange := strings.Cut(span, "-")
		if !isRange && stepped {
			return 0, errSyntax
		}
		if !isRange {
			highText = lowText
		}
		var err error
		if low, err = number(lowText); err != nil {
			return 0, err
		}
		if high, err = number(highText); err != nil {
			return 0, err
		}
	}
	if low < f.min || high > f.max || low > high {
		return 0, fmt.Errorf("expected %d to %d", f.min, f.max)
	}
	var set uint64
	for n := low; n <= high; n += step {
		set |= 1 << n
	}
	return set, nil
}

// number reads digits only.
func number(s string) (int, error) {
	if s == "" || len(s) > 4 || strings.Trim(s, "0123456789") != "" {
		return 0, errSyntax
	}
	return strconv.Atoi(s)
}

// horizon is how far Next looks: the 29th of February can be eight years away.
const horizon = 9

// Next is the first time after t at which the schedule fires; not ok when it never does.
func (s Schedule) Next(after time.Time) (next time.Time, ok bool) {
	t := after.UTC().Truncate(time.Minute).Add(time.Minute)
	for end := t.Year() + horizon; t.Year() < end; {
		switch {
		case s.months&(1<<int(t.Month())) == 0:
			t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		case !s.matchesDay(t):
			t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
		case s.hours&(1<<t.Hour()) == 0:
			t = t.Truncate(time.Hour).Add(time.Hour)
		case s.minutes>>t.Minute() == 0: // none left in this hour
			t = t.Truncate(time.Hour).Add(time.Hour)
		default:
			wait := bits.TrailingZeros64(s.minutes >> t.Minute())
			return t.Add(time.Duration(wait) * time.Minute), true
		}
	}
	return time.Time{}, false
}

func (s Schedule) matchesDay(t time.Time) bool {
	day, weekday := s.days&(1<<t.Day()) != 0, s.weekdays&(1<<int(t.Weekday())) != 0
	if s.either {
		return day || weekday
	}
	return day && weekday
}

// NextN are the first n times after t, fewer when the schedule stops firing.
func (s Schedule) NextN(after time.Time, n int) []time.Time {
	times := make([]time.Time, 0, n)
	for len(times) < n {
		next, ok := s.Next(after)
		if !ok {
			break
		}
		times = append(times, next)
		after = next
	}
	return times
}
