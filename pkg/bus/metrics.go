package bus

import (
	"errors"

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
	calls      *prometheus.CounterVec
	refused    *prometheus.CounterVec
	inProgress *prometheus.GaugeVec
	connected  prometheus.Gauge
	reconnects prometheus.Counter
	direct     prometheus.Gauge
}

// newMetrics makes the metrics of the bus. Several buses may share a registry: they count
// together then.
func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{
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
