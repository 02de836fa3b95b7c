package walreader

import (
	"context"
	"sync"

	"queryengine/pkg/backend/postgres/pgoutput"
)

// ahead is how many messages are read ahead of what is taken.
const ahead = 256

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
}

// ReadAhead calls take with the messages of the stream, which are read on while it works, until it returns,
// ctx ends, or the stream does. The context of take ends with the stream. Like Read it can't be called again.
func (s *Stream) ReadAhead(ctx context.Context, take func(context.Context, <-chan Message) error) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	messages := make(chan Message, ahead)
	var reading sync.WaitGroup
	reading.Go(func() { cancel(s.Read(within, &queue{ctx: within, to: messages})) })
	cancel(take(within, messages))
	reading.Wait()
	return context.Cause(within)
}

// queue is the Sink of ReadAhead.
type queue struct {
	ctx context.Context //nolint:containedctx // that of the stream, which a Sink doesn't get
	to  chan<- Message
}

func (q *queue) pass(m Message) error {
	select {
	case q.to <- m:
		return nil
	case <-q.ctx.Done():
		return q.ctx.Err()
	}
}

// Begin implements Sink.
func (q *queue) Begin(b pgoutput.Begin) error { return q.pass(Message{Begin: &b}) }

// Origin implements Sink.
func (q *queue) Origin(pgoutput.Origin) error { return q.pass(Message{Origin: true}) }

// Relation implements Sink.
func (q *queue) Relation(r *pgoutput.Relation) error { return q.pass(Message{Relation: r}) }

// Row implements Sink.
func (q *queue) Row(table uint32, row []byte) error {
	return q.pass(Message{Table: table, Row: append([]byte{}, row...)})
}

// Truncate implements Sink.
func (q *queue) Truncate(tables []uint32) error { return q.pass(Message{Truncate: tables}) }

// Commit implements Sink.
func (q *queue) Commit(c pgoutput.Commit) error { return q.pass(Message{Commit: &c}) }
