package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/config"
	"queryengine/pkg/metadatadb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// latest is the version of the tables that this program works with. Migration n is the
// file that starts with "n_" and leads from n-1 to n.
const latest = 5

// migrationLock is the advisory lock of migrations; the number has no meaning.
const migrationLock = 7_402_311_900_001

// FirstVersion is the version of metadata that was never changed.
const FirstVersion = 1

// Migrate brings the tables up to date, in one transaction. Processes that start at once
// wait for each other.
func (s *Store) Migrate(ctx context.Context) error {
	cause := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(`+strconv.Itoa(migrationLock)+`)`); err != nil {
			return err
		}
		current, err := tableVersion(ctx, tx)
		if err != nil {
			return err
		}
		if current > latest {
			return fmt.Errorf("the metadata database has catalog version %d, this server knows up to version %d", current, latest)
		}
		return migrate(ctx, tx, current)
	})
	err := s.explain(cause)
	refused := new(pgconn.PgError)
	switch {
	case !errors.As(cause, &refused):
	case refused.Code == readOnly:
		return fmt.Errorf("%w; the metadata needs a database that can be written: %s names another one", err, config.MetadataDatabaseURL.Spec().Name())
	case refused.Code == noPrivilege:
		return fmt.Errorf("%w; the metadata is kept in the schema engine_catalog, so its user needs CREATE on the database "+
			"(GRANT CREATE ON DATABASE ... TO ...), or %s names another database", err, config.MetadataDatabaseURL.Spec().Name())
	}
	return err
}

// Codes of PostgreSQL: what a user may not do, and what a transaction, a database or a standby may not.
const (
	noPrivilege = "42501"
	readOnly    = "25006"
)

// explain keeps the words of our own and of the server, not the address.
func (s *Store) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("metadata database: %s", metadatadb.WithoutAddress(err)) //nolint:errorlint // the chain holds the address
}

// tableVersion is 0 when there are no tables yet.
func tableVersion(ctx context.Context, tx pgx.Tx) (int, error) {
	var exists bool
	err := tx.QueryRow(ctx, `SELECT to_regclass('engine_catalog.engine_version') IS NOT NULL`).Scan(&exists)
	if err != nil || !exists {
		return 0, err
	}
	var text string
	if err := tx.QueryRow(ctx, `SELECT version FROM engine_catalog.engine_version`).Scan(&text); err != nil {
		return 0, err
	}
	version, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("the schema engine_catalog has catalog version %q, which is not one of this server", text)
	}
	return version, nil
}

func migrate(ctx context.Context, tx pgx.Tx, current int) error {
	if current == latest {
		return nil
	}
	if _, err := tx.Exec(ctx, `DO $$ BEGIN IF to_regnamespace('engine_catalog') IS NULL THEN CREATE SCHEMA engine_catalog; END IF; END $$`); err != nil {
		return err
	}
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	for _, f := range files {
		var n int
		if _, err := fmt.Sscanf(f.Name(), "%d_", &n); err != nil {
			return fmt.Errorf("migration %s: %w", f.Name(), err)
		}
		if n <= current {
			continue
		}
		sql, err := migrations.ReadFile("migrations/" + f.Name())
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, string(sql)); err != nil {
			return fmt.Errorf("migration %s: %w", f.Name(), err)
		}
	}
	if current == 0 {
		return initialise(ctx, tx)
	}
	_, err = tx.Exec(ctx, `UPDATE engine_catalog.engine_version SET version = $1, upgraded_on = now()`, strconv.Itoa(latest))
	return err
}

// initialise gives a new database its identity and version 1: an empty document.
func initialise(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `INSERT INTO engine_catalog.engine_version (engine_uuid, version) VALUES ($1, $2)`,
		uuid.NewString(), strconv.Itoa(latest)); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO engine_catalog.metadata_version (stream_id, resource_version) VALUES ($1, $2)`, uuid.NewString(), FirstVersion)
	return err
}
