package bus

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
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
	calls      *prometheus.CounterVec
	refused    *prometheus.CounterVec
	inProgress *prometheus.GaugeVec
	connected  prometheus.Gauge
	reconnects prometheus.Counter
}

// newMetrics makes the metrics of the bus. Several buses may share a registry: they count
// together then.
func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{
		calls: register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_bus_calls_total",
			Help: "Calls made to services, by endpoint, way (local, remote) and outcome.",
		}, []string{"endpoint", "way", "outcome"})),
		refused: register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_bus_requests_refused_total",
			Help: "Requests that a service of this process refused because it was busy.",
		}, []string{"service"})),
		inProgress: register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "engine_bus_requests_in_progress",
			Help: "Requests that a service of this process is working on.",
		}, []string{"service"})),
		connected: register(r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "engine_bus_connections",
			Help: "Connections to NATS that are up.",
		})),
		reconnects: register(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "engine_bus_reconnects_total",
			Help: "Connections to NATS that were lost and came back.",
		})),
	}
}

func register[C prometheus.Collector](r prometheus.Registerer, c C) C {
	if r == nil {
		return c
	}
	var twice prometheus.AlreadyRegisteredError
	if err := r.Register(c); errors.As(err, &twice) {
		if existing, ok := twice.ExistingCollector.(C); ok {
			return existing
		}
	}
	return c
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
