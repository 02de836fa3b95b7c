// Package lifecycle is how everything that runs is started and stopped.
//
// New wires and does no I/O. Start connects, fails fast with a clear error, and returns
// when the service can do its work; Stop returns when everything is down. Groups start in
// order and stop in reverse.
package lifecycle

import (
	"context"
	"fmt"
)

// Service is something that runs.
type Service interface {
	// Name is the service's name in logs, errors and health reports.
	Name() string
	// Start brings the service up and returns when it is up. ctx bounds the start only.
	Start(ctx context.Context) error
	// Started is closed once Start has succeeded.
	Started() <-chan struct{}
	// Stop brings the service down: it accepts no more work, finishes what is in progress, then frees
	// its resources. It is safe twice, and before Start.
	Stop()
	// Status is nil while the service can do its work, else a description of the problem.
	Status() error
}

// Group is a service made of others.
type Group struct {
	name     string
	services []Service
	state    State
}

// NewGroup returns a group that starts its services in the given order.
func NewGroup(name string, services ...Service) *Group {
	return &Group{name: name, services: services}
}

// Name is the group's name.
func (g *Group) Name() string { return g.name }

// Services are the members in the order of their start.
func (g *Group) Services() []Service { return g.services }

// Start starts the members one after the other. When one fails, those already up are
// stopped again.
func (g *Group) Start(ctx context.Context) error {
	return g.state.Start(func() error {
		for i, s := range g.services {
			if err := s.Start(ctx); err != nil {
				stopReverse(g.services[:i+1])
				if s.Name() == g.name { // the group adds to the service, and who starts the group says its name
					return err
				}
				return fmt.Errorf("start %s: %w", s.Name(), err)
			}
		}
		return nil
	})
}

// Started is closed once all members are up.
func (g *Group) Started() <-chan struct{} { return g.state.Started() }

// Stop stops the members in reverse.
func (g *Group) Stop() { g.state.Stop(func() { stopReverse(g.services) }) }

// Status is the status of the first member that can't do its work.
func (g *Group) Status() error {
	if err := g.state.Status(); err != nil {
		return err
	}
	for _, s := range g.services {
		if err := s.Status(); err != nil {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	return nil
}

func stopReverse(services []Service) {
	for i := len(services) - 1; i >= 0; i-- {
		services[i].Stop()
	}
}
