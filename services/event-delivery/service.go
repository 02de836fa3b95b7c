// Package eventdelivery is the service that captures the table events of each source and
// makes all webhook deliveries.
//
// It follows the metadata, so that it knows the triggers of every version, and takes no
// requests.
package eventdelivery

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
		Name:        "event-delivery",
		Description: "captures table events and delivers webhooks",
	}, d.Bus, d.Logger, nil)
}
