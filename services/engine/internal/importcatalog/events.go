package importcatalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// batch is how many rows are copied at once.
const batch = 1000

// eventTable is a table of scheduled events and what ours of it is.
type eventTable struct {
	what, theirs, ours string
	columns            string // with their types
	// locked reports whether a row may be in delivery; such a row is due again.
	locked bool
}

// eventTables are in the order of their references.
var eventTables = []eventTable{
	{"one-off events", "hdb_scheduled_events", "engine_scheduled_events", "id text, webhook_conf json, scheduled_time timestamptz, retry_conf json, " +
		"payload json, header_conf json, status text, tries int, created_at timestamptz, next_retry_at timestamptz, comment text", true},
	{"calls for one-off events", "hdb_scheduled_event_invocation_logs", "engine_scheduled_event_invocation_logs", invocationColumns, false},
	{"events of cron triggers", "hdb_cron_events", "engine_cron_events", "id text, trigger_name text, scheduled_time timestamptz, status text, " +
		"tries int, created_at timestamptz, next_retry_at timestamptz", true},
	{"calls for events of cron triggers", "hdb_cron_event_invocation_logs", "engine_cron_event_invocation_logs", invocationColumns, false},
}

const invocationColumns = "id text, event_id text, status int, request json, response json, created_at timestamptz"

// Taken is how many rows of a kind there are, and how many of them were taken.
type Taken struct {
	What         string
	Found, Taken int64
}

// errUndo ends a transaction whose work was only to be counted.
var errUndo = errors.New("dry run")

// CopyEvents copies scheduled events into our metadata database, in one transaction, which is
// undone when dry is set.
func (c *Catalogue) CopyEvents(ctx context.Context, ours *pgx.Conn, dry bool) (list []Taken, err error) {
	err = pgx.BeginFunc(ctx, ours, func(tx pgx.Tx) error {
		for _, t := range eventTables {
			taken, err := c.copyTable(ctx, tx, t)
			if err != nil {
				return fmt.Errorf("%s: %w", t.what, err)
			}
			list = append(list, taken)
		}
		if dry {
			return errUndo
		}
		return nil
	})
	if errors.Is(err, errUndo) {
		err = nil
	}
	return list, err
}

func (c *Catalogue) copyTable(ctx context.Context, ours pgx.Tx, t eventTable) (Taken, error) {
	taken := Taken{What: t.what}
	found, err := c.has(ctx, t.theirs)
	if err != nil || !found {
		return taken, err
	}
	insert := t.insert()
	last := ""
	for {
		var text string
		var n int64
		row := c.tx.QueryRow(ctx, `SELECT coalesce(json_agg(t ORDER BY t.id COLLATE "C")::text, '[]'), count(*), coalesce(max(t.id COLLATE "C"), '')
			FROM (SELECT * FROM hdb_catalog.`+t.theirs+` WHERE id::text COLLATE "C" > $1 ORDER BY id::text COLLATE "C" LIMIT $2) t`, last, batch)
		if err := row.Scan(&text, &n, &last); err != nil {
			return taken, err
		}
		if n == 0 {
			return taken, nil
		}
		tag, err := ours.Exec(ctx, insert, text)
		if err != nil {
			return taken, err
		}
		taken.Found += n
		taken.Taken += tag.RowsAffected()
	}
}

// insert is the statement that writes rows, a JSON array. Calls of events that weren't taken,
// because ours has that tick already, are left.
func (t eventTable) insert() string {
	var names []string
	for _, column := range strings.Split(t.columns, ", ") {
		name, _, _ := strings.Cut(column, " ")
		names = append(names, name)
	}
	list := strings.Join(names, ", ")
	values := "r." + strings.Join(names, ", r.")
	where := ""
	if t.locked {
		values = strings.Replace(values, "r.status", "CASE r.status WHEN 'locked' THEN 'scheduled' ELSE r.status END", 1)
	} else {
		events := strings.TrimSuffix(t.ours, "_invocation_logs") + "s"
		where = " WHERE EXISTS (SELECT FROM engine_catalog." + events + " e WHERE e.id = r.event_id)"
	}
	return "INSERT INTO engine_catalog." + t.ours + " (" + list + ") SELECT " + values +
		" FROM json_to_recordset($1::json) AS r(" + t.columns + ")" + where + " ON CONFLICT DO NOTHING"
}
