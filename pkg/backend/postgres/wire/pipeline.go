package wire

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// ErrTooLarge is the error of a reader that gives up an answer: the rest of the round trip isn't read.
var ErrTooLarge = errors.New("the answer is too large to be kept")

// ErrBroken is the error of a connection that can't be used any more.
var ErrBroken = errors.New("the connection is broken")

// Pipeline is one round trip. Statements that it sends independently are transactions of their own: each is followed by a Sync.
type Pipeline struct {
	*pgconn.Pipeline
	conn *Conn
	// making are the statements that the round trip prepares, in their order; the server has done so
	// with the first done ones.
	making []*prepared
	done   int
}

// StartPipeline begins a round trip. Its caller ends it by Close.
func (c *Conn) StartPipeline(ctx context.Context) *Pipeline {
	return &Pipeline{Pipeline: c.PG.StartPipeline(ctx), conn: c}
}

// Sent is a statement that a pipeline has sent independently.
type Sent struct {
	types []uint32
	// making is set when something is prepared on the way, set when a command ahead of the statement has a result of its own,
	// announced when the row of such a command comes ahead of the rows.
	making, set, announced bool
}

// SendIndependent writes a statement with its Sync, and a command of one row ahead of it unless that is the zero value.
func (p *Pipeline) SendIndependent(text *Text, values [][]byte, ahead Command) Sent {
	s := Sent{set: ahead.SQL != ""}
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
	switch {
	case !s.set:
		p.send(known, Command{SQL: text.SQL, Values: values, Formats: BinaryResults})
		if known != nil {
			s.types = known.types
		}
	case known == nil:
		p.send(nil, Command{SQL: text.SQL, Values: values, Formats: BinaryResults})
	default:
		// The driver loses track of the descriptions that it was given when the server skips a statement
		// because the one before it failed: here it isn't given one.
		p.SendQueryPrepared(known.name, values, nil, BinaryResults)
	}
	p.SendPipelineSync()
	return s
}

// announce sends the command ahead of a statement. It is true when to the driver it is part of the statement, as with afterRow.
func (p *Pipeline) announce(s *Sent, ahead Command, main *prepared) bool {
	known := p.conn.statements.find(ahead.SQL)
	if known != nil && p.conn.Suspends && main != nil && main.description != nil && len(main.description.Fields) > 0 {
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

// makes reports whether this round trip prepares a text. If that fails, others with the same text
// don't depend on it.
func (p *Pipeline) makes(sql string) bool {
	return slices.ContainsFunc(p.making, func(s *prepared) bool { return s.sql == sql })
}

// Collect reads up to the answer to a statement's Sync: a transaction may fail at its end. read gets the result, unless it is nil; first
// is when the result began. ErrBroken and ErrTooLarge are those after which nothing more can be read.
func (p *Pipeline) Collect(s *Sent, read func(*Result) error) (first time.Time, failed error) {
	done, set := p.done, s.set
	for {
		got, err := p.GetResults()
		if pg := (*pgconn.PgError)(nil); err != nil && !errors.As(err, &pg) {
			return first, ErrBroken
		}
		switch got := got.(type) {
		case nil:
			if err == nil {
				return first, ErrBroken // the server ended it
			}
		case *pgconn.StatementDescription:
			p.made(got)
		case *pgconn.ResultReader:
			if set || read == nil {
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
			first = time.Now()
			if err = read(&Result{Reader: got, types: types}); errors.Is(err, ErrTooLarge) {
				return first, err
			}
		case *pgconn.CloseComplete:
		case *pgconn.PipelineSync:
			if s.making && p.done == done {
				p.done++ // the server has refused to prepare it
			}
			return first, failed
		default:
			return first, ErrBroken
		}
		if failed == nil {
			failed = err
		}
	}
}

// prepared finds a prepared statement, or has it prepared; nil when it isn't to be.
func (p *Pipeline) prepared(sql string, prepare bool) *prepared {
	if !prepare {
		return nil
	}
	if known := p.conn.statements.find(sql); known != nil {
		return known
	}
	for _, s := range p.making {
		if s.sql == sql {
			return s
		}
	}
	if oldest := p.conn.statements.remove(p.conn.statements.oldest(len(p.making) - p.done)); oldest != nil {
		p.SendDeallocate(oldest.name)
	}
	sent := p.conn.Pool.sent(sql)
	s := &prepared{sql: sql, name: p.conn.statements.newName(sent)}
	p.SendPrepare(s.name, sent, nil)
	p.making = append(p.making, s)
	return s
}

// send runs a statement; s is nil for one that isn't prepared.
func (p *Pipeline) send(s *prepared, c Command) {
	switch {
	case s == nil:
		p.SendQueryParams(c.SQL, c.Values, nil, nil, c.Formats)
	case s.description == nil:
		p.SendQueryPrepared(s.name, c.Values, nil, c.Formats)
	default:
		p.SendQueryStatement(s.description, c.Values, nil, c.Formats)
	}
}

// made keeps the next statement that the server has prepared.
func (p *Pipeline) made(description *pgconn.StatementDescription) {
	s := p.making[p.done]
	p.done++
	if p.conn.Direct {
		description.Name = s.name
		s.description, s.types = description, typesOf(description.Fields)
	}
	p.conn.statements.add(s)
}
