package table

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/backend"
	"queryengine/services/event-delivery/internal/delivery"
)

// Metrics are the metrics of events of tables. A nil *Metrics measures nothing.
type Metrics struct {
	// detailed distinguishes triggers where that could become many series.
	detailed      bool
	fetchTime     prometheus.Histogram
	fetchQuery    *prometheus.HistogramVec
	fetched       *prometheus.CounterVec
	batch         prometheus.Gauge
	invocations   *prometheus.CounterVec
	processed     *prometheus.CounterVec
	processing    *prometheus.HistogramVec
	queueTime     *prometheus.HistogramVec
	webhookTime   *prometheus.HistogramVec
	requestBytes  *prometheus.CounterVec
	responseBytes *prometheus.CounterVec
	workers       prometheus.Gauge
	fromLog       *prometheus.CounterVec
	logLag        *prometheus.GaugeVec
	logMissed     *prometheus.CounterVec
	paused        *prometheus.GaugeVec
	cleanUps      *prometheus.CounterVec
	removed       *prometheus.CounterVec
}

// takeBuckets are those of the time that it takes to take events, in seconds.
var takeBuckets = []float64{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100}

// NewMetrics registers the metrics. Unless they are detailed, counts and times of invocations are those
// of all triggers together.
func NewMetrics(r prometheus.Registerer, detailed bool) (*Metrics, error) {
	if r == nil {
		return nil, nil //nolint:nilnil // measures nothing
	}
	trigger := []string{"trigger_name", "source_name"}
	times, outcome := trigger, []string{"status", "trigger_name", "source_name"}
	if !detailed {
		times, outcome = nil, outcome[:1]
	}
	counter := func(name, help string, labels []string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels []string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	m := &Metrics{
		detailed: detailed,
		fetchTime: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "engine_event_fetch_time_per_batch_seconds", Help: "Time to take a batch of events and to publish it.", Buckets: takeBuckets,
		}),
		fetchQuery:    histogram("engine_events_fetch_query_time_seconds", "Time of the statement that takes events.", takeBuckets, []string{"source_name"}),
		fetched:       counter("engine_events_fetched_total", "Events taken from their log.", []string{"source_name"}),
		batch:         prometheus.NewGauge(prometheus.GaugeOpts{Name: "engine_events_fetched_per_batch", Help: "Events of the last batch."}),
		invocations:   counter("engine_event_invocations_total", "Calls of webhooks of event triggers.", outcome),
		processed:     counter("engine_event_processed_total", "Events that came to their end.", outcome),
		processing:    histogram("engine_event_processing_time_seconds", "Time from an event to its delivery.", delivery.WaitBuckets(), times),
		queueTime:     histogram("engine_event_queue_time_seconds", "Time from an event, or its retry, to a worker.", delivery.WaitBuckets(), times),
		webhookTime:   histogram("engine_event_webhook_processing_time_seconds", "Time of a call of a webhook.", delivery.CallBuckets(), times),
		requestBytes:  counter("engine_event_trigger_request_bytes_total", "Bytes sent to webhooks.", trigger),
		responseBytes: counter("engine_event_trigger_response_bytes_total", "Bytes that webhooks answered.", trigger),
		workers:       prometheus.NewGauge(prometheus.GaugeOpts{Name: "engine_event_trigger_http_workers", Help: "Calls of webhooks under way."}),
	}
	source := []string{"source_name"}
	m.fromLog = counter("engine_events_from_log_total", "Events made from the log of a source.", source)
	m.logLag = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "engine_events_log_lag_seconds", Help: "Time from the last commit that made events from the log of a source until they were made.",
	}, source)
	m.logMissed = counter("engine_events_log_missed_total", "How often a part of a source's log was gone before its events were made.", source)
	m.paused = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "engine_event_trigger_paused", Help: "1 for each event trigger that is paused: its events wait on purpose.",
	}, trigger)
	m.cleanUps = counter("engine_event_cleanups_total", "Clean-ups of old events that triggers have planned.", outcome)
	removed := trigger
	if !detailed {
		removed = nil
	}
	m.removed = counter("engine_event_cleanup_removed_total", "Events, and calls of them, that these clean-ups removed.", append([]string{"removed"}, removed...))
	return m, errors.Join(r.Register(m.paused), r.Register(m.cleanUps), r.Register(m.removed), r.Register(m.fromLog), r.Register(m.logLag), r.Register(m.logMissed), r.Register(m.workers), r.Register(m.fetchTime), r.Register(m.fetchQuery), r.Register(m.fetched), r.Register(m.batch),
		r.Register(m.invocations), r.Register(m.processed), r.Register(m.processing), r.Register(m.queueTime),
		r.Register(m.webhookTime), r.Register(m.requestBytes), r.Register(m.responseBytes))
}

// cleaned counts a clean-up and what it has removed; failed is that it has ended early.
func (m *Metrics) cleaned(source, trigger string, c backend.EventsCleaned, failed bool) {
	if m == nil {
		return
	}
	status := "completed"
	if failed {
		status = "failed"
	}
	var of []string
	if m.detailed {
		of = []string{trigger, source}
	}
	m.cleanUps.WithLabelValues(append([]string{status}, of...)...).Inc()
	m.removed.WithLabelValues(append([]string{"events"}, of...)...).Add(float64(c.Events))
	m.removed.WithLabelValues(append([]string{"invocations"}, of...)...).Add(float64(c.Invocations))
}

// made counts events that were made from the log of a source.
func (m *Metrics) made(source string, events int, lag time.Duration) {
	if m == nil || events == 0 {
		return
	}
	m.fromLog.WithLabelValues(source).Add(float64(events))
	m.logLag.WithLabelValues(source).Set(lag.Seconds())
}

// setPaused takes the paused triggers of the sources over.
func (m *Metrics) setPaused(sources map[string]*source) {
	if m == nil {
		return
	}
	m.paused.Reset()
	for name, s := range sources {
		for trigger, t := range s.known() {
			if t.Paused {
				m.paused.WithLabelValues(trigger, name).Set(1)
			}
		}
	}
}

func (m *Metrics) missed(source string) {
	if m != nil {
		m.logMissed.WithLabelValues(source).Inc()
	}
}

func (m *Metrics) taken(source string, n int, took time.Duration) {
	if m == nil {
		return
	}
	m.fetchQuery.WithLabelValues(source).Observe(took.Seconds())
	m.fetched.WithLabelValues(source).Add(float64(n))
	m.batch.Set(float64(n))
}

func (m *Metrics) published(n int, took time.Duration) {
	if m != nil && n > 0 {
		m.fetchTime.Observe(took.Seconds())
	}
}

// calling counts a call of a webhook that begins, with 1, or ends, with -1.
func (m *Metrics) calling(change float64) {
	if m != nil {
		m.workers.Add(change)
	}
}

func (m *Metrics) called(source, trigger string, due time.Time, c delivery.Call) {
	if m == nil {
		return
	}
	status, times := statusFailed, m.labels(trigger, source)
	if c.Taken {
		status = statusSuccess
		m.processing.WithLabelValues(times...).Observe(c.Began.Add(c.Took).Sub(due).Seconds())
	}
	m.invocations.WithLabelValues(m.outcome(status, trigger, source)...).Inc()
	m.queueTime.WithLabelValues(times...).Observe(c.Began.Sub(due).Seconds())
	m.webhookTime.WithLabelValues(times...).Observe(c.Took.Seconds())
	m.requestBytes.WithLabelValues(trigger, source).Add(float64(c.Sent))
	m.responseBytes.WithLabelValues(trigger, source).Add(float64(c.Got))
}

func (m *Metrics) ended(outcomes []delivery.Outcome) {
	if m == nil {
		return
	}
	for _, o := range outcomes {
		switch o.State {
		case delivery.Delivered:
			m.processed.WithLabelValues(m.outcome(statusSuccess, o.Trigger, o.Source)...).Inc()
		case delivery.Failed, delivery.Dead:
			m.processed.WithLabelValues(m.outcome(statusFailed, o.Trigger, o.Source)...).Inc()
		case delivery.Waiting:
		}
	}
}

const (
	statusSuccess = "success"
	statusFailed  = "failed"
)

// labels are the values of the labels of times.
func (m *Metrics) labels(trigger, source string) []string {
	if !m.detailed {
		return nil
	}
	return []string{trigger, source}
}

// outcome are the values of the labels of counts.
func (m *Metrics) outcome(status, trigger, source string) []string {
	return append([]string{status}, m.labels(trigger, source)...)
}
