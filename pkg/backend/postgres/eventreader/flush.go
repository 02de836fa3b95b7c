package eventreader

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/eventlog"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/quote"
)

// flush writes the changes that were gathered, those of each trigger in their order.
func (w *writer) flush(ctx context.Context) error {
	if w.gathered == 0 {
		return nil
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	for _, t := range w.triggers {
		if len(t.pending) == 0 {
			continue
		}
		if err := w.writeAll(ctx, t); err != nil {
			return err
		}
		t.pending = nil
	}
	w.gathered, w.bytes = 0, 0
	return nil
}

// writeAll writes the changes of a trigger. When the database refuses them the table may have changed since
// its description, or since the change: one after the other is tried, and of what can't be read as a row of
// the table there is an event with the texts of its values.
func (w *writer) writeAll(ctx context.Context, t *trigger) error {
	err := w.tryWrite(ctx, t, t.pending)
	if err == nil || !isRefusal(err) {
		return err
	}
	delete(w.tables, t.relation)
	for _, c := range t.pending {
		one := []change{c}
		err := w.tryWrite(ctx, t, one)
		if err == nil {
			continue
		}
		if !isRefusal(err) {
			return err
		}
		w.on.Logger.WarnContext(ctx, "a change is no row of its table any more: its event has the texts of its columns",
			"trigger", t.name, "error", err)
		if err := w.writeTexts(ctx, t, c); err != nil {
			return err
		}
	}
	return nil
}

// isRefusal reports whether the database has refused data or a name, which it would do again.
func isRefusal(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (strings.HasPrefix(pg.Code, "22") || strings.HasPrefix(pg.Code, "42") || strings.HasPrefix(pg.Code, "23"))
}

// tryWrite writes changes, all or none of them.
func (w *writer) tryWrite(ctx context.Context, t *trigger, list []change) error {
	now, err := w.table(ctx, t.relation)
	if err != nil {
		return err
	}
	var ops, before, after, times [][]byte
	for i := range list {
		c := &list[i]
		ops = append(ops, []byte(c.op))
		before = append(before, pgoutput.RowText(now.columns, c.relation, c.old, nil))
		after = append(after, pgoutput.RowText(now.columns, c.relation, c.new, c.old))
		times = append(times, []byte(pgoutput.Time(c.microsecond).Format("2006-01-02 15:04:05.999999Z07:00")))
	}
	if err := run(ctx, w.pg, "SAVEPOINT events"); err != nil {
		return err
	}
	sql := `SELECT count(*) FILTER (WHERE engine_catalog.` + quote.Name(eventlog.LogFunction(t.name)) + `(r.op, r.old, r.new, r.at))
		FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS r(op, old, new, at)`
	rows, err := query(ctx, w.pg, sql, quote.Array(ops), quote.Array(before), quote.Array(after), quote.Array(times))
	if err != nil {
		return errors.Join(err, run(ctx, w.pg, "ROLLBACK TO events"))
	}
	w.events += int(relationID(rows[0][0]))
	return run(ctx, w.pg, "RELEASE events")
}

const writeTextsSQL = `INSERT INTO engine_catalog.event_log (id, schema_name, table_name, trigger_name, payload, created_at)
	VALUES (engine_catalog.new_event_id(), $1, $2, $3, engine_catalog.event_payload($4, $5), $6::timestamptz)`

// writeTexts writes an event with all columns of a row, whose values are texts.
func (w *writer) writeTexts(ctx context.Context, t *trigger, c change) error {
	data, err := json.Marshal(map[string]any{"old": textsOf(c.relation, c.old, nil), "new": textsOf(c.relation, c.new, c.old)})
	if err != nil {
		return err
	}
	_, err = query(ctx, w.pg, writeTextsSQL, []byte(c.relation.Schema), []byte(c.relation.Name), []byte(t.name), []byte(c.op), data,
		[]byte(pgoutput.Time(c.microsecond).Format("2006-01-02 15:04:05.999999Z07:00")))
	w.events++
	return err
}

func textsOf(relation *pgoutput.Relation, row, before pgoutput.Tuple) map[string]*string {
	if row == nil {
		return nil
	}
	texts := map[string]*string{}
	for _, c := range relation.Columns {
		var text *string
		if value := pgoutput.ValueOf(c.Name, relation, row, before); value != nil {
			s := string(value)
			text = &s
		}
		texts[c.Name] = text
	}
	return texts
}
