package wire

import (
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// step is what was sent for one statement.
type step struct {
	// text is nil when nothing was sent.
	text  *Text
	types []uint32
	// making is set when it is prepared on the way, set when the mode of its plan is set before it.
	making, set bool
	// renew is the error of a prepared statement that is out of date.
	renew error
}

// share writes one statement with its Sync.
func (p *pipeline) share(text *Text, values [][]byte, mode PlanMode) step {
	s := step{text: text, set: mode != PlanAuto}
	known := p.conn.statements.find(text.SQL)
	if known == nil && !p.makes(text.SQL) {
		known, s.making = p.prepared(text.SQL, true), true
	}
	run := Command{SQL: text.SQL, Values: values, Formats: BinaryResults}
	switch {
	case !s.set:
		p.send(known, run)
		if known != nil {
			s.types = known.types
		}
	case known == nil:
		p.set(mode)
		p.send(nil, run)
	default:
		// The driver loses track of the descriptions that it was given when a statement is skipped
		// because the one before it failed: here it isn't given one.
		p.set(mode)
		p.SendQueryPrepared(known.name, values, nil, BinaryResults)
	}
	p.SendPipelineSync()
	return s
}

func (p *pipeline) set(mode PlanMode) {
	c := mode.setting()
	p.SendQueryParams(c.SQL, c.Values, nil, nil, nil)
}

// makes reports whether a text is prepared in this round trip. If that fails, others with the same text
// don't depend on it.
func (p *pipeline) makes(sql string) bool {
	return slices.ContainsFunc(p.making, func(s *prepared) bool { return s.sql == sql })
}

// errBroken is the error of a connection that can't be used any more.
var errBroken = errors.New("the connection is broken")

// read reads the answers. Its error is that of the connection.
func (b *batch) read(p *pipeline, steps []step) error {
	began := time.Now()
	for i := range steps {
		s := &steps[i]
		if s.text == nil {
			b.finish(p, i, Answered, collected{})
			continue
		}
		b.mu.Lock()
		q := b.list[i]
		b.mu.Unlock()
		got := q.collect(p, s)
		switch {
		case p.conn.PG.IsClosed() || errors.Is(got.err, errBroken):
			return errBroken
		case errors.Is(got.err, ErrTooLarge):
			s.text.Sharing.refrain(largeFor)
			b.finish(p, i, Alone, got)
			return errBroken // to read the rest would take longer than to run the others again
		case outdated(got.err):
			s.renew = got.err
			b.finish(p, i, Alone, got)
		default:
			b.finish(p, i, Answered, got)
		}
		now := time.Now()
		s.text.Sharing.held(now.Sub(began))
		began = now
	}
	return nil
}

// collected is the answer to a statement.
type collected struct {
	answer []byte
	first  time.Time
	err    error
}

// collect reads up to the answer to the Sync: a transaction may fail at its end. Nobody waits for the
// answer when q is nil.
func (q *Shared) collect(p *pipeline, s *step) (c collected) {
	done, set := p.done, s.set
	for {
		got, err := p.GetResults()
		if pg := (*pgconn.PgError)(nil); err != nil && !errors.As(err, &pg) {
			return collected{err: errBroken}
		}
		switch got := got.(type) {
		case nil:
			if err == nil {
				return collected{err: errBroken} // it was ended by the server
			}
		case *pgconn.StatementDescription:
			p.made(got)
		case *pgconn.ResultReader:
			if set || q == nil {
				set = false
				_, err = got.Close()
				break
			}
			types := s.types
			if types == nil {
				types = typesOf(got.FieldDescriptions())
			}
			c.first = time.Now()
			c.answer, err = q.of.Collect(p.conn, &Result{Reader: got, types: types}, q.answer[:0])
			if errors.Is(err, ErrTooLarge) {
				return collected{err: err}
			}
		case *pgconn.CloseComplete:
		case *pgconn.PipelineSync:
			if s.making && p.done == done {
				p.done++ // the server has refused to prepare it
			}
			return c
		default:
			return collected{err: errBroken}
		}
		if c.err == nil {
			c.err = err
		}
	}
}
