package actionlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"queryengine/pkg/metadatadb"
	"queryengine/pkg/session"
)

const (
	// lease is how long a call belongs to a worker that has stopped renewing it, renewal the interval
	// between renewals.
	lease   = 30 * time.Second
	renewal = lease / 3
	// patience bounds one statement.
	patience = 15 * time.Second
	// connections is shared by the requests that add and read calls, and the worker.
	connections = 10
)

// Log is the log of calls, in the metadata database. It is safe for concurrent use.
type Log struct{ pool *pgxpool.Pool }

// Open prepares the log; it connects when it is used.
func Open(url string) (*Log, error) {
	pool, err := metadatadb.Open(metadatadb.Config{
		URL: url, Application: "query engine event-delivery", LockTimeout: "10s", MaxConnections: connections,
	})
	if err != nil {
		return nil, err
	}
	return &Log{pool: pool}, nil
}

// Close ends all connections.
func (l *Log) Close() { l.pool.Close() }

// Ping is nil when the database answers.
func (l *Log) Ping(ctx context.Context) error { return metadatadb.Ping(ctx, l.pool) }

// Call is a call of an asynchronous action.
type Call struct {
	ID     string
	Action string
	// Input is the JSON object of the arguments.
	Input json.RawMessage
	// Session are all session variables of the client, with the role; Headers those of its
	// request that the handler may be shown.
	Session, Headers map[string]string
	// Version of the metadata that the action was found in.
	Version int64
}

// Add adds a call and returns its id: it will be made, even if this process dies now.
func (l *Log) Add(ctx context.Context, c *Call) (id string, err error) {
	err = l.pool.QueryRow(ctx, `INSERT INTO engine_catalog.engine_action_log
		(action_name, input_payload, request_headers, session_variables, metadata_version)
		VALUES ($1, $2, $3, $4, $5) RETURNING id::text`,
		c.Action, c.Input, given(c.Headers), given(c.Session), c.Version).Scan(&id)
	return id, failure(err)
}

// given is a map that isn't nil: the columns hold objects.
func given(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// Entry is what became of a call.
type Entry struct {
	// CreatedAt is a JSON string.
	CreatedAt json.RawMessage
	// Errors is why the call failed, Response the answer of the handler; nil for none.
	Errors, Response json.RawMessage
}

// ownerOf are the session variables that tell callers apart: by our names, which stay when the
// names of another engine come or go. nil stays nil.
func ownerOf(variables map[string]string) map[string]string {
	if variables == nil {
		return nil
	}
	return session.Own(variables)
}

// Read reads what became of a call of an action; nil when there is none. owner, when it isn't
// nil, are the session variables that the call has to have been made with.
func (l *Log) Read(ctx context.Context, action, id string, owner map[string]string) (*Entry, error) {
	e := &Entry{}
	err := l.pool.QueryRow(ctx, `SELECT to_json(created_at), errors, response_payload FROM engine_catalog.engine_action_log
		WHERE id = $1 AND action_name = $2 AND ($3::jsonb IS NULL OR $3 =
			(SELECT jsonb_object_agg(key, value) FROM jsonb_each(session_variables) WHERE key LIKE '`+session.Prefix+`%'))`, id, action, ownerOf(owner),
	).Scan(&e.CreatedAt, &e.Errors, &e.Response)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // an unknown call and another session's look the same
	}
	return e, failure(err)
}

// Finished returns which of some calls have ended, or are unknown.
func (l *Log) Finished(ctx context.Context, ids []string) ([]string, error) {
	rows, err := l.pool.Query(ctx, `SELECT asked.id::text FROM unnest($1::uuid[]) asked (id)
		LEFT JOIN engine_catalog.engine_action_log l USING (id) WHERE l.id IS NULL OR l.status IN ('completed', 'error')`, ids)
	if err != nil {
		return nil, failure(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return list, failure(err)
}

// takeSQL takes calls without a lease, the oldest first: new ones, and those whose worker has died, as
// far as the action is one of $2; none of those of $4.
const takeSQL = `WITH due AS (
		SELECT id FROM engine_catalog.engine_action_log
		WHERE (status = 'created' OR status = 'processing' AND leased_until < now() AND action_name = ANY ($2)) AND action_name <> ALL ($4)
		ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
	)
	UPDATE engine_catalog.engine_action_log l SET status = 'processing', leased_until = now() + $3::interval
	FROM due WHERE l.id = due.id
	RETURNING l.id::text, l.action_name, l.input_payload, l.session_variables, l.request_headers, l.metadata_version`

// take takes at most n calls, which are the caller's for the time of a lease. without are actions that are left out.
func (l *Log) take(ctx context.Context, n int, actions, without []string) ([]*Call, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows, err := l.pool.Query(ctx, takeSQL, n, actions, lease, without)
	if err != nil {
		return nil, failure(err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Call, error) {
		c := &Call{}
		return c, row.Scan(&c.ID, &c.Action, &c.Input, &c.Session, &c.Headers, &c.Version)
	})
	return list, failure(err)
}

// What becomes of calls that were taken. Those that have ended in the meantime, or were
// deleted, are left alone.
const (
	renewSQL    = `UPDATE engine_catalog.engine_action_log SET leased_until = now() + $2::interval WHERE id = ANY ($1::uuid[]) AND status = 'processing'`
	giveBackSQL = `UPDATE engine_catalog.engine_action_log SET status = 'created', leased_until = NULL WHERE id = ANY ($1::uuid[]) AND status = 'processing'`
	endSQL      = `UPDATE engine_catalog.engine_action_log SET status = $2, response_payload = $3, errors = $4, response_received_at = now(), leased_until = NULL
		WHERE id = $1 AND status IN ('created', 'processing')`
)

// keep makes the calls the caller's for another d.
func (l *Log) keep(ctx context.Context, d time.Duration, ids ...string) error {
	return l.exec(ctx, renewSQL, ids, d)
}

// giveBack lets others take calls as if they had never been taken.
func (l *Log) giveBack(ctx context.Context, ids []string) error { return l.exec(ctx, giveBackSQL, ids) }

// complete ends a call with what the handler has answered.
func (l *Log) complete(ctx context.Context, id string, response []byte) error {
	return l.exec(ctx, endSQL, id, "completed", json.RawMessage(response), nil)
}

// fail ends a call with the reason why there is no answer.
func (l *Log) fail(ctx context.Context, id string, reason json.RawMessage) error {
	return l.exec(ctx, endSQL, id, "error", nil, reason)
}

func (l *Log) exec(ctx context.Context, sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := l.pool.Exec(ctx, sql, args...)
	return failure(err)
}

// unstorableError reports that JSON can't be stored by the database: it contains a zero character, or
// is too large.
type unstorableError struct{ reason string }

func (e *unstorableError) Error() string { return e.reason }

// failure keeps the address of the database out of errors.
func failure(err error) error {
	if err == nil {
		return nil
	}
	if reason, ok := metadatadb.Unstorable(err); ok {
		return &unstorableError{reason}
	}
	return fmt.Errorf("metadata database: %s", metadatadb.WithoutAddress(err)) //nolint:errorlint // the chain holds the address
}
