// Command metadata runs the metadata service in a process of its own.
package main

import (
	"os"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	"queryengine/services/metadata"
)

func main() {
	program.Main(config.Metadata, metadata.Check, func(e *program.Env) (lifecycle.Service, error) {
		c, err := metadata.FromSettings(e.Values, os.LookupEnv)
		if err != nil {
			return nil, err
		}
		kinds := kind.All(os.LookupEnv, string(config.Metadata))
		return metadata.New(c, metadata.Deps{
			Bus: e.Bus, Logger: e.Logger, Metrics: e.Metrics, Tracing: e.Tracing, Open: kinds.Measured(backend.NewPoolMetrics(e.Metrics)), Dialects: kinds.Dialects(),
			Env: os.LookupEnv,
		})
	})
}
