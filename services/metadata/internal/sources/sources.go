// Package sources keeps the databases of the metadata open, and reads their catalogs.
package sources

import (
	"context"
	"sync"

	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

// Open opens a source; it makes no connection yet.
type Open func(ctx context.Context, s *metadata.Source) (backend.Source, error)

// Pool opens each source once for each of its configurations. It is safe for concurrent
// use.
type Pool struct {
	open Open

	mu      sync.Mutex
	sources map[key]backend.Source
}

// key is what decides how a source is reached.
type key struct{ name, kind, configuration string }

// NewPool returns an empty pool.
func NewPool(open Open) *Pool { return &Pool{open: open, sources: map[key]backend.Source{}} }

// Get returns the open source. It stays open until Retain or Close.
func (p *Pool) Get(ctx context.Context, m *metadata.Source) (backend.Source, error) {
	k, err := keyOf(m)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.sources[k]; s != nil {
		return s, nil
	}
	s, err := p.open(ctx, m)
	if err != nil {
		return nil, err
	}
	p.sources[k] = s
	return s, nil
}

// Retain closes what doc has no use for.
func (p *Pool) Retain(doc *metadata.Document) {
	wanted := map[key]bool{}
	for _, m := range doc.Sources {
		if k, err := keyOf(m); err == nil {
			wanted[k] = true
		}
	}
	p.closeAll(func(k key) bool { return !wanted[k] })
}

// Close closes all.
func (p *Pool) Close() { p.closeAll(func(key) bool { return true }) }

// closeAll closes sources without waiting for running statements.
func (p *Pool) closeAll(unwanted func(key) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, s := range p.sources {
		if unwanted(k) {
			delete(p.sources, k)
			go s.Close()
		}
	}
}

func keyOf(m *metadata.Source) (key, error) {
	configuration, err := metadata.Encode(m.Configuration)
	return key{m.Name, m.Kind, string(configuration)}, err
}
