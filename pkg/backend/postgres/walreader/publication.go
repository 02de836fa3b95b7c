package walreader

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

// PublicationName is the publication of the tables whose changes are reported. It stays when no process
// reads; to drop it removes all traces.
const PublicationName = "engine_live"

const (
	// lockLimit is how long the lock of a table may be waited for: behind it, others wait.
	lockLimit = "2s"
	// writersCheck is how often transactions are looked at that are waited for.
	writersCheck = 20 * time.Millisecond
)

// fit is the state of the publication: no row when there is none.
const fit = `SELECT (p.pubinsert AND p.pubupdate AND p.pubdelete AND p.pubtruncate AND NOT p.pubviaroot
	AND NOT EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prqual IS NOT NULL))::text
FROM pg_publication p WHERE p.pubname = '` + PublicationName + `'`

// ensurePublication makes the publication where there is none; one that the owner of the database has made
// is taken as it is.
func ensurePublication(ctx context.Context, pg *pgconn.PgConn) error {
	rows, err := query(ctx, pg, fit)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		_, err := pg.Exec(ctx, `CREATE PUBLICATION `+PublicationName).ReadAll()
		if wire.State(err) == stateExists {
			return nil
		}
		return err
	}
	if string(rows[0][0]) != "true" {
		return errors.New("the publication " + PublicationName +
			" doesn't publish all changes: it must have no row filters, all operations, and publish_via_partition_root off")
	}
	return nil
}

// listed are the tables that the publication names itself, or all of the database: what was published
// before a stream began needs no care.
const listed = `SELECT c.oid::text FROM pg_publication p JOIN pg_class c ON c.relkind IN ('r', 'p')
	AND (p.puballtables
		OR EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = c.oid)
		OR EXISTS (SELECT FROM pg_publication_namespace n WHERE n.pnpubid = p.oid AND n.pnnspid = c.relnamespace))
WHERE p.pubname = '` + PublicationName + `'`

// published reports whether changes of the table c are published.
const published = `EXISTS (SELECT FROM pg_publication p WHERE p.pubname = '` + PublicationName + `' AND (p.puballtables
		OR EXISTS (SELECT FROM pg_publication_namespace n WHERE n.pnpubid = p.oid AND n.pnnspid = c.relnamespace)
		OR EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid
			AND (r.prrelid = c.oid OR r.prrelid IN (SELECT a.relid FROM pg_partition_ancestors(c.oid) a)))))`

// relations finds the tables whose changes may change what relations hold: for views the tables that they
// read, with the tables that inherit from them. Of each it says whether changes of it can be
// published, and whether they are.
const relations = `WITH RECURSIVE wanted AS (
	SELECT c.oid FROM unnest($1::text[], $2::text[]) AS n(schema, name)
	JOIN pg_namespace s ON s.nspname = n.schema JOIN pg_class c ON c.relnamespace = s.oid AND c.relname = n.name
), found(oid) AS (
	SELECT oid FROM wanted
	UNION
	SELECT next.oid FROM found, LATERAL (
		SELECT inhrelid FROM pg_inherits WHERE inhparent = found.oid
		UNION ALL SELECT d.refobjid FROM pg_rewrite r
			JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
				AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
			WHERE r.ev_class = found.oid
	) AS next(oid)
)
SELECT c.oid::text, format('%I.%I', s.nspname, c.relname), (c.relkind = 'v')::text,
	(c.relkind IN ('r', 'p', 'v') AND NOT c.relrowsecurity AND c.relpersistence <> 'u' AND NOT EXISTS (
		SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
		WHERE r.ev_class = c.oid AND d.refclassid = 'pg_proc'::regclass))::text,
	(c.relkind = 'v' OR c.relreplident = 'f' OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid
		AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END))::text,
	(` + published + `)::text,
	EXISTS (SELECT FROM pg_inherits i JOIN found f ON f.oid = i.inhparent WHERE i.inhrelid = c.oid AND c.relispartition)::text,
	(SELECT count(*) FROM wanted)::text
FROM found JOIN pg_class c ON c.oid = found.oid JOIN pg_namespace s ON s.oid = c.relnamespace
WHERE c.relkind NOT IN ('i', 'I', 't', 'S')`

// table is one that relations has found.
type table struct {
	id     string
	name   string // quoted
	listed bool
	// part reports whether it is published with a table that was found, too.
	part bool
}

// findTables returns the tables that relations depend on. A table whose rows can't be identified is not
// published: PostgreSQL would refuse to update it from then on.
func findTables(ctx context.Context, pg *pgconn.PgConn, names []catalog.Name) ([]table, error) {
	schemas, list := make([][]byte, len(names)), make([][]byte, len(names))
	for i, n := range names {
		schemas[i], list[i] = []byte(n.Schema), []byte(n.Name)
	}
	rows, err := query(ctx, pg, relations, quote.Array(schemas), quote.Array(list))
	if err != nil {
		return nil, err
	}
	var found []table
	is := func(cell []byte) bool { return string(cell) == "true" }
	for _, r := range rows {
		if !is(r[3]) || !is(r[4]) || string(r[7]) != strconv.Itoa(len(names)) {
			return nil, backend.ErrUnwatchable
		}
		if !is(r[2]) { // what a view reads is among the others
			found = append(found, table{id: string(r[0]), name: string(r[1]), listed: is(r[5]), part: is(r[6])})
		}
	}
	if len(found) == 0 {
		return nil, backend.ErrUnwatchable
	}
	return found, nil
}

// publish adds a table to the publication; its name is quoted. Each table has a transaction of its own,
// so that never two of them are locked.
func publish(ctx context.Context, pg *pgconn.PgConn, name string) error {
	return change(ctx, pg, `ALTER PUBLICATION `+PublicationName+` ADD TABLE ONLY `+name)
}

// settle returns when no transaction is left that has written to the tables before they were published.
// The server forgets what it has cached of them then: until version 15.13 what such a transaction made it
// cache, that the table isn't published, stays.
func settle(ctx context.Context, pg *pgconn.PgConn, ids [][]byte) error {
	const writers = `SELECT DISTINCT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND relation = ANY ($1::oid[])
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid IS DISTINCT FROM pg_backend_pid()
	AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
	AND ($2::text[] IS NULL OR virtualtransaction = ANY ($2::text[]))`
	var before []byte
	for {
		rows, err := query(ctx, pg, writers, quote.Array(ids), before)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		if before == nil {
			list := make([][]byte, len(rows))
			for i, r := range rows {
				list[i] = r[0]
			}
			before = quote.Array(list)
		}
		if err := sleep(ctx, writersCheck); err != nil {
			return fmt.Errorf("transactions that have written to the tables don't end: %w", err)
		}
	}
	return change(ctx, pg, `ALTER PUBLICATION `+PublicationName+` SET (publish = 'insert, update, delete, truncate')`)
}

// change runs a statement that locks a table or the publication.
func change(ctx context.Context, pg *pgconn.PgConn, sql string) error {
	_, err := pg.Exec(ctx, `BEGIN; SET LOCAL lock_timeout = '`+lockLimit+`'; SELECT pg_advisory_xact_lock(hashtext('`+
		PublicationName+`')); `+sql+`; COMMIT`).ReadAll()
	if err == nil {
		return nil
	}
	if _, ending := pg.Exec(ctx, "ROLLBACK").ReadAll(); ending != nil {
		return errors.Join(err, ending)
	}
	if wire.State(err) == stateExists {
		return nil // another process was faster
	}
	return err
}

// query runs a statement of which all values are text.
func query(ctx context.Context, pg *pgconn.PgConn, sql string, args ...[]byte) ([][][]byte, error) {
	r := pg.ExecParams(ctx, sql, args, nil, nil, nil).Read()
	return r.Rows, r.Err
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
