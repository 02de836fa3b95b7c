package engine

import (
	"context"
	"sync"

	"queryengine/pkg/extension"
)

// Loader looks up many keys at once. One loader serves all requests; what it has looked up is kept for one request.
type Loader[K comparable, V any] struct {
	load func(ctx context.Context, keys []K) (map[K]V, error)
}

// NewLoader makes a loader. load gets each key of a request once; keys that its map doesn't have are null.
func NewLoader[K comparable, V any](load func(ctx context.Context, keys []K) (map[K]V, error)) *Loader[K, V] {
	return &Loader[K, V]{load}
}

// loads are the batches of one request, by their loaders.
type loads struct {
	mu      sync.Mutex
	batches map[any]any
}

// batch is keys that wait to be looked up together.
type batch[K comparable, V any] struct {
	once  sync.Once
	keys  []K
	known map[K]bool
	found map[K]V
	err   error
}

// Load is for a resolver to return. graphql-go asks for the values when the resolvers of all fields of the operation's
// same level have returned: that looks their keys up at once.
func (l *Loader[K, V]) Load(ctx context.Context, key K) (any, error) {
	s, ok := ctx.Value(scopeKey{}).(*scope)
	if !ok {
		s = &scope{loads: &loads{}}
	}
	b := l.join(s.loads, key)
	return func() (any, error) {
		b.once.Do(func() {
			s.loads.mu.Lock()
			delete(s.loads.batches, l) // who comes later has a batch of its own
			s.loads.mu.Unlock()
			b.err = extension.ErrPanicked // of all keys, unless load returns
			b.found, b.err = l.load(ctx, b.keys)
		})
		if b.err != nil {
			return nil, b.err
		}
		if v, ok := b.found[key]; ok {
			return v, nil
		}
		return nil, nil
	}, nil
}

func (l *Loader[K, V]) join(s *loads, key K) *batch[K, V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.batches[l].(*batch[K, V])
	if !ok {
		b = &batch[K, V]{known: map[K]bool{}}
		if s.batches == nil {
			s.batches = map[any]any{}
		}
		s.batches[l] = b
	}
	if !b.known[key] {
		b.known[key] = true
		b.keys = append(b.keys, key)
	}
	return b
}
