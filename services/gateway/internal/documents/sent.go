package documents

import (
	"container/list"
	"sync"
	"time"
)

// The bounds of what is kept, in bytes: of one document, of the documents of a role, and of all.
const (
	longestSent = 256 << 10
	sentPerRole = 4 << 20
	sentAtMost  = 16 << 20
	// sentOverhead is about what an entry takes besides its text.
	sentOverhead = 256
)

// sent are the documents that clients have sent with their hashes, for each role by itself: no role finds, or displaces, those of
// another one before all are full.
type sent struct {
	keep time.Duration
	now  func() time.Time

	mu    sync.Mutex
	roles map[string]*sentOf
	size  int
}

// sentOf are those of a role, the last used first.
type sentOf struct {
	byHash map[string]*list.Element
	order  *list.List // of *sentText
	size   int
}

type sentText struct {
	hash, text string
	used       time.Time
}

func (t *sentText) size() int { return len(t.text) + sentOverhead }

func newSent(keep time.Duration, now func() time.Time) *sent {
	return &sent{keep: keep, now: now, roles: map[string]*sentOf{}}
}

// find returns a text, "" for one that isn't there.
func (s *sent) find(role, hash string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.roles[role]
	if of == nil {
		return ""
	}
	now := s.now()
	s.expire(role, of, now)
	e := of.byHash[hash]
	if e == nil {
		return ""
	}
	t := e.Value.(*sentText) //nolint:forcetypeassert // the list has no others
	t.used = now
	of.order.MoveToFront(e)
	return t.text
}

// add keeps a text.
func (s *sent) add(role, hash, text string) {
	t := &sentText{hash: hash, text: text, used: s.now()}
	if len(text) > longestSent {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.roles[role]
	if of == nil {
		of = &sentOf{byHash: map[string]*list.Element{}, order: list.New()}
		s.roles[role] = of
	}
	if of.byHash[hash] != nil {
		return
	}
	of.byHash[hash] = of.order.PushFront(t)
	of.size += t.size()
	s.size += t.size()
	s.expire(role, of, t.used)
	for of.size > sentPerRole {
		s.removeLast(role, of)
	}
	for s.size > sentAtMost {
		s.removeLast(s.largest())
	}
}

// expire removes the documents of a role that were not used for long.
func (s *sent) expire(role string, of *sentOf, now time.Time) {
	for e := of.order.Back(); e != nil; e = of.order.Back() {
		if t := e.Value.(*sentText); now.Sub(t.used) < s.keep { //nolint:forcetypeassert // see above
			return
		}
		s.removeLast(role, of)
	}
}

// removeLast removes what a role has used least recently.
func (s *sent) removeLast(role string, of *sentOf) {
	e := of.order.Back()
	t := of.order.Remove(e).(*sentText) //nolint:forcetypeassert // see above
	delete(of.byHash, t.hash)
	of.size -= t.size()
	s.size -= t.size()
	if of.order.Len() == 0 {
		delete(s.roles, role)
	}
}

// largest is the role that has the most.
func (s *sent) largest() (role string, of *sentOf) {
	for name, other := range s.roles {
		if of == nil || other.size > of.size {
			role, of = name, other
		}
	}
	return role, of
}
