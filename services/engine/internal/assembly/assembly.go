// Package assembly makes the five services out of the settings, for the program that runs
// several of them in one process. It is the only place where they meet.
package assembly

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	eventdelivery "queryengine/services/event-delivery"
	"queryengine/services/gateway"
	"queryengine/services/metadata"
	queryexecutor "queryengine/services/query-executor"
	"queryengine/services/scheduler"
)

// parts are the services in the order of their start. The gateway comes last: clients are
// let in when the others can answer.
var parts = []struct {
	name  config.Service
	check program.Check
	build func(*program.Env) (lifecycle.Service, error)
}{
	{config.Metadata, metadata.Check, func(e *program.Env) (lifecycle.Service, error) {
		c, err := metadata.FromSettings(e.Values, os.LookupEnv)
		if err != nil {
			return nil, err
		}
		kinds := kind.All(os.LookupEnv, string(config.Metadata))
		return metadata.New(c, metadata.Deps{
			Bus: e.Bus, Logger: e.Logger, Metrics: e.Metrics, Tracing: e.Tracing, Open: kinds.Measured(backend.NewPoolMetrics(e.Metrics)), Dialects: kinds.Dialects(), Env: os.LookupEnv,
		})
	}},
	{config.QueryExecutor, queryexecutor.Check, func(e *program.Env) (lifecycle.Service, error) {
		return queryexecutor.New(queryexecutor.ReadConfig(e.Values), queryexecutor.Deps{
			Bus: e.Bus, Decoder: e.Decoder, Logger: e.Logger, Metrics: e.Metrics, Tracing: e.Tracing,
		})
	}},
	{config.EventDelivery, eventdelivery.Check, func(e *program.Env) (lifecycle.Service, error) {
		return eventdelivery.New(eventdelivery.ReadConfig(e.Values), eventdelivery.Deps{
			Bus: e.Bus, Decoder: e.Decoder, Logger: e.Logger, Metrics: e.Metrics, Tracing: e.Tracing, Env: os.LookupEnv,
			Open: kind.All(os.LookupEnv, string(config.EventDelivery)).Measured(backend.NewPoolMetrics(e.Metrics)),
		})
	}},
	{config.Scheduler, scheduler.Check, func(e *program.Env) (lifecycle.Service, error) {
		return scheduler.New(scheduler.ReadConfig(e.Values), scheduler.Deps{Bus: e.Bus, Decoder: e.Decoder, Logger: e.Logger})
	}},
	{config.Gateway, gateway.Check, func(e *program.Env) (lifecycle.Service, error) {
		return gateway.New(gateway.ReadConfig(e.Values), gateway.Deps{
			Bus: e.Bus, Decoder: e.Decoder, Logger: e.Logger,
			Metrics: e.Metrics, Gatherer: e.Gatherer, Tracing: e.Tracing,
		})
	}},
}

// Check tells all that is wrong with the settings of the named services, without a start.
func Check(v *config.Values, names []string) error {
	var wrong []error
	for _, part := range parts {
		if slices.Contains(names, string(part.name)) {
			wrong = append(wrong, part.check(v))
		}
	}
	return errors.Join(wrong...)
}

// Services makes the named services as one; no I/O.
func Services(e *program.Env, names []string) (lifecycle.Service, error) {
	var chosen []lifecycle.Service
	for _, part := range parts {
		if !slices.Contains(names, string(part.name)) {
			continue
		}
		s, err := part.build(e.For(part.name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		chosen = append(chosen, s)
	}
	return lifecycle.NewGroup(string(config.Engine), chosen...), nil
}
