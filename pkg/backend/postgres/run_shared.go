package postgres

import (
	"errors"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
)

// maxKept is the size of an answer that is kept while others of its round trip are read.
const maxKept = 256 << 10

// job is a run of the statement.
func (s *statement) job(values [][]byte) schedule.Job {
	return schedule.Job{Text: &s.utc.Text, Values: values, Cost: s.utc.cost, Stable: s.utc.stable, Of: s}
}

// TextFor implements schedule.Statement.
func (s *statement) TextFor(c *wire.Conn) (*wire.Text, error) {
	text, err := s.textFor(c.UTC())
	if err != nil {
		return nil, err
	}
	return &text.Text, nil
}

// Collect implements schedule.Statement.
func (s *statement) Collect(c *wire.Conn, r *wire.Result, dst []byte) ([]byte, error) {
	text, err := s.textFor(c.UTC())
	if err != nil {
		return nil, err
	}
	out := backend.NewAnswer(dst, tooLarge{}, maxKept)
	if text.reply.kind == replyMutation { // it isn't available again
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
