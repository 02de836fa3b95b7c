package telemetry

import "sync"

// MaxOperations bounds the operations that have series of their own in the metrics of a process.
const MaxOperations = 1000

// Operation identifies operations in metrics: by name, and by the hash of their shape.
type Operation struct{ Name, Hash string }

// Half of the operations have to be requested this often before they get a series.
const (
	askedFor = 20
	// maxCandidates bounds the operations whose requests are counted for that.
	maxCandidates = 10_000
)

// Operations are those that metrics name. Clients choose the names of operations, so only MaxOperations
// have series of their own: the first ones and, so that generated names don't take all slots, as many
// that recur. Others are counted together. It is safe for concurrent use.
type Operations struct {
	mu    sync.RWMutex
	named map[Operation]struct{}
	// asked counts requests for operations that have no series; it is reset when it is full.
	asked map[Operation]int
}

// NewOperations returns Operations that names none yet.
func NewOperations() *Operations {
	return &Operations{named: map[Operation]struct{}{}, asked: map[Operation]int{}}
}

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
	if _, known := o.named[op]; known {
		return op
	}
	if len(o.named) >= MaxOperations || !o.admitted(op) {
		return Operation{}
	}
	delete(o.asked, op)
	o.named[op] = struct{}{}
	return op
}

// admitted reports whether the operation may take one of the places that are left.
func (o *Operations) admitted(op Operation) bool {
	if len(o.named) < MaxOperations/2 {
		return true
	}
	if _, candidate := o.asked[op]; !candidate && len(o.asked) >= maxCandidates {
		clear(o.asked)
	}
	o.asked[op]++
	return o.asked[op] >= askedFor
}
