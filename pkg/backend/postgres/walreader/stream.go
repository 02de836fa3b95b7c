package walreader

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/lifecycle"
)

const (
	// statusEvery is how often the position in the log is reported to the server, which has to answer.
	statusEvery = 10 * time.Second
	// silentFor is how long a server may send nothing before the stream is given up.
	silentFor = 3 * statusEvery
	// stateExists is the SQLSTATE of a slot that is there already.
	stateExists = "42710"
	// stateInUse is that of a slot that another connection reads.
	stateInUse = "55006"
	// lowWater is how many bytes wake the reader before its time.
	lowWater = 64 << 10
)

// errEnded reports that the server has ended the stream without an error.
var errEnded = errors.New("the server has ended the stream of changes")

// Sink takes what a Stream reads, in the order of the commits, on the goroutine of Read. While it blocks
// nothing is read, and the server keeps its log. An error ends Read.
type Sink interface {
	// Begin begins a transaction; all of it is committed.
	Begin(pgoutput.Begin) error
	// Origin tells that the transaction that was begun was replicated from another server.
	Origin(pgoutput.Origin) error
	// Relation describes a table before its changes, and again when it has changed.
	Relation(*pgoutput.Relation) error
	// Row is the change of a row, which pgoutput.Decode decodes; it is valid during the call.
	Row(relation uint32, message []byte) error
	Truncate(relations []uint32) error
	// Commit ends the transaction.
	Commit(pgoutput.Commit) error
}

// Stream is a connection on which changes are read. It belongs to one goroutine.
type Stream struct {
	conn     net.Conn
	frontend *pgproto3.Frontend
	// read is the place up to which the log was read: nothing before it is needed again.
	read pgoutput.LSN
	// open reports whether a transaction was begun and not ended.
	open bool
	// heard is when the server last sent something.
	heard time.Time

	// waiting is called before the server is waited for, and reached when all before a place was read; nil for nothing.
	waiting func() error
	reached func(pgoutput.LSN) error

	// lasting reports whether the slot outlives the stream: then nothing before confirmed is needed again.
	lasting   bool
	confirmed atomic.Uint64
	resting   atomic.Int64
}

// Confirm tells that nothing before a place in the log is needed again, where that has been read. It may be called while Read reads.
func (s *Stream) Confirm(at pgoutput.LSN) { s.confirmed.Store(uint64(at)) }

// done is the place up to which the log isn't needed any more, 0 for one that the server knows.
func (s *Stream) done() pgoutput.LSN {
	if s.lasting {
		return pgoutput.LSN(s.confirmed.Load())
	}
	return s.read
}

// rest lets what the server sends gather until a time, so that it is read at once. It may be called while Read reads.
func (s *Stream) rest(until time.Time) { s.resting.Store(until.UnixNano()) }

// awaitRest waits until the time of rest. Meanwhile the server's messages wake no goroutine.
func (s *Stream) awaitRest(ctx context.Context) {
	d := time.Duration(s.resting.Load() - time.Now().UnixNano())
	if d <= 0 {
		return
	}
	setLowWater(s.conn, lowWater)
	lifecycle.Sleep(ctx, d)
	setLowWater(s.conn, 1)
}

// Resume continues to read a publication with a slot that is there and stays, from the place that was
// confirmed last; what isn't confirmed is read again. Otherwise it is like Open.
func Resume(ctx context.Context, pg *pgconn.PgConn, slot, publication string) (*Stream, error) {
	s, err := start(ctx, pg, slot, publication)
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = pg.Close(closing)
		return nil, err
	}
	s.lasting = true
	return s, nil
}

// Open begins to stream the changes of a publication, which has to be there already, with a temporary
// slot. pg is a connection for replication; it belongs to the stream afterwards, and is closed when Open
// fails. Open waits for the transactions that run when it is called: all others are streamed. The
// error is backend.ErrRead when the slot is in use.
func Open(ctx context.Context, pg *pgconn.PgConn, slot, publication string) (*Stream, error) {
	s, err := open(ctx, pg, slot, publication)
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = pg.Close(closing) // the slot goes with it
		return nil, err
	}
	return s, nil
}

func open(ctx context.Context, pg *pgconn.PgConn, slot, publication string) (*Stream, error) {
	create := "CREATE_REPLICATION_SLOT " + quote.Name(slot) + " TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT"
	if _, err := pg.Exec(ctx, create).ReadAll(); err != nil {
		if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code == stateExists {
			return nil, backend.ErrRead
		}
		return nil, fmt.Errorf("the log can't be read: %w", err)
	}
	return start(ctx, pg, slot, publication)
}

// start starts to read from where the slot is.
func start(ctx context.Context, pg *pgconn.PgConn, slot, publication string) (*Stream, error) {
	pg.Frontend().SendQuery(&pgproto3.Query{String: "START_REPLICATION SLOT " + quote.Name(slot) +
		" LOGICAL 0/0 (proto_version '1', publication_names " + quote.Literal(quote.Name(publication)) + ")"})
	if err := pg.Frontend().Flush(); err != nil {
		return nil, err
	}
	for {
		m, err := pg.ReceiveMessage(ctx)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			if m.Code == stateInUse {
				return nil, backend.ErrRead
			}
			return nil, fmt.Errorf("the log can't be read: %w", pgconn.ErrorResponseToPgError(m))
		case *pgproto3.CopyBothResponse:
			h, err := pg.Hijack()
			if err != nil {
				return nil, err
			}
			return &Stream{conn: h.Conn, frontend: h.Frontend, heard: time.Now()}, nil
		}
	}
}

// Close ends the stream. The server drops the slot.
func (s *Stream) Close() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(time.Second))
	s.frontend.Send(&pgproto3.Terminate{})
	_ = s.frontend.Flush() // the server notices the end in any case
	_ = s.conn.Close()
}

// Read hands changes to the sink until ctx ends, the connection is lost, or the sink fails. It can't be
// called again.
func (s *Stream) Read(ctx context.Context, sink Sink) error {
	stop := context.AfterFunc(ctx, func() { _ = s.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	due := time.Now() // the first status asks whether the server is there
	for {
		if !time.Now().Before(due) {
			if time.Since(s.heard) > silentFor {
				return errors.New("the server has fallen silent")
			}
			if err := s.sendStatus(true); err != nil {
				return err
			}
			due = time.Now().Add(statusEvery)
			_ = s.conn.SetReadDeadline(due)
		}
		if ctx.Err() != nil { // also when the deadline has just taken the place of that of the end
			return ctx.Err()
		}
		if s.frontend.ReadBufferLen() == 0 {
			if s.waiting != nil {
				if err := s.waiting(); err != nil {
					return err
				}
			}
			s.awaitRest(ctx)
		}
		m, err := s.frontend.Receive()
		if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
			continue
		}
		if err != nil {
			return err
		}
		s.heard = time.Now()
		switch m := m.(type) {
		case *pgproto3.CopyData:
			err = s.take(m.Data, sink)
		case *pgproto3.ErrorResponse:
			err = pgconn.ErrorResponseToPgError(m)
		case *pgproto3.CopyDone:
			err = errEnded
		}
		if err != nil {
			return err
		}
	}
}

// The messages within the stream.
const (
	messageData      = 'w'
	messageKeepalive = 'k'
	messageStatus    = 'r'
	// headerData is the length of what precedes the plugin's message: three numbers and the kind.
	headerData      = 1 + 3*8
	lengthKeepalive = 1 + 2*8 + 1
)

func (s *Stream) take(data []byte, sink Sink) error {
	switch {
	case len(data) >= headerData && data[0] == messageData:
		return s.dispatch(data[headerData:], sink)
	case len(data) == lengthKeepalive && data[0] == messageKeepalive:
		// All up to there was sent; between transactions that means that it was read.
		if end := pgoutput.LSN(binary.BigEndian.Uint64(data[1:])); !s.open {
			s.read = max(s.read, end)
			if s.reached != nil {
				if err := s.reached(end); err != nil {
					return err
				}
			}
		}
		if data[lengthKeepalive-1] != 0 {
			return s.sendStatus(false)
		}
		return nil
	}
	return errors.New("the stream of changes has a message that isn't known")
}

func (s *Stream) dispatch(data []byte, sink Sink) error {
	if relation, ok := pgoutput.RelationOf(data); ok {
		return sink.Row(relation, data)
	}
	m, err := pgoutput.Decode(data)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case pgoutput.Begin:
		s.open = true
		return sink.Begin(m)
	case *pgoutput.Relation:
		return sink.Relation(m)
	case *pgoutput.Truncate:
		return sink.Truncate(m.Relations)
	case pgoutput.Origin:
		return sink.Origin(m)
	case pgoutput.Commit:
		s.open = false
		s.read = max(s.read, m.End)
		return sink.Commit(m)
	}
	return nil // Type tells nothing that is needed
}

// sendStatus tells the server how far the log was read, and asks it to answer.
func (s *Stream) sendStatus(ask bool) error {
	data := make([]byte, 0, 1+4*8+1)
	data = append(data, messageStatus)
	for _, at := range []pgoutput.LSN{s.read, s.done(), s.done()} { // written, flushed, applied
		data = binary.BigEndian.AppendUint64(data, uint64(at))
	}
	data = binary.BigEndian.AppendUint64(data, uint64(pgoutput.Micros(time.Now()))) //nolint:gosec // sent as such
	reply := byte(0)
	if ask {
		reply = 1
	}
	s.frontend.Send(&pgproto3.CopyData{Data: append(data, reply)})
	if err := s.conn.SetWriteDeadline(time.Now().Add(statusEvery)); err != nil {
		return err
	}
	return s.frontend.Flush()
}
