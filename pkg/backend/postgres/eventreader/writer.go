package eventreader

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/walreader"
)

const (
	// most and mostBytes bound the changes that are gathered before they are written.
	most      = 500
	mostBytes = 1 << 20
	// together is how long transactions are gathered that are committed as one while there are more of them.
	together = 50 * time.Millisecond
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

	// definitions is the table of the triggers, position the last commit whose events are written.
	definitions uint32
	position    pgoutput.LSN
	triggers    map[string]*trigger
	byTable     map[uint32][]*trigger
	// ended reports whether a trigger has ended.
	ended     bool
	relations map[uint32]*pgoutput.Relation
	tables    map[uint32]*table

	// current is the transaction that is read; it is skipped when it was read before, and replicated when it
	// comes from another server.
	current             pgoutput.Begin
	skipped, replicated bool

	// open reports whether a transaction is open that writes, since began.
	open  bool
	began time.Time
	// gathered and bytes are those of the changes that aren't written, events those written since began.
	gathered, bytes, events int
}

func newWriter(pg *pgconn.PgConn, on backend.EventProgress) *writer {
	return &writer{pg: pg, on: on, relations: map[uint32]*pgoutput.Relation{}, tables: map[uint32]*table{}}
}

// write writes the events of messages until ctx ends. After each commit confirm is called with the
// end of the last transaction.
func (w *writer) write(ctx context.Context, messages <-chan walreader.Message, confirm func(pgoutput.LSN)) error {
	for {
		var m walreader.Message
		select {
		case m = <-messages:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := w.take(ctx, m); err != nil {
			return err
		}
		if m.Commit == nil {
			continue
		}
		if w.gathered > 0 {
			if err := w.begin(ctx); err != nil {
				return err
			}
		}
		if w.open && len(messages) > 0 && time.Since(w.began) < together {
			continue
		}
		if err := w.commit(ctx, m.Commit.Commit); err != nil {
			return err
		}
		confirm(m.Commit.End)
		if w.ended && len(w.triggers) == 0 {
			w.ended = false
			return errIdle
		}
	}
}

func (w *writer) take(ctx context.Context, m walreader.Message) error {
	switch {
	case m.Begin != nil:
		w.current, w.replicated = *m.Begin, false
		w.skipped = m.Begin.Final <= w.position
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
	w.bytes += len(data)
	if w.gathered++; w.gathered < most && w.bytes < mostBytes {
		return nil
	}
	return w.flush(ctx)
}

// begin begins to write, unless that has begun. The events are on disk before their place is confirmed.
func (w *writer) begin(ctx context.Context) error {
	if w.open {
		return nil
	}
	w.open, w.began = true, time.Now()
	return run(ctx, w.pg, `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
		SELECT set_config('synchronous_commit', 'local', true) WHERE current_setting('synchronous_commit') = 'off'`)
}

// positionSQL fails to find its row when another process has written meanwhile.
const positionSQL = `UPDATE engine_catalog.log_position SET lsn = $2 WHERE slot = ` + eventlog.SlotSQL + ` AND lsn = $1 RETURNING true`

// commit writes what was gathered, with the place up to which that is all.
func (w *writer) commit(ctx context.Context, at pgoutput.LSN) error {
	if !w.open {
		return nil
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	moved, err := query(ctx, w.pg, positionSQL, []byte(w.position.String()), []byte(max(at, w.position).String()))
	if err != nil {
		return err
	}
	if len(moved) == 0 {
		return errOvertaken
	}
	if w.events > 0 {
		if _, err := query(ctx, w.pg, eventlog.RingSQL); err != nil {
			return err
		}
	}
	if err := run(ctx, w.pg, "COMMIT"); err != nil {
		return err
	}
	w.position = max(at, w.position)
	w.on.Made(w.events, max(0, time.Since(w.current.Time)))
	w.open, w.events = false, 0
	return nil
}
