// Package open keeps the databases of the metadata open: each source once for each way in which
// it is reached, until no one uses it and the metadata has no use for it.
package open

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

// Open opens a source; it makes no connection yet.
type Open func(*metadata.Source) (backend.Source, error)

// Pool holds the open sources of a process. It is safe for concurrent use.
type Pool struct {
	open Open

	mu sync.RWMutex
	// sources are all that are open.
	sources map[reach]*source
	// named are the sources of the last Update.
	named   map[string]opened
	closing sync.WaitGroup
}

// reach is what decides how a source is reached.
type reach struct{ name, kind, configuration string }

// source is one open source.
type source struct {
	backend.Source
	// users counts those that work with the source, and one for the pool.
	users atomic.Int64
}

// opened is what came of opening a source.
type opened struct {
	source *source
	err    error
}

// New returns a Pool without sources.
func New(open Open) *Pool {
	return &Pool{open: open, sources: map[reach]*source{}}
}

// Use is a source in use.
type Use struct {
	backend.Source
	source *source
	pool   *Pool
}

// Release ends the use. A source that is gone is closed with its last use.
func (u Use) Release() { u.pool.drop(u.source) }

// Use returns a source as the metadata says that it is reached, and opens it when it isn't open;
// the caller releases it. It stays open until Update, Retain or Close.
func (p *Pool) Use(m *metadata.Source) (Use, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, err := p.opened(m)
	if err != nil {
		return Use{}, err
	}
	return p.use(s), nil
}

// Named returns a source of the last Update by its name; the caller releases it.
func (p *Pool) Named(name string) (Use, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	o, known := p.named[name]
	switch {
	case !known:
		return Use{}, apierror.Newf(apierror.NotExists, "source with name %q does not exist", name)
	case o.err != nil:
		return Use{}, o.err
	}
	return p.use(o.source), nil
}

// use needs the lock, under which the pool itself still uses the source.
func (p *Pool) use(s *source) Use {
	s.users.Add(1)
	return Use{Source: s.Source, source: s, pool: p}
}

// Update opens the sources of a list that are new and closes all that aren't in it. One whose
// configuration did not change stays as it is.
func (p *Pool) Update(list []*metadata.Source) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.named = make(map[string]opened, len(list))
	for _, m := range list {
		s, err := p.opened(m)
		p.named[m.Name] = opened{s, err}
	}
	p.retain(list)
}

// Retain closes all sources that aren't in a list, and opens none.
func (p *Pool) Retain(list []*metadata.Source) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retain(list)
}

func (p *Pool) retain(list []*metadata.Source) {
	wanted := make(map[reach]bool, len(list))
	for _, m := range list {
		wanted[reachOf(m)] = true
	}
	for r, s := range p.sources {
		if !wanted[r] {
			delete(p.sources, r)
			p.drop(s)
		}
	}
}

// opened returns the open source. It needs the lock.
func (p *Pool) opened(m *metadata.Source) (*source, error) {
	r := reachOf(m)
	if s := p.sources[r]; s != nil {
		return s, nil
	}
	o, err := p.safely(m)
	if err != nil {
		return nil, err
	}
	s := &source{Source: o}
	s.users.Store(1)
	p.sources[r] = s
	return s, nil
}

// safely opens a source. A panic is an error of this source alone: others are opened by the same call of Update.
func (p *Pool) safely(m *metadata.Source) (s backend.Source, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = apierror.New(apierror.Unexpected, "the source can't be opened").WithInternal(fmt.Sprintf("panic: %v\n%s", fault, debug.Stack()))
		}
	}()
	return p.open(m)
}

// drop takes one user away. Closing waits for connections in use, so no request waits for it.
func (p *Pool) drop(s *source) {
	if s.users.Add(-1) > 0 {
		return
	}
	p.closing.Add(1)
	go func() {
		defer p.closing.Done()
		s.Close()
	}()
}

// Close closes all sources and waits for those that were not in use.
func (p *Pool) Close() {
	p.Update(nil)
	p.closing.Wait()
}

// Same reports whether two versions of a source are reached in the same way.
func Same(a, b *metadata.Source) bool {
	return a == b || reachOf(a) == reachOf(b)
}

func reachOf(m *metadata.Source) reach {
	return reach{m.Name, m.Kind, string(m.Configuration)}
}
