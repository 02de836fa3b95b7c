package postgres

import (
	"container/list"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
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

// prepared is a statement that the server knows by name.
type prepared struct {
	sql         string
	name        string
	description *pgconn.StatementDescription
	types       []uint32
}

func (p *preparedCache) find(sql string) *prepared {
	e, ok := p.byText[sql]
	if !ok {
		return nil
	}
	p.used.MoveToFront(e)
	return e.Value.(*prepared)
}

func (p *preparedCache) newName() string {
	p.names++
	return "q" + strconv.Itoa(p.names)
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

// oldest is the text that goes when another one comes; empty while there is room.
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
func (r *result) row() cells { return cells{values: r.reader.Values(), types: r.types} }

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
	// of after shows when the result is closed.
	before, after []command
}

// command is a statement whose result nobody reads.
type command struct {
	sql    string
	values [][]byte
}

// prepares says whether a text is kept prepared.
func (c *conn) prepares(text *rendered) bool { return c.pool.endpoint.Prepare && !text.once }

// execute starts a statement. Its error, too, may only show when the result is closed.
func (c *conn) execute(ctx context.Context, e execution) (*result, error) {
	if len(e.before)+len(e.after) > 0 {
		return c.pipelined(ctx, e)
	}
	if !c.prepares(e.text) {
		r := c.pg.ExecParams(ctx, e.text.sql, e.values, nil, nil, e.formats)
		return &result{reader: r, types: typesOf(r.FieldDescriptions())}, nil
	}
	if p := c.statements.find(e.text.sql); p != nil {
		r := c.pg.ExecStatement(ctx, p.description, e.values, nil, e.formats)
		return &result{reader: r, types: p.types}, nil
	}
	return c.pipelined(ctx, e)
}

// pipelined runs a statement, and what is to be done before it, in one round trip. It is
// prepared in it when it has to be; the one that wasn't used for longest makes room.
func (c *conn) pipelined(ctx context.Context, e execution) (*result, error) {
	pipeline := c.pg.StartPipeline(ctx)
	for _, b := range e.before {
		pipeline.SendQueryParams(b.sql, b.values, nil, nil, nil)
	}
	p := c.statements.find(e.text.sql)
	switch {
	case !c.prepares(e.text):
		pipeline.SendQueryParams(e.text.sql, e.values, nil, nil, e.formats)
	case p != nil:
		pipeline.SendQueryStatement(p.description, e.values, nil, e.formats)
	default:
		if oldest := c.statements.remove(c.statements.oldest()); oldest != nil {
			pipeline.SendDeallocate(oldest.name)
		}
		p = &prepared{sql: e.text.sql, name: c.statements.newName()}
		pipeline.SendPrepare(p.name, p.sql, nil)
		pipeline.SendQueryPrepared(p.name, e.values, nil, e.formats)
	}
	for _, a := range e.after {
		pipeline.SendQueryParams(a.sql, a.values, nil, nil, nil)
	}
	err := pipeline.Sync()
	for done := 0; err == nil; {
		var step any
		if step, err = pipeline.GetResults(); err != nil {
			break
		}
		switch step := step.(type) {
		case *pgconn.StatementDescription:
			step.Name = p.name
			p.description, p.types = step, typesOf(step.Fields)
			c.statements.add(p)
		case *pgconn.ResultReader:
			if done == len(e.before) {
				return &result{reader: step, pipeline: pipeline, types: typesOf(step.FieldDescriptions())}, nil
			}
			done++
			_, err = step.Close()
		case *pgconn.CloseComplete:
		default:
			err = fmt.Errorf("unexpected answer of the server: %T", step)
		}
	}
	_ = pipeline.Close() // the first error is the one that counts
	return nil, err
}

// forget drops a statement that the server has under an outdated form, or not at all. The
// message for it is understood in a failed transaction, too.
func (c *conn) forget(ctx context.Context, sql string) {
	p := c.statements.remove(sql)
	if p == nil || c.pg.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if c.pg.Deallocate(ctx, p.name) != nil {
		c.discard()
	}
}

func typesOf(fields []pgconn.FieldDescription) []uint32 {
	types := make([]uint32, len(fields))
	for i := range fields {
		types[i] = fields[i].DataTypeOID
	}
	return types
}
