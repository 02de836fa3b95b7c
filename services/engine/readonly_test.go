package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// writers are root fields of queries that write, whatever they are declared to be.
var writers = []string{"loud", "quiet", "native", "seen"}

// trackWriters adds the writers, and quiet_reader, a function that reads. Each call adds a row to visit.
func (m *mounted) trackWriters() {
	m.t.Helper()
	m.sql(`CREATE TABLE visit (id serial);
		CREATE FUNCTION visited() RETURNS integer LANGUAGE sql VOLATILE AS 'INSERT INTO visit DEFAULT VALUES RETURNING id';
		CREATE FUNCTION loud() RETURNS SETOF people LANGUAGE sql VOLATILE AS 'SELECT people.* FROM people, visited()';
		CREATE FUNCTION quiet() RETURNS SETOF people LANGUAGE plpgsql STABLE AS 'BEGIN PERFORM visited(); RETURN QUERY SELECT * FROM people; END';
		CREATE FUNCTION quiet_reader() RETURNS SETOF people LANGUAGE sql STABLE AS 'SELECT * FROM people';
		CREATE VIEW seen AS SELECT visited() AS id`)
	m.metadata(`{"type":"bulk","args":[
		{"type":"pg_track_function","args":{"function":"loud","configuration":{"exposed_as":"query"}}},
		{"type":"pg_track_function","args":{"function":"quiet"}},
		{"type":"pg_track_function","args":{"function":"quiet_reader"}},
		{"type":"pg_track_table","args":{"table":"seen"}},
		{"type":"pg_create_select_permission","args":{"table":"seen","role":"user","permission":{"columns":"*","filter":{}}}},
		{"type":"pg_track_logical_model","args":{"source":"default","name":"number","fields":[{"name":"id","type":"integer"}]}},
		{"type":"pg_create_logical_model_select_permission","args":{"source":"default","name":"number","role":"user","permission":{"columns":"*","filter":{}}}},
		{"type":"pg_track_native_query","args":{"source":"default","root_field_name":"native","code":"SELECT visited() AS id","returns":"number"}}]}`)
}

// TestGetChangesNothing: a query that a request by GET runs can't write, by whatever it calls. By POST it may.
func TestGetChangesNothing(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m := mountWith(t, apart, nil, engine.Authenticate(identify))
		m.trackWriters()
		const create = `{"type":"create_query_collection","args":{"name":"c","definition":{"queries":[%s]}}}`
		var queries []string
		names := append([]string{"quiet_reader"}, writers...)
		for _, name := range names {
			queries = append(queries, fmt.Sprintf(`{"name":%q,"query":"{ %s { id } }"}`, name, name))
		}
		m.metadata(fmt.Sprintf(create, strings.Join(queries, ",")))
		for _, name := range names {
			m.metadata(fmt.Sprintf(`{"type":"create_rest_endpoint","args":{"name":%q,"url":%q,"methods":["GET","POST"],"definition":{"query":{"collection_name":"c","query_name":%q}}}}`, name, name, name))
		}
		visits := func() int { return m.count("SELECT count(*) FROM visit") }
		header := map[string]string{"Authorization": "Bearer user even"}
		require.Contains(t, m.get("/api/rest/quiet_reader", header), `"id":2`, "a function that reads")
		for _, name := range writers {
			require.JSONEq(t, fmt.Sprintf(`{"code":"not-supported","path":"$.selectionSet.%s","error":"the field writes, but this request may only read: send the query by POST, or expose the function as a mutation"}`, name),
				m.get("/api/rest/"+name, header))
			require.Contains(t, m.get("/api/rest/quiet_reader", header), `"id":2`, "the connection goes on")
			before := visits()
			stream := m.events("subscription { " + name + " { id } }")
			require.Contains(t, <-stream, "not-supported", name)
			require.Equal(t, before, visits(), name)
			status, answer := m.post("/api/rest/"+name, "{}", header)
			require.Equal(t, http.StatusOK, status, answer)
			require.Greater(t, visits(), before, name)
		}
		require.Contains(t, <-m.events("subscription { quiet_reader { id } }"), `"id":2`)
	})
}

// events begins a subscription by GET, and returns its results.
func (m *mounted) events(query string) <-chan string {
	m.t.Helper()
	ctx, cancel := context.WithCancel(m.t.Context())
	m.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url+"/v1/graphql?query="+url.QueryEscape(query), nil)
	require.NoError(m.t, err)
	r.Header = http.Header{"Authorization": {"Bearer user even"}, "Accept": {"text/event-stream"}}
	response, err := http.DefaultClient.Do(r)
	require.NoError(m.t, err)
	results := make(chan string, 1)
	go func() {
		defer response.Body.Close()
		defer close(results)
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				select {
				case results <- data:
				case <-ctx.Done():
				}
			}
		}
	}()
	return results
}
