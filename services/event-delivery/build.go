package eventdelivery

import (
	"os"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
)

// Build makes the service as its own program and the engine run it; no I/O.
func Build(e *program.Env) (lifecycle.Service, error) {
	kinds := kind.All(os.LookupEnv, string(config.EventDelivery))
	return New(ReadConfig(e.Values), Deps{
		Bus: e.Bus, Decoder: e.Decoder, Logger: e.Logger, Metrics: e.Metrics, Tracing: e.Tracing, Env: os.LookupEnv, Code: e.Code,
		Open: kinds.Measured(backend.NewPoolMetrics(e.Metrics, e.Logger)), Kinds: kinds,
	})
}
