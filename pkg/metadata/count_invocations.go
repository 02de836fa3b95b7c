package metadata

import (
	"time"

	"queryengine/pkg/apierror"
)

const (
	// maxCountIntervals is into how many intervals a period may be divided.
	maxCountIntervals = 1000
	// usualCountIntervals is into how many a period is divided when the request doesn't say.
	usualCountIntervals = 60
)

// CountPeriod is the time in which calls are counted, divided into intervals; the last one may be shorter.
type CountPeriod struct {
	From Timestamp `json:"from" meta:"required"`
	// To is the first moment after the period; now, when the request doesn't say.
	To *Timestamp `json:"to"`
	// Interval is the length of an interval in s.
	Interval int `json:"interval"`
}

func (p *CountPeriod) checkPeriod() error {
	if p.To == nil {
		p.To = &Timestamp{time.Now().UTC()}
	}
	refuse := func(key, format string, args ...any) error {
		return apierror.At(apierror.Newf(apierror.ParseFailed, format, args...), key)
	}
	for key, t := range map[string]time.Time{"from": p.From.Time, "to": p.To.Time} {
		if year := t.UTC().Year(); year < 1970 || year > 9999 {
			return refuse(key, "the year %d is not between 1970 and 9999", year)
		}
	}
	if !p.From.Before(p.To.Time) {
		return refuse("from", "the period must begin before it ends")
	}
	if p.Interval < 0 {
		return refuse("interval", "unexpected negative value")
	}
	if p.Interval == 0 {
		p.Interval = max(1, divideUp(p.seconds(), usualCountIntervals))
	}
	if n := p.Intervals(); n > maxCountIntervals {
		return refuse("interval", "the period has %d intervals, at most %d can be counted", n, maxCountIntervals)
	}
	return nil
}

// seconds is the length of the period, rounded up.
func (p *CountPeriod) seconds() int {
	return int(p.To.Unix()-p.From.Unix()) + 1
}

func divideUp(n, by int) int { return (n + by - 1) / by }

// Intervals is how many intervals the period has.
func (p *CountPeriod) Intervals() int {
	n := divideUp(p.seconds(), p.Interval)
	if n > 1 && !p.Start(n-1).Before(p.To.Time) {
		n--
	}
	return n
}

// Start is the beginning of an interval, counted from 0.
func (p *CountPeriod) Start(interval int) time.Time {
	return time.Unix(p.From.Unix()+int64(interval*p.Interval), int64(p.From.Nanosecond())).UTC()
}

// CountEventInvocations are the arguments of count_event_invocations.
type CountEventInvocations struct {
	Source string `json:"source" meta:"default=default"`
	Name   string `json:"name" meta:"required"`
	CountPeriod
}

func (a *CountEventInvocations) check() error { return a.checkPeriod() }

// CountScheduledEventInvocations are the arguments of count_scheduled_event_invocations.
type CountScheduledEventInvocations struct {
	Type ScheduledType `json:"type" meta:"required"`
	// Trigger is one of cron; one-off events have none.
	Trigger *string `json:"trigger_name"`
	CountPeriod
}

func (a *CountScheduledEventInvocations) check() error {
	if a.Type == ScheduledCron && a.Trigger == nil {
		return missingKey("trigger_name")
	}
	return a.checkPeriod()
}
