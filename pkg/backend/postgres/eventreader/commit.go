package eventreader

import (
	"context"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/quote"
)

// sessionSQL makes transactions those that write what is committed: the events are on disk before their place is confirmed. They are, too,
// before they are delivered, or an event that was would come again after a crash of the server with another id.
const sessionSQL = `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE;
	SELECT set_config('synchronous_commit', 'local', false) WHERE current_setting('synchronous_commit') = 'off'`

// positionSQL fails to find its row when another process has written meanwhile.
const positionSQL = `UPDATE engine_catalog.log_position SET lsn = $2 WHERE slot = ` + eventlog.SlotSQL + ` AND lsn = $1 RETURNING true`

// begin begins a transaction for what doesn't fit into one statement, unless that has begun.
func (w *writer) begin(ctx context.Context) error {
	if w.open {
		return nil
	}
	if w.gathered == 0 {
		w.since = time.Now()
	}
	w.open = true
	return run(ctx, w.pg, "BEGIN")
}

// commit writes what was gathered, with the place up to which that is all, and confirms the latter.
func (w *writer) commit(ctx context.Context, log log) error {
	if w.gathered > 0 || w.open {
		if err := w.commitEvents(ctx); err != nil {
			return err
		}
		log.confirm(w.position)
	} else if err := w.move(ctx, w.reached.End, log); err != nil {
		return err
	}
	log.pace.Wrote(w.transactions)
	w.transactions, w.done = 0, true
	if w.ended && len(w.triggers) == 0 {
		w.ended = false
		return errIdle
	}
	return nil
}

// move writes the place that was reached without a change, when that is far enough for the server to keep much log otherwise. It is confirmed
// by the next one, when a standby server that has the slot most likely has the place, too.
func (w *writer) move(ctx context.Context, at pgoutput.LSN, log log) error {
	log.confirm(w.position)
	if at < w.position+far {
		return nil
	}
	if err := w.writePosition(ctx, at); err != nil {
		return err
	}
	w.position = at
	return nil
}

func (w *writer) writePosition(ctx context.Context, at pgoutput.LSN) error {
	moved, err := query(ctx, w.pg, positionSQL, []byte(w.position.String()), []byte(at.String()))
	if err == nil && len(moved) == 0 {
		err = errOvertaken
	}
	return err
}

func (w *writer) commitEvents(ctx context.Context) error {
	at := max(w.reached.End, w.position)
	done := false
	if !w.open {
		var err error
		if done, err = w.commitAtOnce(ctx, at); err != nil {
			return err
		}
	}
	if !done {
		if err := w.commitOpen(ctx, at); err != nil {
			return err
		}
	}
	w.position = at
	w.on.Made(w.events, max(0, time.Since(w.current.Time)))
	w.open, w.events = false, 0
	return nil
}

// commitAtOnce writes and commits by a single statement. It reports false, and has written nothing, when the database refuses that.
func (w *writer) commitAtOnce(ctx context.Context, at pgoutput.LSN) (bool, error) {
	args := [][]byte{[]byte(w.position.String()), []byte(at.String())}
	var calls []string
	for _, t := range w.triggers {
		if len(t.pending) == 0 {
			continue
		}
		values, err := w.values(ctx, t, t.pending)
		if err != nil {
			return false, err
		}
		calls = append(calls, call(t, len(args)))
		args = append(args, values...)
	}
	rows, err := query(ctx, w.pg, `WITH moved AS (`+positionSQL+`) SELECT made.n, CASE WHEN made.n > 0 THEN (`+eventlog.RingSQL+`) END
		FROM (SELECT `+strings.Join(calls, " + ")+` AS n FROM moved OFFSET 0) AS made`, args...)
	if isRefusal(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if len(rows) == 0 {
		return false, errOvertaken
	}
	w.events = int(relationID(rows[0][0]))
	w.clear()
	return true, nil
}

// call calls the function of a trigger with the arguments of a statement behind the first ones.
func call(t *trigger, behind int) string {
	text := "engine_catalog." + quote.Name(eventlog.LogFunction(t.name)) + "("
	for i, of := range []string{"text[]", "text[]", "text[]", "timestamptz[]"} {
		if i > 0 {
			text += ", "
		}
		text += "$" + strconv.Itoa(behind+i+1) + "::" + of
	}
	return text + ")"
}

// commitOpen commits the open transaction, which is begun where there is none.
func (w *writer) commitOpen(ctx context.Context, at pgoutput.LSN) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	if err := w.writePosition(ctx, at); err != nil {
		return err
	}
	if w.events > 0 {
		if _, err := query(ctx, w.pg, eventlog.RingSQL); err != nil {
			return err
		}
	}
	return run(ctx, w.pg, "COMMIT")
}
