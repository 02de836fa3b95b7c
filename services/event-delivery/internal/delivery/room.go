package delivery

import (
	"context"
	"slices"
	"sync"

	deliveryv1 "queryengine/proto/delivery/v1"
)

// room shares what a worker has room for: the deliveries in its hands, and the calls that it makes
// at once. Of both a fifth is for those who have none yet, and of the rest nobody may have more than
// is left for all others. So a trigger alone has two fifths, and webhooks that hang leave something
// to the next one, who gets half as much, at last one call at a time; as calls end all become
// equal. It is safe for concurrent use.
type room struct {
	places, calls int

	mu              sync.Mutex
	inHand, calling int
	shares          map[sharer]*share
	// turn are the shares that somebody waits for, in the order in which they are served.
	turn []*share
}

// sharer is what has a share of its own: a trigger, or an address.
type sharer struct {
	kind         deliveryv1.Kind
	source, name string
}

// share is what a sharer has.
type share struct {
	inHand, calling int
	// waiting are those who wait for a call, the first of them first.
	waiting []chan struct{}
}

func newRoom(places, calls int) *room {
	return &room{places: places, calls: calls, shares: map[sharer]*share{}}
}

// join takes a place; false when there is none for this sharer. Who has one gives it back with
// part.
func (r *room) join(k sharer) (*share, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.shares[k]
	if s == nil {
		s = &share{}
	}
	if !mayHave(s.inHand, r.inHand, r.places) {
		return nil, false
	}
	r.shares[k] = s
	s.inHand++
	r.inHand++
	return s, true
}

func (r *room) part(k sharer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.shares[k]
	s.inHand--
	r.inHand--
	if s.inHand == 0 {
		delete(r.shares, k)
	}
}

// enter waits until a call may be made, which ends with leave. Its error is that of ctx.
func (r *room) enter(ctx context.Context, s *share) error {
	r.mu.Lock()
	if len(s.waiting) == 0 && r.hasCall(s) {
		r.begin(s)
		r.mu.Unlock()
		return nil
	}
	granted := make(chan struct{})
	if s.waiting = append(s.waiting, granted); len(s.waiting) == 1 {
		r.turn = append(r.turn, s)
	}
	r.mu.Unlock()
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
		r.giveUp(s, granted)
		return ctx.Err()
	}
}

// giveUp ends a waiting, or a call that was granted while nobody looked.
func (r *room) giveUp(s *share, granted chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(s.waiting, granted)
	if i < 0 {
		r.end(s)
		return
	}
	if s.waiting = slices.Delete(s.waiting, i, i+1); len(s.waiting) == 0 {
		r.turn = slices.DeleteFunc(r.turn, func(t *share) bool { return t == s })
	}
}

func (r *room) leave(s *share) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(s)
}

func (r *room) hasCall(s *share) bool { return mayHave(s.calling, r.calling, r.calls) }

// mayHave says whether one who has some may have one more of what there is, of which so much is
// taken.
func mayHave(some, taken, most int) bool {
	const kept = 5
	return some == 0 && taken < most || some < most-taken-most/kept
}

func (r *room) begin(s *share) {
	s.calling++
	r.calling++
}

// end ends a call, and lets those begin that there is room for now, in turns.
func (r *room) end(s *share) {
	s.calling--
	r.calling--
	for i := 0; i < len(r.turn); {
		next := r.turn[i]
		if !r.hasCall(next) {
			i++
			continue
		}
		r.begin(next)
		close(next.waiting[0])
		next.waiting = next.waiting[1:]
		r.turn = slices.Delete(r.turn, i, i+1)
		if len(next.waiting) > 0 {
			r.turn = append(r.turn, next)
		}
	}
}
