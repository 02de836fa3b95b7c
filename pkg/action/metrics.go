package action

import (
	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/telemetry"
)

// Why calls fail, as labels of the metric.
const (
	failedRequestTransform  = "request_transform"
	failedResponseTransform = "response_transform"
	failedCall              = "no_response" // the handler can't be called, or doesn't answer
	failedAnswer            = "response"    // its answer is an error, or makes no sense
)

// metrics count and time calls of handlers.
type metrics struct {
	sent, got prometheus.Counter
	failures  map[string]prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		sent: telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "engine_action_request_bytes_total", Help: "Bytes of the bodies of calls of actions.",
		})),
		got: telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "engine_action_response_bytes_total", Help: "Bytes of the bodies that handlers of actions answered.",
		})),
		failures: map[string]prometheus.Counter{},
	}
	failures := telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "engine_action_failures_total", Help: "Calls of actions that failed, by why.",
	}, []string{"reason"}))
	for _, reason := range []string{failedRequestTransform, failedResponseTransform, failedCall, failedAnswer} {
		m.failures[reason] = failures.WithLabelValues(reason)
	}
	return m
}
