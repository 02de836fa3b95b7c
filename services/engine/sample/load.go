package sample

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed schema.sql
var schemaSQL string

//go:embed constraints.sql
var constraintsSQL string

//go:embed metadata.json
var metadataJSON []byte

// Metadata is the shop's metadata, as the arguments of replace_metadata. Its source is
// named default and reads the address of the database from ENGINE_GRAPHQL_DATABASE_URL.
func Metadata() []byte { return append([]byte(nil), metadataJSON...) }

// Loaded reports whether the database holds the shop.
func Loaded(ctx context.Context, databaseURL string) (bool, error) {
	return ask(ctx, databaseURL, `SELECT to_regclass('public.invoice_lines') IS NOT NULL`)
}

// Empty reports whether schema public of the database has no tables or views at all, but for those of extensions, so that the
// shop can't collide with any.
func Empty(ctx context.Context, databaseURL string) (bool, error) {
	return ask(ctx, databaseURL, `SELECT NOT EXISTS (SELECT FROM pg_class c
		WHERE c.relnamespace = to_regnamespace('public') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
		AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))`)
}

// connect says of a database that refuses only why: before it, the driver names the attempt with TLS.
func connect(ctx context.Context, databaseURL string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if refused := new(pgconn.PgError); errors.As(err, &refused) {
		err = refused
	}
	if err != nil {
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return conn, nil
}

func ask(ctx context.Context, databaseURL, question string) (bool, error) {
	conn, err := connect(ctx, databaseURL)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var yes bool
	err = conn.QueryRow(ctx, question).Scan(&yes)
	return yes, err
}

// Load makes the shop's tables in schema public and fills them, all in one transaction: it
// is there as a whole or not at all. It fails where one of the tables exists.
func Load(ctx context.Context, databaseURL string, size Size) error {
	conn, err := connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return load(ctx, tx, size) })
	if err != nil {
		return fmt.Errorf("loading the sample: %w", err)
	}
	// Without statistics the first queries get poor plans.
	_, err = conn.Exec(ctx, `VACUUM ANALYZE`)
	return err
}

func load(ctx context.Context, tx pgx.Tx, size Size) error {
	if _, err := tx.Exec(ctx, schemaSQL); err != nil {
		return err
	}
	tables := size.Tables()
	for _, t := range tables {
		if err := copyRows(ctx, tx, t); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	// Checking a key and building an index once is much faster than row by row.
	if _, err := tx.Exec(ctx, constraintsSQL); err != nil {
		return err
	}
	for _, t := range tables {
		if t.Columns[0] != "id" {
			continue
		}
		next := `SELECT setval(pg_get_serial_sequence($1, 'id'), max(id)) FROM ` + pgx.Identifier{t.Name}.Sanitize()
		if _, err := tx.Exec(ctx, next, t.Name); err != nil {
			return err
		}
	}
	return nil
}

func copyRows(ctx context.Context, tx pgx.Tx, t Table) error {
	next, stop := iter.Pull(t.Rows)
	defer stop()
	_, err := tx.CopyFrom(ctx, pgx.Identifier{t.Name}, t.Columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, ok := next()
		if !ok {
			return nil, nil //nolint:nilnil // the way to end a copy
		}
		return row, nil
	}))
	return err
}
