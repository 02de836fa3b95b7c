package postgres

import (
	"context"
	"strconv"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/eventreader"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/walreader"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

// Changes of tables are reported by triggers that send a notification at the end of each statement
// that writes. Everything of it is in a schema of its own; dropping that with CASCADE removes
// all traces.
const (
	changesSchema  = "engine_live"
	changesChannel = "engine_live"
	changesTrigger = "engine_live_changed"
)

// watchLimit is how long a trigger may wait for its table: behind it, others wait.
const watchLimit = "2s"

// changes implements backend.Changes.
type changes struct{ pool *wire.Pool }

// Changes notifies of changes, when the source is configured to and is read where it is written: a
// replica lags behind its primary's notifications.
func (s *Server) Changes() backend.Changes {
	if s.changeFeed != ChangeFeedNotify || len(s.replicas) > 0 {
		return nil
	}
	return &changes{pool: s.primary.Pool}
}

// ChangeLog implements backend.LogSource, under the condition of Changes. It is read with a slot of the name.
func (s *Server) ChangeLog(name string) backend.Changes {
	if s.changeFeed != ChangeFeedLog || len(s.replicas) > 0 {
		return nil
	}
	return walreader.NewFeed(s.primary.Pool, name)
}

// MakeEvents implements backend.LogEvents.
func (s *Source) MakeEvents(ctx context.Context, p backend.EventProgress) error {
	return eventreader.Make(ctx, s.primary.Pool, p)
}

// watchedRelations finds the tables whose statements may change what relations hold. For views
// these are the tables that they read; and as a statement fires the triggers of the table
// only that it names, all tables of its inheritance tree.
const watchedRelations = `WITH RECURSIVE wanted AS (
	SELECT c.oid FROM unnest($1::text[], $2::text[]) AS n(schema, name)
	JOIN pg_namespace s ON s.nspname = n.schema JOIN pg_class c ON c.relnamespace = s.oid AND c.relname = n.name
), found(oid) AS (
	SELECT oid FROM wanted
	UNION
	SELECT next.oid FROM found, LATERAL (
		SELECT inhparent FROM pg_inherits WHERE inhrelid = found.oid
		UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = found.oid
		UNION ALL SELECT d.refobjid FROM pg_rewrite r
			JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
				AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
			WHERE r.ev_class = found.oid
	) AS next(oid)
)
SELECT c.oid::text, format('%I.%I', s.nspname, c.relname),
	EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = '` + changesTrigger + `' AND t.tgenabled <> 'D')::text,
	(c.relkind IN ('r', 'p', 'v') AND NOT c.relrowsecurity AND NOT EXISTS (
		SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
		WHERE r.ev_class = c.oid AND d.refclassid = 'pg_proc'::regclass))::text,
	(c.relkind = 'v')::text, (SELECT count(*) FROM wanted)::text
FROM found JOIN pg_class c ON c.oid = found.oid JOIN pg_namespace s ON s.oid = c.relnamespace
WHERE c.relkind NOT IN ('i', 'I', 't', 'S')`

// Watch implements backend.Changes.
func (w *changes) Watch(ctx context.Context, relations []catalog.Name) ([]string, error) {
	c, err := w.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	schemas, names := make([][]byte, len(relations)), make([][]byte, len(relations))
	for i, r := range relations {
		schemas[i], names[i] = []byte(r.Schema), []byte(r.Name)
	}
	r := c.PG.ExecParams(ctx, watchedRelations, [][]byte{quote.Array(schemas), quote.Array(names)}, nil, nil, nil).Read()
	if r.Err != nil {
		return nil, wire.InternalError(ctx, r.Err, wire.Executed{SQL: watchedRelations})
	}
	var ids, missing []string
	for _, row := range r.Rows {
		if string(row[3]) != "true" || string(row[5]) != strconv.Itoa(len(relations)) {
			return nil, backend.ErrUnwatchable
		}
		if string(row[4]) == "true" {
			continue // what a view reads is among the others
		}
		ids = append(ids, string(row[0]))
		if string(row[2]) != "true" {
			missing = append(missing, string(row[1]))
		}
	}
	if len(ids) == 0 {
		return nil, backend.ErrUnwatchable
	}
	for _, table := range missing {
		if err := w.addTrigger(ctx, c, table); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// addTrigger makes the trigger that notifies of the changes of a table; its name is quoted. Each table
// has a transaction of its own, so that never two of them are locked.
func (w *changes) addTrigger(ctx context.Context, c *wire.Conn, table string) error {
	sql := `BEGIN;
SET LOCAL lock_timeout = '` + watchLimit + `';
SELECT pg_advisory_xact_lock(hashtext('` + changesSchema + `'));
DO $$ BEGIN IF to_regnamespace('` + changesSchema + `') IS NULL THEN CREATE SCHEMA ` + changesSchema + `; END IF; END $$;
CREATE OR REPLACE FUNCTION ` + changesSchema + `.changed() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM pg_catalog.pg_notify('` + changesChannel + `', TG_RELID::text); RETURN NULL; END $$;
CREATE OR REPLACE TRIGGER ` + changesTrigger + ` AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ` + table + `
	FOR EACH STATEMENT EXECUTE FUNCTION ` + changesSchema + `.changed();
COMMIT`
	if _, err := c.PG.Exec(ctx, sql).ReadAll(); err != nil {
		if c.PG.TxStatus() != wire.Idle {
			c.Discard()
		}
		return wire.InternalError(ctx, err, wire.Executed{SQL: sql})
	}
	return nil
}

// Listen implements backend.Changes.
func (w *changes) Listen(ctx context.Context, ready func(), changed func(backend.Change)) error {
	return w.pool.Listen(ctx, changesChannel, ready, func(id string) { changed(backend.Change{ID: id}) })
}
