// Package share divides the places of an executor among what answers its requests:
// sources, remote schemas and handlers of actions. One that hangs keeps its share, and the
// others go on with what is left.
package share

import (
	"maps"
	"sync"

	"queryengine/pkg/apierror"
)

// Kind is a kind of what answers.
type Kind byte

// The kinds.
const (
	Source Kind = iota
	Remote
	Action
)

var names = [...]string{Source: "source", Remote: "remote schema", Action: "action"}

// Places are those of one executor. A nil *Places has no bound. It is safe for concurrent use.
type Places struct {
	capacity int

	mu    sync.Mutex
	total int
	// taken has how many places each name has, and keeps those that have none until another name comes.
	taken map[key]*int
}

type key struct {
	kind Kind
	name string
}

// New returns free places; nil for a capacity of 0, which is no bound.
func New(capacity int) *Places {
	if capacity <= 0 {
		return nil
	}
	return &Places{capacity: capacity, taken: map[key]*int{}}
}

// Place is a place that was taken.
type Place struct {
	places *Places
	taken  *int
}

// Take takes a place for a request to the one of that name. Each may have as many places as are
// free: a single one that hangs ends with half of them, two with a third each, and the
// next one always finds some. Its error is busy.
func (p *Places) Take(kind Kind, name string) (Place, error) {
	if p == nil {
		return Place{}, nil
	}
	k := key{kind, name}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.taken[k]
	if n == nil {
		maps.DeleteFunc(p.taken, func(_ key, n *int) bool { return *n == 0 }) // names come and go with the metadata
		n = new(int)
		p.taken[k] = n
	}
	if *n >= p.capacity-p.total {
		e := apierror.Newf(apierror.Busy, "too many requests to the %s %q are in progress", names[kind], name)
		e.RetryAfter = 1
		return Place{}, e
	}
	*n++
	p.total++
	return Place{p, n}, nil
}

// Leave gives the place back.
func (l Place) Leave() {
	p := l.places
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total--
	*l.taken--
}
