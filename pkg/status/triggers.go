package status

import (
	"cmp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// maxTriggers bounds the triggers of a kind in a report.
const maxTriggers = 50

// The labels of metrics that tell triggers apart.
const (
	sourceLabel  = "source_name"
	triggerLabel = "trigger_name"
	statusLabel  = "status"
	failedStatus = "failed"
	removedLabel = "removed"
)

// measured is what a metric says of the triggers of a kind.
type measured struct {
	kind string
	take func(*TriggerCalls, *dto.Metric)
}

// triggerFamilies are the metrics of triggers. The calls for scheduled events are counted by their times, as their counters
// tell no triggers apart.
var triggerFamilies = map[string]measured{
	"engine_event_invocations_total":                      {"event", (*TriggerCalls).takeCalls},
	"engine_event_processing_time_seconds":                {"event", (*TriggerCalls).takeDelivery},
	"engine_event_queue_time_seconds":                     {"event", (*TriggerCalls).takeQueue},
	"engine_event_webhook_processing_time_seconds":        {"event", (*TriggerCalls).takeWebhook},
	"engine_event_cleanups_total":                         {"event", (*TriggerCalls).takeCleanUps},
	"engine_event_cleanup_removed_total":                  {"event", (*TriggerCalls).takeRemoved},
	"engine_cron_event_processing_time_seconds":           {"cron", (*TriggerCalls).takeDelivery},
	"engine_cron_event_queue_time_seconds":                {"cron", (*TriggerCalls).takeQueue},
	"engine_cron_event_webhook_processing_time_seconds":   {"cron", (*TriggerCalls).takeWebhook},
	"engine_oneoff_event_processing_time_seconds":         {"one_off", (*TriggerCalls).takeDelivery},
	"engine_oneoff_event_queue_time_seconds":              {"one_off", (*TriggerCalls).takeQueue},
	"engine_oneoff_event_webhook_processing_time_seconds": {"one_off", (*TriggerCalls).takeWebhook},
}

type triggerKey struct{ kind, source, name string }

// triggers are those that a service has called, the most frequent first.
func triggers(gathered []*dto.MetricFamily, service string) []TriggerCalls {
	found := map[triggerKey]*TriggerCalls{}
	for _, f := range gathered {
		of, ok := triggerFamilies[f.GetName()]
		if !ok {
			continue
		}
		for _, m := range f.GetMetric() {
			if label(m, serviceLabel) != service {
				continue
			}
			key := triggerKey{of.kind, label(m, sourceLabel), label(m, triggerLabel)}
			t := found[key]
			if t == nil {
				t = &TriggerCalls{Kind: key.kind, Source: key.source, Name: key.name, Delivery: timesOf(nil), Queue: timesOf(nil), Webhook: timesOf(nil)}
				found[key] = t
			}
			of.take(t, m)
		}
	}
	list := make([]TriggerCalls, 0, len(found))
	for _, t := range found {
		if t.Kind != "event" {
			// Metrics aren't read at one instant.
			t.Calls, t.Failed = t.Webhook.Count, t.Webhook.Count-min(t.Webhook.Count, t.Delivery.Count)
		}
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b TriggerCalls) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Source, b.Source), strings.Compare(a.Name, b.Name))
	})
	listed := map[string]int{}
	return slices.DeleteFunc(list, func(t TriggerCalls) bool {
		listed[t.Kind]++
		return listed[t.Kind] > maxTriggers
	})
}

func (t *TriggerCalls) takeCalls(m *dto.Metric) {
	n := uint64(m.GetCounter().GetValue())
	t.Calls += n
	if label(m, statusLabel) == failedStatus {
		t.Failed += n
	}
}

func (t *TriggerCalls) takeCleanUps(m *dto.Metric) {
	n := uint64(m.GetCounter().GetValue())
	c := t.cleanUps()
	c.Count += n
	if label(m, statusLabel) == failedStatus {
		c.Failed += n
	}
}

func (t *TriggerCalls) takeRemoved(m *dto.Metric) {
	n, c := uint64(m.GetCounter().GetValue()), t.cleanUps()
	if label(m, removedLabel) == "invocations" {
		c.Invocations += n
		return
	}
	c.Events += n
}

func (t *TriggerCalls) cleanUps() *CleanUps {
	if t.CleanUps == nil {
		t.CleanUps = &CleanUps{}
	}
	return t.CleanUps
}

func (t *TriggerCalls) takeDelivery(m *dto.Metric) { t.Delivery = timesOf(m.GetHistogram()) }
func (t *TriggerCalls) takeQueue(m *dto.Metric)    { t.Queue = timesOf(m.GetHistogram()) }
func (t *TriggerCalls) takeWebhook(m *dto.Metric)  { t.Webhook = timesOf(m.GetHistogram()) }

// timesOf counts each value in one bucket only.
func timesOf(h *dto.Histogram) Times {
	t := Times{Count: h.GetSampleCount(), Seconds: h.GetSampleSum(), Bounds: []float64{}, Buckets: []uint64{}}
	var below uint64
	for _, b := range h.GetBucket() {
		t.Bounds = append(t.Bounds, b.GetUpperBound())
		t.Buckets = append(t.Buckets, b.GetCumulativeCount()-below)
		below = b.GetCumulativeCount()
	}
	t.Buckets = append(t.Buckets, t.Count-below)
	return t
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}
