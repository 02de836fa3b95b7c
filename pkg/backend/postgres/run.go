package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/encode"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
)

// Query runs a statement of RenderQuery and appends the JSON of its root field to out: row
// by row while they arrive, each handed on when a frame is full. A statement that fails
// before any byte was handed on leaves out as it was. A short one may share its round trip.
func (s *Server) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	if each, ok := st.(*eachKey); ok {
		return s.queryEach(ctx, each, a, out)
	}
	stmt, values, err := prepare(st, &a)
	if err != nil {
		return err
	}
	ahead, err := s.session.forSession(a.Session)
	if err != nil {
		return err
	}
	in := access{ahead, a.ReadOnly && (stmt.utc.mayWrite || ahead.SQL != "")} // policies of the database may call functions
	run := func(c *wire.Conn) error { return runQuery(ctx, c, stmt, values, in, out) }
	mark, before := len(out.Buf), out.Sent()
	job := stmt.job(values)
	if ahead.SQL != "" { // policies may decide otherwise for each session, and each time
		job.Ahead, job.Stable = ahead, false
	}
	if in.readOnly {
		job.Cost = nil // it has a transaction of its own
	}
	lost, err := s.reader().Read(ctx, job, out, run)
	if lost && out.Sent() == before && ctx.Err() == nil {
		out.Buf = out.Buf[:mark]
		err = s.reader().ReadAgain(ctx, run)
	}
	return err
}

// prepare resolves the parameters of a statement, before a connection is taken for it.
func prepare(st backend.Statement, a *backend.Args) (*statement, [][]byte, error) {
	stmt, ok := st.(*statement)
	if !ok {
		return nil, nil, fmt.Errorf("not a statement of PostgreSQL: %T", st)
	}
	stmt = stmt.forLimits(a.Variables).forRequest(a.RequestID)
	values, err := stmt.parameters(a)
	return stmt, values, err
}

func (s *statement) parameters(a *backend.Args) ([][]byte, error) {
	values := make([][]byte, len(s.utc.params))
	for i := range values {
		var err error
		if values[i], err = s.utc.params[i].Resolve(a, quote.Array); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Parameters implements backend.Parameterized.
func (s *statement) Parameters(a backend.Args) ([][]byte, error) { return s.parameters(&a) }

// access is what a statement runs in: after a command, unless that is zero, and in a transaction in which the server refuses to write.
// What runs in that can't change it. All is one round trip.
type access struct {
	ahead    wire.Command
	readOnly bool
}

func (a access) of(e wire.Execution) wire.Execution {
	if a.readOnly {
		e.Before, e.After = []wire.Command{{SQL: "BEGIN READ ONLY"}}, []wire.Command{{SQL: wire.Commit}}
	}
	if a.ahead.SQL != "" {
		e.Before = append(e.Before, a.ahead)
	}
	return e
}

// runQuery runs a statement on the connection, again where a prepared statement is out of date.
func runQuery(ctx context.Context, c *wire.Conn, stmt *statement, values [][]byte, in access, out *backend.Answer) error {
	text, err := stmt.textFor(c.UTC())
	if err != nil {
		return err
	}
	out.Hold(true)
	defer out.Hold(false)
	mark, handed := len(out.Buf), out.Sent()
	for attempt := 0; ; attempt++ {
		sent := time.Now()
		res, err := c.Execute(ctx, in.of(wire.Execution{Text: &text.Text, Values: values, Formats: wire.BinaryResults}))
		first := time.Now()
		if err == nil {
			err = writeAnswer(c, res, text, out)
		}
		if err == nil {
			c.Pool.Meter.Answered(sent, first)
			text.cost.Ran(first.Sub(sent), len(out.Buf)-mark+int(out.Sent()-handed))
			return nil
		}
		again := out.Sent() == handed
		if again {
			out.Buf = out.Buf[:mark]
			again = c.Renew(ctx, err, text.SQL, attempt)
		}
		if in.readOnly {
			c.Rollback(ctx)
		}
		if !again {
			return runError(ctx, c, readOnlyError(err, in.readOnly, text, values), text, values)
		}
	}
}

// readOnlyError is an error of a statement that wrote where it may not.
func readOnlyError(err error, readOnly bool, text *rendered, values [][]byte) error {
	if pg := (*pgconn.PgError)(nil); readOnly && errors.As(err, &pg) && pg.Code == wire.StateReadOnly {
		return backend.WriteRefused(wire.DetailOf(pg, wire.Executed{SQL: text.SQL, Args: values}))
	}
	return err
}

// sinkError is the error of the sink of the answer.
type sinkError struct{ error }

// runError is the error of a statement as its caller gets it.
func runError(ctx context.Context, c *wire.Conn, err error, text *rendered, values [][]byte) error {
	if sink := (sinkError{}); errors.As(err, &sink) {
		return sink.error
	}
	return wire.QueryError(ctx, err, wire.Executed{SQL: text.SQL, Args: values, Prepared: c.Prepares(&text.Text), Distributed: c.Pool.Endpoint.Distributed})
}

// writeAnswer reads a result and appends its JSON to out.
func writeAnswer(c *wire.Conn, res *wire.Result, text *rendered, out *backend.Answer) error {
	w := writerOf(c, text)
	w.Reset()
	switch text.reply.kind {
	case replyList:
		if err := writeRows(w, res, text.reply.shape, out); err != nil {
			// No client reads on. What the server still sends isn't worth the wait.
			c.Discard()
			return sinkError{err}
		}
	case replyOne:
		if res.Next() {
			out.Buf = w.Row(out.Buf, text.reply.shape, res.Row())
		} else {
			out.Buf = append(out.Buf, "null"...)
		}
	case replyMutation:
		out.Buf = writeMutation(w, out.Buf, res, &text.reply)
	case replyStream:
		writeStream(w, res, &text.reply, out)
	}
	if err := res.Close(); err != nil {
		return err
	}
	return fault(w)
}

// fault is the first fault of what was written.
func fault(w *answer.Writer) error {
	if w.Err == nil {
		return nil
	}
	if found := (*apierror.Error)(nil); errors.As(w.Err, &found) {
		return w.Err
	}
	return apierror.New(apierror.Unexpected, "database query error").WithInternal(w.Err.Error())
}

// writeRows appends a list. The error is that of handing on a frame.
func writeRows(w *answer.Writer, res *wire.Result, s *answer.Shape, out *backend.Answer) error {
	out.Buf = append(out.Buf, '[')
	for first := true; w.Err == nil && res.Next(); first = false {
		if !first {
			out.Buf = append(out.Buf, answer.Spaced.Comma...)
		}
		out.Buf = w.Row(out.Buf, s, res.Row())
		if err := out.Flush(); err != nil {
			return err
		}
	}
	out.Buf = append(out.Buf, ']')
	return nil
}

// writerOf is the writer of a connection, which keeps its buffers. The statements of one source have
// their records in one form.
func writerOf(c *wire.Conn, text *rendered) *answer.Writer {
	w, ok := c.Kept.(*answer.Writer)
	if !ok {
		w = encode.NewWriter(text.plain)
		c.Kept = w
	}
	return w
}
