package live

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"queryengine/pkg/backend"
)

// Hash identifies a result. It is strong enough that collisions can't be made.
type Hash [sha256.Size]byte

// Subscriber is one subscription of one client.
type Subscriber struct {
	ID uint64
	Subscription

	// link never changes; poller and watched, of which one is set while the subscription runs,
	// belong to Manager.mu.
	link    *Link
	poller  *poller
	watched bool

	// These belong to the mu of the poller.
	cohort *cohort
	// index is the place in the cohort.
	index int
	// since is the last cycle of the poller that began without the subscriber.
	since uint64
	// fresh reports whether it has no result of this cohort yet.
	fresh bool

	// These belong to the mu of the link.
	pending []versioned
	queued  bool
}

// runs reports whether the subscription is run.
func (s *Subscriber) runs() bool { return s.poller != nil || s.watched }

// keepPosition notes what a subscriber has seen before it leaves its cohort.
func (s *Subscriber) keepPosition() {
	p := s.poller
	if p == nil {
		return // what waits for calls notes it anyway
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live.Streaming {
		s.Cursor = s.cohort.values[p.live.Cursor]
		return
	}
	if !s.fresh && s.cohort.known {
		s.Hash = bytes.Clone(s.cohort.hash[:])
	}
}

// cohort are subscribers that get the same results.
type cohort struct {
	key         string
	values      [][]byte
	subscribers []*Subscriber
	// hash is the last result's; it counts while known is set.
	hash  Hash
	known bool
	// test decides which rows matter; nil when all do.
	test backend.RowTest
	// proven reports whether the database has taken the values for what they should be.
	proven bool
	// seen is the position of the changes that were reported last when its last run began.
	seen uint64
	// due reports whether the next cycle runs it: a subscriber has joined, or a row has changed.
	due bool
	// running reports whether the statement is run for it. position is set while a cohort of a stream needs none.
	running  bool
	position *position
	// apart is set while the cohort runs by itself.
	apart *apart
}

// keyOf names the cohort with the given values.
func keyOf(values [][]byte) string {
	var key []byte
	for _, v := range values {
		if v == nil {
			key = append(key, '-')
			continue
		}
		key = append(binary.AppendUvarint(append(key, '+'), uint64(len(v))), v...)
	}
	return string(key)
}

func (c *cohort) add(s *Subscriber) {
	s.cohort, s.index = c, len(c.subscribers)
	c.subscribers = append(c.subscribers, s)
}

func (c *cohort) remove(s *Subscriber) {
	last := len(c.subscribers) - 1
	moved := c.subscribers[last]
	c.subscribers[s.index], moved.index = moved, s.index
	c.subscribers[last] = nil
	c.subscribers = c.subscribers[:last]
	s.cohort = nil
}

// hasRoom reports whether every subscriber can take one more batch of a stream.
func (c *cohort) hasRoom() bool {
	for _, s := range c.subscribers {
		if !s.link.hasRoom(s) {
			return false
		}
	}
	return true
}
