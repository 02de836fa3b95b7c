package mssql

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
)

// Query runs a statement of RenderQuery and appends the JSON of its root field to out, row by row, each
// handed on when a frame is full. A statement that fails before any byte was handed on leaves out as it
// was.
func (s *Source) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	stmt, err := statementOf(st)
	if err != nil {
		return err
	}
	values, err := stmt.values(&a)
	if err != nil {
		return err
	}
	c, err := s.reader().acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	return c.query(ctx, c.pool.endpoint.isolated(stmt.textFor(a.RequestID)), stmt, &a, values, out)
}

// textFor is the text of a run, with its comment.
func (s *statement) textFor(request string) string {
	switch {
	case s.comment == nil:
		return s.text
	case s.comment.PerRequest:
		return s.comment.Wrap(s.text, request)
	}
	return s.comment.Wrap(s.text, "")
}

// isolations are the levels in SQL that a statement without a transaction has to ask for.
var isolations = map[sql.IsolationLevel]string{
	sql.LevelReadUncommitted: "READ UNCOMMITTED",
	sql.LevelRepeatableRead:  "REPEATABLE READ",
	sql.LevelSerializable:    "SERIALIZABLE",
	sql.LevelSnapshot:        "SNAPSHOT",
}

// isolated is a text that reads with the isolation of the source. The level ends with the call.
func (e *Endpoint) isolated(text string) string {
	if level, set := isolations[e.Isolation]; set {
		return "SET TRANSACTION ISOLATION LEVEL " + level + ";\n" + text
	}
	return text
}

// query runs a statement on the connection.
func (c *conn) query(ctx context.Context, text string, stmt *statement, a *backend.Args, values [][]byte, out *backend.Answer) error {
	out.Hold(true)
	defer out.Hold(false)
	mark, before := len(out.Buf), out.Sent()
	err := c.answer(ctx, text, stmt, values, out)
	if err == nil {
		return nil
	}
	if out.Sent() == before {
		out.Buf = out.Buf[:mark]
	}
	return queryError(ctx, err, executed{SQL: stmt.text, Session: a.Session})
}

// answer runs a statement and appends its JSON to out.
func (c *conn) answer(ctx context.Context, text string, stmt *statement, values [][]byte, out *backend.Answer) error {
	w := answer.Writer{Format: format{}}
	rows, counted, outcome := int64(0), int64(0), stmt.reply.output.Begin()
	if stmt.reply.kind == replyList {
		out.Buf = append(out.Buf, '[')
	}
	sent, first := time.Now(), time.Time{}
	_, err := c.rowsOf(ctx, stmt.reply.first(), text, values, func(row answer.Cells) error {
		if rows++; rows == 1 {
			first = time.Now()
		}
		switch stmt.reply.kind {
		case replyOne:
			if rows == 1 {
				out.Buf = w.Row(out.Buf, stmt.reply.shape, row)
			}
			return w.Err
		case replyMutation:
			if !stmt.reply.holds(row) {
				return backend.CheckFailed()
			}
			outcome.Add(&w, row)
			return w.Err
		case replyCount:
			var err error
			counted, err = countOf(row)
			return err
		case replyList:
		}
		if rows > 1 {
			out.Buf = append(out.Buf, answer.Spaced.Comma...)
		}
		out.Buf = w.Row(out.Buf, stmt.reply.shape, row)
		if w.Err != nil {
			return w.Err
		}
		return caller(out.Flush())
	})
	if err != nil {
		return err
	}
	c.answered(sent, first)
	switch stmt.reply.kind {
	case replyList:
		out.Buf = append(out.Buf, ']')
	case replyOne:
		if rows == 0 {
			out.Buf = append(out.Buf, "null"...)
		}
	case replyMutation:
		out.Buf = outcome.Append(out.Buf, rows)
	case replyCount:
		out.Buf = outcome.Append(out.Buf, counted)
	}
	return nil
}

// answered measures a statement of a request; first is when its first row was there, the zero time for none.
func (c *conn) answered(sent, first time.Time) {
	if first.IsZero() {
		first = time.Now()
	}
	c.pool.meter.Answered(sent, first)
}

// countOf is the number that the only cell of a row holds.
func countOf(row answer.Cells) (int64, error) {
	if len(row.Values) == 0 {
		return 0, errors.New("the number of written rows is missing")
	}
	return strconv.ParseInt(string(row.Values[0]), 10, 64)
}

// holds reports whether the check of a row holds. As in row security, one that is NULL does not.
func (r *reply) holds(row answer.Cells) bool {
	if r.check < 0 {
		return true
	}
	// It is a number or a bit.
	v := string(row.Values[r.check])
	return v == "1" || v == "true"
}
