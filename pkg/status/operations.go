package status

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"queryengine/pkg/telemetry"
)

// maxOperations bounds the operations of a report.
const maxOperations = 50

// Operations count operations by role and name. As clients choose both, only telemetry.MaxOperations pairs are
// told apart; others are counted together, without role and name. It is safe for concurrent use.
type Operations struct {
	named  *telemetry.Operations
	mu     sync.RWMutex
	counts map[operationKey]*operationCount
}

type operationKey struct{ role, name, kind string }

type operationCount struct {
	count, errors atomic.Uint64
	nanoseconds   atomic.Int64
	buckets       []atomic.Uint64
}

// NewOperations returns Operations that have counted none.
func NewOperations() *Operations {
	return &Operations{named: telemetry.NewOperations(), counts: map[operationKey]*operationCount{}}
}

// Count counts an operation that has ended. kind is one of few.
func (o *Operations) Count(role, name, kind string, took time.Duration, failed bool) {
	c := o.of(operationKey{role: role, name: name, kind: kind})
	c.count.Add(1)
	if failed {
		c.errors.Add(1)
	}
	c.nanoseconds.Add(int64(took))
	bucket, _ := slices.BinarySearch(OperationBounds, took.Seconds())
	c.buckets[bucket].Add(1)
}

// of is what counts an operation, by its own name while it has one.
func (o *Operations) of(key operationKey) *operationCount {
	o.mu.RLock()
	c := o.counts[key]
	o.mu.RUnlock()
	if c != nil {
		return c
	}
	n := o.named.Named(telemetry.Operation{Name: key.name, Hash: key.role})
	key.role, key.name = n.Hash, n.Name
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.counts[key]; c != nil {
		return c
	}
	// The texts may be parts of a request, which should not be kept for them.
	key.role, key.name = strings.Clone(key.role), strings.Clone(key.name)
	c = &operationCount{buckets: make([]atomic.Uint64, len(OperationBounds)+1)}
	o.counts[key] = c
	return c
}

// Top are the operations that were run most often, at most 50.
func (o *Operations) Top() []Operation {
	o.mu.RLock()
	list := make([]Operation, 0, len(o.counts))
	for key, c := range o.counts {
		op := Operation{
			Role: key.role, Name: key.name, Kind: key.kind, Count: c.count.Load(), Errors: c.errors.Load(),
			Seconds: time.Duration(c.nanoseconds.Load()).Seconds(), Buckets: make([]uint64, len(c.buckets)),
		}
		for i := range c.buckets {
			op.Buckets[i] = c.buckets[i].Load()
		}
		list = append(list, op)
	}
	o.mu.RUnlock()
	slices.SortFunc(list, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Role, b.Role), strings.Compare(a.Name, b.Name), strings.Compare(a.Kind, b.Kind))
	})
	return list[:min(len(list), maxOperations)]
}
