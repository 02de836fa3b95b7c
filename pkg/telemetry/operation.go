package telemetry

import "sync"

// MaxOperations bounds the operations that have series of their own in the metrics of a process.
const MaxOperations = 1000

// Operation tells operations apart in metrics: by name, and by the hash of their shape.
type Operation struct{ Name, Hash string }

// Operations are those that metrics name. Whoever sends operations chooses their names, so only
// the first ones have series of their own; those that come later are counted together. It is safe
// for concurrent use.
type Operations struct {
	mu    sync.RWMutex
	named map[Operation]struct{}
}

// NewOperations returns Operations that names none yet.
func NewOperations() *Operations { return &Operations{named: map[Operation]struct{}{}} }

// Named is the name under which an operation is counted: its own, or none.
func (o *Operations) Named(op Operation) Operation {
	o.mu.RLock()
	_, known := o.named[op]
	full := len(o.named) >= MaxOperations
	o.mu.RUnlock()
	switch {
	case known:
		return op
	case full:
		return Operation{}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.named[op]; !known && len(o.named) >= MaxOperations {
		return Operation{}
	}
	o.named[op] = struct{}{}
	return op
}
