// Command gateway runs the gateway service in a process of its own.
package main

import (
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	"queryengine/services/gateway"
)

func main() {
	program.Main(config.Gateway, gateway.Check, func(e *program.Env) (lifecycle.Service, error) {
		return gateway.New(gateway.ReadConfig(e.Values), gateway.Deps{
			Bus:      e.Bus,
			Decoder:  e.Decoder,
			Logger:   e.Logger,
			Metrics:  e.Metrics,
			Gatherer: e.Gatherer,
			Tracing:  e.Tracing,
		})
	})
}
