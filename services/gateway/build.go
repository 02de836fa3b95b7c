package gateway

import (
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
)

// Build makes the service as its own program and the engine run it; no I/O.
func Build(e *program.Env) (lifecycle.Service, error) {
	return New(ReadConfig(e.Values), Deps{
		Bus: e.Bus, Decoder: e.Decoder, Logger: e.Logger,
		Metrics: e.Metrics, Gatherer: e.Gatherer, Tracing: e.Tracing, Code: e.Code, Mount: e.Mount, Listen: e.Listen,
	})
}
