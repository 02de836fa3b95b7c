// Package assembly makes the five services out of the settings, for the program that runs
// several of them in one process. It is the only place where they meet.
package assembly

import (
	"errors"
	"fmt"
	"slices"

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
	{config.Metadata, metadata.Check, metadata.Build},
	{config.QueryExecutor, queryexecutor.Check, queryexecutor.Build},
	{config.EventDelivery, eventdelivery.Check, eventdelivery.Build},
	{config.Scheduler, scheduler.Check, scheduler.Build},
	{config.Gateway, gateway.Check, gateway.Build},
}

// Program is the service of that name as a program of its own runs it; ok is false for none.
func Program(name string) (service config.Service, check program.Check, build program.Build, ok bool) {
	for _, part := range parts {
		if string(part.name) == name {
			return part.name, part.check, part.build, true
		}
	}
	return "", nil, nil, false
}

// Check reports all faults of the settings of the named services, without a start.
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
		chosen = append(chosen, program.Reported(e, s))
	}
	return lifecycle.NewGroup(string(config.Engine), chosen...), nil
}
