package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// TestPoliciesOfTheDatabase: policies hold at every door, in services of their own: a role whose permissions allow all rows sees and writes the
// rows of its user. Its subscriptions follow what policies read, its answers are cached for it alone, and its changes make events.
func TestPoliciesOfTheDatabase(t *testing.T) {
	t.Parallel()
	role := dbtest.Role(t)
	c := newCluster(t)
	execute(t, c.databaseURL, fmt.Sprintf(`CREATE TABLE team (id int PRIMARY KEY, person text);
		CREATE TABLE note (id int PRIMARY KEY, team_id int REFERENCES team, body text);
		INSERT INTO team VALUES (1, 'ann'), (2, 'bob');
		INSERT INTO note VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 2, 'c');
		GRANT SELECT ON team TO %[1]s; GRANT SELECT, INSERT, UPDATE, DELETE ON note TO %[1]s;
		ALTER TABLE note ENABLE ROW LEVEL SECURITY;
		CREATE POLICY own ON note TO %[1]s USING (team_id IN (SELECT id FROM team WHERE person = current_setting('app.person')))`,
		pgx.Identifier{role}.Sanitize()))
	g := c.startAll()
	g.metadata("pg_update_source", map[string]any{"name": "default", "configuration": map[string]any{
		"connection_info": map[string]any{"database_url": map[string]any{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}},
		"change_feed":     "notify",
		"session":         map[string]any{"set": map[string]any{"app.person": "x-engine-person"}, "role": map[string]any{"member": role}},
	}})
	g.metadata("pg_track_table", map[string]any{"table": "note"})
	all := map[string]any{"columns": "*", "filter": map[string]any{}, "check": map[string]any{}}
	for _, operation := range []string{"select", "insert", "update", "delete"} {
		g.metadata("pg_create_"+operation+"_permission", map[string]any{"table": "note", "role": "member", "permission": all})
	}
	g.metadata("pg_create_select_permission", map[string]any{"table": "note", "role": "other", "permission": all})
	hook := newWebhook(t)
	execute(t, c.databaseURL, `CREATE SCHEMA IF NOT EXISTS engine_catalog; GRANT USAGE ON SCHEMA engine_catalog TO `+pgx.Identifier{role}.Sanitize())
	g.metadata("pg_create_event_trigger", map[string]any{"name": "noted", "table": "note", "webhook": hook.url, "insert": map[string]any{"columns": "*"}})
	execute(t, c.databaseURL, `GRANT INSERT ON engine_catalog.event_log TO `+pgx.Identifier{role}.Sanitize())
	g.metadata("create_query_collection", map[string]any{"name": "notes", "definition": map[string]any{"queries": []any{
		map[string]any{"name": "notes", "query": "query notes { note(order_by: {id: asc}) { id } }"},
	}}})
	g.metadata("create_rest_endpoint", map[string]any{"name": "notes", "url": "notes", "methods": []string{"GET"},
		"definition": map[string]any{"query": map[string]any{"collection_name": "notes", "query_name": "notes"}}})

	as := func(person string) map[string]string {
		return map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "member", "X-Engine-Person": person}
	}
	ids := func(list ...int) string {
		items := make([]string, len(list))
		for i, id := range list {
			items[i] = fmt.Sprintf(`{"id":%d}`, id)
		}
		return `{"note":[` + strings.Join(items, ", ") + `]}`
	}
	const notes = `{ note(order_by: {id: asc}) { id } }`
	g.queryUntilAs(as("ann"), notes, ids(1)) // the executor knows the metadata
	for person, sees := range map[string]string{"ann": ids(1), "bob": ids(2, 3), "": ids()} {
		require.JSONEq(t, `{"data":`+sees+`}`, g.query(as(person), notes).text(), person)
		require.JSONEq(t, sees, func() string {
			a, err := g.send(http.MethodGet, "/api/rest/notes", as(person), nil)
			require.NoError(t, err)
			return a.text()
		}())
		require.JSONEq(t, `[{"data":`+sees+`},{"data":`+sees+`}]`, g.post("/v1/graphql", as(person), []any{
			map[string]any{"query": notes}, map[string]any{"query": notes},
		}).text(), person)
		for range 2 { // stored, and from the cache
			require.JSONEq(t, `{"data":`+sees+`}`, g.query(as(person), `query @cached { note(order_by: {id: asc}) { id } }`).text(), person)
		}
		explained := g.post("/v1/graphql/explain", asAdmin, map[string]any{"query": map[string]any{"query": notes}, "user": as(person)})
		require.Contains(t, explained.text(), "app.person", "the plan has the policy")
	}
	require.Contains(t, g.query(map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "other"}, notes).text(), "has no database role")
	require.JSONEq(t, `{"data":`+ids(1, 2, 3)+`}`, g.query(asAdmin, notes).text())

	ann, bob := g.subscriber(as("ann")), g.subscriber(as("bob"))
	annSees, bobSees := ann.subscribe("subscription "+notes, nil), bob.subscribe("subscription "+notes, nil)
	ann.await(annSees, ids(1))
	bob.await(bobSees, ids(2, 3))
	followed := ann.subscribe(`subscription { note_stream(batch_size: 10, cursor: {initial_value: {id: 0}}) { id } }`, nil)
	ann.await(followed, `{"note_stream":[{"id":1}]}`)

	require.Contains(t, g.query(as("ann"), `mutation { insert_note_one(object: {id: 4, team_id: 2}) { id } }`).text(), "Policy violation", "bob's team")
	require.JSONEq(t, `{"data":{"insert_note_one":{"id":5}}}`, g.query(as("ann"), `mutation { insert_note_one(object: {id: 5, team_id: 1}) { id } }`).text())
	require.JSONEq(t, `{"data":{"update_note":{"affected_rows":2}}}`, g.query(as("ann"), `mutation { update_note(where: {}, _set: {body: "x"}) { affected_rows } }`).text())
	hook.awaitTaken(1, startLimit)
	ann.await(annSees, ids(1, 5))
	ann.await(followed, `{"note_stream":[{"id":5}]}`)

	// The engine doesn't know that the policy reads this table.
	execute(t, c.databaseURL, `INSERT INTO team VALUES (3, 'ann'); UPDATE note SET team_id = 3 WHERE id = 2`)
	ann.await(annSees, ids(1, 2, 5))
	bob.await(bobSees, ids(3))
	execute(t, c.databaseURL, `UPDATE team SET person = 'bob' WHERE id = 3`)
	ann.await(annSees, ids(1, 5))
	bob.await(bobSees, ids(2, 3))
	require.JSONEq(t, `{"data":{"delete_note":{"affected_rows":2}}}`, g.query(as("bob"), `mutation { delete_note(where: {}) { affected_rows } }`).text())

	refused := g.post("/v1/metadata", asAdmin, map[string]any{"type": "pg_publish_changes", "args": map[string]any{"name": "notes", "source": "default", "tables": []string{"note"}, "role": "member"}})
	require.Contains(t, refused.text(), "policies of the database don't apply to its log")
}
