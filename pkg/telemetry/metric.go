package telemetry

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Register adds a metric to a registry and returns it. One of that name that is there already
// is returned in its place, so that several parts of a process may share it; nil registers
// nowhere.
func Register[C prometheus.Collector](r prometheus.Registerer, c C) C {
	if r == nil {
		return c
	}
	var there prometheus.AlreadyRegisteredError
	if err := r.Register(c); errors.As(err, &there) {
		if existing, ok := there.ExistingCollector.(C); ok {
			return existing
		}
	}
	return c
}
