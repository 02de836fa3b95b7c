package lifecycle

import (
	"errors"
	"sync"
)

// Statuses of a service that can't do its work.
var (
	ErrNotStarted = errors.New("not started yet")
	ErrStarting   = errors.New("starting")
	ErrStopping   = errors.New("stopping")
	ErrStopped    = errors.New("stopped")
)

// State keeps the promises of Service about order and repetition for the type that embeds
// or holds it. The zero value is ready.
type State struct {
	// turn is held while a service comes up or goes down, so that these never overlap.
	turn sync.Mutex

	mu      sync.Mutex
	phase   phase
	started chan struct{}
}

type phase int

const (
	phaseNew phase = iota
	phaseStarting
	phaseUp
	phaseStopping
	phaseDown
)

// Start runs up once. A stopped service can't start again, a started one is left alone;
// one whose start failed may try again.
func (s *State) Start(up func() error) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	switch s.now() {
	case phaseUp:
		return nil
	case phaseDown:
		return ErrStopped
	}
	s.become(phaseStarting)
	if err := up(); err != nil {
		s.become(phaseNew)
		return err
	}
	s.become(phaseUp)
	close(s.channel())
	return nil
}

// Stop runs down once, and only when Start has succeeded.
func (s *State) Stop(down func()) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.now() == phaseUp {
		s.become(phaseStopping)
		down()
	}
	s.become(phaseDown)
}

// Started is closed once Start has succeeded.
func (s *State) Started() <-chan struct{} { return s.channel() }

// Status is nil while the service is up, else one of the errors of this package. It never
// waits.
func (s *State) Status() error {
	switch s.now() {
	case phaseNew:
		return ErrNotStarted
	case phaseStarting:
		return ErrStarting
	case phaseStopping:
		return ErrStopping
	case phaseDown:
		return ErrStopped
	}
	return nil
}

func (s *State) now() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

func (s *State) become(p phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = p
}

func (s *State) channel() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started == nil {
		s.started = make(chan struct{})
	}
	return s.started
}
