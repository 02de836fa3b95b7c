package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/testlong"
)

// The random test of subscriptions by the log: how much of it there is.
var (
	liveSubscribers  = flag.Int("live-subscribers", testlong.Of(30, 60), "subscribers of TestSubscribersSeeStatesInTheirOrder")
	liveTransactions = flag.Int("live-transactions", testlong.Of(30, 70), "its transactions")
)

// liveTest is a source whose tables go through states, one after the other, each of which is known before the
// subscribers begin.
type liveTest struct {
	*cluster
	gateway *process
	readers []*process
	random  *rand.Rand
	steps   []liveStep
	// conns are those of the steps, the second one that of what runs aside.
	conns    [2]*pgx.Conn
	watchers []*watcher
	streams  []*streamWatcher
	// states is how many there were so far.
	states int
	// entries are the values of n that rows of entry have had, by their ids; kept are the rows that are there, and
	// stay, in the states so far.
	entries map[int]map[int]bool
	kept    []map[int]entryRow
}

type entryRow struct {
	owner int
	kind  string
}

// watcher is a subscriber of a live query.
type watcher struct {
	header    map[string]string
	document  *liveDocument
	variables map[string]any
	s         *subscriber
	id        string
	// states are its results in all states.
	states []string
}

// streamWatcher is a subscriber of a stream.
type streamWatcher struct {
	field  string
	wanted func(owner int, kind string) bool
	s      *subscriber
	id     string
}

// TestSubscribersSeeStatesInTheirOrder has subscribers with random documents and rules on tables that random
// transactions change, one commit after the other. What a subscriber gets are results of states that were there, in their
// order; at rest it has that of the last one. Nothing is polled, so a change
// that isn't noticed is missed.
func TestSubscribersSeeStatesInTheirOrder(t *testing.T) {
	t.Parallel()
	l := installLive(t, 1, *liveTransactions)
	l.record()
	l.subscribe()
	l.awaitPushed()
	l.replay(nil)
}

// TestSubscribersSeeStatesInTheirOrderWhileReadersDie is the same with faults between the changes.
func TestSubscribersSeeStatesInTheirOrderWhileReadersDie(t *testing.T) {
	t.Parallel()
	l := installLive(t, 2, *liveTransactions/2) // each fault takes its time
	l.record()
	l.subscribe()
	l.awaitPushed()
	l.replay([]func(){
		func() {
			i := l.random.IntN(len(l.readers))
			l.readers[i].kill()
			l.readers[i] = l.launch(eventDelivery)
		},
		func() {
			execute(t, l.databaseURL, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'query engine%'
				AND datname = current_database() AND (backend_type = 'walsender' OR random() < 0.3)`)
		},
		func() {
			execute(t, l.databaseURL, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database()`)
		},
		func() {
			l.stopNATS()
			l.startNATS()
		},
		l.awaitPushed,
	})
}

// installLive starts an installation with two processes that may read the log.
func installLive(t *testing.T, seed uint64, transactions int) *liveTest {
	t.Helper()
	seed = testlong.Seed(t, seed)
	t.Logf("-live-subscribers %d -live-transactions %d", *liveSubscribers, *liveTransactions)
	l := &liveTest{cluster: newCluster(t), random: rand.New(rand.NewPCG(seed, 0)), entries: map[int]map[int]bool{}} //nolint:gosec // no secret
	l.databaseURL = dbtest.LogicalURL(t)
	l.settings["ENGINE_GRAPHQL_DATABASE_URL"] = l.databaseURL
	execute(t, l.databaseURL, liveSchema+liveFill)
	for _, table := range []string{"item", "kind", "tag", "parcel_a", "parcel_rest", "entry"} {
		if l.random.IntN(2) == 0 {
			execute(t, l.databaseURL, `ALTER TABLE `+table+` REPLICA IDENTITY FULL`)
		}
	}
	l.start(metadata)
	l.readers = []*process{l.start(eventDelivery), l.launch(eventDelivery)}
	l.start(executor)
	l.gateway = l.start(gateway, "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false", "ENABLED_APIS=metadata,graphql,developer")
	l.track()
	for i := range l.conns {
		var err error
		l.conns[i], err = pgx.Connect(t.Context(), l.databaseURL)
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.conns[i].Close(t.Context()) })
	}
	l.steps = randomSteps(l.random, transactions)
	for range *liveSubscribers / 3 { // some of the same document
		document, header := randomDocument(l.random), liveHeader(l.random)
		for n := range 3 {
			if n > 0 && l.random.IntN(2) == 0 {
				header = liveHeader(l.random)
			}
			w := &watcher{header: header, document: document, variables: map[string]any{}}
			for i, value := range document.values {
				w.variables[fmt.Sprintf("v%d", i)] = value(l.random)
			}
			l.watchers = append(l.watchers, w)
		}
	}
	for range *liveSubscribers / 10 {
		field, wanted := randomStream(l.random)
		l.streams = append(l.streams, &streamWatcher{field: field, wanted: wanted})
	}
	return l
}

// track makes the metadata.
func (l *liveTest) track() {
	l.t.Helper()
	tables := []string{"item", "kind", "tag", "parcel", "entry", "open_item"}
	var commands []any
	add := func(kind string, args map[string]any) {
		commands = append(commands, map[string]any{"type": kind, "args": args})
	}
	for _, table := range tables {
		add("pg_track_table", map[string]any{"table": table})
	}
	add("pg_create_object_relationship", map[string]any{"table": "item", "name": "of", "using": map[string]any{"foreign_key_constraint_on": "kind"}})
	add("pg_create_array_relationship", map[string]any{"table": "kind", "name": "items", "using": map[string]any{
		"foreign_key_constraint_on": map[string]any{"table": "item", "column": "kind"},
	}})
	add("pg_create_array_relationship", map[string]any{"table": "item", "name": "tags", "using": map[string]any{
		"manual_configuration": map[string]any{"remote_table": "tag", "column_mapping": map[string]any{"id": "item"}},
	}})
	for role, rule := range liveRoles {
		for _, table := range tables {
			permission := map[string]any{"columns": "*", "filter": map[string]any{}, "allow_aggregations": true}
			if table == "item" {
				permission["filter"] = rule
			}
			add("pg_create_select_permission", map[string]any{"table": table, "role": role, "permission": permission})
		}
	}
	add("pg_add_source", map[string]any{"name": "default", "replace_configuration": true, "configuration": map[string]any{
		"connection_info": map[string]any{"database_url": map[string]any{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}},
		"change_feed":     "log",
	}})
	l.gateway.metadata("bulk", commands)
}

// record runs the steps and notes what each subscriber has to see of the state after each of them. Then everything is as
// it was.
func (l *liveTest) record() {
	l.t.Helper()
	l.note()
	for _, step := range l.steps {
		l.run(step)
		l.note()
	}
	execute(l.t, l.databaseURL, `BEGIN;`+liveFill+`COMMIT`)
	for id := range l.entries { // those that stay are expected
		for i := range l.kept {
			if _, stays := l.kept[len(l.kept)-1][id]; !stays {
				delete(l.kept[i], id)
			}
		}
	}
}

// run runs a step. Its error is that of a key that is violated; the same in each run.
func (l *liveTest) run(step liveStep) {
	conn := l.conns[0]
	if step.aside {
		conn = l.conns[1]
	}
	if _, err := conn.Exec(l.t.Context(), step.sql); err != nil {
		require.Contains(l.t, err.Error(), "violates")
		_, err = conn.Exec(l.t.Context(), "ROLLBACK")
		require.NoError(l.t, err)
	}
}

// note adds a state. All subscribers of a session are evaluated at once.
func (l *liveTest) note() {
	l.t.Helper()
	sessions := map[string][]int{}
	for i, w := range l.watchers {
		key, err := json.Marshal(w.header)
		require.NoError(l.t, err)
		sessions[string(key)] = append(sessions[string(key)], i)
	}
	for _, list := range sessions {
		var fields, declarations []string
		variables := map[string]any{}
		for _, i := range list {
			w, prefix := l.watchers[i], fmt.Sprintf("w%d_", i)
			fields = append(fields, fmt.Sprintf("w%d: %s", i, strings.ReplaceAll(w.document.field, "$v", "$"+prefix)))
			if d := w.document.declarations(prefix); d != "" {
				declarations = append(declarations, d)
			}
			for name, value := range w.variables {
				variables[prefix+strings.TrimPrefix(name, "v")] = value
			}
		}
		a := l.gateway.post("/v1/graphql", l.watchers[list[0]].header, map[string]any{
			"query": "query " + inParentheses(strings.Join(declarations, ", ")) + "{" + strings.Join(fields, "\n") + "}", "variables": variables,
		})
		var body struct{ Data map[string]json.RawMessage }
		require.NoError(l.t, json.Unmarshal(a.body, &body))
		require.Len(l.t, body.Data, len(list), a.text())
		for _, i := range list {
			l.watchers[i].states = append(l.watchers[i].states, canonical(l.t, body.Data["w"+strconv.Itoa(i)]))
		}
	}
	l.noteEntries()
}

func (l *liveTest) noteEntries() {
	l.t.Helper()
	rows, err := l.conns[0].Query(l.t.Context(), `SELECT id, n, owner, kind FROM entry`)
	require.NoError(l.t, err)
	now := map[int]entryRow{}
	var id, n int
	var row entryRow
	_, err = pgx.ForEachRow(rows, []any{&id, &n, &row.owner, &row.kind}, func() error {
		if l.entries[id] == nil {
			l.entries[id] = map[int]bool{}
		}
		l.entries[id][n], now[id] = true, row
		return nil
	})
	require.NoError(l.t, err)
	l.kept = append(l.kept, now)
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

func canonical(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(text, &v), string(text))
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

// subscribe begins all subscriptions, those of a session on one connection.
func (l *liveTest) subscribe() {
	l.t.Helper()
	sessions := map[string]*subscriber{}
	for _, w := range l.watchers {
		key := fmt.Sprint(w.header)
		if sessions[key] == nil {
			sessions[key] = l.gateway.subscriber(w.header)
		}
		w.s = sessions[key]
		w.id = w.s.subscribe("subscription "+inParentheses(w.document.declarations("v"))+"{"+w.document.field+"}", w.variables)
	}
	for _, w := range l.streams {
		w.s = l.gateway.subscriber(asAdmin)
		w.id = w.s.subscribe("subscription {"+w.field+"}", nil)
	}
	l.settle()
}

// awaitPushed waits until no subscription is polled.
func (l *liveTest) awaitPushed() {
	l.t.Helper()
	l.gateway.awaitPushed()
}

// awaitPushed waits until executors learn of changes for all subscriptions.
func (p *process) awaitPushed() {
	p.t.Helper()
	var text string
	eventually(p.t, startLimit, func() bool {
		a, err := p.send(http.MethodGet, "/dev/subscriptions", asAdmin, nil)
		text = a.text()
		return err == nil && strings.Contains(text, `"pushed":true`) && !strings.Contains(text, `"pushed":false`)
	}, func() string { return "subscriptions are polled: " + text })
}

// replay runs the steps again, for the subscribers, with faults in between.
func (l *liveTest) replay(faults []func()) {
	l.t.Helper()
	for i, step := range l.steps {
		l.run(step)
		l.states = i + 1
		if len(faults) > 0 && l.random.IntN(6) == 0 {
			faults[l.random.IntN(len(faults))]()
		}
		if step.settle {
			l.settle()
		}
	}
	l.settle()
	results := 0
	for _, w := range l.watchers {
		results += l.checkOrder(w)
		require.Empty(l.t, w.s.trouble())
	}
	for _, w := range l.streams {
		require.Empty(l.t, w.s.trouble())
	}
	l.t.Logf("%d states, %d results of live queries", l.states+1, results)
}

// settle waits until all subscribers have the present state.
func (l *liveTest) settle() {
	l.t.Helper()
	for _, w := range l.watchers {
		want := w.states[l.states]
		eventually(l.t, settleLimit, func() bool {
			last := w.s.last(w.id)
			return last != "" && canonical(l.t, dataOf(l.t, json.RawMessage(last))) == want
		}, func() string {
			return fmt.Sprintf("state %d after %q: %s\nwanted %s\ngot %s %s", l.states, l.last(), w.describe(), want, w.s.last(w.id), w.s.trouble())
		})
	}
	for _, w := range l.streams {
		eventually(l.t, settleLimit, func() bool { return l.missing(w) == nil },
			func() string {
				return fmt.Sprintf("state %d: %s has not given %v %s", l.states, w.field, l.missing(w), w.s.trouble())
			})
	}
}

// settleLimit is more than what a fault may take, and less than what a live query waits without a report.
const settleLimit = 45 * time.Second

// last is the step that led to the present state.
func (l *liveTest) last() string {
	if l.states == 0 {
		return "nothing"
	}
	return l.steps[l.states-1].sql
}

func (w *watcher) describe() string {
	return fmt.Sprintf("%s %v as %v", w.document.field, w.variables, w.header)
}

// dataOf is the value of the only field of a result.
func dataOf(t *testing.T, data json.RawMessage) json.RawMessage {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &fields), string(data))
	require.Len(t, fields, 1)
	for value := range maps.Values(fields) {
		return value
	}
	return nil
}

// checkOrder holds that the results of a subscriber are those of states, none before the one of the result before.
func (l *liveTest) checkOrder(w *watcher) int {
	l.t.Helper()
	results, state := w.s.all(w.id), 0
	for i, result := range results {
		got, from := canonical(l.t, dataOf(l.t, result)), state
		for state < len(w.states) && w.states[state] != got {
			state++
		}
		require.Less(l.t, state, len(w.states), "result %d of %s isn't that of state %d or one after it: %s", i, w.describe(), from, got)
	}
	return len(results)
}

// missing are rows of the present state that a stream has not given. What it has given has to be in order and to have
// been there.
func (l *liveTest) missing(w *streamWatcher) (ids []int) {
	l.t.Helper()
	last, given := 0, map[int]bool{}
	for _, result := range w.s.all(w.id) {
		var batch []struct{ ID, N int }
		require.NoError(l.t, json.Unmarshal(dataOf(l.t, result), &batch))
		for _, row := range batch {
			require.Greater(l.t, row.ID, last, "rows of %s come once and in order", w.field)
			require.True(l.t, l.entries[row.ID][row.N], "%s has given a row that was never there: %v", w.field, row)
			last, given[row.ID] = row.ID, true
		}
	}
	for id, row := range l.kept[l.states] {
		if w.wanted(row.owner, row.kind) && !given[id] {
			ids = append(ids, id)
		}
	}
	return ids
}
