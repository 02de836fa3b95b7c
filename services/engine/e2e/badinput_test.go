package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBadInput: each fault has its error, and leaves the metadata as it was.
func TestBadInput(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE thing (id int PRIMARY KEY)`)
	g := c.startAll()
	g.metadata("pg_track_table", map[string]any{"source": "default", "table": "thing"})
	before := g.metadata("export_metadata", map[string]any{}).text()

	for name, test := range map[string]struct {
		path, body string
		header     map[string]string
		status     int
		want       string // a part of the answer
	}{
		"unknown operation": {
			"/v1/metadata", `{"type": "no_such_thing", "args": {}}`, asAdmin, 400, `"code":"parse-failed"`,
		},
		"malformed JSON": {
			"/v1/metadata", `{"type": `, asAdmin, 400, `"code":"invalid-json"`,
		},
		"malformed GraphQL": {
			"/v1/graphql", `{"query": "{ thing { "}`, asAdmin, 200, `"code":"validation-failed"`,
		},
		"a field that does not exist": {
			"/v1/graphql", `{"query": "{ thing { nothing } }"}`, asAdmin, 200, `field 'nothing' not found in type: 'thing'`,
		},
		"a table that does not exist": {
			"/v1/metadata", `{"type": "pg_track_table", "args": {"source": "default", "table": "nothing"}}`, asAdmin, 400,
			`no such table/view exists in source: \"nothing\"`,
		},
		"a source that can't be reached": {
			"/v1/metadata", `{"type": "pg_add_source", "args": {"name": "away", "configuration": {"connection_info":
				{"database_url": "postgres://nobody@127.0.0.1:1/none"}}}}`, asAdmin, 400, `"path":"$.args"`,
		},
		"a bulk that fails half way": {
			"/v1/metadata", `{"type": "bulk", "args": [
				{"type": "pg_untrack_table", "args": {"source": "default", "table": "thing"}},
				{"type": "pg_track_table", "args": {"source": "default", "table": "nothing"}}]}`, asAdmin, 400, `$.args[1].args`,
		},
		"a wrong secret": {
			"/v1/graphql", `{"query": "{ thing { id } }"}`,
			map[string]string{"X-Engine-Admin-Secret": "wrong"},
			200,
			`"code":"access-denied"`,
		},
		"no secret at the metadata API": {
			"/v1/metadata", `{"type": "export_metadata", "args": {}}`, nil, 401, `"code":"access-denied"`,
		},
		"another role at the metadata API": {
			"/v1/metadata", `{"type": "export_metadata", "args": {}}`, as("customer"), 400, `"code":"access-denied"`,
		},
	} {
		a, err := g.send(http.MethodPost, test.path, test.header, []byte(test.body))
		require.NoError(t, err, name)
		require.Equal(t, test.status, a.status, "%s: %s", name, a.text())
		require.Contains(t, a.text(), test.want, name)
	}
	require.JSONEq(t, before, g.metadata("export_metadata", map[string]any{}).text())
}

// TestNATSIsDown: requests fail without waiting for NATS, in words, and all is well again afterwards.
func TestNATSIsDown(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE thing (id int PRIMARY KEY)`)
	g := c.startAll()
	g.metadata("pg_track_table", map[string]any{"source": "default", "table": "thing"})

	c.stopNATS()
	eventually(t, startLimit, func() bool {
		a, err := g.get("/healthz")
		return err == nil && a.status != http.StatusOK
	}, func() string { return "/healthz says nothing of NATS" })
	a := g.query(asAdmin, `{ thing { id } }`)
	require.Contains(t, a.text(), "the message bus is not connected")
	var document struct{ Errors []any }
	require.NoError(t, json.Unmarshal(a.body, &document))
	require.Len(t, document.Errors, 1)

	c.startNATS()
	eventually(t, startLimit, func() bool {
		return g.query(asAdmin, `{ thing { id } }`).text() == `{"data":{"thing":[]}}`
	}, func() string { return "queries do not work again" })
	eventually(t, startLimit, func() bool { return g.untracks("thing") }, func() string { return "metadata does not take changes again" })
}

// untracks reports whether a table could be untracked.
func (p *process) untracks(table string) bool {
	a := p.post("/v1/metadata", asAdmin, map[string]any{
		"type": "pg_untrack_table", "args": map[string]any{"source": "default", "table": table},
	})
	return a.status == http.StatusOK
}

// TestDatabaseIsDown: a source that has gone gives an error to queries on it, and the
// services stay up.
func TestDatabaseIsDown(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE thing (id int PRIMARY KEY)`)
	g := c.startAll()
	g.metadata("pg_track_table", map[string]any{"source": "default", "table": "thing"})
	require.JSONEq(t, `{"data": {"thing": []}}`, g.query(asAdmin, `{ thing { id } }`).text())

	c.closeDatabase(c.databaseURL)
	a := g.query(asAdmin, `{ thing { id } }`)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.text(), `"code":"postgres-error"`)
	c.openDatabase(c.databaseURL)
	eventually(t, startLimit, func() bool { return g.query(asAdmin, `{ thing { id } }`).text() == `{"data":{"thing":[]}}` },
		func() string { return "queries do not work again" })

	c.closeDatabase(c.metadataURL)
	require.False(t, g.untracks("thing"))
	require.JSONEq(t, `{"data": {"thing": []}}`, g.query(asAdmin, `{ thing { id } }`).text(), "not half applied")
	c.openDatabase(c.metadataURL)
	eventually(t, startLimit, func() bool { return g.untracks("thing") }, func() string { return "metadata does not take changes again" })
}
