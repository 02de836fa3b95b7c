package assembly

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/egress"
	"queryengine/pkg/lifecycle"
	eventdelivery "queryengine/services/event-delivery"
	metadataservice "queryengine/services/metadata"
)

// tables is an installation with a source, which db is a pool of.
type tables struct {
	*installation
	// workers are those that were started.
	workers []*eventdelivery.Service
}

func installTables(t *testing.T, schema string) *tables {
	t.Helper()
	return installTablesAt(t, dbtest.URL(t), schema)
}

// installTablesAt has the metadata and the source in one database.
func installTablesAt(t *testing.T, url, schema string) *tables {
	t.Helper()
	return installTablesApart(t, url, url, schema)
}

// installTablesApart has the metadata and the source in a database each.
func installTablesApart(t *testing.T, url, sourceURL, schema string) *tables {
	t.Helper()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	i := &tables{installation: &installation{t: t, nats: server, url: url}}
	i.db, err = pgxpool.New(t.Context(), sourceURL)
	require.NoError(t, err)
	t.Cleanup(i.db.Close)
	_, err = i.db.Exec(t.Context(), schema)
	require.NoError(t, err)
	i.bus = i.connect()
	source, err := json.Marshal(sourceURL)
	require.NoError(t, err)
	kinds := kind.All(os.LookupEnv, "test")
	s, err := metadataservice.New(metadataservice.Config{
		MetadataURL: i.url, Replicas: 1, History: 100, DefaultSource: json.RawMessage(`{"connection_info":{"database_url":` + string(source) + `}}`),
	}, metadataservice.Deps{
		Bus: i.bus, Logger: slog.New(slog.DiscardHandler), Env: os.LookupEnv, Open: kinds.Open, Kinds: kinds,
	})
	require.NoError(t, err)
	i.run(s)
	return i
}

// deliver runs event-delivery. It gives its deliveries up at once when it is stopped.
func (i *tables) deliver() lifecycle.Service {
	i.t.Helper()
	return i.deliverWith(20)
}

// deliverWith is deliver with so many webhooks at once.
func (i *tables) deliverWith(concurrency int) lifecycle.Service {
	i.t.Helper()
	kinds := kind.All(os.LookupEnv, "test")
	s, err := eventdelivery.New(eventdelivery.Config{
		MetadataURL: i.url, Replicas: 1, Concurrency: concurrency, Batch: 100, Interval: 200 * time.Millisecond, Egress: egress.DefaultConfig(),
	}, eventdelivery.Deps{
		Bus: i.connect(), Logger: slog.New(slog.DiscardHandler), Env: os.LookupEnv, Open: kinds.Open, Kinds: kinds,
	})
	require.NoError(i.t, err)
	i.run(s)
	i.workers = append(i.workers, s)
	return s
}

// watch tracks a table of schema public and gives it a trigger on every operation.
func (i *tables) watch(table string, more map[string]any) {
	i.t.Helper()
	i.request("pg_track_table", map[string]any{"table": table})
	args := map[string]any{
		"name": "watch_" + table, "table": table,
		"insert": map[string]any{"columns": "*"}, "update": map[string]any{"columns": "*"}, "delete": map[string]any{"columns": "*"},
	}
	for k, v := range more {
		if args[k] = v; v == nil {
			delete(args, k)
		}
	}
	i.request("pg_create_event_trigger", args)
}

const endedSQL = `SELECT count(*) FROM engine_catalog.event_log WHERE trigger_name = $1 AND delivered`

func TestEventsAreDelivered(t *testing.T) {
	t.Parallel()
	i := installTables(t, `CREATE TABLE stock (id int PRIMARY KEY, label text); CREATE TABLE broken (id int)`)
	h := newHook(t)
	bodies := make(chan map[string]any, 10)
	refused := false
	h.answer = func(w http.ResponseWriter, body map[string]any) {
		if !refused {
			refused = true
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		bodies <- body
	}
	i.watch("stock", map[string]any{"webhook": h.URL})
	i.watch("broken", map[string]any{"webhook": "http://127.0.0.1:1/"})
	i.deliver()
	_, err := i.db.Exec(t.Context(), `INSERT INTO broken SELECT generate_series(1, 50); INSERT INTO stock VALUES (1, 'a')`)
	require.NoError(t, err)
	first, second := <-bodies, <-bodies
	require.Equal(t, map[string]any{"schema": "public", "name": "stock"}, first["table"])
	require.Equal(t, map[string]any{"name": "watch_stock"}, first["trigger"])
	require.Equal(t, map[string]any{
		"op": "INSERT", "data": map[string]any{"old": nil, "new": map[string]any{"id": 1.0, "label": "a"}},
		"session_variables": nil, "trace_context": nil,
	}, first["event"])
	require.Equal(t, map[string]any{"current_retry": 0.0, "max_retries": 0.0}, first["delivery_info"])
	require.Equal(t, first["id"], second["id"])
	i.awaitNumber(1, endedSQL, "watch_stock")
	i.awaitNumber(50, `SELECT count(*) FROM engine_catalog.event_log WHERE trigger_name = 'watch_broken' AND error AND tries = 1`)

	var byID struct{ Invocations []map[string]any }
	require.NoError(t, json.Unmarshal(i.request("pg_get_event_by_id", map[string]any{"event_id": first["id"]}), &byID))
	require.Len(t, byID.Invocations, 2)

	// What is too large for a message is delivered too.
	_, err = i.db.Exec(t.Context(), `INSERT INTO stock VALUES (2, repeat('x', 2000000))`)
	require.NoError(t, err)
	large := <-bodies
	require.Len(t, large["event"].(map[string]any)["data"].(map[string]any)["new"].(map[string]any)["label"], 2_000_000) //nolint:forcetypeassert // fails the test
	i.request("pg_redeliver_event", map[string]any{"event_id": first["id"]})
	_, err = i.db.Exec(t.Context(), `NOTIFY engine_events`)
	require.NoError(t, err)
	require.Equal(t, first["id"], (<-bodies)["id"])
}

func TestEventsToASubject(t *testing.T) {
	t.Parallel()
	i := installTables(t, `CREATE TABLE stock (id int PRIMARY KEY)`)
	i.watch("stock", map[string]any{"webhook": "nats://events.stock"})
	i.deliver()
	_, err := i.db.Exec(t.Context(), `INSERT INTO stock VALUES (1)`)
	require.NoError(t, err)
	i.awaitNumber(1, endedSQL, "watch_stock")
	conn, err := nats.Connect(i.nats.ClientURL())
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), bus.EventsStream)
	require.NoError(t, err)
	m, err := stream.GetLastMsgForSubject(t.Context(), "events.stock")
	require.NoError(t, err)
	require.Contains(t, string(m.Data), `"trigger":{"name":"watch_stock"}`)

	// The stream would drop the same message again.
	var id string
	require.NoError(t, i.db.QueryRow(t.Context(), `SELECT id FROM engine_catalog.event_log`).Scan(&id))
	i.request("pg_redeliver_event", map[string]any{"event_id": id})
	i.awaitNumber(2, `SELECT count(*) FROM engine_catalog.event_invocation_logs WHERE trigger_name = $1`, "watch_stock")
	second, err := stream.GetLastMsgForSubject(t.Context(), "events.stock")
	require.NoError(t, err)
	require.Equal(t, m.Sequence+1, second.Sequence)
	require.Equal(t, id+":1", second.Header.Get(jetstream.MsgIDHeader))
}

func TestOrderedEventsAreDeliveredInOrder(t *testing.T) {
	t.Parallel()
	i := installTables(t, `CREATE TABLE stock (id int PRIMARY KEY, n int)`)
	h := newHook(t)
	type change struct{ row, n int }
	seen := make(chan change, 100)
	h.answer = func(_ http.ResponseWriter, body map[string]any) {
		data, _ := json.Marshal(body["event"])
		var e struct {
			Data struct{ New struct{ ID, N int } }
		}
		if json.Unmarshal(data, &e) == nil {
			seen <- change{e.Data.New.ID, e.Data.New.N}
		}
	}
	i.watch("stock", map[string]any{"webhook": h.URL, "order_by_key": true, "delete": nil})
	i.deliver()
	_, err := i.db.Exec(t.Context(), `INSERT INTO stock SELECT g, 0 FROM generate_series(1, 5) g`)
	require.NoError(t, err)
	for range 9 {
		_, err := i.db.Exec(t.Context(), `UPDATE stock SET n = n + 1`)
		require.NoError(t, err)
	}
	next := map[int]int{}
	for range 50 {
		c := <-seen
		require.Equal(t, next[c.row], c.n, "row %d", c.row)
		next[c.row]++
	}
}

// awaitLong is awaitNumber for what leases have to run out for.
func (i *tables) awaitLong(want int, sql string, args ...any) {
	i.t.Helper()
	got := -1
	require.Eventually(i.t, func() bool {
		return i.db.QueryRow(i.t.Context(), sql, args...).Scan(&got) == nil && got == want
	}, 3*time.Minute, 50*time.Millisecond, "want %d", want)
}
