package scheduler

import (
	"log/slog"
	"time"

	"queryengine/pkg/bus"
	"queryengine/pkg/logtype"
	"queryengine/pkg/telemetry"
	deliveryv1 "queryengine/proto/delivery/v1"
)

// statisticsEvery is the time between lines about what was published.
const statisticsEvery = 10 * time.Minute

// statistics count the events that were published, for a line from time to time while there
// are some.
type statistics struct {
	since                 time.Time
	cron, oneOff, fetches int
}

// published counts a batch, which is of one kind.
func (s *statistics) published(list []bus.Outgoing, now time.Time, log *slog.Logger) {
	if len(list) == 0 {
		return
	}
	if s.since.IsZero() {
		s.since = now
	}
	s.fetches++
	if list[0].Delivery.GetKind() == deliveryv1.Kind_KIND_CRON {
		s.cron += len(list)
	} else {
		s.oneOff += len(list)
	}
	if now.Sub(s.since) >= statisticsEvery {
		telemetry.Of(log, logtype.ScheduledTriggerWork).Info("",
			"num_cron_events_fetched", s.cron, "num_one_off_scheduled_events_fetched", s.oneOff, "num_fetches", s.fetches)
		*s = statistics{since: now}
	}
}
