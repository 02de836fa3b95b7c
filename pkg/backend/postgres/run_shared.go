package postgres

import (
	"context"
	"errors"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// maxKept is the size of an answer that is kept while others of its round trip are read.
const maxKept = 256 << 10

// TextFor implements wire.Shareable.
func (s *statement) TextFor(c *wire.Conn) (*wire.Text, error) {
	text, err := s.textFor(c.UTC())
	if err != nil {
		return nil, err
	}
	return &text.Text, nil
}

// Collect implements wire.Shareable.
func (s *statement) Collect(c *wire.Conn, r *wire.Result, dst []byte) ([]byte, error) {
	text, err := s.textFor(c.UTC())
	if err != nil {
		return nil, err
	}
	out := backend.NewAnswer(dst, tooLarge{}, maxKept)
	if text.reply.kind == replyMutation { // it can't be had again
		out = backend.NewAnswer(dst, nil, 0)
	}
	err = writeAnswer(c, r, text, out)
	if full := (sinkError{}); errors.As(err, &full) {
		return nil, full.error
	}
	return out.Buf, err
}

// tooLarge takes no frame.
type tooLarge struct{}

func (tooLarge) Write([]byte) (int, error) { return 0, wire.ErrTooLarge }

// answerOfShared appends what a statement in a shared round trip has come to. Where again is true, it
// has to run alone; lost reports whether that is because a connection was lost.
func answerOfShared(ctx context.Context, sharer *wire.Batcher, q *wire.Shared, values [][]byte, out *backend.Answer) (again, lost bool, err error) {
	defer sharer.Forget(q)
	outcome, answer, text, err := q.Outcome()
	switch {
	case outcome == wire.Alone:
		return true, false, nil
	case outcome == wire.Lost:
		return true, true, nil
	case err != nil:
		return false, false, wire.QueryError(ctx, err, wire.Executed{SQL: text.SQL, Args: values, Prepared: true})
	}
	return false, false, out.Append(answer)
}
