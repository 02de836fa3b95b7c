package walreader

import (
	"context"

	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/guard"
)

const (
	// ahead is how many batches of messages are read ahead of what is taken.
	ahead = 4
	// mostMessages and mostData bound a batch, but for a row that is larger.
	mostMessages = 256
	mostData     = 64 << 10
)

// Message is one of the messages of a stream; of its fields one is set, but for Table, which belongs to Row.
type Message struct {
	Begin    *pgoutput.Begin
	Origin   bool
	Relation *pgoutput.Relation
	// Row is the change of a row of a table, which pgoutput.Decode decodes.
	Table    uint32
	Row      []byte
	Truncate []uint32
	Commit   *pgoutput.Commit
	// Reached is a place between transactions, before which there is nothing that wasn't read.
	Reached pgoutput.LSN
}

// ReadAhead calls take with the messages of the stream, in batches of those that came together, which are read on while it works, until it
// returns, ctx ends, or the stream does. The context of take ends with the stream. Like Read it can't be called again.
func (s *Stream) ReadAhead(ctx context.Context, take func(context.Context, <-chan []Message) error) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := &queue{ctx: within, to: make(chan []Message, ahead)}
	s.waiting = q.pass
	s.reached = func(at pgoutput.LSN) error { return q.add(Message{Reached: at}) }
	var reading guard.WaitGroup
	reading.Go(func() {
		defer cancel(context.Canceled) // whatever becomes of it
		cancel(s.Read(within, q))
	})
	cancel(take(within, q.to))
	reading.Wait()
	return context.Cause(within)
}

// queue is the Sink of ReadAhead.
type queue struct {
	ctx context.Context //nolint:containedctx // that of the stream, which a Sink doesn't get
	to  chan []Message

	// batch are the messages that aren't passed on yet, data the texts of their rows.
	batch []Message
	data  []byte
}

func (q *queue) add(m Message) error {
	q.batch = append(q.batch, m)
	if len(q.batch) < mostMessages && len(q.data) < mostData {
		return nil
	}
	return q.pass()
}

// pass passes the batch on.
func (q *queue) pass() error {
	if len(q.batch) == 0 {
		return nil
	}
	select {
	case q.to <- q.batch:
		q.batch, q.data = nil, nil
		return nil
	case <-q.ctx.Done():
		return q.ctx.Err()
	}
}

// Begin implements Sink.
func (q *queue) Begin(b pgoutput.Begin) error { return q.add(Message{Begin: &b}) }

// Origin implements Sink.
func (q *queue) Origin(pgoutput.Origin) error { return q.add(Message{Origin: true}) }

// Relation implements Sink.
func (q *queue) Relation(r *pgoutput.Relation) error { return q.add(Message{Relation: r}) }

// Row implements Sink.
func (q *queue) Row(table uint32, row []byte) error {
	begin := len(q.data)
	q.data = append(q.data, row...)
	return q.add(Message{Table: table, Row: q.data[begin:len(q.data):len(q.data)]})
}

// Truncate implements Sink.
func (q *queue) Truncate(tables []uint32) error { return q.add(Message{Truncate: tables}) }

// Commit implements Sink.
func (q *queue) Commit(c pgoutput.Commit) error { return q.add(Message{Commit: &c}) }
