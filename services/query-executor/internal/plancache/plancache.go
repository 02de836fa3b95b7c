// Package plancache keeps the plans of operations, so that an operation that comes again is
// neither parsed nor planned.
//
// A Document is an operation of one role. Below it are its plans, told apart by what they
// took from the variables: requests that only differ in their operands share one. Both are
// bounded together. A Cache is safe for concurrent use; finding a plan takes no exclusive
// lock and no memory.
package plancache

import (
	"sync"
	"sync/atomic"

	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
)

// Key names a Document.
type Key struct {
	Role        string
	Text        string
	Operation   string
	BackendOnly bool
	Relay       bool
}

// textPerPlan is how much text of a document counts as much as one plan.
const textPerPlan = 8 << 10

// Cache holds plans of type P.
type Cache[P any] struct {
	capacity int
	hits     atomic.Uint64
	misses   atomic.Uint64

	mu        sync.RWMutex
	documents map[Key]*Document[P]
	// ring holds the documents in no particular order. hand goes around it and takes out
	// those that were not used since it last came by.
	ring   []*Document[P]
	hand   int
	weight int
}

// New returns a Cache for about capacity plans.
func New[P any](capacity int) *Cache[P] {
	return &Cache[P]{capacity: capacity, documents: map[Key]*Document[P]{}}
}

// Stats are the numbers of plans found and not found, and of those kept.
func (c *Cache[P]) Stats() (hits, misses uint64, plans int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.hits.Load(), c.misses.Load(), c.weight
}

// Find returns the document, or nil.
func (c *Cache[P]) Find(k Key) *Document[P] {
	c.mu.RLock()
	d := c.documents[k]
	c.mu.RUnlock()
	if d != nil {
		d.used.Store(true)
	}
	return d
}

// Add keeps an operation, unless the key has one already, and returns what is kept. An
// operation that is too large to be kept gets a Document of its own.
func (c *Cache[P]) Add(k Key, op *parse.Operation) *Document[P] {
	d := &Document[P]{Operation: op, cache: c, key: k, weight: 1 + len(k.Text)/textPerPlan}
	d.shapes.Store(&shapes[P]{looks: make([]input.Look, len(op.Variables))})
	if d.weight > c.capacity/2 {
		return d
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.documents[k]; old != nil {
		return old
	}
	d.kept = true
	c.documents[k] = d
	c.ring = append(c.ring, d)
	c.grow(d.weight)
	return d
}

// grow makes room; the caller holds mu.
func (c *Cache[P]) grow(weight int) {
	c.weight += weight
	for c.weight > c.capacity && len(c.ring) > 0 {
		c.hand %= len(c.ring)
		d := c.ring[c.hand]
		if d.used.Swap(false) {
			c.hand++
			continue
		}
		c.remove(c.hand)
	}
}

func (c *Cache[P]) remove(i int) {
	d := c.ring[i]
	last := len(c.ring) - 1
	c.ring[i] = c.ring[last]
	c.ring[last] = nil
	c.ring = c.ring[:last]
	delete(c.documents, d.key)
	c.weight -= d.weight
	d.kept = false
}

// Document is an operation and its plans.
type Document[P any] struct {
	Operation *parse.Operation

	cache  *Cache[P]
	key    Key
	used   atomic.Bool
	shapes atomic.Pointer[shapes[P]]
	// weight and kept belong to cache.mu.
	weight int
	kept   bool
}

// shapes are the plans by what they took from the variables. A value is immutable: a new
// plan makes a new one.
type shapes[P any] struct {
	// looks are the greatest of all plans.
	looks []input.Look
	plans map[string]*P
}

// maxShapes bounds the plans of one document.
const maxShapes = 128

// Plan finds the plan for the values of the variables, or nil. scratch is memory to work
// in, which is returned.
func (d *Document[P]) Plan(values [][]byte, scratch []byte) (*P, []byte) {
	s := d.shapes.Load()
	scratch = input.AppendShape(scratch[:0], s.looks, values)
	p := s.plans[string(scratch)]
	if p == nil {
		d.cache.misses.Add(1)
	} else {
		d.cache.hits.Add(1)
	}
	return p, scratch
}

// Keep keeps the plan that was made for values with these looks, instead of the one that
// there may be.
func (d *Document[P]) Keep(values [][]byte, looks []input.Look, p *P) {
	d.cache.mu.Lock()
	defer d.cache.mu.Unlock()
	if !d.kept {
		return
	}
	old := d.shapes.Load()
	next := &shapes[P]{looks: append([]input.Look(nil), old.looks...), plans: map[string]*P{}}
	// Plans that were distinguished by less are not found any more, and made again.
	if !input.Union(next.looks, looks) && len(old.plans) < maxShapes {
		for k, v := range old.plans {
			next.plans[k] = v
		}
	}
	next.plans[string(input.AppendShape(nil, next.looks, values))] = p
	d.shapes.Store(next)
	grown := len(next.plans) - len(old.plans)
	d.weight += grown
	d.cache.grow(grown)
}

// SplitByShape has plans differ by the structure of every variable from now on.
func (d *Document[P]) SplitByShape() {
	d.cache.mu.Lock()
	defer d.cache.mu.Unlock()
	old := d.shapes.Load()
	next := &shapes[P]{looks: append([]input.Look(nil), old.looks...)}
	for i := range next.looks {
		next.looks[i] = max(next.looks[i], input.LookShape)
	}
	d.shapes.Store(next)
	if d.kept {
		d.weight -= len(old.plans)
		d.cache.weight -= len(old.plans)
	}
}
