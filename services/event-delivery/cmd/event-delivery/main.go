// Command event-delivery runs the event-delivery service in a process of its own.
package main

import (
	"os"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	eventdelivery "queryengine/services/event-delivery"
)

func main() {
	program.Main(config.EventDelivery, eventdelivery.Check, func(e *program.Env) (lifecycle.Service, error) {
		return eventdelivery.New(eventdelivery.ReadConfig(e.Values), eventdelivery.Deps{
			Bus: e.Bus, Decoder: e.Decoder, Logger: e.Logger, Metrics: e.Metrics, Tracing: e.Tracing, Env: os.LookupEnv,
			Open: kind.All(os.LookupEnv, string(config.EventDelivery)).Measured(backend.NewPoolMetrics(e.Metrics)),
		})
	})
}
