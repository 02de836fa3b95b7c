package wire

import (
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"queryengine/pkg/backend"
)

// step is what was sent for one statement.
type step struct {
	// text is nil when nothing was sent: then twin, unless that is nil too, is what was sent in its place.
	text  *Text
	twin  *step
	types []uint32
	// making is set when something is prepared on the way, set when a command before it has a result of its own: one that
	// sets the mode of its plan, or passes the session. announced is set when the row of such a command comes ahead of the rows.
	making, set, announced bool
	mode                   PlanMode
	// renew is the error of a prepared statement that is out of date.
	renew error
}

// share writes one statement with its Sync, and a command ahead of it.
func (p *pipeline) share(text *Text, values [][]byte, mode PlanMode, ahead Command) step {
	s := step{text: text, mode: mode, set: mode != PlanAuto || ahead.SQL != ""}
	known := p.conn.statements.find(text.SQL)
	if known == nil && !p.makes(text.SQL) {
		known, s.making = p.prepared(text.SQL, true), true
	}
	if ahead.SQL != "" && p.announce(&s, ahead, known) {
		p.SendQueryStatement(known.description, values, nil, BinaryResults)
		s.types = known.types
		p.SendPipelineSync()
		return s
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

// announce sends the command ahead of a statement. It is true when to the driver it is part of the statement, as with afterRow.
func (p *pipeline) announce(s *step, ahead Command, main *prepared) bool {
	known := p.conn.statements.find(ahead.SQL)
	if known != nil && main != nil && main.description != nil && len(main.description.Fields) > 0 {
		to := p.conn.PG.Frontend()
		to.SendBind(&pgproto3.Bind{PreparedStatement: known.name, Parameters: ahead.Values})
		to.SendExecute(&pgproto3.Execute{MaxRows: 1})
		s.set, s.announced = false, true
		return true
	}
	if known == nil && !s.making && !p.makes(ahead.SQL) {
		known, s.making = p.prepared(ahead.SQL, true), true
	}
	if known == nil {
		p.SendQueryParams(ahead.SQL, ahead.Values, nil, nil, nil)
	} else {
		p.SendQueryPrepared(known.name, ahead.Values, nil, nil)
	}
	return false
}

func (p *pipeline) set(mode PlanMode) {
	if mode == PlanAuto {
		return
	}
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
func (b *batch) read(p *pipeline) error {
	began := time.Now()
	for i := range b.steps {
		s := &b.steps[i]
		if s.text == nil {
			b.finish(p, i, Answered, collected{})
			continue
		}
		got := b.reader(i).collect(p, s)
		switch {
		case p.conn.PG.IsClosed() || errors.Is(got.err, errBroken):
			return errBroken
		case b.sharer.writes && b.undone(p.conn, got.err):
			p.conn.Pool.Meter.Shared(backend.SharedAlone)
			b.finish(p, i, Alone, got)
		case errors.Is(got.err, ErrTooLarge):
			s.text.Sharing.refrain(largeFor)
			b.finish(p, i, Alone, got)
			return errBroken // to read the rest would take longer than to run the others again
		case s.mode.Fails(got.err):
			b.finish(p, i, Alone, got)
		case p.conn.stale(got.err, s.text.SQL):
			s.renew = got.err
			b.finish(p, i, Alone, got)
		default:
			if b.sharer.writes && len(got.answer) > smallAnswer {
				s.text.Sharing.refrain(largeFor)
			}
			b.finish(p, i, Answered, got)
		}
		now := time.Now()
		s.text.Sharing.held(now.Sub(began))
		began = now
	}
	return nil
}

// undone reports whether the error of what writes is due to the round trip, so that it runs alone.
func (b *batch) undone(c *Conn, err error) bool {
	switch State(err) {
	case StateReadOnly:
		c.Implicit = false // the server's default has changed
		return true
	case stateQueryCanceled:
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.stopped
	}
	return false
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
			if s.announced && !got.NextRow() {
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
