package importcatalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// Catalogue is the other engine's, in one snapshot.
type Catalogue struct {
	// Metadata is the document of its last version, Version.
	Metadata json.RawMessage
	Version  int64
	// Migrations are those that its command line has applied, by source and version; true marks
	// one that has begun and not ended.
	Migrations map[string]map[int64]bool
	// Actions is how many calls of asynchronous actions it has, which are not taken.
	Actions int64

	conn *pgx.Conn
	tx   pgx.Tx
}

// ErrNone is the error of a database that holds no such catalogue.
var ErrNone = errors.New("the database has no table hdb_catalog.hdb_metadata: it is not the metadata database of such an engine (version 2)")

// Open reads the catalogue of the database at url, and keeps the connection for CopyEvents.
func Open(ctx context.Context, url string) (*Catalogue, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("the metadata database to import from: %w", err)
	}
	c := &Catalogue{Migrations: map[string]map[int64]bool{}, conn: conn}
	if err = c.read(ctx); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	return c, nil
}

// Close ends the connection.
func (c *Catalogue) Close(ctx context.Context) error { return c.conn.Close(ctx) }

func (c *Catalogue) read(ctx context.Context) (err error) {
	if c.tx, err = c.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}); err != nil {
		return err
	}
	found, err := c.has(ctx, "hdb_metadata")
	if err != nil {
		return err
	}
	if !found {
		return ErrNone
	}
	if err := c.checkVersion(ctx); err != nil {
		return err
	}
	row := c.tx.QueryRow(ctx, `SELECT metadata::text, resource_version FROM hdb_catalog.hdb_metadata ORDER BY id LIMIT 1`)
	var text string
	switch err := row.Scan(&text, &c.Version); {
	case errors.Is(err, pgx.ErrNoRows):
		return errors.New("the table hdb_catalog.hdb_metadata has no row: the other engine has no metadata to import")
	case err != nil:
		return fmt.Errorf("metadata of the other engine: %w", err)
	}
	c.Metadata = json.RawMessage(text)
	if err := c.readMigrations(ctx); err != nil {
		return fmt.Errorf("migrations of the other engine: %w", err)
	}
	if found, err = c.has(ctx, "hdb_action_log"); err == nil && found {
		err = c.tx.QueryRow(ctx, `SELECT count(*) FROM hdb_catalog.hdb_action_log`).Scan(&c.Actions)
	}
	return err
}

// The versions of the catalogue that are read: the metadata has had a resource version since the
// first one, and the last one is what the other engine has made since.
const oldestVersion, newestVersion = 44, 48

// checkVersion refuses a catalogue of a layout that isn't known here.
func (c *Catalogue) checkVersion(ctx context.Context) error {
	found, err := c.has(ctx, "hdb_version")
	if err != nil {
		return err
	}
	var version string
	if found {
		err = c.tx.QueryRow(ctx, `SELECT coalesce(version, '') FROM hdb_catalog.hdb_version LIMIT 1`).Scan(&version)
	}
	switch {
	case !found || errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("the catalogue of the other engine has no version in hdb_catalog.hdb_version: import reads versions %d to %d",
			oldestVersion, newestVersion)
	case err != nil:
		return fmt.Errorf("catalogue version of the other engine: %w", err)
	}
	hint := "it was made by a newer release than this program knows"
	if n, err := strconv.Atoi(version); err != nil || n < oldestVersion {
		hint = "start its last release of version 2 on this database once, which brings the catalogue up to date"
	} else if n <= newestVersion {
		return nil
	}
	return fmt.Errorf("the catalogue of the other engine has version %q, and import reads versions %d to %d: %s",
		version, oldestVersion, newestVersion, hint)
}

// has reports whether the catalogue has a table.
func (c *Catalogue) has(ctx context.Context, table string) (found bool, err error) {
	err = c.tx.QueryRow(ctx, `SELECT to_regclass('hdb_catalog.' || $1) IS NOT NULL`, table).Scan(&found)
	return found, err
}

// readMigrations reads both places: the state of the newer command line, and the table of the
// older one, which knew one source.
func (c *Catalogue) readMigrations(ctx context.Context) error {
	if found, err := c.has(ctx, "schema_migrations"); err != nil {
		return err
	} else if found {
		rows, err := c.tx.Query(ctx, `SELECT version, dirty FROM hdb_catalog.schema_migrations`)
		if err != nil {
			return err
		}
		var version int64
		var dirty bool
		if _, err := pgx.ForEachRow(rows, []any{&version, &dirty}, func() error {
			c.migration("default", version, dirty)
			return nil
		}); err != nil {
			return err
		}
	}
	if found, err := c.has(ctx, "hdb_version"); err != nil || !found {
		return err
	}
	var text string
	err := c.tx.QueryRow(ctx, `SELECT coalesce(to_jsonb(v) ->> 'cli_state', '{}') FROM hdb_catalog.hdb_version v LIMIT 1`).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	var state struct{ Migrations map[string]map[string]bool }
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		return err
	}
	for source, versions := range state.Migrations {
		for version, dirty := range versions {
			n, err := strconv.ParseInt(version, 10, 64)
			if err != nil {
				return fmt.Errorf("version %q of source %s is no number", version, source)
			}
			c.migration(source, n, dirty)
		}
	}
	return nil
}

func (c *Catalogue) migration(source string, version int64, dirty bool) {
	if c.Migrations[source] == nil {
		c.Migrations[source] = map[int64]bool{}
	}
	c.Migrations[source][version] = dirty
}

// Sources are the names of the PostgreSQL sources of the document that have event triggers. A
// document of version 2 has one.
func (c *Catalogue) Sources() ([]string, error) {
	type table struct {
		EventTriggers []json.RawMessage `json:"event_triggers"`
	}
	var d struct {
		Tables  []table
		Sources []struct {
			Name, Kind string
			Tables     []table
		}
	}
	if err := json.Unmarshal(c.Metadata, &d); err != nil {
		return nil, fmt.Errorf("metadata of the other engine: %w", err)
	}
	var names []string
	add := func(name string, tables []table) {
		for _, t := range tables {
			if len(t.EventTriggers) > 0 {
				names = append(names, name)
				return
			}
		}
	}
	add("default", d.Tables)
	for _, s := range d.Sources {
		if s.Kind == "" || s.Kind == "postgres" {
			add(s.Name, s.Tables)
		}
	}
	return names, nil
}

// Merge adds the migrations that known doesn't have, and reports how many those are.
func (c *Catalogue) Merge(known map[string]map[int64]bool) (added int) {
	for source, versions := range c.Migrations {
		if known[source] == nil {
			known[source] = map[int64]bool{}
		}
		before := len(known[source])
		all := maps.Clone(versions)
		maps.Copy(all, known[source]) // what is known here stays
		known[source] = all
		added += len(all) - before
	}
	return added
}
