package queryexecutor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/kind"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	"queryengine/pkg/testlong"
	queryv1 "queryengine/proto/query/v1"
	planenv "queryengine/services/query-executor/internal/plan/env"
)

const citusFeature = "testdata/citus"

// citusFixture is the executor of the Citus cases over a source of a kind; url is the address of its database.
func citusFixture(t *testing.T, kindName, url string) *Executor {
	t.Helper()
	crm := dbtest.Filled(t, string(readFile(t, filepath.Join(citusFeature, "schema.crm.sql"))))
	env := func(variable string) (string, bool) {
		if variable == "CRM" {
			return crm, true
		}
		return url, true
	}
	e, err := newExecutor(Config{
		PlanCacheSize: 1000, Limits: planenv.DefaultLimits,
		LiveInterval: 20 * time.Millisecond, StreamInterval: 20 * time.Millisecond, LiveBatch: 3, StreamBatch: 3,
	}, Deps{Kinds: kind.All(env, serviceName), Env: env, Logger: telemetry.Discard()})
	require.NoError(t, err)
	t.Cleanup(e.sources.Close)
	document := bytes.Replace(readFile(t, filepath.Join(citusFeature, "metadata.json")), []byte(`"kind": "postgres"`), []byte(`"kind": "`+kindName+`"`), 1)
	e.apply(snapshotOf(t, document, env))
	return e
}

// session is that of who asks.
func (c *citusRequest) session() *session.Session {
	role := cmp.Or(c.role, session.Admin)
	if c.tenant != "" {
		role = "tenant"
	}
	return &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role, "x-engine-tenant": c.tenant}}
}

// citusAnswer is the answer to a request, of any kind of operation. Subscriptions are run once.
func citusAnswer(t *testing.T, e *Executor, c *citusRequest) string {
	t.Helper()
	q := &request{session: c.session(), text: c.text, relay: c.relay}
	if c.variables != "" {
		q.variables = []byte(c.variables)
	}
	if !strings.HasPrefix(c.text, "subscription") {
		out, s := backend.NewAnswer(nil, nil, 0), e.borrow()
		defer e.giveBack(s)
		if err := e.run(t.Context(), q, out, s); err != nil {
			known := apierror.From(err)
			return fmt.Sprintf("%s at %s: %s %v", known.Code, known.Path, known.Message, known.Internal)
		}
		return string(out.Buf)
	}
	q.live = true
	s, err := e.subscription(t.Context(), q)
	require.NoError(t, err)
	source, err := e.sources.Named("default")
	require.NoError(t, err)
	defer source.Release()
	var text []byte
	other := slices.Clone(s.Values)
	err = source.Source.(backend.LiveSource).QueryLive(t.Context(), s.Live.Statement, [][][]byte{other, s.Values}, func(cohort int, roots [][]byte, cursor []byte) {
		if cohort == 1 {
			text = append(append(bytes.Join(roots, []byte(",")), " cursor "...), cursor...)
		}
	})
	if err != nil {
		return "error: " + err.Error()
	}
	return string(text)
}

// citusApart are the reasons of Citus not to read distributed tables together that aren't colocated, or not joined by what distributes them. The
// last one is that of aggregates of a slice whose cells a role sees by conditions on related rows.
var citusApart = []string{
	"cannot push down this subquery", "requires repartitioning", "Distributed queries with outer joins and pseudoconstant quals",
	"correlated subqueries are not supported when the FROM clause contains a reference table",
	"complex joins are only supported when all distributed tables are co-located and joined on their distribution columns",
	"complex joins are only supported when all distributed tables are joined on their distribution columns with equal operator",
	"correlated subqueries are not supported when the FROM clause contains a CTE or subquery",
}

// citusLacks are other reasons of Citus: aggregates that it has not over nodes, and changes of local tables by conditions on reference tables.
var citusLacks = []string{"no matching oid for function", "is not distributed", "cannot be joined with these distributed tables", "does not exist"}

// TestCitusLayouts holds that a real Citus gives the answers of PostgreSQL, however its tables are placed, but for what the server can't do:
// citusRequest.refused says so.
func TestCitusLayouts(t *testing.T) {
	t.Parallel()
	layouts, err := filepath.Glob(filepath.Join(citusFeature, "layout.*.sql"))
	require.NoError(t, err)
	for _, file := range append(layouts, "") {
		layout := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".sql"), "layout.")
		if file == "" {
			layout = "PostgreSQL" // in its place, without a server
		}
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			schema := string(readFile(t, filepath.Join(citusFeature, "schema.sql")))
			url := citusDatabase(t, schema, string(readFile(t, file)))
			on := citusFixture(t, "citus", url)
			plain := citusFixture(t, "postgres", dbtest.Filled(t, schema))
			proven := backendtest.Tested{Tests: "requests", Layout: strings.ReplaceAll(layout, "_", " "), Except: map[string]string{}}
			for _, c := range citusRequests {
				if layout == "apart" && strings.HasPrefix(c.text, "mutation") {
					continue // what Citus refuses of them shows in what comes after
				}
				t.Run(c.name, func(t *testing.T) {
					want := citusAnswer(t, plain, &c)
					require.Equal(t, c.fails, strings.Contains(want, " at $"), want)
					proven.Cases++
					if reason, ok := c.refused[layout]; ok {
						proven.Cases, proven.Except[c.name] = proven.Cases-1, reason
						require.Contains(t, citusAnswer(t, on, &c), reason)
						return
					}
					got := citusAnswer(t, on, &c)
					if layout == "apart" && strings.Contains(got, "not-supported at $") {
						reason := slices.IndexFunc(citusApart, func(reason string) bool { return strings.Contains(got, reason) })
						require.GreaterOrEqual(t, reason, 0, got)
						proven.Cases, proven.Except[c.name] = proven.Cases-1, citusApart[reason]
						return
					}
					if c.unordered {
						got, want = sorted(t, got), sorted(t, want)
					}
					require.Equal(t, want, got, c.text)
				})
			}
			if file != "" {
				proven.Server = dbtest.CitusVersion(t, url)
				backendtest.Report(t, proven)
			}
		})
	}
}

// citusDatabase is the address of a database with tables in a layout: on Citus, or on PostgreSQL without a layout.
func citusDatabase(t *testing.T, schema, layout string) string {
	t.Helper()
	if layout == "" {
		return dbtest.Filled(t, schema)
	}
	return dbtest.CitusURL(t, schema+layout)
}

// distributedCitus is the address of a database whose tables are distributed by their tenants, and that of one of PostgreSQL with the same rows.
func distributedCitus(t *testing.T) (on, plain string) {
	t.Helper()
	schema := string(readFile(t, filepath.Join(citusFeature, "schema.sql")))
	return dbtest.CitusURL(t, schema+string(readFile(t, filepath.Join(citusFeature, "layout.distributed.sql")))), dbtest.Filled(t, schema)
}

// TestCitusPlans holds that requests which one node answers go on working however often they run: servers may plan a prepared statement
// in another way from the sixth run on, and an engine that tries plans later.
func TestCitusPlans(t *testing.T) {
	t.Parallel()
	on, plain := distributedCitus(t)
	e, reference := citusFixture(t, "citus", on), citusFixture(t, "postgres", plain)
	runs := testlong.Of(40, 900)
	proven := backendtest.Tested{Server: dbtest.CitusVersion(t, on), Tests: fmt.Sprintf("%d runs of a request", runs), Layout: "distributed", Except: map[string]string{}}
	for _, c := range citusRequests {
		if !c.often {
			continue
		}
		want := citusAnswer(t, reference, &c)
		require.Contains(t, want, `"data"`)
		for range runs {
			require.Equal(t, want, citusAnswer(t, e, &c), c.text)
		}
		proven.Cases++
	}
	require.Equal(t, 22, proven.Cases)
	backendtest.Report(t, proven)
}

// TestCitusSubscriptions holds that subscriptions deliver their first results, and others when rows change.
func TestCitusSubscriptions(t *testing.T) {
	t.Parallel()
	on, plain := distributedCitus(t)
	e := [2]*Executor{citusFixture(t, "citus", on), citusFixture(t, "postgres", plain)}
	g := [2]*gateway{newGatewayOf(t, e[0]), newGatewayOf(t, e[1])}
	proven := backendtest.Tested{Server: dbtest.CitusVersion(t, on), Tests: "subscriptions", Layout: "distributed", Except: map[string]string{}}
	text := func(c *citusRequest, r *queryv1.LiveResult) string {
		require.Nil(t, r.GetError(), c.text)
		if c.unordered {
			return sorted(t, string(r.GetData()))
		}
		return string(r.GetData())
	}
	var live []*citusRequest
	for i := range citusRequests {
		c := &citusRequests[i]
		if !strings.HasPrefix(c.text, "subscription") {
			continue
		}
		for _, g := range g {
			require.NoError(t, g.join(uint64(len(live)), &request{session: c.session(), text: c.text, variables: []byte(c.variables)}, nil))
		}
		live = append(live, c)
	}
	for id, c := range live {
		require.Equal(t, text(c, g[1].await(uint64(id), 1)[0]), text(c, g[0].await(uint64(id), 1)[0]), c.text)
		proven.Cases++
	}
	require.Equal(t, 18, proven.Cases)
	for _, e := range e {
		require.Contains(t, citusAnswer(t, e, &citusRequest{text: `mutation { update_customer(where: {}, _set: {score: 77}) { affected_rows } }`}), `20`)
	}
	for id, c := range live {
		if strings.HasPrefix(c.name, "stream") || !strings.Contains(c.text, "score") {
			continue
		}
		// Nodes commit one after the other, and a query that meets that sees the rows of some.
		want := text(c, g[1].await(uint64(id), 2)[1])
		g[0].awaitLast(uint64(id), func(r *queryv1.LiveResult) bool { return text(c, r) == want })
	}
	backendtest.Report(t, proven)
}

// sorted is a text of JSON with the items of all lists in one order.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return string(sortedValue(t, v))
}

func sortedValue(t *testing.T, v any) []byte {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = json.RawMessage(sortedValue(t, v[k]))
		}
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = string(sortedValue(t, v[i]))
		}
		slices.Sort(items)
		return []byte("[" + strings.Join(items, ",") + "]")
	}
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}
