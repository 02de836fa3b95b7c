package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// runsTest counts the runs of documents, one change after the other.
type runsTest struct {
	*cluster
	gateway, executor *process
	// pollers are the ids of the documents in the log, by their names.
	pollers map[string]string
	// marks subscribes to a row with the number of changes of it: it has heard of one when everything before it was reported.
	marks  *subscriber
	mark   string
	marked int
}

// runDocument has as many cohorts as it has variables and headers.
type runDocument struct {
	name, text string
	variables  []map[string]any
	headers    []map[string]string
}

var runDocuments = []runDocument{
	{"pk", `($id: Int!) { item_by_pk(id: $id) { n } }`, []map[string]any{{"id": 7}, {"id": 60}}, nil},
	{"range", `($n: Int!) { item(where: {n: {_gt: $n}}, order_by: {id: asc}) { id n } }`, []map[string]any{{"n": 100}, {"n": 1000}}, nil},
	{"null", `{ item(where: {owner: {_is_null: true}}, order_by: {id: asc}) { id n } }`, nil, nil},
	{"nested", `{ item(where: {_or: [{_not: {kind: {_neq: "a"}}}, {_and: [{n: {_lt: -5}}, {owner: {_eq: 3}}]}]}, order_by: {id: asc}) { id n } }`, nil, nil},
	{"session", `{ item(order_by: {id: asc}) { id n } }`, nil, []map[string]string{as("above", "X-Engine-Low", "200"), as("above", "X-Engine-Low", "2000")}},
	{"related", `{ item(where: {id: {_eq: 59}}) { id of { rank } } }`, nil, nil},
	{"shown", `{ item(where: {id: {_lte: 5}}, order_by: {id: asc}) { id kind } }`, nil, nil},
	{"counted", `{ item_aggregate(where: {n: {_gt: 300}}) { aggregate { count } } }`, nil, nil},
}

// runFlush is a change that runs a cohort of pk and all of the others.
const runFlush = `BEGIN; UPDATE item SET owner = NULL, kind = 'a', n = greatest(n, 5000) + 1 WHERE id = 60;
	UPDATE item SET kind = CASE kind WHEN 'b' THEN 'c' ELSE 'b' END WHERE id IN (1, 59); COMMIT`

var runsOfFlush = map[string]int{"pk": 1, "range": 2, "null": 1, "nested": 1, "session": 2, "related": 1, "shown": 1, "counted": 1}

// runSteps are changes with the cohorts that they run: where the whole old row is in the log, and where only its key is,
// so that any updated or deleted row may have satisfied a condition on other columns.
var runSteps = []struct {
	sql         string
	whole, keys map[string]int
}{
	{`UPDATE item SET n = n + 1 WHERE id = 20`, nil, map[string]int{"range": 2, "null": 1, "nested": 1, "session": 2, "counted": 1}},
	{
		`UPDATE item SET n = CASE n WHEN 150 THEN 151 ELSE 150 END WHERE id = 21`,
		map[string]int{"range": 1, "nested": 1},
		map[string]int{"range": 2, "null": 1, "nested": 1, "session": 2, "counted": 1},
	},
	{
		`UPDATE item SET owner = CASE owner WHEN 4 THEN 3 ELSE 4 END WHERE id = 3`,
		map[string]int{"nested": 1},
		map[string]int{"range": 2, "null": 1, "nested": 1, "session": 2, "counted": 1, "shown": 1},
	},
	{`UPDATE kind SET rank = rank + 1 WHERE name = 'b'`, map[string]int{"related": 1}, map[string]int{"related": 1}},
	{`UPDATE kind SET note = note || 'x' WHERE name = 'b'`, nil, map[string]int{"related": 1}},
	{`INSERT INTO item SELECT max(id) + 1, 2, 'b', 0 FROM item`, nil, nil},
	{
		`DELETE FROM item WHERE id > 60 AND id = (SELECT max(id) FROM item)`, nil,
		map[string]int{"range": 2, "null": 1, "nested": 1, "session": 2, "counted": 1},
	},
	{`BEGIN; UPDATE item SET n = 5000; ROLLBACK`, nil, nil},
	{
		`BEGIN; UPDATE item SET kind = CASE kind WHEN 'b' THEN 'c' ELSE 'b' END WHERE id = 59; UPDATE kind SET rank = rank + 1 WHERE name = 'b';
			UPDATE item SET n = n + 1 WHERE id = 7; UPDATE item SET n = n + 1 WHERE id = 7; COMMIT`,
		map[string]int{"pk": 1, "related": 1},
		map[string]int{"pk": 1, "related": 1, "range": 2, "null": 1, "nested": 1, "session": 2, "counted": 1},
	},
}

// TestChangesRunWhatTheyMatterTo counts: each change runs the cohorts that it may matter to, once, and no others.
func TestChangesRunWhatTheyMatterTo(t *testing.T) {
	t.Parallel()
	for _, identity := range []string{"FULL", "DEFAULT"} {
		t.Run(identity, func(t *testing.T) {
			t.Parallel()
			r := installRuns(t, identity)
			for _, step := range runSteps {
				want := step.keys
				if identity == "FULL" {
					want = step.whole
				}
				for r.settle(); !r.exact(step.sql, want); r.settle() {
					t.Log("the log was read again: once more")
				}
			}
			r.settle()
		})
	}
}

func installRuns(t *testing.T, identity string) *runsTest {
	t.Helper()
	c, g, e := itemCluster(t)
	r := &runsTest{cluster: c, gateway: g, executor: e, pollers: map[string]string{}}
	execute(t, c.databaseURL, fmt.Sprintf(`ALTER TABLE kind ADD note text NOT NULL DEFAULT ''; ALTER TABLE kind REPLICA IDENTITY %[1]s;
		ALTER TABLE item REPLICA IDENTITY %[1]s; CREATE TABLE mark (id int PRIMARY KEY, n int); INSERT INTO mark VALUES (1, 0)`, identity))
	g.metadata("pg_track_table", map[string]any{"table": "mark"})
	r.marks = g.subscriber(asAdmin)
	r.mark = r.marks.subscribe(`subscription { mark_by_pk(id: 1) { n } }`, nil)
	g.metadata("pg_create_select_permission", map[string]any{"table": "item", "role": "above", "permission": map[string]any{
		"columns": "*", "filter": map[string]any{"n": map[string]any{"_gte": "X-Engine-Low"}},
	}})
	eventually(t, startLimit, func() bool { return len(r.totals()) == 1 }, func() string { return "no run of mark" })
	for _, d := range runDocuments { // the line of a run may come after its result
		before := r.totals()
		for _, header := range append(d.headers, asAdmin)[:max(1, len(d.headers))] {
			s := g.subscriber(header)
			for _, variables := range append(d.variables, nil)[:max(1, len(d.variables))] {
				id := s.subscribe(`subscription `+d.text, variables)
				eventually(t, startLimit, func() bool { return s.last(id) != "" }, func() string { return "no result of " + d.name + s.trouble() })
			}
		}
		eventually(t, startLimit, func() bool {
			for id := range r.totals() {
				if _, known := before[id]; !known {
					r.pollers[d.name] = id
				}
			}
			return r.pollers[d.name] != ""
		}, func() string { return "no run of " + d.name })
	}
	return r
}

// totals are the numbers of cohorts of all runs so far, by the ids of pollers.
func (r *runsTest) totals() map[string]int {
	totals := map[string]int{}
	for line := range strings.Lines(r.executor.log.String()) {
		var entry struct {
			Type   string
			Detail struct {
				Poller  string `json:"poller_id"`
				Cohorts int    `json:"cohort_size"`
			}
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Type == "livequery-poller-log" {
			totals[entry.Detail.Poller] += entry.Detail.Cohorts
		}
	}
	return totals
}

// readings is how often the executor has lost the log.
func (r *runsTest) readings() int {
	return strings.Count(r.executor.log.String(), "change feed lost")
}

// ran are the cohorts that each document has run since before.
func (r *runsTest) ran(before map[string]int) map[string]int {
	now, ran := r.totals(), map[string]int{}
	for name, id := range r.pollers {
		if n := now[id] - before[id]; n > 0 {
			ran[name] = n
		}
	}
	return ran
}

// awaitLines waits until no line of a run comes any more: one may come after the result of its run, and isn't to be counted for
// the change that follows.
func (r *runsTest) awaitLines() {
	r.t.Helper()
	last, since := r.totals(), time.Now()
	eventually(r.t, startLimit, func() bool {
		if now := r.totals(); !maps.Equal(now, last) {
			last, since = now, time.Now()
		}
		return time.Since(since) > 500*time.Millisecond
	}, func() string { return "something is run all the time" })
}

// settle waits until nothing runs but what a change of the test does.
func (r *runsTest) settle() {
	r.t.Helper()
	eventually(r.t, 3*startLimit, func() bool {
		r.gateway.awaitPushed()
		r.awaitLines()
		before, lost := r.totals(), r.readings()
		execute(r.t, r.databaseURL, runFlush)
		eventually(r.t, startLimit, func() bool {
			for name, n := range runsOfFlush {
				if r.ran(before)[name] < n && r.readings() == lost {
					return false
				}
			}
			return true
		}, func() string { return fmt.Sprintf("ran %v of %v", r.ran(before), runsOfFlush) })
		return maps.Equal(r.ran(before), runsOfFlush)
	}, func() string { return "something else is run all the time" })
}

// exact has a change run exactly what is wanted, which the change that follows proves: runs of a document are in their
// order. It reports whether the log was read all the time.
func (r *runsTest) exact(sql string, want map[string]int) bool {
	r.t.Helper()
	before, lost := r.totals(), r.readings()
	await := func(total map[string]int) bool {
		r.t.Helper()
		enough := func() bool {
			for name, n := range total {
				if r.ran(before)[name] < n {
					return false
				}
			}
			return true
		}
		eventually(r.t, startLimit, func() bool { return enough() || r.readings() != lost }, func() string {
			return fmt.Sprintf("%s: ran %v of %v", sql, r.ran(before), total)
		})
		ran := r.ran(before)
		if r.readings() != lost {
			return false
		}
		require.Equal(r.t, total, ran, sql)
		return true
	}
	execute(r.t, r.databaseURL, sql)
	if want == nil {
		want = map[string]int{}
	}
	if !await(want) {
		return false
	}
	r.marked++
	execute(r.t, r.databaseURL, `UPDATE mark SET n = n + 1`)
	r.marks.await(r.mark, fmt.Sprintf(`{"mark_by_pk":{"n":%d}}`, r.marked))
	total := maps.Clone(want)
	for name, n := range runsOfFlush {
		total[name] += n
	}
	execute(r.t, r.databaseURL, runFlush)
	return await(total)
}
