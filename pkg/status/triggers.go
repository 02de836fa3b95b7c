package status

import (
	"cmp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// maxTriggers bounds the triggers of a report.
const maxTriggers = 50

// The metrics that tell event triggers apart, and their labels.
const (
	callsFamily    = "engine_event_invocations_total"
	deliveryFamily = "engine_event_processing_time_seconds"
	queueFamily    = "engine_event_queue_time_seconds"
	webhookFamily  = "engine_event_webhook_processing_time_seconds"

	sourceLabel  = "source_name"
	triggerLabel = "trigger_name"
	statusLabel  = "status"
	failedStatus = "failed"
)

type triggerKey struct{ source, name string }

// triggers are those that a service has called, the most frequent first.
func triggers(gathered []*dto.MetricFamily, service string) []TriggerCalls {
	found := map[triggerKey]*TriggerCalls{}
	for _, f := range gathered {
		switch f.GetName() {
		case callsFamily, deliveryFamily, queueFamily, webhookFamily:
		default:
			continue
		}
		for _, m := range f.GetMetric() {
			if label(m, serviceLabel) != service {
				continue
			}
			key := triggerKey{label(m, sourceLabel), label(m, triggerLabel)}
			t := found[key]
			if t == nil {
				t = &TriggerCalls{Source: key.source, Name: key.name, Delivery: timesOf(nil), Queue: timesOf(nil), Webhook: timesOf(nil)}
				found[key] = t
			}
			t.take(f.GetName(), m)
		}
	}
	list := make([]TriggerCalls, 0, len(found))
	for _, t := range found {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b TriggerCalls) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Source, b.Source), strings.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), maxTriggers)]
}

func (t *TriggerCalls) take(family string, m *dto.Metric) {
	switch family {
	case callsFamily:
		n := uint64(m.GetCounter().GetValue())
		t.Calls += n
		if label(m, statusLabel) == failedStatus {
			t.Failed += n
		}
	case deliveryFamily:
		t.Delivery = timesOf(m.GetHistogram())
	case queueFamily:
		t.Queue = timesOf(m.GetHistogram())
	case webhookFamily:
		t.Webhook = timesOf(m.GetHistogram())
	}
}

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
