package eventreader

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

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
	}
	w.clear()
	return nil
}

// clear forgets the changes that were gathered.
func (w *writer) clear() {
	for _, t := range w.triggers {
		t.pending = nil
	}
	w.gathered, w.bytes = 0, 0
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
		w.on.Logger.WarnContext(ctx, "row no longer matches the table definition; event carries column text",
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
	values, err := w.values(ctx, t, list)
	if err != nil {
		return err
	}
	if err := run(ctx, w.pg, "SAVEPOINT events"); err != nil {
		return err
	}
	rows, err := query(ctx, w.pg, "SELECT "+call(t, 0), values...)
	if err != nil {
		return errors.Join(err, run(ctx, w.pg, "ROLLBACK TO events"))
	}
	w.events += int(relationID(rows[0][0]))
	return run(ctx, w.pg, "RELEASE events")
}

// values are changes as arguments of the function of a trigger.
func (w *writer) values(ctx context.Context, t *trigger, list []change) ([][]byte, error) {
	now, err := w.table(ctx, t.relation)
	if err != nil {
		return nil, err
	}
	ops, before, after, times := make([][]byte, len(list)), make([][]byte, len(list)), make([][]byte, len(list)), make([][]byte, len(list))
	for i := range list {
		c := &list[i]
		ops[i] = []byte(c.op)
		before[i] = pgoutput.RowText(now.columns, c.relation, c.old, nil)
		after[i] = pgoutput.RowText(now.columns, c.relation, c.new, c.old)
		times[i] = []byte(pgoutput.Time(c.microsecond).Format(timeFormat))
	}
	return [][]byte{quote.Array(ops), quote.Array(before), quote.Array(after), quote.Array(times)}, nil
}

// timeFormat is that of times for the database.
const timeFormat = "2006-01-02 15:04:05.999999Z07:00"

const writeTextsSQL = `INSERT INTO engine_catalog.event_log (id, schema_name, table_name, trigger_name, payload, created_at)
	VALUES (engine_catalog.new_event_id(), $1, $2, $3, engine_catalog.event_payload($4, $5), $6::timestamptz)`

// writeTexts writes an event with all columns of a row, whose values are texts.
func (w *writer) writeTexts(ctx context.Context, t *trigger, c change) error {
	data, err := json.Marshal(map[string]any{"old": textsOf(c.relation, c.old, nil), "new": textsOf(c.relation, c.new, c.old)})
	if err != nil {
		return err
	}
	_, err = query(ctx, w.pg, writeTextsSQL, []byte(c.relation.Schema), []byte(c.relation.Name), []byte(t.name), []byte(c.op), data,
		[]byte(pgoutput.Time(c.microsecond).Format(timeFormat)))
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
