package delivery

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	deliveryv1 "queryengine/proto/delivery/v1"
)

// sharer is what has a share of its own: a trigger, or an address.
type sharer struct {
	kind         deliveryv1.Kind
	source, name string
}

// room is so much of something that is shared. A fifth of it is for those who have nothing yet, and
// of the rest nobody may have more than is left for all others. So a trigger alone has two fifths,
// and webhooks that hang leave something to the next one, who gets half as much, at last one at a
// time; as calls end all become equal. It is safe for concurrent use.
type room struct {
	most int

	mu     sync.Mutex
	taken  int
	shares map[sharer]*share
	// turn are the shares that somebody waits for, in the order in which they are served.
	turn []*share
}

// share is what a sharer has.
type share struct {
	has int
	// ended counts what it had and has used.
	ended int
	// waiting are those who wait for more, the first of them first.
	waiting []chan struct{}
}

func newRoom(most int) *room { return &room{most: most, shares: map[sharer]*share{}} }

// errNoRoom says that a sharer has what it may have and doesn't get on with it.
var errNoRoom = errors.New("there is no room")

// ahead is how many patiences one goes on to wait whose turn comes within that time, at the pace of
// its sharer.
const ahead = 4

// enter waits until there is room, which is given back with leave or withdraw. Its error is that of
// ctx, or errNoRoom when patience is over and nothing says that its turn comes soon: one who waits
// behind many of its own that get on isn't in the way of others.
func (r *room) enter(ctx context.Context, k sharer, patience time.Duration) error {
	r.mu.Lock()
	s := r.shares[k]
	if s == nil {
		s = &share{}
		r.shares[k] = s
	}
	if len(s.waiting) == 0 && r.hasMore(s) {
		s.has++
		r.taken++
		r.mu.Unlock()
		return nil
	}
	granted, ended := make(chan struct{}), s.ended
	if s.waiting = append(s.waiting, granted); len(s.waiting) == 1 {
		r.turn = append(r.turn, s)
	}
	r.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-granted:
			return nil
		case <-ctx.Done():
			r.giveUp(k, s, granted)
			return ctx.Err()
		case <-timer.C:
		}
		before := ended
		var next int
		if next, ended = r.line(s, granted); next >= ahead*(ended-before) {
			r.giveUp(k, s, granted)
			return errNoRoom
		}
		timer.Reset(patience)
	}
}

// line is how many of a share are served before one who waits, -1 when it was served, and how many
// have ended.
func (r *room) line(s *share, granted chan struct{}) (before, ended int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Index(s.waiting, granted), s.ended
}

// ended is how many of a sharer have ended that has something.
func (r *room) ended(k sharer) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shares[k].ended
}

// giveUp ends a waiting, or gives back what was granted while nobody looked.
func (r *room) giveUp(k sharer, s *share, granted chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(s.waiting, granted)
	if i < 0 {
		r.giveBack(k, s)
		return
	}
	if s.waiting = slices.Delete(s.waiting, i, i+1); len(s.waiting) == 0 {
		r.turn = slices.DeleteFunc(r.turn, func(t *share) bool { return t == s })
		r.forget(k, s)
	}
}

// leave gives back what was used.
func (r *room) leave(k sharer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.shares[k]
	s.ended++
	r.giveBack(k, s)
}

// withdraw gives back what wasn't used.
func (r *room) withdraw(k sharer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack(k, r.shares[k])
}

// giveBack lets those in that there is room for now, in turns.
func (r *room) giveBack(k sharer, s *share) {
	s.has--
	r.taken--
	for i := 0; i < len(r.turn); {
		next := r.turn[i]
		if !r.hasMore(next) {
			i++
			continue
		}
		next.has++
		r.taken++
		close(next.waiting[0])
		next.waiting = next.waiting[1:]
		r.turn = slices.Delete(r.turn, i, i+1)
		if len(next.waiting) > 0 {
			r.turn = append(r.turn, next)
		}
	}
	r.forget(k, s)
}

// forget keeps those from piling up who have nothing and want nothing.
func (r *room) forget(k sharer, s *share) {
	if s.has == 0 && len(s.waiting) == 0 {
		delete(r.shares, k)
	}
}

// kept is the part of the room, one of so many, that is for those who have nothing yet.
const kept = 5

func (r *room) hasMore(s *share) bool {
	free := r.most - r.taken
	return s.has == 0 && free > 0 || s.has < free-r.most/kept
}
