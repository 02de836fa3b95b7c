package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/snapshot"
)

// TestReadYourWrites: what a metadata request has answered is seen by the very next query,
// through another gateway, by whichever of three executors gets it.
func TestReadYourWrites(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE thing (id int PRIMARY KEY); INSERT INTO thing VALUES (1)`)
	first := c.startAll()
	c.start(executor)
	c.start(executor)
	second := c.start(gateway)

	table := map[string]any{"source": "default", "table": "thing"}
	gateways := []*process{first, second}
	for i := range 200 {
		writer, reader := gateways[i/2%2], gateways[1-i/2%2]
		if i%2 == 0 {
			writer.metadata("pg_track_table", table)
			a := reader.query(asAdmin, `{ thing { id } }`)
			require.JSONEq(t, `{"data": {"thing": [{"id": 1}]}}`, a.text(), "change %d", i)
			continue
		}
		writer.metadata("pg_untrack_table", table)
		a := reader.query(asAdmin, `{ thing { id } }`)
		require.Contains(t, a.text(), "field 'thing' not found in type: 'query_root'", "change %d", i)
	}
}

// TestMetadataIsKilled: metadata dies in the middle of 100 changes. No version is lost or
// repeated in the stream, and what follows it ends equal to the document.
func TestMetadataIsKilled(t *testing.T) {
	t.Parallel()
	const changes = 100
	c := newCluster(t)
	var sql strings.Builder
	for i := range changes {
		fmt.Fprintf(&sql, "CREATE TABLE t%d (id int PRIMARY KEY);", i)
	}
	execute(t, c.databaseURL, sql.String())
	m := c.start(metadata)
	c.start(executor)
	g := c.start(gateway)

	for i := range changes {
		if i%30 == 10 { // three times, each at another point of the request under way
			victim, delay := m, time.Duration(i)*50*time.Microsecond
			killed := make(chan struct{})
			time.AfterFunc(delay, func() {
				victim.kill()
				close(killed)
			})
			c.track(g, i) // may fail
			<-killed
			m = c.start(metadata)
		}
		eventually(t, startLimit, func() bool { return c.track(g, i) }, func() string { return "no metadata service takes over" })
	}

	var exported struct {
		Version  int64 `json:"resource_version"`
		Metadata json.RawMessage
	}
	a := g.post("/v1/metadata", asAdmin, map[string]any{"type": "export_metadata", "version": 2, "args": map[string]any{}})
	require.Equal(t, http.StatusOK, a.status, a.text())
	require.NoError(t, json.Unmarshal(a.body, &exported))

	versions := c.versions(exported.Version)
	require.LessOrEqual(t, versions[0], int64(2), "the stream has all changes")
	for i, version := range versions {
		require.Equal(t, versions[0]+int64(i), version)
	}
	for i := range changes {
		a := g.query(asAdmin, fmt.Sprintf(`{ t%d { id } }`, i))
		require.JSONEq(t, fmt.Sprintf(`{"data": {"t%d": []}}`, i), a.text())
	}
	c.requireFollowerAt(exported.Version, exported.Metadata)
}

// track tracks table number i; one that is tracked already is as good.
func (c *cluster) track(g *process, i int) bool {
	a := g.post("/v1/metadata", asAdmin, map[string]any{
		"type": "pg_track_table", "args": map[string]any{"source": "default", "table": fmt.Sprintf("t%d", i)},
	})
	return a.status == http.StatusOK || strings.Contains(a.text(), "already tracked")
}

func (c *cluster) connect() *bus.Bus {
	c.t.Helper()
	b, err := bus.Connect(c.t.Context(), bus.Config{InProcess: c.nats, Name: "test"})
	require.NoError(c.t, err)
	c.t.Cleanup(b.Close)
	return b
}

// versions are those of the messages in the stream up to the last.
func (c *cluster) versions(last int64) []int64 {
	c.t.Helper()
	info, err := c.connect().Changes().Info(c.t.Context())
	require.NoError(c.t, err)
	require.Equal(c.t, last, info.LastVersion)
	var seen []int64
	enough := errors.New("enough")
	ctx, cancel := context.WithTimeout(c.t.Context(), startLimit)
	defer cancel()
	err = c.connect().Changes().Follow(ctx, 0, func(_ context.Context, version int64, _ []byte) error {
		seen = append(seen, version)
		if version >= last {
			return enough
		}
		return nil
	})
	require.ErrorIs(c.t, err, enough)
	return seen
}

// requireFollowerAt holds a cache that follows the metadata to a document.
func (c *cluster) requireFollowerAt(version int64, document json.RawMessage) {
	c.t.Helper()
	b := c.connect()
	f := snapshot.NewFollower(snapshot.Config{Changes: b.Changes(), Snapshots: b.Snapshots(), Service: "test", Instance: b.Instance()})
	require.NoError(c.t, f.Start(c.t.Context()))
	defer f.Stop()
	ctx, cancel := context.WithTimeout(c.t.Context(), startLimit)
	defer cancel()
	s, err := f.WaitFor(ctx, version)
	require.NoError(c.t, err)
	require.Equal(c.t, version, s.Version)
	have, err := json.Marshal(s.Document)
	require.NoError(c.t, err)
	require.JSONEq(c.t, string(document), string(have))
}

// TestMetadataIsDown: without metadata, executors serve, and new ones start.
func TestMetadataIsDown(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE thing (id int PRIMARY KEY); INSERT INTO thing VALUES (1)`)
	m := c.start(metadata)
	old := c.start(executor)
	g := c.start(gateway)
	g.metadata("pg_track_table", map[string]any{"source": "default", "table": "thing"})
	const want = `{"data": {"thing": [{"id": 1}]}}`
	require.JSONEq(t, want, g.query(asAdmin, `{ thing { id } }`).text())

	m.kill()
	require.JSONEq(t, want, g.query(asAdmin, `{ thing { id } }`).text())
	a := g.post("/v1/metadata", asAdmin, map[string]any{"type": "export_metadata", "args": map[string]any{}})
	require.Equal(t, http.StatusServiceUnavailable, a.status, a.text())
	require.Contains(t, a.text(), "no metadata is available")

	c.start(executor)
	old.kill()
	eventually(t, startLimit, func() bool { return g.query(asAdmin, `{ thing { id } }`).status == http.StatusOK },
		func() string { return "the new executor does not answer" })
	require.JSONEq(t, want, g.query(asAdmin, `{ thing { id } }`).text())

	// A new gateway reports that metadata is down, and lets queries through.
	late := c.launch(gateway)
	eventually(t, startLimit, func() bool {
		a, err := late.send(http.MethodPost, "/v1/graphql", asAdmin, []byte(`{"query": "{ thing { id } }"}`))
		return err == nil && a.text() == `{"data":{"thing":[{"id":1}]}}`
	}, func() string { return "the new gateway does not answer" })
	health, err := late.get("/healthz")
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, health.status)
}

// TestQueriesOfCollectionsSuitTheSchema: executors know whether they do.
func TestQueriesOfCollectionsSuitTheSchema(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE stock (id int PRIMARY KEY, label text)`)
	c.start(metadata)
	worker := c.start(executor)
	g := c.start(gateway)
	type object map[string]any
	collection := func(name, query string) object {
		return object{"type": "create_query_collection", "args": object{
			"name": name, "definition": object{"queries": []object{{"name": "q", "query": query}}},
		}}
	}
	const unknown = `{"error":"cannot continue due to newly found inconsistent metadata","path":"$.args","code":"unexpected","internal":[
		{"definition":{"name":"q","query":"{stock {id}}"},"name":"query_collections q in app","type":"query_collections",
		 "reason":"Inconsistent object: In query collection \"app\" the query \"q\" is invalid with the following error(s): \"field 'stock' not found in type: 'query_root'\""}]}`
	a := g.post("/v1/metadata", asAdmin, collection("app", `{stock {id}}`))
	require.Equal(t, http.StatusInternalServerError, a.status)
	require.JSONEq(t, unknown, a.text())

	// In one request, the query may need what the request has done before.
	g.metadata("bulk", []object{
		{"type": "pg_track_table", "args": object{"table": "stock"}},
		collection("app", `query ($id: Int!) {stock(where: {id: {_eq: $id}}) {id ...f __typename}} fragment f on stock {label}`),
	})
	for query, problem := range map[string]string{
		`{stock {none}}`:              "field 'none' not found in type: 'stock'",
		`{stock(having: 1) {id}}`:     "'stock' has no argument named 'having'",
		`mutation {insert_none {id}}`: "field 'insert_none' not found in type: 'mutation_root'",
	} {
		a := g.post("/v1/metadata", asAdmin, object{"type": "add_query_to_collection", "args": object{
			"collection_name": "app", "query_name": "other", "query": query,
		}})
		require.Equal(t, http.StatusInternalServerError, a.status, query)
		require.Contains(t, a.text(), problem)
	}

	// What takes the ground from under a query is refused, unless it may be inconsistent.
	whole := g.metadata("export_metadata", object{}).text()
	const without = `{"version":3,"sources":[],"query_collections":[{"name":"app","definition":{"queries":[{"name":"q","query":"{stock {id}}"}]}}]}`
	for body, status := range map[string]int{
		`{"type":"pg_untrack_table","args":{"table":"stock"}}`:                                                   http.StatusInternalServerError,
		`{"type":"pg_set_table_customization","args":{"table":"stock","configuration":{"custom_name":"goods"}}}`: http.StatusBadRequest,
		`{"type":"replace_metadata","args":` + without + `}`:                                                     http.StatusBadRequest,
	} {
		a := g.post("/v1/metadata", asAdmin, json.RawMessage(body))
		require.Equal(t, status, a.status, body)
		require.Contains(t, a.text(), `query_collections q in app`, body)
	}
	const drop = `{"type":"run_sql","args":{"sql":"ALTER TABLE stock DROP COLUMN label"}}`
	a = g.post("/v2/query", asAdmin, json.RawMessage(drop))
	require.Equal(t, http.StatusInternalServerError, a.status)
	require.Contains(t, a.text(), `field 'label' not found in type: 'stock'`)
	require.JSONEq(t, whole, g.metadata("export_metadata", object{}).text())

	execute(t, c.databaseURL, `ALTER TABLE stock DROP COLUMN label`)
	reloaded := g.metadata("reload_metadata", object{}).text()
	require.Contains(t, reloaded, `field 'label' not found in type: 'stock'`)
	require.Contains(t, reloaded, `"is_consistent":false`)
	require.Contains(t, g.metadata("get_inconsistent_metadata", object{}).text(), `query_collections q in app`)
	// What was wrong before refuses nothing.
	g.metadata("pg_create_select_permission", object{"table": "stock", "role": "r", "permission": object{"columns": "*", "filter": object{}}})
	g.metadata("drop_inconsistent_metadata", object{})
	require.NotContains(t, g.metadata("export_metadata", object{}).text(), "query_collections")

	// Without an executor there is no answer.
	worker.kill()
	g.metadata("create_query_collection", collection("later", `{nothing}`)["args"])
}
