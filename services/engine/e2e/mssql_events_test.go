package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/mssql/mssqltest"
	"queryengine/pkg/dbtest"
)

// received is what a webhook of an event trigger got.
type received struct {
	ID    string `json:"id"`
	Event struct {
		Op   string                     `json:"op"`
		Data map[string]json.RawMessage `json:"data"`
	} `json:"event"`
	Delivery struct {
		Retry int `json:"current_retry"`
		Max   int `json:"max_retries"`
	} `json:"delivery_info"`
	Table   map[string]string `json:"table"`
	Trigger map[string]string `json:"trigger"`
}

// receiver is a webhook that answers with the statuses it is given, and with 200 then.
type receiver struct {
	url      string
	calls    chan received
	statuses chan int
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{calls: make(chan received, 100), statuses: make(chan int, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		var call received
		if err != nil || json.Unmarshal(body, &call) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		select {
		case status := <-r.statuses:
			w.WriteHeader(status)
		default:
		}
		r.calls <- call
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *receiver) next(t *testing.T) received {
	t.Helper()
	select {
	case call := <-r.calls:
		return call
	case <-time.After(startLimit):
		require.FailNow(t, "the webhook wasn't called")
		return received{}
	}
}

// TestSQLServerEvents has rows of SQL Server make events: delivered, tried again, delivered again on demand, made by
// hand, listed and cleaned up.
func TestSQLServerEvents(t *testing.T) {
	t.Parallel()
	server := mssqltest.New(t, dbtest.URL(t))
	hook := newReceiver(t)
	p := startDevIn(t, t.TempDir(), nil, "ENGINE_GRAPHQL_DATABASE_URL="+dbtest.URL(t), "ENGINE_GRAPHQL_EVENTS_FETCH_INTERVAL=50")
	p.metadata("mssql_add_source", map[string]any{"name": "ms", "configuration": map[string]any{
		"connection_info": map[string]any{"connection_string": server.ConnectionString()},
	}})
	made := p.post("/v2/query", nil, map[string]any{"type": "mssql_run_sql", "args": map[string]any{"source": "ms", "sql": `
		CREATE TABLE book (id INT IDENTITY PRIMARY KEY, title NVARCHAR(200) NOT NULL, price DECIMAL(6, 2), sold BIT NOT NULL DEFAULT 0)`}})
	require.Equal(t, 200, made.status, made.text())
	p.metadata("mssql_track_table", map[string]any{"source": "ms", "table": "book"})
	trigger := map[string]any{
		"name": "books", "source": "ms", "table": map[string]string{"schema": "dbo", "name": "book"}, "webhook": hook.url,
		"insert": map[string]any{"columns": "*"}, "update": map[string]any{"columns": []string{"price"}, "payload": []string{"id", "price"}},
		"delete": map[string]any{"columns": []string{"id"}}, "enable_manual": true, "order_by_key": true, "retry_conf": map[string]any{"num_retries": 2, "interval_sec": 1},
	}
	p.metadata("mssql_create_event_trigger", trigger)
	refused := p.post("/v1/metadata", nil, map[string]any{"type": "mssql_create_event_trigger", "args": trigger})
	require.Contains(t, refused.text(), "already-exists")

	// Rows of a mutation, each with its event; an update of another column makes none.
	p.query(nil, `mutation { insert_book(objects: [{title: "Solaris \"1961\"", price: "8"}, {title: "Eden"}]) { affected_rows } }`)
	titles := map[string]received{}
	for range 2 {
		call := hook.next(t)
		require.Equal(t, "INSERT", call.Event.Op)
		require.JSONEq(t, `null`, string(call.Event.Data["old"]))
		require.Equal(t, map[string]string{"schema": "dbo", "name": "book"}, call.Table)
		require.Equal(t, map[string]string{"name": "books"}, call.Trigger)
		require.Equal(t, 2, call.Delivery.Max)
		titles[string(call.Event.Data["new"])] = call
	}
	var rows []map[string]any
	for row := range titles {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(row), &fields))
		rows = append(rows, fields)
	}
	require.ElementsMatch(t, []map[string]any{
		{"id": 1.0, "title": `Solaris "1961"`, "price": 8.0, "sold": false}, {"id": 2.0, "title": "Eden", "price": nil, "sold": false},
	}, rows)
	p.query(nil, `mutation { update_book(where: {}, _set: {sold: true}) { affected_rows } }`)
	p.query(nil, `mutation { update_book_by_pk(pk_columns: {id: 2}, _set: {price: "5"}) { id } }`)
	changed := hook.next(t)
	require.Equal(t, "UPDATE", changed.Event.Op)
	require.JSONEq(t, `{"id":2,"price":null}`, string(changed.Event.Data["old"]))
	require.JSONEq(t, `{"id":2,"price":5.00}`, string(changed.Event.Data["new"]))

	// A webhook that fails is called again, and given up after all tries.
	for range 3 {
		hook.statuses <- http.StatusInternalServerError
	}
	p.query(nil, `mutation { delete_book_by_pk(id: 1) { id } }`)
	var gone received
	for try := range 3 {
		gone = hook.next(t)
		require.Equal(t, "DELETE", gone.Event.Op)
		require.Equal(t, try, gone.Delivery.Retry)
		require.JSONEq(t, `null`, string(gone.Event.Data["new"]))
		require.Contains(t, string(gone.Event.Data["old"]), "Solaris")
	}
	byID := map[string]any{"source": "ms", "event_id": gone.ID}
	var found struct {
		Event struct {
			Delivered, Error bool
			Tries            int
		}
		Invocations []json.RawMessage
	}
	eventually(t, startLimit, func() bool {
		return json.Unmarshal([]byte(p.metadata("mssql_get_event_by_id", byID).text()), &found) == nil && found.Event.Error
	}, func() string { return "the event isn't given up" })
	require.Equal(t, 3, found.Event.Tries)
	require.False(t, found.Event.Delivered)
	require.Len(t, found.Invocations, 3)

	p.metadata("mssql_redeliver_event", map[string]any{"source": "ms", "event_id": gone.ID})
	require.Equal(t, gone.ID, hook.next(t).ID)
	missing := p.post("/v1/metadata", nil, map[string]any{"type": "mssql_redeliver_event", "args": map[string]any{"source": "ms", "event_id": "00000000-0000-4000-8000-000000000000"}})
	require.Contains(t, missing.text(), "event not found")

	p.metadata("mssql_invoke_event_trigger", map[string]any{"source": "ms", "name": "books", "payload": map[string]any{"by": "hand"}})
	manual := hook.next(t)
	require.Equal(t, "MANUAL", manual.Event.Op)
	require.JSONEq(t, `{"by":"hand"}`, string(manual.Event.Data["new"]))

	list := func(kind string, args map[string]any) (rows []map[string]any) {
		args["source"], args["name"] = "ms", "books"
		require.NoError(t, json.Unmarshal([]byte(p.metadata(kind, args).text()), &rows))
		return rows
	}
	eventually(t, startLimit, func() bool {
		return len(list("mssql_get_event_logs", map[string]any{"status": "pending"})) == 0
	}, func() string { return "events stay pending" })
	require.Len(t, list("mssql_get_event_logs", map[string]any{"status": "processed"}), 5)
	require.Len(t, list("mssql_get_event_logs", map[string]any{"limit": 2, "offset": 4}), 1)
	require.Len(t, list("mssql_get_event_invocation_logs", map[string]any{}), 8)

	p.metadata("cleanup_event_trigger_logs", map[string]any{"source": "ms", "event_trigger_name": "books", "clear_older_than": 1}) // none is that old

	// Paused, its events wait while those of another trigger are delivered.
	made = p.post("/v2/query", nil, map[string]any{"type": "mssql_run_sql", "args": map[string]any{"source": "ms", "sql": `CREATE TABLE shelf (id INT IDENTITY PRIMARY KEY, n INT)`}})
	require.Equal(t, 200, made.status, made.text())
	p.metadata("mssql_track_table", map[string]any{"source": "ms", "table": "shelf"})
	shelves := newReceiver(t)
	p.metadata("mssql_create_event_trigger", map[string]any{
		"name": "shelves", "source": "ms", "table": map[string]string{"schema": "dbo", "name": "shelf"}, "webhook": shelves.url, "insert": map[string]any{"columns": "*"},
	})
	books := map[string]any{"event_triggers": []any{map[string]any{"source_name": "ms", "event_triggers": []string{"books"}}}}
	p.metadata("pause_event_triggers", books)
	p.metadata("mssql_redeliver_event", map[string]any{"source": "ms", "event_id": gone.ID})
	for range 2 {
		p.query(nil, `mutation { insert_shelf_one(object: {n: 1}) { id } }`)
		shelves.next(t)
	}
	require.Empty(t, hook.calls)
	require.Len(t, list("mssql_get_event_logs", map[string]any{"status": "pending"}), 1)
	p.metadata("resume_event_triggers", books)
	require.Equal(t, gone.ID, hook.next(t).ID)
	eventually(t, startLimit, func() bool {
		return len(list("mssql_get_event_logs", map[string]any{"status": "pending"})) == 0
	}, func() string { return "events stay pending" })
	p.metadata("mssql_delete_event_trigger", map[string]any{"source": "ms", "name": "shelves"})

	p.metadata("mssql_delete_event_trigger", map[string]any{"source": "ms", "name": "books"})
	p.query(nil, `mutation { insert_book_one(object: {title: "Fiasco"}) { id } }`)
	require.Contains(t, p.query(nil, `{ book(order_by: {id: asc}) { title } }`).text(), "Fiasco")
	require.Empty(t, hook.calls)
	counted := p.post("/v2/query", nil, map[string]any{"type": "mssql_run_sql", "args": map[string]any{"source": "ms", "sql": `SELECT COUNT(*) AS n FROM engine_catalog.event_log`}})
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["n"],[7]]}`, counted.text())
}
