package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// itemCluster is a cluster with a source whose log is read, and a table that users see the rows of that
// are theirs.
func itemCluster(t *testing.T) (c *cluster, g, e *process) {
	t.Helper()
	c = newCluster(t)
	c.databaseURL = dbtest.LogicalURL(t)
	c.settings["ENGINE_GRAPHQL_DATABASE_URL"] = c.databaseURL
	execute(t, c.databaseURL, `CREATE TABLE kind (name text PRIMARY KEY, rank int);
		CREATE TABLE item (id int PRIMARY KEY, owner int, kind text REFERENCES kind ON UPDATE CASCADE, n int NOT NULL DEFAULT 0);
		INSERT INTO kind VALUES ('a', 1), ('b', 2), ('c', 3);
		INSERT INTO item SELECT i, i % 5, chr(97 + i % 3), 0 FROM generate_series(1, 60) i`)
	c.start(metadata)
	c.start(eventDelivery)
	e = c.start(executor, "ENABLED_LOG_TYPES=startup,livequery-poller-log")
	g = c.start(gateway, "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false", "ENABLED_APIS=metadata,graphql,developer")
	g.metadata("pg_track_tables", map[string]any{"tables": []any{
		map[string]any{"source": "default", "table": "item"}, map[string]any{"source": "default", "table": "kind"},
	}})
	g.metadata("pg_create_object_relationship", map[string]any{
		"table": "item", "name": "of", "using": map[string]any{"foreign_key_constraint_on": "kind"},
	})
	g.metadata("pg_create_select_permission", map[string]any{"table": "item", "role": "user", "permission": map[string]any{
		"columns": "*", "filter": map[string]any{"owner": map[string]any{"_eq": "X-Engine-User-Id"}}, "allow_aggregations": true,
	}})
	g.metadata("pg_add_source", map[string]any{"name": "default", "replace_configuration": true, "configuration": map[string]any{
		"connection_info": map[string]any{"database_url": map[string]any{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}},
		"change_feed":     "log",
	}})
	return c, g, e
}

func asUser(id int) map[string]string { return as("user", "X-Engine-User-Id", strconv.Itoa(id)) }

// runs are the numbers of cohorts of the runs of subscriptions that an executor has logged.
func runs(t *testing.T, p *process) (cohorts []int) {
	t.Helper()
	for line := range strings.Lines(p.log.String()) {
		var entry struct {
			Type   string
			Detail struct {
				Cohorts int `json:"cohort_size"`
			}
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Type == "livequery-poller-log" {
			cohorts = append(cohorts, entry.Detail.Cohorts)
		}
	}
	return cohorts
}

// TestChangeOfARowRunsItsSubscribers: of many subscribers of single rows, a change runs those of its row, and none
// where no row of theirs has changed.
func TestChangeOfARowRunsItsSubscribers(t *testing.T) {
	t.Parallel()
	c, g, e := itemCluster(t)
	s := g.subscriber(asAdmin)
	const document = `subscription ($id: Int!) { item_by_pk(id: $id) { n } }`
	ids := map[int]string{}
	for id := 1; id <= 50; id++ {
		ids[id] = s.subscribe(document, map[string]any{"id": id})
		s.await(ids[id], `{"item_by_pk":{"n":0}}`)
	}
	some := s.subscribe(`subscription ($ids: [Int!]!) { item(where: {id: {_in: $ids}}) { n } }`, map[string]any{"ids": []int{1, 60}})
	constant := s.subscribe(`subscription { item(where: {id: {_in: [2, 59]}}) { n } }`, nil)
	for _, id := range []string{some, constant} {
		s.await(id, `{"item":[{"n":0},{"n":0}]}`)
	}
	n := 0
	alone := func() bool {
		n++
		before := len(runs(t, e))
		execute(t, c.databaseURL, fmt.Sprintf(`UPDATE item SET n = %d WHERE id = 7`, n))
		s.await(ids[7], fmt.Sprintf(`{"item_by_pk":{"n":%d}}`, n))
		var after []int
		eventually(t, startLimit, func() bool {
			after = runs(t, e)[before:]
			return len(after) > 0
		}, func() string { return "no run was logged" })
		return len(after) == 1 && after[0] == 1
	}
	eventually(t, startLimit, alone, func() string { return "other rows are read, too" })
	// A line may come late, so each may be tried again.
	eventually(t, startLimit, func() bool {
		before := len(runs(t, e))
		execute(t, c.databaseURL, `UPDATE item SET n = n + 1 WHERE id BETWEEN 51 AND 58`)
		return alone() && len(runs(t, e)) == before+1
	}, func() string { return "rows without subscribers run something" })
	execute(t, c.databaseURL, `UPDATE item SET n = 100 WHERE id IN (1, 2, 59, 60)`)
	for _, id := range []string{some, constant} {
		s.await(id, `{"item":[{"n":100},{"n":100}]}`)
	}
	require.Empty(t, s.trouble())
}

// TestSubscribersOfTheLogSeeEverything has writers and subscribers of many kinds. At rest each subscriber has what a
// fresh query gives.
func TestSubscribersOfTheLogSeeEverything(t *testing.T) {
	t.Parallel()
	for _, identity := range []string{"DEFAULT", "FULL"} {
		t.Run(identity, func(t *testing.T) {
			t.Parallel()
			subscribersSeeEverything(t, identity)
		})
	}
}

// subscribersSeeEverything has the table with a replica identity, which says what of rows before a change is in the log.
func subscribersSeeEverything(t *testing.T, identity string) {
	t.Helper()
	c, g, _ := itemCluster(t)
	execute(t, c.databaseURL, `ALTER TABLE item REPLICA IDENTITY `+identity)
	type watcher struct {
		s                 *subscriber
		id, query, prefix string
		variables         map[string]any
		header            map[string]string
	}
	fields := []string{
		`item_by_pk(id: $a) { id owner n of { rank } }`,
		`item(where: {id: {_eq: $a}}) { id n }`,
		`item(where: {owner: {_eq: $b}}, order_by: {id: asc}) { id kind }`,
		`item(where: {owner: {_eq: $b}, n: {_gt: $a}}, order_by: [{n: desc}, {id: asc}], limit: 3) { id of { name } }`,
		`item(where: {_or: [{id: {_eq: $a}}, {owner: {_eq: $b}}]}, order_by: {id: asc}) { id }`,
		`item_aggregate(where: {owner: {_eq: $b}}) { aggregate { count sum { n } } }`,
		`item(where: {id: {_in: [$a, 7, 21]}}, order_by: {id: asc}) { id n }`,
		`item(where: {owner: {_in: [$b, 4]}, kind: {_neq: "a"}}, order_by: {id: asc}) { id n kind }`,
		`item(where: {kind: {_eq: "b"}}, order_by: {id: asc}) { id n }`,
		`item_aggregate(where: {_and: [{n: {_gte: $b}}, {kind: {_in: ["a", "c"]}}]}) { aggregate { count max { n } } }`,
		`item(where: {of: {rank: {_lte: $b}}}, order_by: {id: asc}, limit: 5) { id n }`,
		`item(where: {_not: {owner: {_eq: $b}}}, order_by: {id: asc}) { id }`,
		`item(order_by: {id: asc}) { id n }`,
	}
	users := map[int]*subscriber{}
	for user := range 5 {
		users[user] = g.subscriber(asUser(user))
	}
	admin := g.subscriber(asAdmin)
	random := rand.New(rand.NewPCG(3, 4))
	var watchers []watcher
	for i := range 60 {
		w := watcher{s: admin, header: asAdmin, prefix: `($a: Int!, $b: Int!)`, variables: map[string]any{"a": 1 + random.IntN(60), "b": random.IntN(5)}}
		field := fields[i%len(fields)]
		if i%2 == 1 && !strings.Contains(field, "of") {
			user := random.IntN(5)
			w.s, w.header = users[user], asUser(user)
		}
		w.query = w.prefix + ` { ` + field + ` }`
		if !strings.Contains(field, "$a") {
			w.query = strings.Replace(w.query, "$a: Int!, ", "", 1)
			delete(w.variables, "a")
		}
		if !strings.Contains(field, "$b") {
			w.query = strings.Replace(strings.Replace(w.query, ", $b: Int!", "", 1), "($b: Int!)", "", 1)
			delete(w.variables, "b")
		}
		w.id = w.s.subscribe(`subscription `+w.query, w.variables)
		watchers = append(watchers, w)
	}
	settled := func() {
		t.Helper()
		for _, w := range watchers {
			var result struct{ Data json.RawMessage }
			answer := g.post("/v1/graphql", w.header, map[string]any{"query": `query ` + w.query, "variables": w.variables})
			require.NoError(t, json.Unmarshal(answer.body, &result))
			require.NotEmpty(t, result.Data, answer.text())
			w.s.await(w.id, string(result.Data))
		}
	}
	settled()
	db, err := pgx.Connect(t.Context(), c.databaseURL)
	require.NoError(t, err)
	defer db.Close(t.Context())
	for range 3 {
		var writing sync.WaitGroup
		for writer := range 3 {
			conn, err := pgx.Connect(t.Context(), c.databaseURL)
			require.NoError(t, err)
			seed := random.Uint64()
			writing.Go(func() {
				defer conn.Close(t.Context())
				random := rand.New(rand.NewPCG(seed, uint64(writer)))
				for range 60 {
					// Errors are conflicts of the writers: those of keys, and deadlocks.
					_, _ = conn.Exec(t.Context(), "BEGIN;"+randomWrite(random)+randomWrite(random)+[]string{"COMMIT", "COMMIT", "ROLLBACK"}[random.IntN(3)])
					_, _ = conn.Exec(t.Context(), "ROLLBACK")
				}
			})
		}
		writing.Wait()
		settled()
	}
	for range 25 { // one at a time: no other write has those run that it is missed by
		_, _ = db.Exec(t.Context(), randomWrite(random)) // may violate a key
		settled()
	}
	for _, s := range append([]*subscriber{admin}, users[0], users[1], users[2], users[3], users[4]) {
		require.Empty(t, s.trouble())
	}
}

// randomWrite is a statement on the tables of itemCluster.
func randomWrite(random *rand.Rand) string {
	id, other, owner, kind := 1+random.IntN(60), 1+random.IntN(60), random.IntN(5), string(rune('a'+random.IntN(3)))
	return []string{
		fmt.Sprintf(`UPDATE item SET n = n + 1 WHERE id = %d;`, id),
		fmt.Sprintf(`UPDATE item SET owner = %d WHERE id = %d;`, owner, id),
		fmt.Sprintf(`UPDATE item SET owner = NULL WHERE id = %d;`, id),
		fmt.Sprintf(`UPDATE item SET kind = '%s' WHERE owner = %d;`, kind, owner),
		fmt.Sprintf(`DELETE FROM item WHERE id = %d;`, id),
		fmt.Sprintf(`INSERT INTO item VALUES (%d, %d, '%s') ON CONFLICT (id) DO UPDATE SET n = item.n + 10;`, id, owner, kind),
		fmt.Sprintf(`UPDATE item SET id = %d WHERE id = %d AND NOT EXISTS (SELECT FROM item WHERE id = %d);`, other, id, other),
		fmt.Sprintf(`UPDATE kind SET rank = %d WHERE name = '%s';`, owner, kind),
		fmt.Sprintf(`UPDATE item SET n = 0 WHERE owner = %d;`, owner),
	}[random.IntN(9)]
}
