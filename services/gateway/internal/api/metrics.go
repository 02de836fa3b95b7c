package api

import (
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are those of the HTTP interface.
type Metrics struct {
	connections   prometheus.Gauge
	requestBytes  prometheus.Counter
	responseBytes prometheus.Counter
	refused       prometheus.Counter
	mcpCalls      *prometheus.CounterVec
}

// NewMetrics registers the metrics; r is nil for none.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		connections:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "engine_http_connections", Help: "Open connections of clients, without WebSockets."}),
		requestBytes:  prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_http_request_bytes_total", Help: "Bytes of the bodies of requests."}),
		responseBytes: prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_http_response_bytes_total", Help: "Bytes of the bodies of answers, as sent."}),
		refused:       prometheus.NewCounter(prometheus.CounterOpts{Name: "engine_http_requests_refused_total", Help: "Requests refused because too many waited for an answer."}),
		mcpCalls:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "engine_mcp_calls_total", Help: "Calls of tools by assistants."}, []string{"tool", "role", "outcome"}),
	}
	if r != nil {
		r.MustRegister(m.connections, m.requestBytes, m.responseBytes, m.refused, m.mcpCalls)
	}
	return m
}

// ConnState counts connections; it is for http.Server.
func (m *Metrics) ConnState(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		m.connections.Inc()
	case http.StateClosed, http.StateHijacked:
		m.connections.Dec()
	default:
	}
}

func (m *Metrics) add(x *exchange) {
	m.requestBytes.Add(float64(len(x.body)))
	m.responseBytes.Add(float64(x.stream.Sent()))
}
