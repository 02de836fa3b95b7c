package wire

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"queryengine/pkg/backend/answer"
)

// MaxPrepared is how many statements a connection keeps prepared. Each costs the server
// some tens of kilobytes.
const MaxPrepared = 256

// BinaryResults asks for every column in binary.
var BinaryResults = []int16{1}

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

// oldest is the text that is evicted for another one, besides those that are being made; empty while
// there is space.
func (p *preparedCache) oldest(making int) string {
	if p.used.Len() == 0 || p.used.Len()+making < MaxPrepared {
		return ""
	}
	return p.used.Back().Value.(*prepared).sql
}

// Result is the result of a statement while it is read.
type Result struct {
	Reader   *pgconn.ResultReader
	pipeline *pgconn.Pipeline // of a statement that was prepared on the way
	types    []uint32
}

// Next goes to the next row, and reports whether there is one.
func (r *Result) Next() bool { return r.Reader.NextRow() }

// Row is the current row; it is valid until the next one.
func (r *Result) Row() answer.Cells { return answer.Cells{Values: r.Reader.Values(), Types: r.types} }

// Close reads the rest of the result. Its error is that of the statement.
func (r *Result) Close() error {
	_, err := r.Finish()
	return err
}

// Finish reads the rest of the result; affected is the number of rows that it is about. It
// may be called again.
func (r *Result) Finish() (affected int64, err error) {
	tag, err := r.Reader.Close()
	if r.pipeline != nil {
		if closeErr := r.pipeline.Close(); err == nil {
			err = closeErr
		}
	}
	return tag.RowsAffected(), err
}

// Text is the text of a statement.
type Text struct {
	SQL string
	// Once reports whether it isn't worth to be kept prepared.
	Once bool
}

// Execution is one run of a text.
type Execution struct {
	Text   *Text
	Values [][]byte
	// Formats is BinaryResults, nil for text, or has that of each column.
	Formats []int16
	// Before and after are commands that are sent in the same round trip. The failure of one
	// of Before is a CommandError, that of one of After shows when the result is closed.
	Before, After []Command
}

// Command is a statement in addition to the one that is run. Its result is discarded where Read is nil.
type Command struct {
	SQL    string
	Values [][]byte
	// Formats are those of the columns; nil for text.
	Formats []int16
	// Once reports whether the text isn't kept prepared.
	Once bool
	// OneRow reports whether the result is one row, always.
	OneRow bool
	Read   func(*Result) error
}

// CommandError is the failure of one of Execution.Before.
type CommandError struct {
	error
	Index int
}

// Unwrap is the failure.
func (e CommandError) Unwrap() error { return e.error }

// Prepares reports whether a text is kept prepared.
func (c *Conn) Prepares(text *Text) bool { return c.preparing() && !text.Once }

// Execute starts a statement. Its error, too, may only show when the result is closed.
func (c *Conn) Execute(ctx context.Context, e Execution) (*Result, error) {
	if c.renewed && !c.Direct && c.Suspends {
		return c.executeUnplanned(ctx, e)
	}
	if len(e.Before)+len(e.After) > 0 {
		if ahead, main := c.ahead(&e); ahead != nil && ctx.Err() == nil {
			return c.afterRow(ctx, ahead, main, e)
		}
		return c.pipelined(ctx, e)
	}
	if !c.Prepares(e.Text) {
		r := c.PG.ExecParams(ctx, e.Text.SQL, e.Values, nil, nil, e.Formats)
		return &Result{Reader: r, types: typesOf(r.FieldDescriptions())}, nil
	}
	switch p := c.statements.find(e.Text.SQL); {
	case p == nil:
		return c.pipelined(ctx, e)
	case p.description == nil:
		r := c.PG.ExecPrepared(ctx, p.name, e.Values, nil, e.Formats)
		return &Result{Reader: r, types: typesOf(r.FieldDescriptions())}, nil
	default:
		r := c.PG.ExecStatement(ctx, p.description, e.Values, nil, e.Formats)
		return &Result{Reader: r, types: p.types}, nil
	}
}

// executeUnplanned runs a statement after the plans of the session were discarded, in the same transaction:
// before that, and after it, a pooler may give us another session.
func (c *Conn) executeUnplanned(ctx context.Context, e Execution) (*Result, error) {
	at := 0
	if len(e.Before) > 0 && strings.HasPrefix(e.Before[0].SQL, "BEGIN") {
		at = 1
	}
	e.Before = slices.Concat(e.Before[:at], []Command{plansDiscarded}, e.Before[at:])
	r, err := c.pipelined(ctx, e)
	if before := (CommandError{}); errors.As(err, &before) && before.Index > at {
		err = CommandError{before.error, before.Index - 1}
	}
	return r, err
}

// ahead finds the statements of a round trip of one command, whose row isn't read, and a text, where both are
// prepared; nil for all others.
func (c *Conn) ahead(e *Execution) (ahead, main *prepared) {
	if len(e.Before) != 1 || len(e.After) > 0 || !c.Direct || !c.Suspends || !c.Prepares(e.Text) {
		return nil, nil
	}
	b := &e.Before[0]
	if !b.OneRow || b.Once || b.Read != nil || b.Formats != nil {
		return nil, nil
	}
	ahead, main = c.statements.find(b.SQL), c.statements.find(e.Text.SQL)
	if ahead == nil || main == nil || ahead.description == nil || main.description == nil {
		return nil, nil
	}
	return ahead, main
}

// afterRow runs a prepared statement after a prepared command of one row, in one round trip. To the driver
// it is one statement, which takes a quarter of the allocations of a pipeline: the command is requested no more than
// its row, so that the server goes on with the next statement without telling that one is complete.
func (c *Conn) afterRow(ctx context.Context, ahead, main *prepared, e Execution) (*Result, error) {
	to := c.PG.Frontend()
	to.SendBind(&pgproto3.Bind{PreparedStatement: ahead.name, Parameters: e.Before[0].Values})
	to.SendExecute(&pgproto3.Execute{MaxRows: 1})
	r := c.PG.ExecStatement(ctx, main.description, e.Values, nil, e.Formats)
	if r.NextRow() {
		return &Result{Reader: r, types: main.types}, nil
	}
	_, err := r.Close()
	if err == nil || pgconn.SafeToRetry(err) {
		c.Discard() // what was to be sent before it may still be in the buffer
	}
	if err == nil {
		err = ErrBroken
	}
	return nil, err
}

// pipelined runs a statement, and the commands before and after it, in one round trip. Statements that
// aren't prepared yet are prepared in it; the least recently used one is evicted.
func (c *Conn) pipelined(ctx context.Context, e Execution) (*Result, error) {
	p := c.StartPipeline(ctx)
	after := make([]*prepared, len(e.After))
	for i, a := range e.After {
		after[i] = p.prepared(a.SQL, c.preparing())
	}
	for _, b := range e.Before {
		p.send(p.prepared(b.SQL, c.preparing() && !b.Once), b)
	}
	p.send(p.prepared(e.Text.SQL, c.Prepares(e.Text)), Command{SQL: e.Text.SQL, Values: e.Values, Formats: e.Formats})
	for i, a := range e.After {
		p.send(after[i], a)
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
			if done == len(e.Before) {
				return &Result{Reader: step, pipeline: p.Pipeline, types: typesOf(step.FieldDescriptions())}, nil
			}
			if read := e.Before[done].Read; read != nil {
				err = read(&Result{Reader: step, types: typesOf(step.FieldDescriptions())})
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
	if done < len(e.Before) {
		err = CommandError{err, done}
	}
	return nil, err
}

func typesOf(fields []pgconn.FieldDescription) []uint32 {
	types := make([]uint32, len(fields))
	for i := range fields {
		types[i] = fields[i].DataTypeOID
	}
	return types
}

// Commit ends a transaction.
const Commit = "COMMIT"

// EachRow runs something and gives its rows to f, which may be nil; rows counts those that it got.
func (c *Conn) EachRow(ctx context.Context, e Execution, f func(row [][]byte) error) (rows int, err error) {
	res, err := c.Execute(ctx, e)
	if err != nil {
		return 0, err
	}
	for f != nil && err == nil && res.Next() {
		rows++
		err = f(res.Reader.Values())
	}
	return rows, errors.Join(err, res.Close())
}
