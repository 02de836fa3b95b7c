package scheduled

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"queryengine/pkg/metadatadb"
	"queryengine/services/event-delivery/internal/delivery"
)

// recordPatience bounds one attempt to write outcomes.
const recordPatience = 15 * time.Second

// Store is where the events are.
type Store struct{ pool *pgxpool.Pool }

// Open prepares the store; it connects when it is used.
func Open(url string) (*Store, error) {
	pool, err := metadatadb.Open(metadatadb.Config{URL: url, Application: "query engine event-delivery", LockTimeout: "10s"})
	if err != nil {
		return nil, err
	}
	return &Store{pool: pool}, nil
}

// Close ends all connections.
func (s *Store) Close() { s.pool.Close() }

// table is one of the two tables of events, with its invocations.
type table struct{ events, invocations string }

var (
	cronTable = table{
		"engine_catalog.engine_cron_events", "engine_catalog.engine_cron_event_invocation_logs",
	}
	oneOffTable = table{
		"engine_catalog.engine_scheduled_events", "engine_catalog.engine_scheduled_event_invocation_logs",
	}
)

// recordSQL writes outcomes. An event that was deleted in the meantime is left alone; one that was
// delivered a second time keeps its first outcome. An outcome whose invocation is there was written
// before, by a writer that lost the confirmation. The invocations come first, because their ids make a
// concurrent writer wait.
const recordSQL = `WITH outcome AS (
		SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::int[], $6::text[], $7::text[])
			AS o (id, status, retry_at, invocation, answer, request, response)
	), invocation AS (
		INSERT INTO %[2]s (id, event_id, status, request, response)
		SELECT o.invocation, o.id, o.answer, o.request::json, o.response::json
			FROM outcome o JOIN %[1]s e ON e.id = o.id WHERE o.invocation IS NOT NULL
		ON CONFLICT (id) DO NOTHING RETURNING id
	)
	UPDATE %[1]s e SET
		status = CASE WHEN e.status IN ('delivered', 'error', 'dead') THEN e.status ELSE o.status END,
		next_retry_at = CASE WHEN e.status IN ('delivered', 'error', 'dead') THEN e.next_retry_at ELSE o.retry_at END,
		tries = e.tries + (o.invocation IS NOT NULL)::int, locked_at = NULL
	FROM outcome o LEFT JOIN invocation i ON i.id = o.invocation
	WHERE e.id = o.id AND (o.invocation IS NULL OR i.id IS NOT NULL)`

// waits reports whether an event has no outcome yet, after that many tries.
func (s *Store) waits(ctx context.Context, t table, id string, tries int) (waits bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+t.events+`
		WHERE id = $1 AND tries = $2 AND status IN ('scheduled', 'locked'))`, id, tries).Scan(&waits)
	return waits, failure(err)
}

// failure is err in words that don't hold the database's address.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("metadata database: %s", metadatadb.WithoutAddress(err)) //nolint:errorlint // the chain holds the address
}

// states are the words of the table.
var states = map[delivery.State]string{
	delivery.Delivered: "delivered", delivery.Waiting: "scheduled", delivery.Failed: "error", delivery.Dead: "dead",
}

func (s *Store) record(ctx context.Context, t table, outcomes []delivery.Outcome) error {
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	n := len(outcomes)
	ids, status, retry := make([]string, n), make([]string, n), make([]*time.Time, n)
	invocation, answer := make([]*string, n), make([]*int, n)
	request, response := make([]*string, n), make([]*string, n)
	for i, o := range outcomes {
		ids[i], status[i] = o.EventID, states[o.State]
		if o.State == delivery.Waiting {
			retry[i] = &o.RetryAt
		}
		if o.Invocation != nil {
			invocation[i], answer[i] = &o.Invocation.ID, o.Invocation.Status
			request[i], response[i] = new(string(o.Invocation.Request)), new(string(o.Invocation.Response))
		}
	}
	_, err := s.pool.Exec(ctx, fmt.Sprintf(recordSQL, t.events, t.invocations), ids, status, retry, invocation, answer, request, response)
	return failure(err)
}
