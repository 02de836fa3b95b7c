package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/session"
)

// Mutate opens a read-write transaction on the primary, runs f in it, and commits when f returns nil. A
// statement that failed, or a check that didn't hold, rolls everything back, whatever f returns. If the
// source is configured for it, a transaction that could not be serialised with others is repeated:
// nothing of it has happened, and f is called again.
func (s *Server) Mutate(ctx context.Context, user *session.Session, f func(backend.Tx) error) error {
	set, err := s.session.forMutation(user)
	if err != nil {
		return err
	}
	t := &tx{holding: holding{server: s.primary}}
	defer t.release()
	if !t.server.Writes.Possible() {
		if err := t.take(ctx); err != nil {
			return err
		}
	}
	for stale, conflicts := 0, 0; ; {
		*t = tx{holding: t.holding, user: user, settings: s.session, set: set, attempt: stale}
		err := t.run(ctx, f)
		switch {
		case t.refused != nil:
			return t.refused
		case t.stale:
			stale++
		case conflicts < s.primary.Endpoint.SerializationRetries && backend.ConflictOf(err) == backend.Serialization:
			conflicts++
			if !pause(ctx, conflicts) {
				return err
			}
		default:
			return err
		}
	}
}

// pause waits before the n-th repetition, for longer and longer, so that conflicting transactions come
// one after the other. It is false when the caller is gone.
func pause(ctx context.Context, n int) bool {
	longest := min(time.Millisecond<<min(n, 8), maxPause)
	return lifecycle.Sleep(ctx, rand.N(longest))
}

const maxPause = 100 * time.Millisecond

// run runs f and ends the transaction.
func (t *tx) run(ctx context.Context, f func(backend.Tx) error) error {
	err := f(t)
	if err == nil {
		err = t.Flush(ctx)
	}
	if err == nil {
		err = t.failed
	}
	switch {
	case !t.open || t.ended:
		return err
	case err != nil:
		t.c.Rollback(ctx)
		return err
	}
	return t.commit(ctx)
}

// holding is the connection of a transaction, and of its repetitions. It is taken when it is needed: not by a statement that
// shares a round trip.
type holding struct {
	server *schedule.Scheduler
	c      *wire.Conn // nil before it is taken
	turn   schedule.WriteTicket
	// refused is why there is none.
	refused error
	// alone is that of a statement that could have shared; tried is set once it was tried.
	alone schedule.Ticket
	tried bool
}

func (h *holding) take(ctx context.Context) error {
	if h.c == nil && h.refused == nil {
		h.c, h.turn, h.refused = h.server.AcquireToWrite(ctx)
	}
	return h.refused
}

func (h *holding) release() {
	if h.c != nil {
		h.c.Release()
		h.turn.End()
	}
	h.alone.End()
}

// tx is a transaction. It begins with its first statement, in the same round trip.
type tx struct {
	holding
	user *session.Session
	// settings are nil where the source sets nothing; set are their values.
	settings *sessionSettings
	set      [][]byte
	open     bool
	failed   error
	// stale reports whether a statement failed for what the session had kept and isn't so any more:
	// everything can be done again.
	stale bool
	// attempt counts how often that has happened.
	attempt int
	// ahead is what announcement has made.
	ahead     wire.Command
	announced bool
	// last is set when the next statement is the last one; ended, when its commit went
	// with it.
	last, ended bool
	// deferred are statements that go along with the next one.
	deferred []call
}

// Last marks the next statement as the last one: see backend.Last.
func (t *tx) Last() { t.last = true }

// begin opens the transaction and gives triggers the session. Statements sent in one round trip without
// BEGIN are a transaction of their own, at the defaults of the connection; alone reports whether this
// will do.
func (t *tx) begin(ctx context.Context, alone bool) []wire.Command {
	var before []wire.Command
	if !alone {
		isolation := t.c.Pool.Endpoint.Isolation.SQL()
		before = append(before, wire.Command{SQL: "BEGIN ISOLATION LEVEL " + isolation + " READ WRITE"})
		if t.c.Pool.Endpoint.Distributed {
			before = append(before, oneByOne)
		}
	}
	if c := t.announcement(ctx); c.SQL != "" {
		before = append(before, c)
	}
	return before
}

// oneByOne has Citus write the parts of a table one after the other. It refuses to write a reference table when a statement of the
// transaction before has written several at the same time.
var oneByOne = wire.Command{SQL: "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"}

// announcement is the command that passes the session; zero for none.
func (t *tx) announcement(ctx context.Context) wire.Command {
	if !t.announced {
		t.ahead, _ = wire.Announce(ctx, t.user, true)
		if t.settings != nil {
			t.ahead = t.settings.ahead(t.set, t.ahead)
		}
		t.announced = true
	}
	return t.ahead
}

func (t *tx) commit(ctx context.Context) error {
	tag, err := t.c.PG.ExecParams(ctx, wire.Commit, nil, nil, nil, nil).Close()
	if err != nil {
		t.stale = t.c.Renew(ctx, err, wire.Commit, t.attempt) // what was deferred to here failed, and the rest with it
		return wire.QueryError(ctx, err, wire.Executed{SQL: wire.Commit, Distributed: t.c.Pool.Endpoint.Distributed})
	}
	if tag.String() != wire.Commit {
		return apierror.New(apierror.Unexpected, "database query error").
			WithInternal("the transaction was rolled back: " + tag.String())
	}
	return nil
}

// checked reports whether rows have a check.
func (a *reply) checked() bool { return a.kind == replyMutation && a.check >= 0 }

// holds reports whether the check of a row holds. As in row security, one that is NULL does not.
func (a *reply) holds(row [][]byte, binary bool) bool {
	if a.check < 0 {
		return true
	}
	if binary {
		return len(row[a.check]) == 1 && row[a.check][0] != 0
	}
	return string(row[a.check]) == "t"
}

// complete reports an answer that has fewer rows than must have been written.
func (a *reply) complete(rows int64) error {
	if rows >= int64(a.least) {
		return nil
	}
	return apierror.New(apierror.Unexpected, "database query error").
		WithInternal(fmt.Sprintf("the database gave back %d of %d written rows", rows, a.least))
}

// eachWritten gives the rows of a mutation to f. All rows are read before a check that doesn't hold
// is reported, so that the connection stays in step.
func eachWritten(w *answer.Writer, r *wire.Result, a *reply, f func(row [][]byte) error) error {
	if a.kind != replyMutation {
		_ = r.Close()
		return errors.New("only mutations hand out rows")
	}
	w.Reset()
	var fault error
	rows := int64(0)
	for r.Next() {
		rows++
		row := r.Row()
		switch {
		case fault != nil:
		case !a.holds(row.Values, a.formats != nil):
			fault = backend.CheckFailed()
		default:
			handed := a.handed.Of(w, row)
			if fault = w.Err; fault == nil {
				fault = f(handed)
			}
		}
	}
	affected, err := r.Finish()
	if err != nil {
		return err
	}
	if fault == nil {
		fault = a.complete(rows)
	}
	for ; fault == nil && rows < affected; rows++ {
		fault = f(nil)
	}
	return fault
}

// writeMutation appends the answer of a mutation.
func writeMutation(w *answer.Writer, dst []byte, res *wire.Result, a *reply) []byte {
	out := a.output.Begin()
	rows := int64(0)
	for w.Err == nil && res.Next() {
		rows++
		row := res.Row()
		if !a.holds(row.Values, true) {
			w.Err = backend.CheckFailed()
			break
		}
		out.Add(w, row)
	}
	affected, err := res.Finish()
	if err == nil && w.Err == nil {
		w.Err = a.complete(rows)
	}
	if err != nil || w.Err != nil {
		return dst // the caller that closes the result reports it
	}
	return out.Append(dst, affected)
}
