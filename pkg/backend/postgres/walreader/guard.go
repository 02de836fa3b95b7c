package walreader

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/quote"
)

// checkEvery is how often it is checked that what is watched is what it was.
const checkEvery = 30 * time.Second

// What ends listening, so that everything is watched again.
var (
	errAltered   = errors.New("a table that is watched was altered, or the publication was")
	errElsewhere = errors.New("the address of the source leads to another server than the one whose log is read")
)

// shapes describe tables: when one is described otherwise than before, its changes may not be reported as they were.
const shapes = `SELECT w.oid::text, (SELECT concat_ws(' ', s.nspname, c.relname, c.relkind, c.relreplident, c.relpersistence, c.relrowsecurity, ` + published + `,
		(SELECT string_agg(concat_ws(' ', a.attnum, a.attname, a.atttypid, a.attcollation), ',' ORDER BY a.attnum) FROM pg_attribute a
			WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
		(SELECT string_agg(concat_ws(' ', i.indexrelid, i.indisprimary, i.indisreplident, i.indisvalid), ',' ORDER BY i.indexrelid) FROM pg_index i
			WHERE i.indrelid = c.oid AND (i.indisprimary OR i.indisreplident)))
	FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE c.oid = w.oid)
FROM unnest($1::oid[]) AS w(oid)`

// shapesOf returns the shapes of tables, given by their ids; that of a table that is gone is empty.
func shapesOf(ctx context.Context, pg *pgconn.PgConn, ids []string) (map[string]string, error) {
	list := make([][]byte, len(ids))
	for i, id := range ids {
		list[i] = []byte(id)
	}
	rows, err := query(ctx, pg, shapes, quote.Array(list))
	if err != nil {
		return nil, err
	}
	found := make(map[string]string, len(rows))
	for _, r := range rows {
		found[string(r[0])] = string(r[1])
	}
	return found, nil
}

// serverOf names the server that a connection leads to, as long as that isn't started again.
func serverOf(ctx context.Context, pg *pgconn.PgConn) (string, error) {
	rows, err := query(ctx, pg, `SELECT concat_ws(' ', pg_postmaster_start_time(), inet_server_port(), pg_is_in_recovery())`)
	if err != nil {
		return "", err
	}
	return string(rows[0][0]), nil
}

// remember notes the shapes of tables that are watched for the first time.
func (f *Feed) remember(ctx context.Context, pg *pgconn.PgConn, ids []string) error {
	f.mu.Lock()
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, known := f.shapes[id]
		return known
	})
	f.mu.Unlock()
	if len(unknown) == 0 {
		return nil
	}
	found, err := shapesOf(ctx, pg, unknown)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, shape := range found {
		if _, known := f.shapes[id]; !known {
			f.shapes[id] = shape
		}
	}
	return nil
}

// guard returns when a table that is watched isn't what it was any more, or when the statements of the source go to
// another server than the one whose log is read. While neither can be known, nothing is reported either.
func (f *Feed) guard(ctx context.Context, server string) error {
	for {
		if err := sleep(ctx, f.checkEvery); err != nil {
			return err
		}
		c, err := f.pool.Acquire(ctx)
		if err != nil {
			continue
		}
		err = f.check(ctx, c.PG, server)
		c.Release()
		if errors.Is(err, errAltered) || errors.Is(err, errElsewhere) {
			return err
		}
	}
}

func (f *Feed) check(ctx context.Context, pg *pgconn.PgConn, server string) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	now, err := serverOf(ctx, pg)
	if err != nil {
		return err
	}
	if now != server {
		return errElsewhere
	}
	f.mu.Lock()
	before := maps.Clone(f.shapes)
	f.mu.Unlock()
	if len(before) == 0 {
		return nil
	}
	found, err := shapesOf(ctx, pg, slices.Collect(maps.Keys(before)))
	if err != nil {
		return err
	}
	if !maps.Equal(before, found) {
		return errAltered
	}
	rows, err := query(ctx, pg, fit)
	if err == nil && (len(rows) == 0 || string(rows[0][0]) != "true") {
		return errAltered
	}
	return err
}
