package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// counters is a cluster with a table to watch, and two executors.
func counters(t *testing.T, rows int, settings ...string) (c *cluster, gateways []*process, executors []*process) {
	t.Helper()
	c = newCluster(t)
	gateways, executors = c.counters(rows, settings...)
	return c, gateways, executors
}

// counters is what the function of the name makes, in a cluster.
func (c *cluster) counters(rows int, settings ...string) (gateways []*process, executors []*process) {
	c.t.Helper()
	execute(c.t, c.databaseURL, fmt.Sprintf(`CREATE TABLE counter (id int PRIMARY KEY, value int NOT NULL DEFAULT 0);
		INSERT INTO counter SELECT i, 0 FROM generate_series(1, %d) i;
		CREATE TABLE line (id bigserial PRIMARY KEY, text text)`, rows))
	c.start(metadata)
	for range 2 {
		executors = append(executors, c.start(executor, append([]string{
			"LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL=200", "STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL=100",
		}, settings...)...))
		gateways = append(gateways, c.start(gateway, "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false"))
	}
	gateways[0].metadata("pg_track_tables", map[string]any{"tables": []any{
		map[string]any{"source": "default", "table": "counter"}, map[string]any{"source": "default", "table": "line"},
	}})
	return gateways, executors
}

const watchCounter = `subscription ($id: Int!) { counter_by_pk(id: $id) { value } }`

func counterIs(value int) string { return fmt.Sprintf(`{"counter_by_pk":{"value":%d}}`, value) }

// TestSubscriptionsFollowChanges: through two gateways, two executors, and a change of
// permissions.
func TestSubscriptionsFollowChanges(t *testing.T) {
	t.Parallel()
	c, gateways, _ := counters(t, 3)
	first, second := gateways[0].subscriber(asAdmin), gateways[1].subscriber(asAdmin)
	a, b := first.subscribe(watchCounter, map[string]any{"id": 1}), second.subscribe(watchCounter, map[string]any{"id": 1})
	other := second.subscribe(watchCounter, map[string]any{"id": 2})
	total := first.subscribe(`subscription { counter_aggregate { aggregate { sum { value } } } }`, nil)
	for _, s := range []struct {
		*subscriber
		id string
	}{{first, a}, {second, b}, {second, other}} {
		s.await(s.id, counterIs(0))
	}
	execute(t, c.databaseURL, `UPDATE counter SET value = 5 WHERE id = 1`)
	first.await(a, counterIs(5))
	second.await(b, counterIs(5))
	first.await(total, `{"counter_aggregate":{"aggregate":{"sum":{"value":5}}}}`)
	require.Len(t, second.all(other), 1, "nothing has changed")

	// A role sees at once what it may see, and no more than that.
	drop := map[string]any{"type": "pg_drop_select_permission", "args": map[string]any{"source": "default", "table": "counter", "role": "user"}}
	permit := func(below int, before ...any) {
		gateways[0].metadata("bulk", append(before, map[string]any{"type": "pg_create_select_permission", "args": map[string]any{
			"source": "default", "table": "counter", "role": "user", "permission": map[string]any{
				"columns": []string{"id", "value"}, "filter": map[string]any{"value": map[string]any{"_lt": below}},
			},
		}}))
	}
	permit(100)
	user := gateways[1].subscriber(as("user"))
	seen := user.subscribe(`subscription { counter(order_by: {id: asc}) { id } }`, nil)
	user.await(seen, `{"counter":[{"id":1},{"id":2},{"id":3}]}`)
	permit(5, drop)
	user.await(seen, `{"counter":[{"id":2},{"id":3}]}`)
	gateways[0].metadata("bulk", []any{drop})
	eventually(t, startLimit, func() bool { return strings.Contains(user.trouble(), "error") }, func() string { return "the subscription goes on" })
	require.Empty(t, first.trouble())
}

// TestSubscriptionsSurviveAnExecutor: 1,000 live queries go on after the
// crash of the executor that most of them are on, and miss nothing.
func TestSubscriptionsSurviveAnExecutor(t *testing.T) {
	t.Parallel()
	const subscriptions, connections = 1000, 20
	c, gateways, executors := counters(t, subscriptions)
	clients := make([]*subscriber, connections)
	for i := range clients {
		clients[i] = gateways[i%2].subscriber(asAdmin)
	}
	ids := make([]string, subscriptions)
	for i := range ids {
		// Several documents, so that both executors have some.
		document := strings.Replace(watchCounter, "subscription", fmt.Sprintf("subscription S%d", i%10), 1)
		ids[i] = clients[i%connections].subscribe(document, map[string]any{"id": i + 1})
	}
	all := func(value int) {
		for i, id := range ids {
			s := clients[i%connections]
			eventually(t, startLimit, func() bool { return s.last(id) == counterIs(value) },
				func() string { return fmt.Sprintf("%d: %s %s", i, s.last(id), s.trouble()) })
		}
	}
	all(0)
	executors[0].kill()
	execute(t, c.databaseURL, `UPDATE counter SET value = 7`)
	died := time.Now()
	all(7)
	t.Logf("all have gone on after %s", time.Since(died))
	for i, id := range ids {
		require.Len(t, clients[i%connections].all(id), 2, "what has not changed is not sent again")
	}
	// One that comes takes over its part.
	c.start(executor, "LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL=200")
	execute(t, c.databaseURL, `UPDATE counter SET value = 8`)
	all(8)
}

// TestSubscriptionsEndWhereTheDatabaseIs: while random rows change, executors come and go;
// in the end, every live query shows what a query shows, and every stream has given all rows
// once, in their order.
func TestSubscriptionsEndWhereTheDatabaseIs(t *testing.T) {
	t.Parallel()
	const rows, writing = 50, 6 * time.Second
	c, gateways, executors := counters(t, rows)
	clients := []*subscriber{gateways[0].subscriber(asAdmin), gateways[1].subscriber(asAdmin)}
	documents := []string{
		`{ counter(order_by: {id: asc}) { id value } }`,
		`{ counter_aggregate { aggregate { count sum { value } max { value } } } }`,
		`{ counter(where: {value: {_gt: 3}}, order_by: [{value: desc}, {id: asc}], limit: 5) { id value } }`,
	}
	var live [][2]string
	for _, d := range documents {
		live = append(live, [2]string{clients[0].subscribe("subscription "+d, nil), clients[1].subscribe("subscription "+d, nil)})
	}
	const stream = `subscription ($n: Int!) { line_stream(batch_size: $n, cursor: {initial_value: {id: 0}}) { id text } }`
	streams := [2]string{clients[0].subscribe(stream, map[string]any{"n": 97}), clients[1].subscribe(stream, map[string]any{"n": 400})}

	conn, err := pgx.Connect(t.Context(), c.databaseURL)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	began, written := time.Now(), 0
	for killed := false; time.Since(began) < writing; {
		written++
		_, err := conn.Exec(t.Context(), `UPDATE counter SET value = $1 WHERE id = $2`, rand.IntN(100), 1+rand.IntN(rows))
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), `INSERT INTO line (text) VALUES ($1)`, fmt.Sprint("line ", written))
		require.NoError(t, err)
		if written%200 == 0 && !killed {
			executors[0].kill()
			killed = true
		}
		if written%20 == 0 {
			time.Sleep(10 * time.Millisecond) // a writer of a few hundred rows a second
		}
	}
	for i, d := range documents {
		var fresh struct{ Data json.RawMessage }
		require.NoError(t, json.Unmarshal(gateways[0].query(asAdmin, d).body, &fresh))
		for j, s := range clients {
			s.await(live[i][j], string(fresh.Data))
		}
	}
	for i, s := range clients {
		var got []int
		eventually(t, startLimit, func() bool {
			got = got[:0]
			for _, batch := range s.all(streams[i]) {
				var data struct {
					Lines []struct{ ID int } `json:"line_stream"`
				}
				require.NoError(t, json.Unmarshal(batch, &data))
				for _, l := range data.Lines {
					got = append(got, l.ID)
				}
			}
			return len(got) >= written
		}, func() string { return fmt.Sprintf("%d of %d lines %s", len(got), written, s.trouble()) })
		require.Len(t, got, written)
		require.True(t, slices.IsSorted(got))
		require.Len(t, slices.Compact(got), written)
	}
}

// TestServerSentEvents: a subscription for clients behind proxies that break WebSockets.
func TestServerSentEvents(t *testing.T) {
	t.Parallel()
	c, gateways, _ := counters(t, 1)
	get := gateways[0].url + "/v1/graphql?" + url.Values{"query": {watchCounter}, "variables": {`{"id":1}`}}.Encode()
	for name, r := range map[string]*http.Request{
		"POST": request(t, http.MethodPost, gateways[0].url+"/v1/graphql", `{"query":"`+watchCounter+`","variables":{"id":1}}`),
		"GET":  request(t, http.MethodGet, get, ""),
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, c.databaseURL, `UPDATE counter SET value = 0`)
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			defer response.Body.Close()
			require.Equal(t, http.StatusOK, response.StatusCode)
			require.Equal(t, "text/event-stream; charset=utf-8", response.Header.Get("Content-Type"))
			lines := bufio.NewScanner(response.Body)
			requireEvent(t, lines, "next", `{"data":`+counterIs(0)+`}`)
			execute(t, c.databaseURL, `UPDATE counter SET value = 9`)
			requireEvent(t, lines, "next", `{"data":`+counterIs(9)+`}`)
		})
	}
	t.Run("query", func(t *testing.T) {
		response, err := http.DefaultClient.Do(request(t, http.MethodPost, gateways[0].url+"/v1/graphql", `{"query":"{ __typename }"}`))
		require.NoError(t, err)
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		requireEvent(t, lines, "next", `{"data":{"__typename":"query_root"}}`)
		requireEvent(t, lines, "complete", "")
	})
	t.Run("refused", func(t *testing.T) {
		response, err := http.DefaultClient.Do(request(t, http.MethodPost, gateways[0].url+"/v1/graphql", `{"query":"subscription { nothing }"}`))
		require.NoError(t, err)
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		requireEvent(t, lines, "next", `{"errors":[{"message":"field 'nothing' not found in type: 'subscription_root'","extensions":{"path":"$.selectionSet.nothing","code":"validation-failed"}}]}`)
		requireEvent(t, lines, "complete", "")
	})
	t.Run("mutation by GET", func(t *testing.T) {
		a, err := gateways[0].send(http.MethodGet, "/v1/graphql?query=mutation", map[string]string{"X-Engine-Admin-Secret": secret, "Accept": "text/event-stream"}, nil)
		require.NoError(t, err)
		require.Contains(t, a.text(), "only subscriptions are allowed with GET")
	})
}

// sharedKey signs the tokens of clients.
const sharedKey = "0123456789abcdef0123456789abcdef"

// TestServerSentEventsEndWithTheSession: at the end of the token, or of the webhook's answer, that
// the stream was opened with.
func TestServerSentEventsEndWithTheSession(t *testing.T) {
	t.Parallel()
	c, gateways, _ := counters(t, 1)
	gateways[0].metadata("pg_create_select_permission", map[string]any{
		"table": "counter", "role": "user", "permission": map[string]any{"columns": "*", "filter": map[string]any{}},
	})
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"x-engine-role":"user","Cache-Control":"max-age=2"}`)
	}))
	t.Cleanup(hook.Close)
	claims := func(exp int64) string {
		return fmt.Sprintf(`{"exp":%d,"claims":{"x-engine-default-role":"user","x-engine-allowed-roles":["user"]}}`, exp)
	}
	for name, g := range map[string]*process{
		"token":   c.start(gateway, `JWT_SECRET={"type":"HS256","key":"`+sharedKey+`","claims_namespace":"claims"}`),
		"webhook": c.start(gateway, "AUTH_HOOK="+hook.URL),
	} {
		t.Run(name, func(t *testing.T) {
			expires := time.Now().Add(3 * time.Second).Unix()
			r := request(t, http.MethodPost, g.url+"/v1/graphql", `{"query":"`+watchCounter+`","variables":{"id":1}}`)
			r.Header.Del("X-Engine-Admin-Secret")
			r.Header.Set("Authorization", "Bearer "+signedToken(sharedKey, claims(expires)))
			ctx, cancel := context.WithTimeout(t.Context(), startLimit)
			defer cancel()
			response, err := http.DefaultClient.Do(r.WithContext(ctx))
			require.NoError(t, err)
			defer response.Body.Close()
			lines := bufio.NewScanner(response.Body)
			requireEvent(t, lines, "next", `{"data":`+counterIs(0)+`}`)
			requireEvent(t, lines, "next", `{"errors":[{"message":"the credentials of the request have expired","extensions":{"path":"$","code":"access-denied"}}]}`)
			requireEvent(t, lines, "complete", "")
			require.False(t, lines.Scan())
			require.NoError(t, lines.Err())
		})
	}
}

func request(t *testing.T, method, address, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("X-Engine-Admin-Secret", secret)
	return r
}

// requireEvent reads one event, past comments.
func requireEvent(t *testing.T, lines *bufio.Scanner, name, data string) {
	t.Helper()
	var got []string
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "" && len(got) > 0:
			require.Equal(t, []string{"event: " + name, strings.TrimSuffix("data: "+data, " ")}, got)
			return
		case line != "" && line[0] != ':':
			got = append(got, line)
		}
	}
	require.NoError(t, lines.Err())
	require.Fail(t, "no more events")
}

// TestSubscriptionsAreToldOfChanges: with a change feed, subscriptions receive a change long before the
// interval is over, also after the loss of the connection that notifies of it, and run hardly any
// statement while nothing changes.
func TestSubscriptionsAreToldOfChanges(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	testChangeFeed(t, c, "notify", func() {
		execute(t, c.databaseURL, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN engine_live'`)
	})
}

// TestSubscriptionsAreToldOfTheLog is TestSubscriptionsAreToldOfChanges with changes from the log, through the loss of
// the connection that reads it, of its slot, of the publication, of the processes that read, and of NATS.
func TestSubscriptionsAreToldOfTheLog(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.databaseURL = dbtest.LogicalURL(t)
	c.settings["ENGINE_GRAPHQL_DATABASE_URL"] = c.databaseURL
	readers := []*process{c.launch(eventDelivery), c.launch(eventDelivery)} // they wait for the metadata
	var faults []func()
	for i := range readers {
		faults = append(faults, func() {
			readers[i].kill()
			readers[i] = c.start(eventDelivery)
		})
	}
	subscriber := testChangeFeed(t, c, "log", append(faults,
		func() {
			execute(t, c.databaseURL, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database()`)
		},
		func() { execute(t, c.databaseURL, `DROP PUBLICATION engine_live`) },
		func() { execute(t, c.databaseURL, `ALTER TABLE counter ADD COLUMN more int DEFAULT 1`) },
		func() {
			c.stopNATS()
			c.startNATS()
		},
	)...)
	require.Zero(t, number(t, c.databaseURL, `SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal`))
	const slots = `SELECT count(*) FROM pg_replication_slots WHERE database = current_database()`
	require.Equal(t, 1, number(t, c.databaseURL, slots))
	require.NoError(t, subscriber.socket.CloseNow())
	c.awaitNumber(c.databaseURL, 0, slots) // without subscribers, nothing reads the log
}

// testChangeFeed subscribes to a source with a change feed. Faults end what reports changes. The subscriber is
// still there afterwards.
func testChangeFeed(t *testing.T, c *cluster, feed string, faults ...func()) *subscriber {
	t.Helper()
	gateways, _ := c.counters(100, "LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL=5000", "STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL=5000")
	gateways[0].metadata("pg_add_source", map[string]any{"name": "default", "replace_configuration": true, "configuration": map[string]any{
		"connection_info": map[string]any{"database_url": map[string]any{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}},
		"change_feed":     feed,
	}})
	s := gateways[1].subscriber(asAdmin)
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = s.subscribe(watchCounter, map[string]any{"id": i + 1})
	}
	stream := s.subscribe(`subscription { line_stream(batch_size: 2, cursor: {initial_value: {id: 0}}) { id } }`, nil)
	for _, id := range ids {
		s.await(id, counterIs(0))
	}
	value := 0
	change := func() time.Duration {
		value++
		execute(t, c.databaseURL, fmt.Sprintf(`UPDATE counter SET value = %d`, value))
		began := time.Now()
		for _, id := range ids {
			s.await(id, counterIs(value))
		}
		return time.Since(began)
	}
	quick := func() bool { return max(change(), change()) < 2*time.Second }
	slow := func() string { return "changes aren't reported" }
	eventually(t, startLimit, quick, slow)

	execute(t, c.databaseURL, `INSERT INTO line (text) SELECT 'x' FROM generate_series(1, 21)`)
	// By polls alone it would take 55 seconds.
	eventually(t, 30*time.Second, func() bool { return len(s.all(stream)) >= 11 }, func() string { return "batches of a stream wait" })
	require.Len(t, s.all(stream), 11)

	for _, fault := range faults {
		fault()
		change() // by the next poll, or at once
		eventually(t, startLimit, quick, slow)
	}

	calls := func() (n int) {
		conn, err := pgx.Connect(t.Context(), c.databaseURL)
		require.NoError(t, err)
		defer func() { require.NoError(t, conn.Close(context.Background())) }()
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT sum(seq_scan + coalesce(idx_scan, 0)) FROM pg_stat_user_tables`).Scan(&n))
		return n
	}
	// The statistics come late, and so may what the last fault has read again.
	read := 0
	eventually(t, startLimit, func() bool {
		before := calls()
		time.Sleep(3 * time.Second)
		read = calls() - before
		return read <= 110
	}, func() string { return fmt.Sprintf("the tables are read %d times although nothing changes", read) })
	require.Empty(t, s.trouble())
	return s
}
