package live

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	queryv1 "queryengine/proto/query/v1"
)

// maxBatches is how many batches of a stream may wait on a link for one subscriber.
const maxBatches = 4

// Result is what subscribers get. It is shared between them.
type Result struct {
	// Data is a response document; nil when there is none.
	Data []byte
	Hash Hash
	// Cursor is where a stream gets to.
	Cursor []byte
	Err    *apierror.Error
	// End reports whether nothing will follow.
	End bool
}

// replaces reports whether the older result isn't needed any more.
func (r *Result) replaces(older *Result) bool {
	return r.Cursor == nil && older.Cursor == nil && !r.End && !older.End
}

// Link takes the results for one gateway.
type Link struct {
	name    string
	manager *Manager
	// subscribers belong to Manager.mu.
	subscribers map[uint64]*Subscriber

	mu    sync.Mutex
	dirty []*Subscriber // with something pending, in the order in which that came
	wake  chan struct{}
	ended chan struct{}
	once  sync.Once
}

func newLink(m *Manager, name string) *Link {
	return &Link{
		name: name, manager: m, subscribers: map[uint64]*Subscriber{},
		wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// Close ends the link and its subscriptions.
func (l *Link) Close() {
	l.shut()
	l.manager.drop(l)
}

// shut makes Serve return.
func (l *Link) shut() { l.once.Do(func() { close(l.ended) }) }

// Serve hands results to send until the link or ctx ends, or send fails. After some of them it
// calls flush.
func (l *Link) Serve(ctx context.Context, send func([]byte) error, flush func() error) error {
	var buffer []byte
	write := func(m *queryv1.LiveResult) (err error) {
		if buffer, err = AppendFrame(buffer[:0], m); err == nil {
			err = send(buffer)
		}
		return err
	}
	if err := write(&queryv1.LiveResult{}); err != nil {
		return err
	}
	for {
		if err := flush(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.ended:
			return nil
		case <-l.wake:
		}
		if err := l.writeAll(write); err != nil {
			return err
		}
		if cap(buffer) > maxBuffer {
			buffer = nil
		}
	}
}

// maxBuffer is the largest buffer that a link keeps.
const maxBuffer = 1 << 20

// AppendFrame appends a message with its size in front.
func AppendFrame(dst []byte, m *queryv1.LiveResult) ([]byte, error) {
	o := proto.MarshalOptions{}
	dst = binary.AppendUvarint(dst, uint64(o.Size(m)))
	dst, err := o.MarshalAppend(dst, m)
	if err != nil {
		return nil, fmt.Errorf("encode a result: %w", err)
	}
	return dst, nil
}

// writeAll writes what is pending. Equal results of several subscribers are written once for all of
// them.
func (l *Link) writeAll(write func(*queryv1.LiveResult) error) error {
	for results := l.take(); len(results) > 0; results = l.take() {
		for _, r := range results {
			m := &queryv1.LiveResult{Subscribers: r.to, Data: r.Data, Cursor: r.Cursor, End: r.End}
			if r.Data != nil {
				m.Hash, m.Version = r.Hash[:], r.version
			}
			if e := r.Err; e != nil {
				m.Error = &queryv1.LiveError{Code: string(e.Code), Path: e.Path, Message: e.Message}
			}
			if err := write(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// versioned is a result as a subscriber gets it: with the metadata version that its plan was good
// for when it came.
type versioned struct {
	*Result
	version int64
}

// addressed is a result and the subscribers that it is for.
type addressed struct {
	versioned
	to []uint64
}

// take takes the oldest pending result of every subscriber that has one.
func (l *Link) take() []*addressed {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []*addressed
	known := map[versioned]*addressed{}
	again := l.dirty[:0]
	for _, s := range l.dirty {
		r := s.pending[0]
		a := known[r]
		if a == nil {
			a = &addressed{versioned: r}
			known[r] = a
			list = append(list, a)
		}
		a.to = append(a.to, s.ID)
		if s.pending = s.pending[1:]; len(s.pending) > 0 {
			again = append(again, s)
			continue
		}
		s.pending, s.queued = nil, false
	}
	clear(l.dirty[len(again):])
	l.dirty = again
	if cap(l.dirty) > maxKept && len(again) == 0 {
		l.dirty = nil
	}
	return list
}

// maxKept is for how many waiting subscribers a link keeps its buffers.
const maxKept = 4096

// push has a result sent to a subscriber. It takes the place of one of a live query that
// still waits; those of a stream and the end of a subscription are all sent. The plan of s must
// not change meanwhile: a result has the version of the plan that it comes from.
func (l *Link) push(s *Subscriber, r *Result) {
	next := versioned{Result: r}
	if r.Data != nil {
		next.version = l.manager.deps.Version(s.Plan)
	}
	l.mu.Lock()
	if n := len(s.pending); n > 0 && r.replaces(s.pending[n-1].Result) {
		s.pending[n-1] = next
	} else {
		s.pending = append(s.pending, next)
	}
	if !s.queued {
		s.queued = true
		l.dirty = append(l.dirty, s)
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *Link) hasRoom(s *Subscriber) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(s.pending) < maxBatches
}
