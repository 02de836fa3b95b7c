package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// call is one run of a statement of a plan in a transaction.
type call struct {
	text    *rendered
	values  [][]byte
	formats []int16
	read    func(*wire.Result) error
	// failed may say more about a fault; nil adds nothing.
	failed func(error) error
	// certain reports whether read fails only when the statement does.
	certain bool
}

// Query runs a statement and appends its answer to out.
func (t *tx) Query(ctx context.Context, s backend.Statement, a backend.Args, out *backend.Answer) error {
	mark, sent := len(out.Buf), out.Sent()
	c, err := t.call(s, &a)
	if err != nil {
		return err
	}
	c.formats = wire.BinaryResults
	c.read = func(res *wire.Result) error { return writeAnswer(t.c, res, c.text, out) }
	if err = t.send(ctx, c); err != nil && out.Sent() == sent {
		out.Buf = out.Buf[:mark]
	}
	return err
}

// Exec runs a mutation and gives f the values of Returning of each row that it wrote, as
// text, and its objects; they are valid until f returns. Without Returning, f gets an empty row for each.
func (t *tx) Exec(ctx context.Context, s backend.Statement, a backend.Args, f func(row [][]byte) error) error {
	c, err := t.handing(s, &a, f)
	if err != nil {
		return err
	}
	return t.send(ctx, c)
}

// handing prepares the run of a statement whose rows are handed to f.
func (t *tx) handing(s backend.Statement, a *backend.Args, f func(row [][]byte) error) (call, error) {
	c, err := t.call(s, a)
	if err != nil {
		return call{}, err
	}
	text := c.text
	c.formats = text.reply.formats
	c.read = func(res *wire.Result) error { return eachWritten(writerOf(t.c, text), res, &text.reply, f) }
	return c, nil
}

// maxDeferred bounds the statements that wait for the next one.
const maxDeferred = 128

// Defer implements backend.Tx.
func (t *tx) Defer(ctx context.Context, d backend.Deferred) error {
	c, err := t.handing(d.Statement, &d.Args, d.Row)
	if err != nil {
		return err
	}
	c.failed, c.certain = d.Failed, d.Certain && !c.text.reply.checked()
	t.deferred = append(t.deferred, c)
	if len(t.deferred) == maxDeferred {
		return t.Flush(ctx)
	}
	return nil
}

// Flush implements backend.Tx.
func (t *tx) Flush(ctx context.Context) error {
	n := len(t.deferred) - 1
	if n < 0 {
		return nil
	}
	c := t.deferred[n]
	t.deferred = t.deferred[:n]
	t.last = t.last && c.certain
	return t.send(ctx, c)
}

// call prepares the run of a statement, as long as the transaction takes any.
func (t *tx) call(s backend.Statement, a *backend.Args) (call, error) {
	if t.failed != nil {
		return call{}, t.failed
	}
	if t.ended {
		return call{}, errors.New("the transaction has had its last statement")
	}
	stmt, values, err := prepare(s, a)
	if err != nil {
		return call{}, err
	}
	text, err := stmt.textFor(t.c.UTC())
	return call{text: text, values: values}, err
}

// send begins the transaction when that wasn't done, runs deferred statements and a statement, and
// reads the results. The first failure is the last statement of the transaction.
func (t *tx) send(ctx context.Context, c call) error {
	deferred := t.deferred
	t.deferred = nil
	for attempt := 0; ; attempt++ {
		e := wire.Execution{Text: &c.text.Text, Values: c.values, Formats: c.formats}
		first := !t.open
		// Whether a check holds is known when the rows were read, and only then.
		commits := t.last && !c.text.reply.checked() && !slices.ContainsFunc(deferred, func(d call) bool { return !d.certain })
		alone := first && commits && len(deferred) == 0 && t.c.Implicit
		if first {
			e.Before, t.open = t.begin(ctx, alone), true
		}
		began := len(e.Before)
		for _, d := range deferred {
			e.Before = append(e.Before, wire.Command{SQL: d.text.SQL, Values: d.values, Formats: d.formats, Once: d.text.Once, Read: d.read})
		}
		if commits && !alone {
			e.After = []wire.Command{{SQL: wire.Commit}}
		}
		sent := time.Now()
		res, err := t.c.Execute(ctx, e)
		answered := time.Now()
		if err == nil {
			err = c.read(res)
		}
		if commits && t.c.PG.TxStatus() == wire.Idle {
			t.ended = err == nil || !alone
		}
		if err == nil {
			t.c.Pool.Meter.Answered(sent, answered)
			return nil
		}
		if alone && wire.State(err) == wire.StateReadOnly {
			// The server's default has changed: from now on the connection sets what it needs.
			t.c.Implicit, t.open = false, false
			continue
		}
		if first && len(deferred) == 0 && t.c.Renew(ctx, err, c.text.SQL, attempt) {
			// Nothing else was done yet: the transaction can begin again.
			t.c.Rollback(ctx)
			t.open, t.ended = false, false
			continue
		}
		if before := (wire.CommandError{}); errors.As(err, &before) && before.Index >= began {
			c = deferred[before.Index-began]
		}
		t.stale = t.c.Renew(ctx, err, c.text.SQL, t.attempt)
		t.failed = runError(ctx, t.c, err, c.text, c.values)
		if c.failed != nil {
			t.failed = c.failed(t.failed)
		}
		return t.failed
	}
}
