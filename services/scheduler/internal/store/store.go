// Package store is the scheduler's part of the metadata database: the lease that makes one
// of several schedulers the active one, and the events of cron triggers and one-off events.
//
// The tables are made by the metadata service, which also plans the first ticks of a
// trigger, in the transaction that creates it.
package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"queryengine/pkg/metadatadb"
)

// patience bounds each round trip to the database.
const patience = 15 * time.Second

// Store is safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool
	holder string
	lease  time.Duration
}

// Open prepares the store of the scheduler called holder; it connects when it is used.
func Open(url, holder string, lease time.Duration) (*Store, error) {
	pool, err := metadatadb.Open(metadatadb.Config{URL: url, Application: "query engine scheduler", LockTimeout: "10s"})
	if err != nil {
		return nil, err
	}
	return &Store{pool: pool, holder: holder, lease: lease}, nil
}

// Close ends all connections.
func (s *Store) Close() { s.pool.Close() }

// Ping is nil when the database answers.
func (s *Store) Ping(ctx context.Context) error { return metadatadb.Ping(ctx, s.pool) }

// acquireSQL takes the lease or renews it. The clock is the database's: those of the
// schedulers may differ.
const acquireSQL = `INSERT INTO engine_catalog.scheduler_lease AS l (holder, expires_at) VALUES ($1, now() + $2)
	ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
	WHERE l.holder = excluded.holder OR l.expires_at < now()
	RETURNING true`

// Acquire reports whether this scheduler is the active one for the time of a lease.
func (s *Store) Acquire(ctx context.Context) (active bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = s.pool.QueryRow(ctx, acquireSQL, s.holder, s.lease).Scan(&active)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return active, failure(err)
}

// Release gives the lease up; when that fails it runs out.
func (s *Store) Release() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = s.pool.Exec(ctx, `UPDATE engine_catalog.scheduler_lease SET expires_at = '-infinity' WHERE holder = $1`, s.holder)
}

// transaction runs f in a transaction.
func (s *Store) transaction(ctx context.Context, f func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return failure(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return f(ctx, tx) }))
}

// failure is err in words that don't hold the database's address.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("metadata database: %s", metadatadb.WithoutAddress(err)) //nolint:errorlint // the chain holds the address
}
