package postgres

import (
	"container/list"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/answer"
)

// maxPrepared is how many statements a connection keeps prepared. Each costs the server
// some tens of kilobytes.
const maxPrepared = 256

// binaryResults asks for every column in binary.
var binaryResults = []int16{1}

// preparedCache holds the prepared statements of one connection by their text, the one used
// last in front.
type preparedCache struct {
	byText map[string]*list.Element
	used   list.List
	names  int
}

// prepared is a statement that the server knows by name. It has no description behind a pooler:
// the next session may have prepared it when its columns were of other types.
type prepared struct {
	sql         string
	name        string
	description *pgconn.StatementDescription
	types       []uint32
	// runs are how often it ran in each mode, up to settled.
	runs [planModes]uint8
}

func (p *preparedCache) find(sql string) *prepared {
	e, ok := p.byText[sql]
	if !ok {
		return nil
	}
	p.used.MoveToFront(e)
	return e.Value.(*prepared)
}

func (p *preparedCache) add(s *prepared) {
	if p.byText == nil {
		p.byText = map[string]*list.Element{}
	}
	p.byText[s.sql] = p.used.PushFront(s)
}

func (p *preparedCache) remove(sql string) *prepared {
	e, ok := p.byText[sql]
	if !ok {
		return nil
	}
	delete(p.byText, sql)
	return p.used.Remove(e).(*prepared)
}

// oldest is the text that is evicted for another one; empty while there is space.
func (p *preparedCache) oldest() string {
	if p.used.Len() < maxPrepared {
		return ""
	}
	return p.used.Back().Value.(*prepared).sql
}

// result is the result of a statement while it is read.
type result struct {
	reader   *pgconn.ResultReader
	pipeline *pgconn.Pipeline // of a statement that was prepared on the way
	types    []uint32
}

func (r *result) next() bool { return r.reader.NextRow() }

// row is the current row; it is valid until the next one.
func (r *result) row() answer.Cells { return answer.Cells{Values: r.reader.Values(), Types: r.types} }

func (r *result) close() error {
	_, err := r.finish()
	return err
}

// finish reads the rest of the result; affected is the number of rows that it is about. It
// may be called again.
func (r *result) finish() (affected int64, err error) {
	tag, err := r.reader.Close()
	if r.pipeline != nil {
		if closeErr := r.pipeline.Close(); err == nil {
			err = closeErr
		}
	}
	return tag.RowsAffected(), err
}

// execution is one run of a text.
type execution struct {
	text   *rendered
	values [][]byte
	// formats is binaryResults, or nil for text.
	formats []int16
	// before and after are commands that are sent in the same round trip. The failure of one
	// of before is a commandError, that of one of after shows when the result is closed.
	before, after []command
	// mode is how the text is planned, in a round trip without before and after.
	mode planMode
	// known is the prepared text, nil before it was looked up.
	known *prepared
}

// command is a statement in addition to the one that is run. Its result is discarded where read is nil.
type command struct {
	sql    string
	values [][]byte
	// once reports whether the text isn't kept prepared.
	once bool
	read func(*result) error
}

// commandError is the failure of one of execution.before.
type commandError struct {
	error
	index int
}

func (e commandError) Unwrap() error { return e.error }

// prepares reports whether a text is kept prepared.
func (c *conn) prepares(text *rendered) bool { return c.preparing() && !text.once }

// execute starts a statement. Its error, too, may only show when the result is closed.
func (c *conn) execute(ctx context.Context, e execution) (*result, error) {
	if e.mode != planAuto {
		e.before = []command{e.mode.setting()}
	}
	if len(e.before)+len(e.after) > 0 {
		return c.pipelined(ctx, e)
	}
	if !c.prepares(e.text) {
		r := c.pg.ExecParams(ctx, e.text.sql, e.values, nil, nil, e.formats)
		return &result{reader: r, types: typesOf(r.FieldDescriptions())}, nil
	}
	p := e.known
	if p == nil {
		p = c.statements.find(e.text.sql)
	}
	switch {
	case p == nil:
		return c.pipelined(ctx, e)
	case p.description == nil:
		r := c.pg.ExecPrepared(ctx, p.name, e.values, nil, e.formats)
		return &result{reader: r, types: typesOf(r.FieldDescriptions())}, nil
	default:
		r := c.pg.ExecStatement(ctx, p.description, e.values, nil, e.formats)
		return &result{reader: r, types: p.types}, nil
	}
}

// pipelined runs a statement, and the commands before and after it, in one round trip. Statements that
// aren't prepared yet are prepared in it; the least recently used one is evicted.
func (c *conn) pipelined(ctx context.Context, e execution) (*result, error) {
	p := pipeline{Pipeline: c.pg.StartPipeline(ctx), conn: c}
	after := make([]*prepared, len(e.after))
	for i, a := range e.after {
		after[i] = p.prepared(a.sql, c.preparing())
	}
	for _, b := range e.before {
		p.send(p.prepared(b.sql, c.preparing() && !b.once), b, nil)
	}
	p.send(p.prepared(e.text.sql, c.prepares(e.text)), command{sql: e.text.sql, values: e.values}, e.formats)
	for i, a := range e.after {
		p.send(after[i], a, nil)
	}
	err, done := p.Sync(), 0
	for err == nil {
		var step any
		if step, err = p.GetResults(); err != nil {
			break
		}
		switch step := step.(type) {
		case *pgconn.StatementDescription:
			p.made(step)
		case *pgconn.ResultReader:
			if done == len(e.before) {
				return &result{reader: step, pipeline: p.Pipeline, types: typesOf(step.FieldDescriptions())}, nil
			}
			if read := e.before[done].read; read != nil {
				err = read(&result{reader: step, types: typesOf(step.FieldDescriptions())})
			} else {
				_, err = step.Close()
			}
			if err == nil {
				done++
			}
		case *pgconn.CloseComplete:
		default:
			err = fmt.Errorf("unexpected answer of the server: %T", step)
		}
	}
	_ = p.Close() // the first error is the one that counts
	if done < len(e.before) {
		err = commandError{err, done}
	}
	return nil, err
}

// pipeline is a round trip under construction.
type pipeline struct {
	*pgconn.Pipeline
	conn *conn
	// making are the statements that are prepared in it, in their order; the server has done so
	// with the first ones.
	making []*prepared
	done   int
}

// prepared finds a prepared statement, or has it prepared; nil when it isn't to be.
func (p *pipeline) prepared(sql string, prepare bool) *prepared {
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
	if oldest := p.conn.statements.remove(p.conn.statements.oldest()); oldest != nil {
		p.SendDeallocate(oldest.name)
	}
	sent := p.conn.pool.sent(sql)
	s := &prepared{sql: sql, name: p.conn.statements.newName(sent)}
	p.SendPrepare(s.name, sent, nil)
	p.making = append(p.making, s)
	return s
}

// send runs a statement; s is nil for one that isn't prepared.
func (p *pipeline) send(s *prepared, c command, formats []int16) {
	switch {
	case s == nil:
		p.SendQueryParams(c.sql, c.values, nil, nil, formats)
	case s.description == nil:
		p.SendQueryPrepared(s.name, c.values, nil, formats)
	default:
		p.SendQueryStatement(s.description, c.values, nil, formats)
	}
}

// made keeps the next statement that the server has prepared.
func (p *pipeline) made(description *pgconn.StatementDescription) {
	s := p.making[p.done]
	p.done++
	if p.conn.direct {
		description.Name = s.name
		s.description, s.types = description, typesOf(description.Fields)
	}
	p.conn.statements.add(s)
}

func typesOf(fields []pgconn.FieldDescription) []uint32 {
	types := make([]uint32, len(fields))
	for i := range fields {
		types[i] = fields[i].DataTypeOID
	}
	return types
}
