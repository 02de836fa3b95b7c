// Package scheduler is the service that says when: it publishes the events of cron triggers
// and one-off events as they become due.
//
// It follows the metadata, so that it knows the triggers of every version, and takes no
// requests.
package scheduler

import (
	"log/slog"

	"queryengine/pkg/bus"
	"queryengine/pkg/service"
)

// Deps are what the service works with.
type Deps struct {
	Bus    *bus.Bus
	Logger *slog.Logger
}

// New wires the service and does no I/O.
func New(d Deps) *service.Base {
	return service.New(service.Config{
		Name:        "scheduler",
		Description: "publishes scheduled events as they become due",
	}, d.Bus, d.Logger, nil)
}
