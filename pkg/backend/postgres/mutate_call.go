package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
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
	stmt, values, err := t.prepare(s, &a)
	if err != nil {
		return err
	}
	if t.c == nil {
		if done, err := t.share(ctx, stmt, values, out); done {
			return err
		}
	}
	c, err := t.call(ctx, stmt, values)
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
	c, err := t.handing(ctx, s, &a, f)
	if err != nil {
		return err
	}
	return t.send(ctx, c)
}

// handing prepares the run of a statement whose rows are handed to f.
func (t *tx) handing(ctx context.Context, s backend.Statement, a *backend.Args, f func(row [][]byte) error) (call, error) {
	stmt, values, err := t.prepare(s, a)
	if err != nil {
		return call{}, err
	}
	c, err := t.call(ctx, stmt, values)
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
	c, err := t.handing(ctx, d.Statement, &d.Args, d.Row)
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

// prepare resolves the parameters of a statement, as long as the transaction takes any.
func (t *tx) prepare(s backend.Statement, a *backend.Args) (*statement, [][]byte, error) {
	if t.failed != nil {
		return nil, nil, t.failed
	}
	if t.ended {
		return nil, nil, errors.New("the transaction has had its last statement")
	}
	return prepare(s, a)
}

// share runs a statement that is all of the transaction in a shared round trip. Where done is false, it isn't run.
func (t *tx) share(ctx context.Context, stmt *statement, values [][]byte, out *backend.Answer) (done bool, err error) {
	if t.tried || !t.last || t.open || len(t.deferred) > 0 || stmt.utc.reply.kind != replyMutation {
		return false, nil
	}
	t.tried = true
	j := stmt.job(values)
	j.Ahead = t.announcement(ctx)
	outcome, turn, err := t.server.Writes.Run(ctx, j, out)
	switch outcome {
	case schedule.Alone, 0:
		t.alone = turn
		return false, nil
	case schedule.Refused:
		t.refused = err
		return true, err
	case schedule.Lost:
		err = wire.ConnectError(ctx, errLost)
	}
	t.ended, t.failed = err == nil, err
	return true, err
}

// errLost is the error of a statement whose connection was lost when it had been sent.
var errLost = errors.New("the connection was lost before the answer")

// call prepares the run of a statement on a connection of its own.
func (t *tx) call(ctx context.Context, stmt *statement, values [][]byte) (call, error) {
	if err := t.take(ctx); err != nil {
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
			if alone {
				c.text.cost.Ran(answered.Sub(sent), 0)
			}
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
