package eventreader

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/walreader"
)

const (
	// most and mostBytes bound the changes that are gathered before they are written, of one transaction; twice as many end the
	// gathering of transactions.
	most      = 500
	mostBytes = 1 << 20
	// together is how long transactions are gathered that are committed as one while there are more of them.
	together = 50 * time.Millisecond
	// far is how much of the log may be read without a change before that is written down.
	far = 1 << 20
)

// The operations, as the functions of triggers know them.
const (
	opInsert = "INSERT"
	opUpdate = "UPDATE"
	opDelete = "DELETE"
)

var (
	// errIdle reports that no trigger needs the log any more.
	errIdle = errors.New("no trigger is read from the log")
	// errOvertaken reports that another process has made events meanwhile; nothing was written.
	errOvertaken = errors.New("another process makes the events")
)

// writer writes the events of what was read. It belongs to one goroutine.
type writer struct {
	pg *pgconn.PgConn
	on backend.EventProgress

	// definitions is the table of the triggers, position the place up to which events are written. The slot isn't confirmed to be needed
	// no more up to a place behind that: so one that is has lost changes.
	definitions uint32
	position    pgoutput.LSN
	triggers    map[string]*trigger
	byTable     map[uint32][]*trigger
	// ended reports whether a trigger has ended.
	ended     bool
	relations map[uint32]*pgoutput.Relation
	tables    map[uint32]*table

	// current is the transaction that is read; it is skipped when it was read before, and replicated when it
	// comes from another server. wanted reports whether it has a change that was gathered, within that its commit wasn't read.
	current                     pgoutput.Begin
	skipped, replicated, wanted bool
	within                      bool
	// reached is the end of the last transaction that was read; done reports whether it is committed here, too.
	reached pgoutput.Commit
	done    bool

	// open reports whether a transaction is open that writes.
	open bool
	// gathered and bytes count changes that aren't written, events what the open transaction has written.
	gathered, bytes, events int
	// transactions are those of what isn't committed, of which the first change was gathered at since.
	transactions int
	since        time.Time
}

func newWriter(pg *pgconn.PgConn, on backend.EventProgress) *writer {
	return &writer{pg: pg, on: on, relations: map[uint32]*pgoutput.Relation{}, tables: map[uint32]*table{}, done: true}
}

// log is what is read.
type log struct {
	batches <-chan []walreader.Message
	pace    *walreader.Pace
	// confirm tells that nothing before a place is needed again.
	confirm func(pgoutput.LSN)
}

// write writes the events of messages until ctx ends, and confirms their place.
func (w *writer) write(ctx context.Context, log log) error {
	for {
		batch, late, err := w.next(ctx, log)
		if err != nil {
			return err
		}
		for i := range batch {
			if at := batch[i].Reached; at != 0 && w.done {
				if err := w.move(ctx, at, log); err != nil {
					return err
				}
			}
			if err := w.take(ctx, batch[i]); err != nil {
				return err
			}
			if batch[i].Commit == nil || !w.isMuch() {
				continue
			}
			if err := w.commit(ctx, log); err != nil {
				return err
			}
		}
		if w.within || w.done || len(log.batches) > 0 || !late && w.wait(log) > 0 {
			continue
		}
		if err := w.commit(ctx, log); err != nil {
			return err
		}
	}
}

// wait is how long what was gathered waits for more.
func (w *writer) wait(log log) time.Duration {
	if w.within || w.transactions == 0 {
		return 0
	}
	return log.pace.Wait(w.since)
}

// next is the next batch of messages; it is late when none has come for as long as a commit may wait.
func (w *writer) next(ctx context.Context, log log) (batch []walreader.Message, late bool, err error) {
	var wait <-chan time.Time
	if d := w.wait(log); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		wait = timer.C
	}
	select {
	case batch = <-log.batches:
		return batch, false, nil
	case <-wait:
		return nil, true, nil
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
}

// isMuch reports whether what was gathered is worth a commit, or has waited for long enough.
func (w *writer) isMuch() bool {
	return w.gathered >= most/2 || w.bytes >= mostBytes/2 || (w.gathered > 0 || w.open) && time.Since(w.since) >= together
}

func (w *writer) take(ctx context.Context, m walreader.Message) error {
	switch {
	case m.Begin != nil:
		w.current, w.replicated, w.within = *m.Begin, false, true
		w.skipped = m.Begin.Final < w.position
	case m.Commit != nil:
		w.reached, w.done, w.within = *m.Commit, false, false
		if w.wanted {
			w.transactions++
			w.wanted = false
		}
	case m.Origin:
		w.replicated = true
	case m.Relation != nil:
		w.relations[m.Relation.ID] = m.Relation
		delete(w.tables, m.Relation.ID)
	case m.Row != nil && !w.skipped:
		return w.row(ctx, m.Table, m.Row) // TRUNCATE makes no events, as in triggers of rows
	}
	return nil
}

// row gathers the change of a row.
func (w *writer) row(ctx context.Context, relation uint32, data []byte) error {
	if relation != w.definitions && len(w.byTable[relation]) == 0 {
		return nil
	}
	m, err := pgoutput.Decode(data)
	if err != nil {
		return err
	}
	if relation == w.definitions {
		if insert, ok := m.(*pgoutput.Insert); ok {
			return w.define(ctx, insert)
		}
		return nil // its own doing
	}
	c := change{relation: w.relations[relation], microsecond: pgoutput.Micros(w.current.Time)}
	switch m := m.(type) {
	case *pgoutput.Insert:
		c.op, c.new = opInsert, m.New
	case *pgoutput.Update:
		c.op, c.new = opUpdate, m.New
		if m.Old != nil && m.Old.Whole {
			c.old = m.Old.Tuple
		}
	case *pgoutput.Delete:
		c.op, c.old = opDelete, m.Old.Tuple
	}
	wanted := false
	for _, t := range w.byTable[relation] {
		if t.wants(c.op, w.replicated) {
			t.pending = append(t.pending, c)
			wanted = true
		}
	}
	if !wanted {
		return nil
	}
	if w.gathered == 0 && !w.open {
		w.since = time.Now()
	}
	w.wanted = true
	w.bytes += len(data)
	if w.gathered++; w.gathered < most && w.bytes < mostBytes {
		return nil
	}
	return w.flush(ctx)
}
