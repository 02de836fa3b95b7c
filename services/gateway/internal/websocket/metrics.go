package websocket

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/request"
)

// Metrics are those of WebSockets; nil counts nothing.
type Metrics struct {
	connections                 prometheus.Gauge
	receivedBytes               prometheus.Counter
	sentBytes                   *prometheus.CounterVec
	queueSeconds, writeSeconds  prometheus.Histogram
	skippedResults, pausedCount prometheus.Counter

	// named are the operations that sentBytes distinguishes, nil for none.
	named *telemetry.Operations
	// other counts what belongs to no operation, or to one without a name of its own.
	other prometheus.Counter
}

// NewMetrics registers the metrics; r is nil for none. detailed distinguishes operations.
func NewMetrics(r prometheus.Registerer, detailed bool) *Metrics {
	var labels []string
	if detailed {
		labels = []string{"operation_name", "parameterized_query_hash"}
	}
	buckets := []float64{0.000001, 0.0001, 0.01, 0.1, 0.3, 1, 3, 10, 30, 100}
	m := &Metrics{
		connections:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "engine_websocket_connections", Help: "Open WebSockets."}),
		receivedBytes:  prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_websocket_messages_received_bytes_total", Help: "Bytes of the messages of clients."}),
		sentBytes:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "engine_websocket_messages_sent_bytes_total", Help: "Bytes of the messages to clients, by operation."}, labels),
		queueSeconds:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "engine_websocket_message_queue_time", Help: "Seconds that results of subscriptions waited to be written.", Buckets: buckets}),
		writeSeconds:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "engine_websocket_message_write_time", Help: "Seconds that it took to write a message.", Buckets: buckets}),
		skippedResults: prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_websocket_results_skipped_total", Help: "Results of live queries that newer ones took the place of, because the client was slow."}),
		pausedCount:    prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_websocket_streams_paused_total", Help: "Times that a stream waited for a slow client."}),
	}
	if detailed {
		m.named = telemetry.NewOperations()
		m.other = m.sentBytes.WithLabelValues("", "")
	} else {
		m.other = m.sentBytes.WithLabelValues()
	}
	if r != nil {
		r.MustRegister(m.connections, m.receivedBytes, m.sentBytes, m.queueSeconds, m.writeSeconds, m.skippedResults, m.pausedCount)
	}
	return m
}

func (m *Metrics) opened(n float64) {
	if m != nil {
		m.connections.Add(n)
	}
}

func (m *Metrics) received(bytes int) {
	if m != nil {
		m.receivedBytes.Add(float64(bytes))
	}
}

// Detailed reports whether messages are counted by operation.
func (m *Metrics) Detailed() bool { return m != nil && m.named != nil }

// sentOf is what counts the messages of an operation; nil for nothing.
func (m *Metrics) sentOf(d request.Description) prometheus.Counter {
	switch {
	case m == nil:
		return nil
	case m.named == nil || d.Hash == "":
		return m.other
	}
	op := m.named.Named(telemetry.Operation{Name: d.Name, Hash: d.Hash})
	return m.sentBytes.WithLabelValues(op.Name, op.Hash)
}

// wroteOther counts a message that belongs to no operation.
func (m *Metrics) wroteOther(bytes int, took time.Duration) {
	if m != nil {
		m.wrote(m.other, bytes, took)
	}
}

// wrote counts a message with what sentOf returned; with nil, its bytes are counted elsewhere.
func (m *Metrics) wrote(sent prometheus.Counter, bytes int, took time.Duration) {
	if m != nil {
		if sent != nil {
			sent.Add(float64(bytes))
		}
		m.writeSeconds.Observe(took.Seconds())
	}
}

func (m *Metrics) waited(d time.Duration) {
	if m != nil {
		m.queueSeconds.Observe(d.Seconds())
	}
}

func (m *Metrics) skipped() {
	if m != nil {
		m.skippedResults.Inc()
	}
}

func (m *Metrics) paused() {
	if m != nil {
		m.pausedCount.Inc()
	}
}
