package sqlite

import (
	"context"
	"strings"

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
	c, err := s.read.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.read.release(c)
	return c.query(ctx, stmt, &a, values, out)
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

// textOf is the text of a run on this connection: SQLite knows no DEFAULT, so the default of a column is
// spelt where the text has a zero byte.
func (c *conn) textOf(ctx context.Context, stmt *statement, request string) (string, error) {
	text := stmt.textFor(request)
	for _, d := range stmt.defaults {
		expression, err := c.defaultOf(ctx, d)
		if err != nil {
			return "", err
		}
		text = strings.Replace(text, "\x00", expression, 1)
	}
	return text, nil
}

// defaultOf is the expression of the default of a column.
func (c *conn) defaultOf(ctx context.Context, d defaultOf) (string, error) {
	expression := "NULL"
	const text = "SELECT dflt_value FROM pragma_table_xinfo(?1, 'main') WHERE name = ?2 AND dflt_value IS NOT NULL"
	_, err := c.rows(ctx, text, []value{{class: classText, text: []byte(d.table)}, {class: classText, text: []byte(d.column)}},
		func(row answer.Cells) error {
			expression = "(" + string(row.Values[0]) + ")"
			return nil
		})
	return expression, err
}

// query runs a statement on the connection.
func (c *conn) query(ctx context.Context, stmt *statement, a *backend.Args, values []value, out *backend.Answer) error {
	out.Hold(true)
	defer out.Hold(false)
	mark, before := len(out.Buf), out.Sent()
	err := c.answer(ctx, stmt, a, values, out)
	if err == nil {
		return nil
	}
	if out.Sent() == before {
		out.Buf = out.Buf[:mark]
	}
	return queryError(ctx, err, executed{SQL: stmt.text, Values: values})
}

// answer runs a statement and appends its JSON to out.
func (c *conn) answer(ctx context.Context, stmt *statement, a *backend.Args, values []value, out *backend.Answer) error {
	w := &c.writer
	w.Reset()
	text, err := c.textOf(ctx, stmt, a.RequestID)
	if err != nil {
		return err
	}
	rows, outcome := int64(0), stmt.reply.output.Begin()
	if stmt.reply.kind == replyList {
		out.Buf = append(out.Buf, '[')
	}
	affected, err := c.rows(ctx, text, values, func(row answer.Cells) error {
		rows++
		switch stmt.reply.kind {
		case replyJSON:
			out.Buf = append(out.Buf, row.Values[0]...)
			return nil
		case replyOne:
			if rows == 1 {
				out.Buf = w.Row(out.Buf, stmt.reply.shape, row)
			}
			return w.Err
		case replyMutation:
			if !stmt.reply.holds(row) {
				return backend.CheckFailed()
			}
			outcome.Add(w, row)
			return w.Err
		}
		if c.cursor != nil {
			*c.cursor = append((*c.cursor)[:0], row.Values[len(row.Values)-1]...)
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
	switch stmt.reply.kind {
	case replyList:
		out.Buf = append(out.Buf, ']')
	case replyOne:
		if rows == 0 {
			out.Buf = append(out.Buf, "null"...)
		}
	case replyMutation:
		out.Buf = outcome.Append(out.Buf, affected)
	case replyJSON:
	}
	return nil
}

// holds reports whether the check of a row holds. As in row security, one that is NULL does not.
func (r *reply) holds(row answer.Cells) bool {
	return r.check < 0 || string(row.Values[r.check]) == "1"
}
