package telemetry

import "github.com/prometheus/client_golang/prometheus"

// signal is a kind of telemetry: traces, metrics or logs.
type signal string

const (
	spans signal = "spans"
	logs  signal = "logs"
)

// exportCounters count what was sent to collectors, and what was dropped.
type exportCounters struct {
	sent    map[signal]prometheus.Counter
	dropped map[signal]*prometheus.CounterVec
}

// signalCounters are those of one kind.
type signalCounters struct{ sent, full, failed prometheus.Counter }

func newExportCounters(r prometheus.Registerer) *exportCounters {
	c := &exportCounters{sent: map[signal]prometheus.Counter{}, dropped: map[signal]*prometheus.CounterVec{}}
	for kind, what := range map[signal]string{spans: "Spans", logs: "Log lines"} {
		//nolint:promlinter // the names of the wire format
		c.sent[kind] = Register(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "engine_otel_sent_" + string(kind), Help: what + " sent to an OpenTelemetry collector.",
		}))
		//nolint:promlinter // see above
		c.dropped[kind] = Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_otel_dropped_" + string(kind), Help: what + " that an OpenTelemetry collector did not get.",
		}, []string{"reason"}))
		c.of(kind) // both reasons show from the start
	}
	return c
}

func (c *exportCounters) of(kind signal) signalCounters {
	return signalCounters{c.sent[kind], c.dropped[kind].WithLabelValues("buffer_full"), c.dropped[kind].WithLabelValues("send_failed")}
}
