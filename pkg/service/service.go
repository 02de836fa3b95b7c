// Package service is the part that all services share: registration with the NATS tools, following the
// metadata, and health.
package service

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"queryengine/pkg/bus"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/snapshot"
)

// Version is the version of all programs; releases set it.
var Version = "0.4.0"

// commit and date are those of the source of a release, which sets them.
var commit, date string

// UserAgent is the name of the engine in calls to others, as the wire format has it.
func UserAgent() string { return "graphql-engine/" + cmp.Or(Version, "dev") }

// Build is the version, with the commit and its date where the build knows them.
func Build() string {
	settings := map[string]string{"vcs.revision": commit, "vcs.time": date}
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	return describe(settings)
}

// describe is Build of the settings of a build.
func describe(settings map[string]string) string {
	revision := settings["vcs.revision"]
	if revision == "" {
		return Version
	}
	if settings["vcs.modified"] == "true" {
		revision += ", modified"
	}
	if at := settings["vcs.time"]; at != "" {
		revision += ", " + at
	}
	return Version + " (commit " + revision + ")"
}

// Config names a service.
type Config struct {
	Name        string
	Description string
	// Concurrency bounds the requests in progress, 0 for no bound.
	Concurrency int
	// Lacks is that of bus.ServiceInfo.
	Lacks func() bool
	// Announce makes metadata wait for this process before it answers a change.
	Announce bool
	// Decoder is shared by the services of a process; nil for one of its own.
	Decoder *snapshot.Decoder
	// StopTimeout bounds how long Stop waits for pending requests, 10 seconds by default.
	StopTimeout time.Duration
}

// Base is the common part. Its own work goes in before Start: Watch on Follower, and
// handlers in onRegister.
type Base struct {
	config     Config
	bus        *bus.Bus
	follower   *snapshot.Follower
	onRegister func(*bus.Service) error
	registered *bus.Service
	state      lifecycle.State
}

// New wires a Base and does no I/O. onRegister adds the service's handlers; nil for none.
func New(c Config, b *bus.Bus, logger *slog.Logger, onRegister func(*bus.Service) error) *Base {
	if c.StopTimeout == 0 {
		c.StopTimeout = 10 * time.Second
	}
	follow := snapshot.Config{
		Changes:   b.Changes(),
		Snapshots: b.Snapshots(),
		Service:   c.Name,
		Instance:  b.Instance(),
		Decoder:   c.Decoder,
		Logger:    logger,
	}
	if c.Announce {
		follow.Announcer = b
	}
	return &Base{config: c, bus: b, follower: snapshot.NewFollower(follow), onRegister: onRegister}
}

// Name is the service's name.
func (s *Base) Name() string { return s.config.Name }

// Follower follows the metadata.
func (s *Base) Follower() *snapshot.Follower { return s.follower }

// MetadataVersion is the version of the metadata that the service works with, 0 for none yet.
func (s *Base) MetadataVersion() int64 {
	if current := s.follower.Current(); current != nil {
		return current.Version
	}
	return 0
}

// Start begins to follow the metadata, and to take requests. It does not wait for the
// first snapshot: see Status.
func (s *Base) Start(ctx context.Context) error {
	return s.state.Start(func() error {
		if err := s.follower.Start(ctx); err != nil {
			return fmt.Errorf("follow metadata: %w", err)
		}
		registered, err := s.bus.Register(ctx, bus.ServiceInfo{
			Name: s.config.Name, Version: Version, Description: s.config.Description, Concurrency: s.config.Concurrency, Lacks: s.config.Lacks,
		})
		if err == nil && s.onRegister != nil {
			err = s.onRegister(registered)
		}
		if err != nil {
			s.stop(registered)
			return fmt.Errorf("register with NATS: %w", err)
		}
		s.registered = registered
		return nil
	})
}

// Started is closed once Start has succeeded.
func (s *Base) Started() <-chan struct{} { return s.state.Started() }

// Stop accepts no more requests, waits for the pending ones, and ends following.
func (s *Base) Stop() { s.state.Stop(func() { s.stop(s.registered) }) }

func (s *Base) stop(registered *bus.Service) {
	if registered != nil {
		ctx, cancel := context.WithTimeout(context.Background(), s.config.StopTimeout)
		defer cancel()
		_ = registered.Stop(ctx) // past the timeout, pending requests are cut off
	}
	s.follower.Stop()
}

// Status is nil while the service hears NATS and knows the metadata.
func (s *Base) Status() error {
	if err := s.state.Status(); err != nil {
		return err
	}
	if err := s.bus.Status(); err != nil {
		return err
	}
	return s.follower.Status()
}
