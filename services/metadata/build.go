package metadata

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
	c, err := ReadConfig(e.Values, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	kinds := kind.All(os.LookupEnv, string(config.Metadata))
	return New(c, Deps{
		Bus: e.Bus, Logger: e.Logger, Metrics: e.Metrics, Tracing: e.Tracing, Env: os.LookupEnv, Code: e.Code,
		Open: kinds.Measured(backend.NewPoolMetrics(e.Metrics, e.Logger)), Kinds: kinds,
	})
}
