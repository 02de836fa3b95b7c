package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// actionHandler is a handler of actions that answers when it may, and counts its calls.
type actionHandler struct {
	*httptest.Server
	// called learns of each call, may lets one of them answer.
	called, may chan struct{}

	mu     sync.Mutex
	bodies []string
}

func newActionHandler(t *testing.T) *actionHandler {
	t.Helper()
	h := &actionHandler{called: make(chan struct{}, 100), may: make(chan struct{}, 100)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.bodies = append(h.bodies, string(body))
		h.mu.Unlock()
		h.called <- struct{}{}
		select {
		case <-h.may:
		case <-r.Context().Done():
			return
		}
		switch r.URL.Path {
		case "/hire":
			_, _ = io.WriteString(w, `{"id": 1, "note": "welcome"}`)
		case "/count":
			_, _ = io.WriteString(w, `42`)
		case "/refuse":
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"message": "there is no room", "code": "full"}`)
		default:
			_, _ = io.WriteString(w, `nonsense`)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// newActionCluster is a cluster with asynchronous actions, which role user may use.
func newActionCluster(t *testing.T, handler string) (*cluster, *process) {
	t.Helper()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE person (id int PRIMARY KEY, name text); INSERT INTO person VALUES (1, 'Ada')`)
	c.start(metadata)
	c.start(executor)
	g := c.start(gateway, "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false")
	steps := []any{
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "person"}},
		map[string]any{"type": "pg_create_select_permission", "args": map[string]any{"table": "person", "role": "user", "permission": map[string]any{"columns": "*", "filter": map[string]any{}}}},
		map[string]any{"type": "set_custom_types", "args": map[string]any{"objects": []any{map[string]any{
			"name": "Hired", "fields": []any{map[string]any{"name": "id", "type": "Int!"}, map[string]any{"name": "note", "type": "String"}},
			"relationships": []any{map[string]any{"name": "person", "type": "object", "remote_table": "person", "field_mapping": map[string]any{"id": "id"}}},
		}}}},
	}
	for name, output := range map[string]string{"hire": "Hired", "count": "Int", "refuse": "Int", "garble": "Int"} {
		steps = append(steps,
			map[string]any{"type": "create_action", "args": map[string]any{"name": name, "definition": map[string]any{
				"kind": "asynchronous", "handler": handler + "/" + name, "output_type": output,
				"arguments": []any{map[string]any{"name": "name", "type": "String"}},
			}}},
			map[string]any{"type": "create_action_permission", "args": map[string]any{"action": name, "role": "user"}})
	}
	g.metadata("bulk", steps)
	return c, g
}

// enqueue runs a mutation of one field, and gives the id of the call.
func (p *process) enqueue(header map[string]string, field, document string) string {
	p.t.Helper()
	a := p.query(header, document)
	var out struct{ Data map[string]string }
	require.NoError(p.t, json.Unmarshal(a.body, &out), a.text())
	require.Len(p.t, out.Data[field], 36, a.text())
	return out.Data[field]
}

// awaitAnswer asks until the answer is the wanted one.
func (p *process) awaitAnswer(header map[string]string, document, want string) {
	p.t.Helper()
	var last answer
	eventually(p.t, startLimit, func() bool {
		last = p.query(header, document)
		return sameJSON(last.text(), want)
	}, func() string { return "wanted " + want + ", got " + last.text() })
}

// statuses are the statuses of all calls in the log, with their number.
func (c *cluster) statuses() map[string]int {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.metadataURL)
	require.NoError(c.t, err)
	defer conn.Close(c.t.Context()) //nolint:errcheck // the test is over then
	rows, err := conn.Query(c.t.Context(), `SELECT status FROM engine_catalog.engine_action_log`)
	require.NoError(c.t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c.t, err)
	counted := map[string]int{}
	for _, s := range list {
		counted[s]++
	}
	return counted
}

// TestActionSurvivesItsWorkers: a call whose worker is killed, and then stopped, is completed
// once by the next one, and its subscriber hears of it, and of what happens to the row that its
// output leads to.
func TestActionSurvivesItsWorkers(t *testing.T) {
	t.Parallel()
	h := newActionHandler(t)
	c, g := newActionCluster(t, h.URL)
	worker := c.start(eventDelivery)
	ada, bob := as("user", "X-Engine-User-Id", "1"), as("user", "X-Engine-User-Id", "2")
	id := g.enqueue(ada, "hire", `mutation { hire(name: "Ada") }`)
	<-h.called
	s := g.subscriber(ada)
	seen := s.subscribe(fmt.Sprintf(`subscription { hire(id: %q) { errors output { note person { name } } } }`, id), nil)
	s.await(seen, `{"hire":{"errors":null,"output":null}}`)

	worker.kill()
	require.Equal(t, map[string]int{"processing": 1}, c.statuses())
	worker = c.start(eventDelivery, "GRACEFUL_SHUTDOWN_TIMEOUT=1")
	// The lease of the killed worker is not renewed.
	execute(t, c.metadataURL, `UPDATE engine_catalog.engine_action_log SET leased_until = now() - interval '1 s'`)
	<-h.called
	worker.stop()
	require.Equal(t, map[string]int{"created": 1}, c.statuses())

	c.start(eventDelivery)
	c.start(eventDelivery)
	<-h.called
	h.may <- struct{}{}
	s.await(seen, `{"hire":{"errors":null,"output":{"note":"welcome","person":{"name":"Ada"}}}}`)
	require.Equal(t, map[string]int{"completed": 1}, c.statuses())
	require.Len(t, h.bodies, 3)
	execute(t, c.databaseURL, `UPDATE person SET name = 'Ada Lovelace'`)
	s.await(seen, `{"hire":{"errors":null,"output":{"note":"welcome","person":{"name":"Ada Lovelace"}}}}`)
	require.Len(t, s.all(seen), 3)
	require.JSONEq(t, `{"action":{"name":"hire"},"input":{"name":"Ada"},"request_query":null,
		"session_variables":{"x-engine-role":"user","x-engine-user-id":"1"}}`, h.bodies[2])

	// Only its client, and admin, see the part with rows.
	document := fmt.Sprintf(`{ hire(id: %q) { id __typename output { id __typename } } }`, id)
	output := fmt.Sprintf(`{"data":{"hire":{"id":%q,"__typename":"hire","output":{"id":1,"__typename":"Hired"}}}}`, id)
	require.JSONEq(t, output, g.query(ada, document).text())
	require.JSONEq(t, output, g.query(asAdmin, document).text())
	require.JSONEq(t, `{"data":{"hire":null}}`, g.query(bob, document).text())
}

// TestActionsWithoutTables: every client with the id may look, and subscriptions end with the call.
func TestActionsWithoutTables(t *testing.T) {
	t.Parallel()
	h := newActionHandler(t)
	c, g := newActionCluster(t, h.URL)
	c.start(eventDelivery)
	ada, bob := as("user", "X-Engine-User-Id", "1"), as("user", "X-Engine-User-Id", "2")
	s := g.subscriber(bob)
	id := g.enqueue(ada, "count", `mutation { count }`)
	seen := s.subscribe(`subscription ($id: uuid!) { number: count(id: $id) { output errors } }`, map[string]any{"id": id})
	s.await(seen, `{"number":{"output":null,"errors":null}}`)
	h.may <- struct{}{}
	s.await(seen, `{"number":{"output":42,"errors":null}}`)
	s.awaitEnd(seen)
	require.Len(t, s.all(seen), 2)
	// One that comes too late hears it at once.
	late := s.subscribe(fmt.Sprintf(`subscription { count(id: %q) { output } }`, id), nil)
	s.await(late, `{"count":{"output":42}}`)
	s.awaitEnd(late)

	unknown := g.query(ada, `{ count(id: "5bb92e20-2ee1-4d19-8c0a-6b1c6fdd4b3c") { id } }`)
	require.JSONEq(t, `{"errors":[{"message":"no call of action \"count\" has this id","extensions":{"path":"$","code":"unexpected"}}]}`, unknown.text())
	// The id of a call is good for its own action only.
	foreign := g.query(ada, fmt.Sprintf(`{ refuse(id: %q) { id } }`, id))
	require.Contains(t, foreign.text(), `no call of action`)

	h.may <- struct{}{}
	h.may <- struct{}{}
	id = g.enqueue(ada, "refuse", `mutation { refuse }`)
	g.awaitAnswer(ada, fmt.Sprintf(`{ refuse(id: %q) { errors output } }`, id),
		`{"data":{"refuse":{"errors":{"error":"there is no room","path":"$","code":"full"},"output":null}}}`)
	id = g.enqueue(ada, "garble", `mutation { garble }`)
	document := fmt.Sprintf(`{ garble(id: %q) { errors } }`, id)
	g.awaitAnswer(ada, document, `{"data":{"garble":{"errors":{"error":"not a valid json response from webhook","path":"$","code":"unexpected"}}}}`)
	require.Contains(t, g.query(asAdmin, document).text(), `"internal":{"error": "invalid JSON`)
}
