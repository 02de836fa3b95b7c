package websocket

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are those of WebSockets; nil counts nothing.
type Metrics struct {
	connections                 prometheus.Gauge
	receivedBytes, sentBytes    prometheus.Counter
	queueSeconds, writeSeconds  prometheus.Histogram
	skippedResults, pausedCount prometheus.Counter
}

// NewMetrics registers the metrics; r is nil for none.
func NewMetrics(r prometheus.Registerer) *Metrics {
	buckets := []float64{0.000001, 0.0001, 0.01, 0.1, 0.3, 1, 3, 10, 30, 100}
	m := &Metrics{
		connections:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "engine_websocket_connections", Help: "Open WebSockets."}),
		receivedBytes:  prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_websocket_messages_received_bytes_total", Help: "Bytes of the messages of clients."}),
		sentBytes:      prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_websocket_messages_sent_bytes_total", Help: "Bytes of the messages to clients."}),
		queueSeconds:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "engine_websocket_message_queue_time", Help: "Seconds that results of subscriptions waited to be written.", Buckets: buckets}),
		writeSeconds:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "engine_websocket_message_write_time", Help: "Seconds that it took to write a message.", Buckets: buckets}),
		skippedResults: prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_websocket_results_skipped_total", Help: "Results of live queries that newer ones took the place of, because the client was slow."}),
		pausedCount:    prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_websocket_streams_paused_total", Help: "Times that a stream waited for a slow client."}),
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

func (m *Metrics) sent(bytes int, took time.Duration) {
	if m != nil {
		m.sentBytes.Add(float64(bytes))
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
