package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Pending is a change that waits to be published, as its JSON.
type Pending struct {
	Version int64
	Change  []byte
}

// Pending reads the outbox in order, at most limit changes.
func (s *Store) Pending(ctx context.Context, limit int) ([]Pending, error) {
	return s.rows(ctx, `SELECT version, change::text FROM engine_catalog.metadata_change
		WHERE NOT published ORDER BY version LIMIT $1`, limit)
}

// Oldest is the oldest change that waits to be published, and for how long it has waited;
// version 0 for none.
func (s *Store) Oldest(ctx context.Context) (version int64, waits time.Duration, err error) {
	var seconds float64
	err = s.pool.QueryRow(ctx, `SELECT version, extract(epoch FROM clock_timestamp() - at)::float8
		FROM engine_catalog.metadata_change WHERE NOT published ORDER BY version LIMIT 1`).Scan(&version, &seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, 0, nil
	}
	return version, time.Duration(seconds * float64(time.Second)), failure(err)
}

// History reads the change that made a version; ok is false when it isn't kept any more.
func (s *Store) History(ctx context.Context, version int64) (p Pending, ok bool, err error) {
	found, err := s.rows(ctx, `SELECT version, change::text FROM engine_catalog.metadata_change WHERE version = $1`, version)
	if err != nil || len(found) == 0 {
		return Pending{}, false, err
	}
	return found[0], true, nil
}

func (s *Store) rows(ctx context.Context, sql string, arg any) ([]Pending, error) {
	rows, err := s.pool.Query(ctx, sql, arg)
	if err != nil {
		return nil, failure(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Pending])
	return found, failure(err)
}

// Published marks the changes up to a version, and forgets those that are older than the
// history that is kept.
func (s *Store) Published(ctx context.Context, version int64) error {
	b := &pgx.Batch{}
	b.Queue(`UPDATE engine_catalog.metadata_change SET published = true WHERE NOT published AND version <= $1`, version)
	if s.history > 0 {
		b.Queue(pruneSQL, version-int64(s.history))
	}
	if s.historyAge > 0 {
		b.Queue(pruneAged, version, s.historyAge)
	}
	return failure(s.pool.SendBatch(ctx, b).Close())
}

// Unpublish puts the changes after a version, up to another one, back into the outbox and returns how
// many of them are kept. Later ones, which may be committed at any moment, are in it anyway.
func (s *Store) Unpublish(ctx context.Context, after, upTo int64) (int64, error) {
	var n int64
	err := s.pool.QueryRow(ctx, `WITH changed AS (
			UPDATE engine_catalog.metadata_change SET published = false WHERE version > $1 AND version <= $2 RETURNING version
		) SELECT count(*) FROM changed`, after, upTo).Scan(&n)
	return n, failure(err)
}

// Fork gives the stream another identity: later versions are not those that the old identity stood for.
// It returns the current identity, which is a new one unless another process was first.
func (s *Store) Fork(ctx context.Context, old string) (string, error) {
	_, err := s.pool.Exec(ctx, `UPDATE engine_catalog.metadata_version SET stream_id = $2 WHERE stream_id = $1`, old, uuid.NewString())
	if err != nil {
		return "", failure(err)
	}
	v, err := s.Version(ctx)
	return v.StreamID, err
}
