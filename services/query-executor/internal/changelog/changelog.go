// Package changelog listens to the changes of a source whose log event-delivery reads.
//
// It notices whatever it misses: messages are numbered, and come at least every second. Then, as when
// another process begins to read, listening ends, and the caller starts again.
package changelog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/catalog"
	"queryengine/pkg/changemessage"
	changev1 "queryengine/proto/change/v1"
)

const (
	// wantEvery is how often Wanted is sent.
	wantEvery = 5 * time.Second
	// silentFor is how long nothing may be heard of a reader.
	silentFor = 3 * time.Second
	// backlog and backlogBytes bound the messages that are waiting.
	backlog      = 1024
	backlogBytes = 32 << 20
)

// What ends listening.
var (
	errSilent  = errors.New("nothing is heard of the process that reads the log")
	errMissing = errors.New("a message about changes is missing")
	errEnded   = errors.New("the log is not read any more, or by another process")
)

// Log implements backend.Changes.
type Log struct {
	bus    *bus.Bus
	source string

	mu sync.Mutex
	// reading and instance are of the process that reads, empty for none.
	reading, instance string
	// guarded is what that process told.
	guarded bool
}

var (
	_ backend.RowChanges     = (*Log)(nil)
	_ backend.GuardedChanges = (*Log)(nil)
)

// New returns the Log of a source; no I/O.
func New(b *bus.Bus, source string) *Log { return &Log{bus: b, source: source} }

// Watch implements backend.Changes.
func (l *Log) Watch(ctx context.Context, relations []catalog.Name) ([]string, error) {
	head, err := l.watch(ctx, relations, backend.RowColumns{})
	return head.GetTables(), err
}

// WatchRows implements backend.RowChanges.
func (l *Log) WatchRows(ctx context.Context, table catalog.Name, columns backend.RowColumns) (ids []string, told []backend.ToldColumn, err error) {
	head, err := l.watch(ctx, []catalog.Name{table}, columns)
	return head.GetTables(), changemessage.DecodeColumns(head.GetColumns()), err
}

func (l *Log) watch(ctx context.Context, relations []catalog.Name, columns backend.RowColumns) (*changev1.WatchHead, error) {
	l.mu.Lock()
	in, instance := &changev1.WatchRequest{Source: l.source, Reading: l.reading, Columns: columns.Told, Compared: columns.Compared}, l.instance
	l.mu.Unlock()
	if instance == "" {
		return nil, errEnded
	}
	for _, n := range relations {
		in.Relations = append(in.Relations, &changev1.Relation{Schema: n.Schema, Name: n.Name})
	}
	m, _, err := l.bus.CallMessage(ctx, bus.ChangesWatch(instance), in, func() proto.Message { return &changev1.WatchHead{} }, 0)
	if err != nil {
		return nil, err
	}
	head, _ := m.(*changev1.WatchHead)
	if head.GetUnwatchable() {
		return nil, backend.ErrUnwatchable
	}
	return head, nil
}

// Listen implements backend.Changes. It calls ready when a process reads the log.
func (l *Log) Listen(ctx context.Context, ready func(), changed func(backend.Change)) error {
	in := newInbox()
	stop, err := l.bus.Subscribe(bus.ChangesTold, func() proto.Message { return &changev1.Told{} }, func(m proto.Message) {
		if told, ok := m.(*changev1.Told); ok && told.GetSource() == l.source {
			in.put(told)
		}
	})
	if err != nil {
		return err
	}
	defer stop()
	return l.read(ctx, in, ready, changed)
}

// read takes the messages of an inbox until something is wrong with them.
func (l *Log) read(ctx context.Context, in *inbox, ready func(), changed func(backend.Change)) error {
	defer l.follow("", "", false)
	want := time.NewTicker(wantEvery)
	defer want.Stop()
	l.want()
	r := &reading{silent: time.NewTimer(silentFor)}
	defer r.silent.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-in.overflow:
			return errMissing
		case <-want.C:
			l.want()
		case <-r.silent.C:
			if r.name != "" {
				return errSilent
			}
		case m := <-in.messages:
			in.took(m)
			if r.name == "" && !m.GetEnded() {
				r.name, r.number = m.GetReading(), m.GetNumber()
				l.follow(m.GetReading(), m.GetInstance(), m.GetGuarded())
				ready()
			} else if err := r.take(m); err != nil {
				return err
			}
			r.silent.Reset(silentFor)
			if r.name == "" {
				continue
			}
			for _, c := range m.GetChanges() {
				changed(changemessage.Decode(c))
			}
		}
	}
}

// inbox holds the messages that wait, within backlog and backlogBytes.
type inbox struct {
	messages chan *changev1.Told
	// overflow has an entry after a message was dropped.
	overflow chan struct{}
	bytes    atomic.Int64
}

func newInbox() *inbox {
	return &inbox{messages: make(chan *changev1.Told, backlog), overflow: make(chan struct{}, 1)}
}

// put adds a message, or drops it and signals overflow.
func (i *inbox) put(m *changev1.Told) {
	if i.bytes.Add(int64(proto.Size(m))) <= backlogBytes {
		select {
		case i.messages <- m:
			return
		default:
		}
	}
	select {
	case i.overflow <- struct{}{}:
	default:
	}
}

// took frees the bytes of a message that was received from messages.
func (i *inbox) took(m *changev1.Told) { i.bytes.Add(-int64(proto.Size(m))) }

// reading is what is listened to; without a name, nothing yet.
type reading struct {
	name   string
	number uint64
	silent *time.Timer
}

// take checks that a message is the next one.
func (r *reading) take(m *changev1.Told) error {
	if r.name == "" {
		return nil // the end of another one
	}
	if m.GetReading() != r.name || m.GetEnded() {
		return errEnded
	}
	if len(m.GetChanges()) > 0 {
		r.number++
	}
	if m.GetNumber() != r.number {
		return errMissing
	}
	return nil
}

// want tells that the changes are wanted. It is repeated, so a message that is lost does no harm.
func (l *Log) want() { _ = l.bus.Publish(bus.ChangesWanted, &changev1.Wanted{Source: l.source}) }

func (l *Log) follow(reading, instance string, guarded bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reading, l.instance, l.guarded = reading, instance, guarded
}

// Guarded implements backend.GuardedChanges.
func (l *Log) Guarded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.guarded
}
