package bus

import (
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
)

// Outcomes of a call.
const (
	outcomeOK      = "ok"
	outcomeError   = "error"
	outcomeCutOff  = "cut_off"
	outcomeRefused = "refused"
)

// Ways of a call.
const (
	wayLocal  = "local"
	wayRemote = "remote"
)

type metrics struct {
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	// observers are those of seconds by endpoint and side, looked up once each.
	observers      sync.Map
	sent, received prometheus.Counter
	refused        *prometheus.CounterVec
	inProgress     *prometheus.GaugeVec
	connected      prometheus.Gauge
	reconnects     prometheus.Counter
	direct         prometheus.Gauge
}

// newMetrics makes the metrics of the bus. Several buses may share a registry: they count
// together then.
func newMetrics(r prometheus.Registerer) *metrics {
	bytes := telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "engine_bus_bytes_total",
		Help: "Bytes of requests and answers that went to other processes (sent) or came from them (received).",
	}, []string{"direction"}))
	return &metrics{
		sent: bytes.WithLabelValues("sent"), received: bytes.WithLabelValues("received"),
		seconds: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "engine_bus_call_seconds",
			Help:    "Time of calls between processes, by endpoint, as their caller and their responder see it: the difference is the bus.",
			Buckets: prometheus.ExponentialBuckets(0.00005, 2.5, 14),
		}, []string{"endpoint", "side"})),
		calls: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_bus_calls_total",
			Help: "Calls made to services, by endpoint, way (local, remote) and outcome.",
		}, []string{"endpoint", "way", "outcome"})),
		refused: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_bus_requests_refused_total",
			Help: "Requests that a service of this process refused because it was busy.",
		}, []string{"service"})),
		inProgress: telemetry.Register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_bus_requests_in_progress",
			Help: "Requests that a service of this process is working on.",
		}, []string{"service"})),
		connected: telemetry.Register(r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "engine_bus_connections",
			Help: "Connections to NATS that are up.",
		})),
		direct: telemetry.Register(r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "engine_bus_direct_connections",
			Help: "Connections to query-executors that requests go over without the NATS server.",
		})),
		reconnects: telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "engine_bus_reconnects_total",
			Help: "Connections to NATS that were lost and came back.",
		})),
	}
}

// The sides of a call.
const (
	sideCaller    = "caller"
	sideResponder = "responder"
)

type callSide struct{ endpoint, side string }

// took notes how long a call to an endpoint took. Those that last as long as a listener stays don't count.
func (m *metrics) took(ep *Endpoint, side string, since time.Time) {
	if ep.Long {
		return
	}
	key := callSide{ep.Subject, side}
	o, ok := m.observers.Load(key)
	if !ok {
		o, _ = m.observers.LoadOrStore(key, m.seconds.WithLabelValues(ep.Subject, side))
	}
	o.(prometheus.Observer).Observe(time.Since(since).Seconds()) //nolint:forcetypeassert // nothing else is stored
}

func outcome(err error) string {
	switch {
	case err == nil:
		return outcomeOK
	case errors.Is(err, ErrCutOff):
		return outcomeCutOff
	case errors.Is(err, errRefused):
		return outcomeRefused
	}
	return outcomeError
}
