package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine/sample"
)

// withSample starts all services on the sample.
func withSample(t *testing.T) (*cluster, *process) {
	t.Helper()
	c := newCluster(t)
	require.NoError(t, sample.Load(t.Context(), c.databaseURL, sample.Small))
	g := c.startAll()
	g.metadata("replace_metadata", json.RawMessage(sample.Metadata()))
	return c, g
}

func TestQueryTravelsThroughTheServices(t *testing.T) {
	t.Parallel()
	_, g := withSample(t)

	a := g.query(asAdmin, `{ artists(order_by: {id: asc}, limit: 2) { id name albums(order_by: {id: asc}, limit: 1) { title } } }`)
	require.Equal(t, http.StatusOK, a.status, a.text())
	require.JSONEq(t, `{"data": {"artists": [
		{"id": 1, "name": "Distant Echo", "albums": []},
		{"id": 2, "name": "Quiet Satellite", "albums": [{"title": "Dancing with the Signal"}]}]}}`, a.text())

	a = g.query(as("customer", "X-Engine-Customer-Id", "7"), `{ customers { id invoices_aggregate { aggregate { count } } } }`)
	require.JSONEq(t, `{"data": {"customers": [{"id": 7, "invoices_aggregate": {"aggregate": {"count": 5}}}]}}`, a.text())

	a = g.query(as("customer", "X-Engine-Customer-Id", "7"), `{ employees { id } }`)
	require.Contains(t, a.text(), "field 'employees' not found in type: 'query_root'")
}

// TestLargeAnswer: 50 MB arrive whole, and the gateway holds only a small part of them at a
// time.
func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	const rows, width, allowed = 5500, 10_000, 20 << 20
	c := newCluster(t)
	execute(t, c.databaseURL, fmt.Sprintf(`CREATE TABLE big (id int PRIMARY KEY, filler text);
		INSERT INTO big SELECT i, repeat(chr(97 + i %% 26), %d) FROM generate_series(1, %d) i`, width, rows))
	g := c.startAll()
	g.metadata("pg_track_table", map[string]any{"source": "default", "table": "big"})
	const document = `{ big(order_by: {id: asc}) { id filler } }`
	g.query(asAdmin, `{ big(limit: 1) { id } }`) // what the first query costs is not meant

	before, most := g.rss(), 0
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, g.rss())
			}
		}
	}()
	a := g.query(asAdmin, document)
	close(stop)
	<-stopped

	require.Equal(t, http.StatusOK, a.status)
	require.Greater(t, len(a.body), rows*width)
	var got struct {
		Data struct {
			Big []struct {
				ID     int
				Filler string
			}
		}
	}
	require.NoError(t, json.Unmarshal(a.body, &got))
	require.Len(t, got.Data.Big, rows)
	for i, row := range got.Data.Big {
		require.Equal(t, i+1, row.ID)
		require.Len(t, row.Filler, width)
		require.Equal(t, byte('a'+(i+1)%26), row.Filler[width-1])
	}
	t.Logf("%d MB; the gateway grew by %d KB", len(a.body)>>20, (most-before)>>10)
	require.Less(t, most-before, allowed)
}

// TestCancel: a client that goes away takes its statement in the database with it.
func TestCancel(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(3600)::text AS slept`)
	g := c.startAll()
	g.metadata("pg_track_table", map[string]any{"source": "default", "table": "slow"})

	conn, err := pgx.Connect(t.Context(), c.databaseURL)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	running := func() int {
		var n int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'active' AND query LIKE '%slow%' AND pid <> pg_backend_pid()`).Scan(&n))
		return n
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- g.queryUntil(ctx, `{ slow { id slept } }`) }()
	eventually(t, startLimit, func() bool { return running() == 1 }, func() string { return "the statement does not run" })
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	eventually(t, startLimit, func() bool { return running() == 0 }, func() string { return "the statement still runs" })
}
