// Package pool runs work that it takes from a queue: at most so many pieces at once, until it is
// stopped with patience for those in progress.
package pool

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
)

// pause is how long a pool waits after a fault of the queue.
const pause = time.Second

// Config is what a Pool works with.
type Config struct {
	// Slots is how many pieces of work are in progress at most; Batch how many are taken at once,
	// 0 for as many as there are free slots.
	Slots, Batch int
	// Take takes up to n pieces from the queue and gives each to run, which starts it and returns.
	// An error is for the queue as a whole; what run was given before goes on.
	Take func(taking context.Context, n int, run func(Piece)) error
	// Idle returns when there may be work, after Take has found none; nil where Take waits for it.
	Idle func(taking context.Context)
	// Failing is the warning when Take fails, written once until it succeeds again.
	Failing string
	Logger  *slog.Logger
}

// Piece is one piece of work. taking ends when the pool begins nothing more, work when it cancels
// what is in progress.
type Piece func(taking, work context.Context)

// Pool takes work between Start and Stop.
type Pool struct {
	Config
	// slots holds a token for each piece in progress, and for those that are being taken.
	slots chan struct{}
	// running are the pieces in progress and the loop that takes them, next to what Next to started.
	running, beside sync.WaitGroup
	taking, work    context.Context //nolint:containedctx // the pool's own, until Stop
	// stopTaking ends taking, abandon ends work.
	stopTaking, abandon context.CancelFunc
}

// New returns a Pool; it takes nothing before Start.
func New(c Config) *Pool {
	p := &Pool{Config: c, slots: make(chan struct{}, max(c.Slots, 1))}
	p.taking, p.stopTaking = context.WithCancel(context.Background())
	p.work, p.abandon = context.WithCancel(context.Background())
	return p
}

// Start begins to take work.
func (p *Pool) Start() { p.running.Go(p.loop) }

// Next to runs what the work in progress needs. f returns when work ends, for which Stop waits.
func (p *Pool) Beside(f func(work context.Context)) { p.beside.Go(func() { f(p.work) }) }

// Stop takes nothing more, waits for the work in progress, at most for patience, and cancels the
// rest. All of it has returned when Stop does. It may be called before Start, and again.
func (p *Pool) Stop(patience time.Duration) {
	p.stopTaking()
	finished := make(chan struct{})
	go func() {
		p.running.Wait()
		close(finished)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-finished:
	case <-timer.C:
	}
	p.abandon()
	<-finished
	p.beside.Wait()
}

// loop takes as many pieces as there are free slots, again and again.
func (p *Pool) loop() {
	failing := false
	for {
		free := p.acquire()
		if free == 0 {
			return
		}
		started := 0
		err := p.Take(p.taking, free, func(piece Piece) {
			started++
			p.running.Go(func() {
				defer p.release(1)
				guard.Run(p.Logger, "panic in a piece of work", func() { piece(p.taking, p.work) })
			})
		})
		p.release(free - started)
		switch {
		case p.taking.Err() != nil:
			return
		case err != nil:
			if !failing {
				p.Logger.WarnContext(p.taking, p.Failing, "error", err)
			}
			lifecycle.Sleep(p.taking, pause)
		case started == 0 && p.Idle != nil:
			p.Idle(p.taking)
		}
		failing = err != nil
	}
}

// acquire waits for a free slot and takes those that are free, at most a batch; 0 after Stop.
func (p *Pool) acquire() int {
	if p.taking.Err() != nil {
		return 0
	}
	select {
	case p.slots <- struct{}{}:
	case <-p.taking.Done():
		return 0
	}
	for n := 1; ; n++ {
		if n == p.Batch {
			return n
		}
		select {
		case p.slots <- struct{}{}:
		default:
			return n
		}
	}
}

func (p *Pool) release(n int) {
	for range n {
		<-p.slots
	}
}
