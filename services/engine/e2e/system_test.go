package e2e

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/testlong"
)

// The chaos of the whole system: how many faults there are, and of which choice.
var chaosFaults = flag.Int("chaos-faults", testlong.Of(4, 8), "faults of TestSystemSurvives")

const (
	counterRows = 8
	// wellLimit is how long the system may take to be well again after the last fault.
	wellLimit = 3 * time.Minute
)

// replicated is how many processes there are of each service.
var replicated = map[string]int{metadata: 1, executor: 2, eventDelivery: 2, scheduler: 1, gateway: 2}

// system is a whole installation under faults: every service as processes, three NATS nodes, and
// PostgreSQL, one source of which is reached through a link that can hang.
type system struct {
	*cluster
	*ledger
	nodes []*natsProcess
	far   *link
	db    *pgxpool.Pool
	done  atomic.Bool

	mu        sync.Mutex
	processes map[string][]*process
}

// installSystem starts a system whose subscriptions stay open over changes of metadata, or are closed.
func installSystem(t *testing.T, open bool) *system {
	t.Helper()
	nodes := startNATSNodes(t)
	addresses := make([]string, len(nodes))
	for i, n := range nodes {
		addresses[i] = n.address()
	}
	s := &system{cluster: clusterOn(t, strings.Join(addresses, ",")), ledger: newLedger(), nodes: nodes, processes: map[string][]*process{}}
	s.settings["ENGINE_GRAPHQL_NATS_REPLICAS"] = "3"
	s.settings["ENGINE_GRAPHQL_REQUEST_TIMEOUT"] = "30"
	s.settings["ENGINE_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE"] = strconv.FormatBool(!open)
	execute(t, s.databaseURL, `CREATE TABLE ledger (id bigserial PRIMARY KEY, token text NOT NULL);
		CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
		CREATE TABLE confidential (id int PRIMARY KEY); INSERT INTO confidential VALUES (1);
		CREATE TABLE far (id int PRIMARY KEY); INSERT INTO far VALUES (1);
		CREATE TABLE large (id int PRIMARY KEY, body text); INSERT INTO large SELECT g, repeat('x', 10000) FROM generate_series(1, 1000) g`)
	execute(t, s.databaseURL, fmt.Sprintf(`INSERT INTO counter SELECT generate_series(1, %d)`, counterRows))
	s.far = newLink(t, s.databaseURL)
	for _, name := range []string{metadata, executor, eventDelivery, scheduler, gateway} {
		for range replicated[name] {
			s.processes[name] = append(s.processes[name], s.start(name))
		}
	}
	var err error
	s.db, err = pgxpool.New(t.Context(), s.databaseURL)
	require.NoError(t, err)
	t.Cleanup(s.db.Close)
	g := s.process(gateway, 0)
	for _, table := range []string{"ledger", "counter", "confidential", "large"} {
		g.metadata("pg_track_table", map[string]any{"table": table})
	}
	g.metadata("pg_add_source", map[string]any{"name": "far", "configuration": map[string]any{
		"connection_info": map[string]any{"database_url": s.far.url, "pool_settings": map[string]any{"pool_timeout": 5}},
	}})
	g.metadata("pg_track_table", map[string]any{"source": "far", "table": "far"})
	url := s.serveEvents(t)
	retry := map[string]any{"num_retries": 1000, "interval_sec": 1, "timeout_sec": 5}
	g.metadata("pg_create_event_trigger", map[string]any{
		"name": "ledger", "table": "ledger", "webhook": url, "insert": map[string]any{"columns": "*"}, "retry_conf": retry,
	})
	g.metadata("pg_create_event_trigger", map[string]any{
		"name": "counter", "table": "counter", "webhook": url, "update": map[string]any{"columns": "*"}, "retry_conf": retry, "order_by_key": true,
	})
	return s
}

func (s *system) process(name string, i int) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.processes[name][i%len(s.processes[name])]
}

// restart starts another process instead of one that was killed.
func (s *system) restart(name string, i int) {
	s.t.Helper()
	p := s.launch(name)
	s.mu.Lock()
	s.processes[name][i] = p
	s.mu.Unlock()
}

// load does something through the gateways in turns until the system is done with.
func (s *system) load(all *sync.WaitGroup, pause time.Duration, do func(g *process, n int)) {
	all.Go(func() {
		for n := 0; !s.done.Load(); n++ {
			do(s.process(gateway, n), n)
			time.Sleep(pause) // the load of the test
		}
	})
}

const readConfidential = `{ confidential { id } }`

var asReader = as("reader")

// revoke gives a role a permission and takes it away again. What was answered with 200 is in effect
// for every request that is sent after that, whichever gateway it goes to.
func (s *system) revoke(g *process, _ int) {
	table := map[string]any{"table": "confidential", "role": "reader"}
	operation := func(kind string, args map[string]any) reply {
		return s.ask(g, "/v1/metadata", asAdmin, map[string]any{"type": kind, "args": args})
	}
	created := operation("pg_create_select_permission", map[string]any{
		"table": "confidential", "role": "reader", "permission": map[string]any{"columns": "*", "filter": map[string]any{}},
	})
	if created.ok {
		s.everywhere(func(a reply) {
			if a.status == http.StatusOK && strings.Contains(a.text, "not found in type") {
				s.complain("a permission that was given isn't in effect: %s", a.text)
			}
		})
	}
	if operation("pg_drop_select_permission", table).ok {
		s.hide()
		defer s.unhide()
		s.everywhere(func(a reply) {
			if a.ok {
				s.complain("a permission that was taken away is in effect: %s", a.text)
			}
		})
		time.Sleep(pollOnce) // what a subscription would show is looked for
	}
}

// pollOnce is more than subscriptions are polled at.
const pollOnce = 1200 * time.Millisecond

// firstHidden is the least id of rows that are only there while the reader may read none.
const firstHidden = 1000

var hiddenRow = regexp.MustCompile(`"id"\s*:\s*\d{4}`)

// hide writes a row that the reader may not see; unhide removes it, before the reader may read again.
func (s *system) hide() {
	_, _ = s.db.Exec(context.Background(), `INSERT INTO confidential SELECT $1 + (random() * 8000)::int ON CONFLICT DO NOTHING`, firstHidden) // one that fails shows nothing
}

func (s *system) unhide() {
	for {
		if _, err := s.db.Exec(context.Background(), `DELETE FROM confidential WHERE id >= $1`, firstHidden); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond) // the database is at fault
	}
}

// watch has the reader subscribe, again whenever the subscription ends.
func (s *system) watch(g *process, _ int) {
	s.subscription(g, asReader, `subscription `+readConfidential, func(result string) {
		if hiddenRow.MatchString(result) {
			s.complain("a subscription shows what its role may not read: %s", result)
		}
	})
}

// everywhere sends the reader's query through each gateway, a few times.
func (s *system) everywhere(check func(reply)) {
	for n := range 4 {
		check(s.query(s.process(gateway, n), asReader, readConfidential, nil))
	}
}

// TestSystemSurvives runs mutations, counters whose events must be in order, and permissions that come
// and go, while faults are injected. Nothing that was acknowledged is lost, nothing is done twice,
// every event is delivered, those of a counter in order, no revoked row is read, and in the end
// everything works without a restart of anything but the killed processes.
func TestSystemSurvives(t *testing.T) {
	t.Parallel()
	seed := testlong.Seed(t, 1)
	t.Logf("-chaos-faults %d", *chaosFaults)
	s := installSystem(t, seed%2 == 1)
	var loads sync.WaitGroup
	s.load(&loads, 20*time.Millisecond, func(g *process, n int) { s.write(g, fmt.Sprint("a", n)) })
	s.load(&loads, 20*time.Millisecond, func(g *process, n int) { s.write(g, fmt.Sprint("b", n)) })
	s.load(&loads, 20*time.Millisecond, func(g *process, n int) { s.raise(g, 1+n%counterRows) })
	s.load(&loads, 200*time.Millisecond, s.revoke)
	s.load(&loads, 100*time.Millisecond, s.watch)
	s.load(&loads, 100*time.Millisecond, s.watch)
	s.load(&loads, 100*time.Millisecond, func(g *process, _ int) { s.query(g, asAdmin, `{ far { id } }`, nil) })
	s.disturb(rand.New(rand.NewPCG(seed, 0)), *chaosFaults) //nolint:gosec // no secret
	began := time.Now()
	s.awaitWell()
	s.done.Store(true)
	loads.Wait()
	s.awaitEvents()
	s.note(func() {
		t.Logf("well again after %s; answers: %v", time.Since(began).Round(time.Second), s.answers)
		for _, request := range s.slow {
			t.Log("slow: " + request)
		}
	})
	s.compare()
}

// awaitWell waits until every process is ready, and every gateway answers and changes metadata.
func (s *system) awaitWell() {
	s.t.Helper()
	last := ""
	eventually(s.t, wellLimit, func() bool {
		if last != "" {
			s.t.Logf("%s not well: %s", time.Now().Format("15:04:05.000"), last)
			time.Sleep(time.Second) // it is requested again
		}
		for name, n := range replicated {
			for i := range n {
				path := "/healthz"
				if name == gateway {
					path = "/readyz"
				}
				a, err := s.process(name, i).get(path)
				if err != nil || a.status != http.StatusOK {
					last = fmt.Sprintf("%s %d: %v %s", name, i, err, a.text())
					return false
				}
			}
		}
		for i := range replicated[gateway] * replicated[executor] * 2 {
			if a := s.query(s.process(gateway, i), asAdmin, `{ counter { id } far { id } confidential { id } }`, nil); !a.ok {
				last = fmt.Sprintf("a query through gateway %d: %d %s", i, a.status, a.text)
				return false
			}
			a := s.ask(s.process(gateway, i), "/v1/metadata", asAdmin, map[string]any{"type": "reload_metadata", "args": map[string]any{}})
			if !a.ok || !strings.Contains(a.text, `"is_consistent":true`) {
				last = fmt.Sprintf("a metadata request through gateway %d: %d %s", i, a.status, a.text)
				return false
			}
		}
		return true
	}, func() string { return "not well again: " + last })
}

func (s *system) awaitEvents() {
	s.t.Helper()
	waiting := -1
	eventually(s.t, wellLimit, func() bool {
		err := s.db.QueryRow(s.t.Context(), `SELECT count(*) FROM engine_catalog.event_log WHERE NOT delivered`).Scan(&waiting)
		return err == nil && waiting == 0
	}, func() string { return fmt.Sprintf("%d events aren't delivered", waiting) })
}

// compare holds the ledger against the database.
func (s *system) compare() {
	s.t.Helper()
	rows, values := map[string]int{}, map[int]int{}
	collect := func(sql string, scan func(pgx.Rows) error) {
		s.t.Helper()
		found, err := s.db.Query(context.WithoutCancel(s.t.Context()), sql)
		require.NoError(s.t, err)
		defer found.Close()
		for found.Next() {
			require.NoError(s.t, scan(found))
		}
		require.NoError(s.t, found.Err())
	}
	collect(`SELECT token FROM ledger`, func(r pgx.Rows) error {
		var token string
		err := r.Scan(&token)
		rows[token]++
		return err
	})
	collect(`SELECT id, n FROM counter`, func(r pgx.Rows) error {
		var id, n int
		err := r.Scan(&id, &n)
		values[id] = n
		return err
	})
	acknowledged := 0
	s.note(func() {
		for _, yes := range s.written {
			if yes {
				acknowledged++
			}
		}
	})
	require.Positive(s.t, acknowledged)
	s.t.Logf("%d inserts acknowledged, %d there", acknowledged, len(rows))
	s.check(s.t, rows, values)
}
