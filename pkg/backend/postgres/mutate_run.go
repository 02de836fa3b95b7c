package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/session"
)

// maxStale bounds how often a transaction begins again because of statements that are out of
// date.
const maxStale = 8

// Mutate opens a read-write transaction on the primary, runs f in it, and commits when f
// returns nil. A statement that failed, or a check that didn't hold, rolls everything back,
// whatever f returns. Where the source says so, what could not be serialised with other
// transactions is done again: nothing of it has happened, and f is called anew.
func (s *Source) Mutate(ctx context.Context, user *session.Session, f func(backend.Tx) error) error {
	c, err := s.primary.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	for stale, conflicts := 0, 0; ; {
		t := &tx{c: c, user: user}
		err := t.run(ctx, f)
		switch {
		case t.stale && stale < maxStale:
			stale++
		case conflicts < s.primary.endpoint.SerializationRetries && backend.ConflictOf(err) == backend.Serialization:
			conflicts++
			if !pause(ctx, conflicts) {
				return err
			}
		default:
			return err
		}
	}
}

// pause waits before the n-th time that something is done again, for longer and longer, so that
// those who were in each other's way come one after the other. It is false when the caller is
// gone.
func pause(ctx context.Context, n int) bool {
	longest := min(time.Millisecond<<min(n, 8), maxPause)
	return lifecycle.Sleep(ctx, rand.N(longest))
}

const maxPause = 100 * time.Millisecond

// run runs f and ends the transaction.
func (t *tx) run(ctx context.Context, f func(backend.Tx) error) error {
	err := f(t)
	if err == nil {
		err = t.failed
	}
	switch {
	case !t.open || t.ended:
		return err
	case err != nil:
		t.rollback(ctx)
		return err
	}
	return t.commit(ctx)
}

// tx is a transaction. It begins with its first statement, in the same round trip.
type tx struct {
	c      *conn
	user   *session.Session
	open   bool
	failed error
	// stale says that a statement failed that the connection had prepared for what isn't so
	// any more: everything can be done again.
	stale bool
	// last is set when the next statement is the last one; ended, when its commit went
	// with it.
	last, ended bool
}

// Last says that the next statement is the last one: see backend.Last.
func (t *tx) Last() { t.last = true }

// Query runs a statement and appends its answer to out.
func (t *tx) Query(ctx context.Context, s backend.Statement, a backend.Args, out *backend.Answer) error {
	mark, sent := len(out.Buf), out.Sent()
	err := t.execute(ctx, s, a, binaryResults, func(res *result, text *rendered) error {
		return t.c.answer(res, text, out)
	})
	if err != nil && out.Sent() == sent {
		out.Buf = out.Buf[:mark]
	}
	return err
}

// Exec runs a mutation and gives f the values of Returning of each row that it wrote, as
// text; they are valid until f returns. Without Returning, f gets an empty row for each.
func (t *tx) Exec(ctx context.Context, s backend.Statement, a backend.Args, f func(row [][]byte) error) error {
	return t.execute(ctx, s, a, nil, func(res *result, text *rendered) error {
		return res.each(&text.answer, f)
	})
}

// execute begins the transaction when that wasn't done, runs a statement and reads its
// result. The first failure is the last statement of the transaction.
func (t *tx) execute(ctx context.Context, s backend.Statement, a backend.Args, formats []int16,
	read func(*result, *rendered) error,
) error {
	if t.failed != nil {
		return t.failed
	}
	if t.ended {
		return errors.New("the transaction has had its last statement")
	}
	stmt, values, err := prepare(s, &a)
	if err != nil {
		return err
	}
	text, err := stmt.textFor(t.c.utc())
	if err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		e := execution{text: text, values: values, formats: formats}
		first := !t.open
		// Whether a check holds is known when the rows were read, and only then.
		commits := t.last && text.answer.check < 0
		alone := first && commits && t.c.implicit
		if first {
			e.before, t.open = t.begin(ctx, alone), true
		}
		if commits && !alone {
			e.after = []command{{sql: sqlCommit}}
		}
		res, err := t.c.execute(ctx, e)
		if err == nil {
			err = read(res, text)
		}
		if commits && t.c.pg.TxStatus() == txIdle {
			t.ended = err == nil || !alone
		}
		if err == nil {
			return nil
		}
		if alone && state(err) == stateReadOnly {
			// The server's default has changed: from now on the connection says what it wants.
			t.c.implicit, t.open = false, false
			continue
		}
		if first && attempt == 0 && outdated(err) {
			// Nothing else was done yet: the transaction can begin again.
			t.c.forget(ctx, err, text.sql)
			t.rollback(ctx)
			t.open = false
			continue
		}
		if outdated(err) && !t.ended {
			t.c.forget(ctx, err, text.sql)
			t.stale = true
		}
		t.failed = t.c.failed(ctx, err, text, values)
		return t.failed
	}
}

const sqlCommit = "COMMIT"

// begin opens the transaction and tells triggers who writes. What is sent in one round trip
// without BEGIN is a transaction of its own, at the defaults of the connection; alone says
// that this will do.
func (t *tx) begin(ctx context.Context, alone bool) []command {
	var before []command
	if !alone {
		isolation := t.c.pool.endpoint.Isolation.sql()
		before = append(before, command{sql: "BEGIN ISOLATION LEVEL " + isolation + " READ WRITE"})
	}
	if c, ok := announce(ctx, t.user, true); ok {
		before = append(before, c)
	}
	return before
}

func (t *tx) commit(ctx context.Context) error {
	tag, err := t.c.pg.ExecParams(ctx, sqlCommit, nil, nil, nil, nil).Close()
	if err != nil {
		return queryError(ctx, err, executed{SQL: sqlCommit})
	}
	if tag.String() != sqlCommit {
		return apierror.New(apierror.Unexpected, "database query error").
			WithInternal("the transaction was rolled back: " + tag.String())
	}
	return nil
}

// rollback ends the transaction also when the caller is gone. A connection that can't do it
// is closed, which has the same effect.
func (t *tx) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if t.c.pg.IsClosed() || t.c.pg.TxStatus() == txIdle {
		return
	}
	if _, err := t.c.pg.ExecParams(ctx, "ROLLBACK", nil, nil, nil, nil).Close(); err != nil {
		t.c.discard()
	}
}

// errCheck is the fault of a row that the permission doesn't allow.
func errCheck() error {
	return apierror.New(apierror.PermissionError, "check constraint of an insert/update permission has failed")
}

// holds says whether the check of a row holds. One that is NULL does.
func (a *answer) holds(row [][]byte, binary bool) bool {
	if a.check < 0 || row[a.check] == nil {
		return true
	}
	if binary {
		return len(row[a.check]) == 1 && row[a.check][0] != 0
	}
	return string(row[a.check]) == "t"
}

// each gives the rows of a mutation to f. All rows are read before a check that doesn't hold
// is reported, so that the connection stays in step.
func (r *result) each(a *answer, f func(row [][]byte) error) error {
	if a.kind != answerMutation {
		_ = r.close()
		return errors.New("only mutations hand out rows")
	}
	var fault error
	rows := int64(0)
	for r.next() {
		rows++
		values := r.row().values
		switch {
		case fault != nil:
		case !a.holds(values, false):
			fault = errCheck()
		default:
			fault = f(values[:a.columns])
		}
	}
	affected, err := r.finish()
	if err != nil {
		return err
	}
	for ; fault == nil && rows < affected; rows++ {
		fault = f(nil)
	}
	return fault
}

// mutation appends the answer of a mutation. Counts may stand in front of rows, so these are
// collected apart.
func (w *rowWriter) mutation(dst []byte, res *result, a *answer) []byte {
	lists := make([][]byte, len(a.output.parts))
	rows := 0
	for w.err == nil && res.next() {
		row := res.row()
		if !a.holds(row.values, true) {
			w.err = errCheck()
			break
		}
		for i, p := range a.output.parts {
			if p.shape == nil || p.one && rows > 0 {
				continue
			}
			if rows > 0 {
				lists[i] = append(lists[i], ", "...)
			}
			lists[i] = w.object(lists[i], p.shape, row)
		}
		rows++
	}
	affected, err := res.finish()
	if err != nil || w.err != nil {
		return dst // whoever closes the result reports it
	}
	for i, p := range a.output.parts {
		dst = append(dst, p.lead...)
		switch {
		case p.count:
			dst = strconv.AppendInt(dst, affected, 10)
		case p.one && rows == 0:
			dst = append(dst, "null"...)
		case p.one:
			dst = append(dst, lists[i]...)
		default:
			dst = append(append(append(dst, '['), lists[i]...), ']')
		}
	}
	return append(dst, a.output.tail...)
}
