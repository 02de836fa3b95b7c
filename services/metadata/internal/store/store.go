package store

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/metadatadb"
	"queryengine/pkg/snapshot"
)

// lockTimeout bounds the wait for a lock of another process: a request that may not go on
// fails rather than hang.
const lockTimeout = "15s"

// Config configures the metadata database.
type Config struct {
	// URL is a PostgreSQL address, or dynamic-from-file:///path.
	URL string
	// MaxConnections of the pool, 4 when it is 0.
	MaxConnections int
	// History is how many versions are kept, HistoryAge how long; all and forever for 0.
	History    int
	HistoryAge time.Duration
}

// Store is safe for concurrent use.
type Store struct {
	pool       *pgxpool.Pool
	config     *pgx.ConnConfig
	history    int
	historyAge time.Duration
}

// Open prepares the pool; it connects when it is used.
func Open(c Config) (*Store, error) {
	pool, err := metadatadb.Open(metadatadb.Config{
		URL: c.URL, Application: "query engine metadata", MaxConnections: c.MaxConnections, LockTimeout: lockTimeout,
	})
	if err != nil {
		return nil, err
	}
	return &Store{pool: pool, config: pool.Config().ConnConfig, history: c.History, historyAge: c.HistoryAge}, nil
}

// Close ends all connections.
func (s *Store) Close() { s.pool.Close() }

// Connect opens a connection outside of the pool, which the caller closes.
func (s *Store) Connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	return conn, failure(err)
}

// Version is the current version.
type Version struct {
	StreamID string
	Number   int64
}

const versionSQL = `SELECT stream_id::text, resource_version FROM engine_catalog.metadata_version`

// Version reads the current version.
func (s *Store) Version(ctx context.Context) (Version, error) {
	var v Version
	err := s.pool.QueryRow(ctx, versionSQL).Scan(&v.StreamID, &v.Number)
	return v, failure(err)
}

// Load reads everything.
func (s *Store) Load(ctx context.Context) (*snapshot.Snapshot, error) {
	var loaded *snapshot.Snapshot
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			var v Version
			if err := tx.QueryRow(ctx, versionSQL).Scan(&v.StreamID, &v.Number); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, `SELECT kind, source, schema, name, value FROM engine_catalog.metadata_object`)
			if err != nil {
				return err
			}
			objects, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (snapshot.Object, error) {
				o := snapshot.Object{Op: snapshot.OpSet}
				err := row.Scan(&o.Kind, &o.Source, &o.Schema, &o.Name, &o.Value)
				return o, err
			})
			if err != nil {
				return err
			}
			loaded, err = (&snapshot.Snapshot{Document: metadata.Empty()}).Overlay(
				&snapshot.Change{StreamID: v.StreamID, Version: v.Number, Objects: sourcesFirst(objects)})
			return err
		})
	return loaded, failure(err)
}

// sourcesFirst puts the heads of sources and catalogs in front of what belongs to them.
func sourcesFirst(objects []snapshot.Object) []snapshot.Object {
	ordered := make([]snapshot.Object, 0, len(objects))
	isHead := func(o snapshot.Object) bool { return o.Kind == snapshot.KindSource || o.Kind == snapshot.KindCatalog }
	for _, o := range objects {
		if isHead(o) {
			ordered = append(ordered, o)
		}
	}
	for _, o := range objects {
		if !isHead(o) {
			ordered = append(ordered, o)
		}
	}
	return ordered
}

// Changes reads the changes after a version, in order, at most limit.
func (s *Store) Changes(ctx context.Context, after int64, limit int) ([]*snapshot.Change, error) {
	rows, err := s.pool.Query(ctx,
		`SELECT change FROM engine_catalog.metadata_change WHERE version > $1 ORDER BY version LIMIT $2`, after, limit)
	if err != nil {
		return nil, failure(err)
	}
	changes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*snapshot.Change, error) {
		var raw []byte
		if err := row.Scan(&raw); err != nil {
			return nil, err
		}
		return snapshot.DecodeChange(raw)
	})
	return changes, failure(err)
}

// Ping runs a trivial statement.
func (s *Store) Ping(ctx context.Context) error { return metadatadb.Ping(ctx, s.pool) }

// Await waits for a database that isn't up yet, and logs what it waits for.
func (s *Store) Await(ctx context.Context, patience time.Duration, logger *slog.Logger) error {
	return metadatadb.Await(ctx, s.pool, patience, logger)
}

// failure makes an apierror of a fault of the database; one that is already there is kept.
func failure(err error) error {
	var known *apierror.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	var sql *pgconn.PgError
	var connect *pgconn.ConnectError
	if !errors.As(err, &sql) || errors.As(err, &connect) || isConnectionState(sql.Code) {
		return apierror.New(apierror.PostgresError, "connection error").
			WithStatus(http.StatusServiceUnavailable).
			WithInternal("metadata database: " + metadatadb.WithoutAddress(err))
	}
	if sql.Code == "40001" || sql.Code == "55P03" {
		return apierror.New(apierror.ConcurrentUpdate, "serialization failure due to concurrent update")
	}
	if reason, ok := metadatadb.Unstorable(err); ok {
		return apierror.New(apierror.DataException, "the metadata database can't store this: "+reason)
	}
	return apierror.New(apierror.Unexpected, "database query error").
		WithStatus(http.StatusInternalServerError).
		WithInternal(sql.Error())
}

// isConnectionState reports whether the server ends the connection: it shuts down, or an operator
// has cut it.
func isConnectionState(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P")
}
