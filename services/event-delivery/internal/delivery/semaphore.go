package delivery

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	deliveryv1 "queryengine/proto/delivery/v1"
)

// flow is the unit of fair queueing: a trigger, or an address.
type flow struct {
	kind         deliveryv1.Kind
	source, name string
}

// fairSemaphore shares a number of slots between flows. A fifth of the slots is reserved for flows that
// hold none, and of the rest no flow may hold more than is left for all others. So a single flow holds
// two fifths at most, and flows whose calls hang leave slots to the next one, which gets half as many,
// in the end one at a time; as slots are released, all flows become equal. It is safe for concurrent
// use.
type fairSemaphore struct {
	most int

	mu       sync.Mutex
	acquired int
	shares   map[flow]*share
	// queue are the flows with waiters, in the order in which they are served.
	queue []*share
}

// share is the state of a flow.
type share struct {
	held int
	// released counts the slots that it has used and released.
	released int
	// waiting are the waiters, the first of them first.
	waiting []chan struct{}
}

func newFairSemaphore(most int) *fairSemaphore {
	return &fairSemaphore{most: most, shares: map[flow]*share{}}
}

// errNoSlot reports that a flow holds as many slots as it may and makes no progress.
var errNoSlot = errors.New("there is no free slot")

// tolerance is how many patiences a waiter goes on to wait if it is served within that time, at the
// pace of its flow.
const tolerance = 4

// acquire waits for a slot, which is given back with release or cancel. Its error is that of ctx, or
// errNoSlot when patience is over and the waiter isn't served soon: one that waits behind many of its
// own flow that make progress isn't in the way of others.
func (f *fairSemaphore) acquire(ctx context.Context, k flow, patience time.Duration) error {
	f.mu.Lock()
	s := f.shares[k]
	if s == nil {
		s = &share{}
		f.shares[k] = s
	}
	if len(s.waiting) == 0 && f.mayAcquire(s) {
		s.held++
		f.acquired++
		f.mu.Unlock()
		return nil
	}
	granted, ended := make(chan struct{}), s.released
	if s.waiting = append(s.waiting, granted); len(s.waiting) == 1 {
		f.queue = append(f.queue, s)
	}
	f.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-granted:
			return nil
		case <-ctx.Done():
			f.abandon(k, s, granted)
			return ctx.Err()
		case <-timer.C:
		}
		before := ended
		var next int
		if next, ended = f.position(s, granted); next >= tolerance*(ended-before) {
			f.abandon(k, s, granted)
			return errNoSlot
		}
		timer.Reset(patience)
	}
}

// position is how many of a flow are served before a waiter, -1 when it was served, and how many slots
// of the flow were released.
func (f *fairSemaphore) position(s *share, granted chan struct{}) (before, ended int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Index(s.waiting, granted), s.released
}

// releases is how many slots a flow has released that holds one.
func (f *fairSemaphore) releases(k flow) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shares[k].released
}

// abandon ends a wait, or gives back a slot that was granted in the meantime.
func (f *fairSemaphore) abandon(k flow, s *share, granted chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.Index(s.waiting, granted)
	if i < 0 {
		f.free(k, s)
		return
	}
	if s.waiting = slices.Delete(s.waiting, i, i+1); len(s.waiting) == 0 {
		f.queue = slices.DeleteFunc(f.queue, func(t *share) bool { return t == s })
		f.forget(k, s)
	}
}

// release gives back a slot that was used.
func (f *fairSemaphore) release(k flow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.shares[k]
	s.released++
	f.free(k, s)
}

// cancel gives back a slot that wasn't used.
func (f *fairSemaphore) cancel(k flow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free(k, f.shares[k])
}

// free grants free slots to waiters, in turns.
func (f *fairSemaphore) free(k flow, s *share) {
	s.held--
	f.acquired--
	for i := 0; i < len(f.queue); {
		next := f.queue[i]
		if !f.mayAcquire(next) {
			i++
			continue
		}
		next.held++
		f.acquired++
		close(next.waiting[0])
		next.waiting = next.waiting[1:]
		f.queue = slices.Delete(f.queue, i, i+1)
		if len(next.waiting) > 0 {
			f.queue = append(f.queue, next)
		}
	}
	f.forget(k, s)
}

// forget drops the state of a flow that holds nothing and waits for nothing.
func (f *fairSemaphore) forget(k flow, s *share) {
	if s.held == 0 && len(s.waiting) == 0 {
		delete(f.shares, k)
	}
}

// reserved is the part of the slots, one of that many, that is for flows that hold none.
const reserved = 5

func (f *fairSemaphore) mayAcquire(s *share) bool {
	free := f.most - f.acquired
	return s.held == 0 && free > 0 || s.held < free-f.most/reserved
}
