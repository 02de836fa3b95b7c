package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphql-go/graphql"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/dbtest"
	"queryengine/services/engine"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	secret   = "test-secret"
	patience = time.Minute
)

// mounted is an engine in a server of the test's.
type mounted struct {
	t       testing.TB
	handler http.Handler
	source  string
	url     string
	log     *lines
	// args are the options of all services, of which those apart find each other by nats.
	args []string
	nats string
}

// lines keeps what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// mount starts an engine with a table of people, in one process or with a process for each service.
func mount(t testing.TB, apart bool, options ...engine.Option) *mounted {
	t.Helper()
	return mountWith(t, apart, nil, options...)
}

// mountWith is mount with more settings.
func mountWith(t testing.TB, apart bool, settings []string, options ...engine.Option) *mounted {
	t.Helper()
	source := dbtest.URL(t)
	m := &mounted{t: t, source: source, log: &lines{}}
	m.sql(`CREATE TABLE people (id integer PRIMARY KEY, name text NOT NULL, owner text NOT NULL);
		INSERT INTO people SELECT i, 'person ' || i, CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END FROM generate_series(1, 10) AS i`)
	m.args = []string{
		"--metadata-database-url", dbtest.URL(t), "--database-url", source, "--admin-secret", secret,
		"--enabled-log-types", "startup",
	}
	m.args = append(m.args, settings...)
	var e *engine.Engine
	if apart {
		nats, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
		require.NoError(t, err)
		t.Cleanup(nats.Stop)
		m.nats = nats.ClientURL()
		for _, name := range []string{"metadata", "query-executor", "event-delivery", "scheduler", "gateway"} {
			e = m.start(options, "--services", name)
		}
	} else {
		e = m.start(options, "--data-dir", t.TempDir())
	}
	m.handler = e.Handler()
	server := httptest.NewServer(m.handler)
	t.Cleanup(server.Close)
	m.url = server.URL
	require.Eventually(t, func() bool {
		_, answer := m.post("/v1/graphql", `{"query":"{ __typename }"}`, admin)
		return strings.Contains(answer, "query_root")
	}, patience, 20*time.Millisecond)
	m.metadata(`{"type":"pg_track_table","args":{"table":"people"}}`)
	m.metadata(`{"type":"pg_create_select_permission","args":{"table":"people","role":"user","permission":{"columns":["id","name"],"filter":{"owner":"X-Engine-User-Id"}}}}`)
	return m
}

// sql runs statements in the source.
func (m *mounted) sql(statements string) {
	m.t.Helper()
	db, err := pgx.Connect(m.t.Context(), m.source)
	require.NoError(m.t, err)
	_, err = db.Exec(m.t.Context(), statements)
	require.NoError(m.t, err)
	require.NoError(m.t, db.Close(m.t.Context()))
}

// count is the number that a query of the source answers with.
func (m *mounted) count(query string) (n int) {
	m.t.Helper()
	db, err := pgx.Connect(m.t.Context(), m.source)
	require.NoError(m.t, err)
	require.NoError(m.t, db.QueryRow(m.t.Context(), query).Scan(&n))
	require.NoError(m.t, db.Close(m.t.Context()))
	return n
}

// start starts an engine that belongs to the others.
func (m *mounted) start(options []engine.Option, args ...string) *engine.Engine {
	m.t.Helper()
	args = append(slices.Clone(m.args), args...)
	if m.nats != "" {
		args = append(args, "--nats-url", m.nats)
	}
	e, err := engine.New(engine.Config{
		Args: args, Env: func(string) (string, bool) { return "", false },
		Logger: slog.New(slog.NewTextHandler(m.log, nil)),
	}, options...)
	require.NoError(m.t, err)
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	require.NoError(m.t, e.Start(ctx))
	m.t.Cleanup(e.Stop)
	return e
}

var admin = map[string]string{"X-Engine-Admin-Secret": secret}

func user(id string) map[string]string {
	return map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "user", "X-Engine-User-Id": id}
}

func (m *mounted) post(path, body string, header map[string]string) (int, string) {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost, m.url+path, strings.NewReader(body))
	require.NoError(m.t, err)
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(m.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(m.t, err)
	return response.StatusCode, string(text)
}

func (m *mounted) metadata(body string) {
	m.t.Helper()
	status, answer := m.post("/v1/metadata", body, admin)
	require.Equal(m.t, http.StatusOK, status, answer)
}

func (m *mounted) query(query string, header map[string]string) string {
	m.t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	require.NoError(m.t, err)
	_, answer := m.post("/v1/graphql", string(body), header)
	return answer
}

// places are one process, and a process for each service.
func places(t *testing.T, test func(t *testing.T, apart bool)) {
	t.Helper()
	for name, apart := range map[string]bool{"one process": false, "apart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, apart)
		})
	}
}

type greeting struct {
	Text string `json:"text"`
	For  string `json:"for"`
}

type greet struct {
	Name  string    `json:"name"`
	Times *int      `json:"times"`
	At    time.Time `json:"at"`
}

// actionTypes fits greet and greeting.
const actionTypes = `{"type":"set_custom_types","args":{"scalars":[{"name":"timestamptz"}],"objects":[{"name":"Greeting","fields":[{"name":"text","type":"String!"},{"name":"for","type":"String!"}]}]}}`

func createAction(name, kind, input, output string) string {
	return fmt.Sprintf(`{"type":"create_action","args":{"name":%q,"definition":{"kind":"synchronous","type":%q,"handler":"go://greet","arguments":%s,"output_type":%q}}}`,
		name, kind, input, output)
}

const greetArguments = `[{"name":"name","type":"String!"},{"name":"times","type":"Int"},{"name":"at","type":"timestamptz!"}]`

// TestActionInGo runs an action with its types, as its caller and as another role.
func TestActionInGo(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m := mount(t, apart, engine.Action("greet", func(ctx context.Context, in greet) (greeting, error) {
			switch in.Name {
			case "stranger":
				return greeting{}, &engine.Error{Message: "no one is there", Code: "stranger", Status: http.StatusNotFound, Extensions: map[string]any{"hint": "ask again"}}
			case "broken":
				return greeting{}, errors.New("the password is 1234")
			case "panic":
				panic("at the disco")
			}
			var seen struct{ People []struct{ Name string } }
			if err := engine.ClientOf(ctx).Run(ctx, `query ($limit: Int!) { people(limit: $limit, order_by: {id: asc}) { name } }`, map[string]any{"limit": 2}, &seen); err != nil {
				return greeting{}, err
			}
			var all struct {
				Count struct{ Aggregate struct{ Count int } }
			}
			if err := engine.ClientOf(ctx).As("admin", nil).Run(ctx, `{ count: people_aggregate { aggregate { count } } }`, nil, &all); err != nil {
				return greeting{}, err
			}
			s := engine.SessionOf(ctx)
			return greeting{
				Text: fmt.Sprintf("%s, %s and %s of %d", in.Name, seen.People[0].Name, seen.People[1].Name, all.Count.Aggregate.Count),
				For:  s.Role + " " + s.Get("user-id") + s.Get("X-Engine-Nothing") + " " + in.At.UTC().Format(time.TimeOnly),
			}, nil
		}))
		m.metadata(actionTypes)
		m.metadata(createAction("greet", "mutation", greetArguments, "Greeting!"))
		m.metadata(`{"type":"create_action_permission","args":{"action":"greet","role":"user"}}`)
		call := func(name string) string {
			return m.query(fmt.Sprintf(`mutation { greet(name: %q, at: "2100-01-02T03:04:05Z") { text for } }`, name), user("even"))
		}
		require.JSONEq(t, `{"data":{"greet":{"text":"hello, person 2 and person 4 of 10","for":"user even 03:04:05"}}}`, call("hello"))
		require.JSONEq(t, `{"errors":[{"message":"no one is there","extensions":{"code":"stranger","hint":"ask again"}}]}`, call("stranger"))
		require.NotContains(t, call("broken"), "1234")
		require.Contains(t, call("broken"), "internal error")
		require.Contains(t, m.log.String(), "1234")
		require.Contains(t, call("panic"), "internal error")
		require.Contains(t, m.log.String(), "at the disco")
		require.Contains(t, call("hello"), "person 2", "a panic is that of one call")
		stranger := map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "stranger"}
		require.Contains(t, m.query(`mutation { greet(name: "x", at: "2100-01-02T03:04:05Z") { text } }`, stranger), "validation-failed", "a role without the permission")
	})
}

// TestMetadataThatDoesNotFitTheCode: what the build lacks, and types that differ, are inconsistent, and name both sides.
func TestMetadataThatDoesNotFitTheCode(t *testing.T) {
	t.Parallel()
	m := mount(t, false,
		engine.Action("greet", func(context.Context, greet) (greeting, error) { return greeting{}, nil }),
		engine.OnEvent("watch", func(context.Context, engine.Event[map[string]any]) error { return nil }))
	m.metadata(actionTypes)
	for _, c := range []struct{ body, want string }{
		{createAction("greet", "mutation", `[{"name":"name","type":"Int!"}]`, "Greeting!"), `argument \"name\": the handler takes String!, the metadata has Int!`},
		{createAction("greet", "mutation", `[{"name":"name","type":"String"},{"name":"at","type":"timestamptz!"}]`, "Greeting"), `argument \"name\": the handler takes String!, the metadata has String`},
		{createAction("greet", "mutation", `[{"name":"name","type":"String!"},{"name":"at","type":"timestamptz!"},{"name":"more","type":"Int"}]`, "Greeting"), `argument \"more\": the handler has none, the metadata has Int`},
		{createAction("greet", "mutation", `[{"name":"name","type":"String!"}]`, "Greeting"), `argument \"at\": the handler takes timestamptz!, the metadata has none`},
		{createAction("greet", "mutation", greetArguments, "[Greeting]"), `output: the handler returns Greeting!, the metadata has [Greeting]`},
		{createAction("greet", "mutation", greetArguments, "String"), `output: the handler returns Greeting!, the metadata has String`},
		{createAction("greet", "query", greetArguments, "Greeting"), `the handler is that of a mutation`},
		{strings.ReplaceAll(createAction("greet", "mutation", greetArguments, "Greeting"), "go://greet", "go://nowhere"), `this build of the engine has no handler \"nowhere\" (go://nowhere)`},
		{strings.ReplaceAll(createAction("greet", "mutation", greetArguments, "Greeting"), "go://greet", "go://watch"), `go://watch serves calls of another kind (event trigger)`},
		{`{"type":"add_remote_schema","args":{"name":"gone","definition":{"url":"go://gone"}}}`, `this build of the engine has no handler \"gone\"`},
		{`{"type":"create_cron_trigger","args":{"name":"c","webhook":"go://gone","schedule":"0 0 1 1 *","include_in_metadata":true}}`, `this build of the engine has no handler`},
		{`{"type":"pg_create_event_trigger","args":{"name":"e","table":"people","webhook":"go://gone","insert":{"columns":"*"}}}`, `this build of the engine has no handler`},
		{`{"type":"pg_create_insert_permission","args":{"table":"people","role":"user","permission":{"columns":["id"],"check":{},"validate_input":{"type":"http","definition":{"url":"go://gone"}}}}}`, `this build of the engine has no handler`},
	} {
		status, answer := m.post("/v1/metadata", c.body, admin)
		require.Equal(t, http.StatusBadRequest, status, "%s: %s", c.body, answer)
		require.Contains(t, answer, c.want, c.body)
	}
	m.metadata(createAction("greet", "mutation", greetArguments, "Greeting"))
}

// shop is a graphql-go schema whose lookups of prices are counted.
func shop(t *testing.T, lookups *atomic.Int64, stop <-chan struct{}) graphql.Schema {
	t.Helper()
	prices := engine.NewLoader(func(ctx context.Context, ids []int) (map[int]string, error) {
		lookups.Add(1)
		found := map[int]string{}
		for _, id := range ids {
			if id != 5 {
				found[id] = fmt.Sprintf("%d EUR for %s", id, engine.SessionOf(ctx).Get("user-id"))
			}
		}
		return found, nil
	})
	integer := func(p graphql.ResolveParams, name string) int {
		n, _ := p.Args[name].(int)
		return n
	}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{
		Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
			"price": &graphql.Field{
				Type: graphql.String, Args: graphql.FieldConfigArgument{"id": &graphql.ArgumentConfig{Type: graphql.NewNonNull(graphql.Int)}, "in": &graphql.ArgumentConfig{Type: graphql.String}},
				Resolve: func(p graphql.ResolveParams) (any, error) { return prices.Load(p.Context, integer(p, "id")) },
			},
			"wait": &graphql.Field{Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) {
				select {
				case <-p.Context.Done():
				case <-stop:
				}
				return "waited", nil
			}},
			"fail": &graphql.Field{Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return nil, errors.New("sold out") }},
		}}),
		Subscription: graphql.NewObject(graphql.ObjectConfig{Name: "Subscription", Fields: graphql.Fields{
			"count": &graphql.Field{
				Type: graphql.Int, Args: graphql.FieldConfigArgument{"to": &graphql.ArgumentConfig{Type: graphql.NewNonNull(graphql.Int)}},
				Resolve: func(p graphql.ResolveParams) (any, error) { return p.Source, nil },
				Subscribe: func(p graphql.ResolveParams) (any, error) {
					c := make(chan any)
					go func() {
						defer close(c)
						for i := range integer(p, "to") {
							select {
							case c <- i + 1:
							case <-p.Context.Done():
								return
							}
						}
					}()
					return c, nil
				},
			},
		}}),
	})
	require.NoError(t, err)
	return schema
}

// TestRemoteSchemaInGo joins rows with resolvers, which get all keys at once and the caller's session, and follows a
// subscription.
func TestRemoteSchemaInGo(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		var lookups atomic.Int64
		stop := make(chan struct{})
		m := mount(t, apart, engine.RemoteSchema("shop", shop(t, &lookups, stop)))
		m.metadata(`{"type":"add_remote_schema","args":{"name":"shop","definition":{"url":"go://shop","timeout_seconds":2}}}`)
		m.metadata(`{"type":"pg_create_remote_relationship","args":{"source":"default","table":"people","name":"price","definition":{"to_remote_schema":{"remote_schema":"shop","lhs_fields":["id"],"remote_field":{"price":{"arguments":{"id":"$id"}}}}}}}`)
		require.JSONEq(t, `{"data":{"price":"7 EUR for "}}`, m.query(`{ price(id: 7) }`, admin))
		require.JSONEq(t, `{"data":{"price":"7 EUR for "}}`, m.query(`{ price(id: 7, in: null) }`, admin))
		lookups.Store(0)
		require.JSONEq(t, `{"data":{"people":[{"id":1,"price":"1 EUR for odd"},{"id":3,"price":"3 EUR for odd"},{"id":5,"price":null},{"id":7,"price":"7 EUR for odd"},{"id":9,"price":"9 EUR for odd"}]}}`,
			m.query(`{ people(order_by: {id: asc}) { id price } }`, user("odd")))
		require.EqualValues(t, 1, lookups.Load(), "all keys are looked up at once")
		require.Contains(t, m.query(`{ fail }`, admin), "sold out")
		require.Contains(t, m.query(`{ wait }`, admin), "timeout", "the timeout of the definition holds")
		close(stop)
		require.JSONEq(t, `{"data":{"wait":"waited"}}`, m.query(`{ wait }`, admin))
		require.Equal(t, []string{`{"data":{"count":1}}`, `{"data":{"count":2}}`, `{"data":{"count":3}}`}, m.subscribe(`subscription { count(to: 3) }`))
	})
}

// subscribe returns the results of a subscription that ends, over server-sent events.
func (m *mounted) subscribe(query string) []string {
	m.t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	require.NoError(m.t, err)
	_, answer := m.post("/v1/graphql", string(body), map[string]string{"X-Engine-Admin-Secret": secret, "Accept": "text/event-stream"})
	var results []string
	for line := range strings.Lines(answer) {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.TrimSpace(data) != "" {
			results = append(results, strings.TrimSpace(data))
		}
	}
	return results
}

// TestDeliveriesInGo delivers events of rows and one-off events to handlers, again after an error.
func TestDeliveriesInGo(t *testing.T) {
	t.Parallel()
	type person struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	places(t, func(t *testing.T, apart bool) {
		events, times := make(chan engine.Event[person], 10), make(chan engine.Occasion[map[string]int], 10)
		m := mount(t, apart,
			engine.OnEvent("watch", func(_ context.Context, e engine.Event[person]) error {
				events <- e
				if e.Attempt == 0 {
					return errors.New("not yet")
				}
				return nil
			}),
			engine.OnSchedule("due", func(_ context.Context, o engine.Occasion[map[string]int]) error {
				times <- o
				return nil
			}))
		m.metadata(`{"type":"pg_create_event_trigger","args":{"name":"watch","table":"people","webhook":"go://watch","insert":{"columns":"*"},"update":{"columns":"*"},"retry_conf":{"num_retries":3,"interval_sec":1,"timeout_sec":10}}}`)
		require.Contains(t, m.query(`mutation { update_people_by_pk(pk_columns: {id: 4}, _set: {name: "new"}) { id } }`, admin), `"id":4`)
		m.metadata(`{"type":"create_scheduled_event","args":{"webhook":"go://due","schedule_at":"2000-01-01T00:00:00Z","payload":{"n":3},"comment":"one","retry_conf":{"tolerance_seconds":100000000000}}}`)
		for attempt := range 2 {
			select {
			case e := <-events:
				require.Equal(t, "UPDATE", e.Operation)
				require.Equal(t, "person 4", e.Old.Name)
				require.Equal(t, person{4, "new"}, *e.New)
				require.Equal(t, attempt, e.Attempt)
				require.Equal(t, "people", e.Table)
				require.False(t, e.CreatedAt.IsZero())
			case <-time.After(patience):
				t.Fatal("no event")
			}
		}
		select {
		case o := <-times:
			require.Equal(t, map[string]int{"n": 3}, o.Payload)
			require.Equal(t, "one", o.Comment)
			require.Equal(t, "2000-01-01T00:00:00Z", o.Scheduled.Format(time.RFC3339))
		case <-time.After(patience):
			t.Fatal("no call")
		}
	})
}

// TestAuthenticateInGo identifies callers by code, without a webhook.
func TestAuthenticateInGo(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m := mount(t, apart, engine.Authenticate(func(_ context.Context, header http.Header) (engine.Identity, error) {
			switch who, _ := strings.CutPrefix(header.Get("Authorization"), "Bearer "); who {
			case "":
				return engine.Identity{}, engine.ErrUnauthorized
			case "broken":
				return engine.Identity{}, errors.New("the directory is gone")
			default:
				return engine.Identity{Role: "user", Variables: map[string]string{"user-id": who}}, nil
			}
		}))
		as := func(token string) string {
			return m.query(`{ people(limit: 1, order_by: {id: asc}) { id } }`, map[string]string{"Authorization": token})
		}
		require.JSONEq(t, `{"data":{"people":[{"id":2}]}}`, as("Bearer even"))
		require.JSONEq(t, `{"data":{"people":[{"id":1}]}}`, as("Bearer odd"))
		require.Contains(t, as(""), "Authentication hook unauthorized this request")
		require.Contains(t, as("Bearer broken"), "Invalid response from authorization hook")
		require.Contains(t, m.log.String(), "the directory is gone")
	})
}

// TestHTTPHandlerInGo serves a path below a name to the validation of input.
func TestHTTPHandlerInGo(t *testing.T) {
	t.Parallel()
	m := mount(t, false, engine.HTTP("checks", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/people" || strings.Contains(string(text), "bad") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"message":"no bad names"}`)
		}
	})))
	m.metadata(`{"type":"pg_create_insert_permission","args":{"table":"people","role":"user","permission":{"columns":["id","name"],"set":{"owner":"X-Engine-User-Id"},"check":{},"validate_input":{"type":"http","definition":{"url":"go://checks/people"}}}}}`)
	require.Contains(t, m.query(`mutation { insert_people_one(object: {id: 20, name: "good"}) { id } }`, user("odd")), `"id":20`)
	require.Contains(t, m.query(`mutation { insert_people_one(object: {id: 21, name: "bad"}) { id } }`, user("odd")), "no bad names")
}

// TestFaultsOfCodeAreItsOwn: code that hangs holds its own places only, and others of the same name get the free ones.
func TestFaultsOfCodeAreItsOwn(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var running, most atomic.Int64
	type none struct{}
	m := mount(t, false,
		engine.Action("hang", func(context.Context, none) (string, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for {
				seen := most.Load()
				if n <= seen || most.CompareAndSwap(seen, n) {
					break
				}
			}
			<-release // whatever the context says
			return "late", nil
		}, engine.Concurrency(3)),
		engine.HTTP("garbage", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{0xff, '{'}) })),
		engine.Action("quick", func(context.Context, none) (string, error) { return "now", nil }, engine.Query()))
	m.metadata(`{"type":"create_action","args":{"name":"garbage","definition":{"handler":"go://garbage","output_type":"String"}}}`)
	require.Contains(t, m.query(`mutation { garbage }`, admin), "not a valid json response from webhook")
	m.metadata(`{"type":"create_action","args":{"name":"hang","definition":{"handler":"go://hang","timeout":1,"output_type":"String"}}}`)
	m.metadata(`{"type":"create_action","args":{"name":"quick","definition":{"type":"query","handler":"go://quick","output_type":"String!"}}}`)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			body := m.query(`mutation { hang }`, admin)
			if !strings.Contains(body, "http exception when calling webhook") {
				t.Errorf("a call that hangs ends with its timeout: %s", body)
			}
		})
	}
	require.JSONEq(t, `{"data":{"quick":"now"}}`, m.query(`{ quick }`, admin))
	calls.Wait()
	require.EqualValues(t, 3, most.Load(), "no more than the limit run at once")
	close(release)
	require.Eventually(t, func() bool { return strings.Contains(m.query(`mutation { hang }`, admin), "late") }, patience, 10*time.Millisecond)
}

// TestNamesOfCode refuses names that URLs can't have or that are taken.
func TestNamesOfCode(t *testing.T) {
	t.Parallel()
	type none struct{}
	quick := func(context.Context, none) (string, error) { return "", nil }
	_, err := engine.New(engine.Config{}, engine.Action("a b", quick), engine.Action("x", quick), engine.Action("X", quick), engine.Action("c", quick, engine.Concurrency(-1)))
	require.EqualError(t, err, `action "a b": a name consists of letters, digits, dots, hyphens and underscores
action "X": a handler (action) has this name already
action "c": the concurrency is negative`)
}

// TestBuildsWithoutTheCode: while services are replaced, those of a build that lacks a handler get no calls for it, and
// deliveries wait for one that has it.
func TestBuildsWithoutTheCode(t *testing.T) {
	t.Parallel()
	type none struct{}
	events := make(chan string, 100)
	options := []engine.Option{
		engine.Action("quick", func(context.Context, none) (string, error) { return "now", nil }, engine.Query()),
		engine.OnEvent("watch", func(_ context.Context, e engine.Event[map[string]any]) error {
			events <- fmt.Sprintf("%s, attempt %d", (*e.New)["name"], e.Attempt)
			return nil
		}),
	}
	m := mount(t, true, options...)
	for _, service := range []string{"query-executor", "query-executor", "event-delivery"} {
		m.start(nil, "--services", service)
	}
	m.metadata(`{"type":"create_action","args":{"name":"quick","definition":{"type":"query","handler":"go://quick","output_type":"String!"}}}`)
	m.metadata(`{"type":"create_action_permission","args":{"action":"quick","role":"user"}}`)
	m.metadata(`{"type":"pg_create_event_trigger","args":{"name":"watch","table":"people","webhook":"go://watch","update":{"columns":"*"}}}`)
	answers := map[string]int{}
	require.Eventually(t, func() bool { // an executor announces within a heartbeat what it lacks
		answers[m.query(`{ quick }`, user("odd"))]++
		return answers[`{"data":{"quick":"now"}}`] > 30
	}, patience, 20*time.Millisecond)
	for range 100 {
		require.JSONEq(t, `{"data":{"quick":"now"}}`, m.query(`{ quick }`, user("odd")))
	}
	want := map[string]bool{}
	for i := range 20 {
		name := fmt.Sprintf("name %d", i)
		want[name+", attempt 0"] = true
		require.Contains(t, m.query(fmt.Sprintf(`mutation { update_people_by_pk(pk_columns: {id: %d}, _set: {name: %q}) { id } }`, i%10+1, name), admin), `"id"`)
	}
	for len(want) > 0 {
		select {
		case got := <-events:
			require.True(t, want[got], got)
			delete(want, got)
		case <-time.After(patience):
			t.Fatalf("not delivered: %v", want)
		}
	}
}

// TestLibrary mounts an engine next to other routes, with the logger, the metrics and the tracer of the program around it.
func TestLibrary(t *testing.T) {
	t.Parallel()
	log, registry, spans := &lines{}, prometheus.NewRegistry(), tracetest.NewSpanRecorder()
	e, err := engine.New(engine.Config{
		Args:    []string{"--database-url", dbtest.URL(t), "--data-dir", t.TempDir(), "--admin-secret", secret, "--enabled-log-types", "startup,http-log"},
		Env:     func(string) (string, bool) { return "", false },
		Logger:  slog.New(slog.NewJSONHandler(log, nil)),
		Metrics: registry,
		Tracer:  sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
	})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("/mine", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "mine") })
	mux.Handle("/", e.Handler())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	m := &mounted{t: t, url: server.URL, log: log}
	status, answer := m.post("/v1/graphql", `{"query":"{ __typename }"}`, admin)
	require.Equal(t, http.StatusServiceUnavailable, status, answer)
	require.Error(t, e.Status())
	require.Error(t, e.Client().As("admin", nil).Run(t.Context(), "{ __typename }", nil, nil))
	require.NoError(t, e.Start(t.Context()))
	t.Cleanup(e.Stop)
	require.NoError(t, e.Status())
	require.JSONEq(t, `{"data":{"__typename":"query_root"}}`, m.query("{ __typename }", admin))
	_, answer = m.post("/mine", "", nil)
	require.Equal(t, "mine", answer)

	var got struct {
		Name string `json:"__typename"`
	}
	require.NoError(t, e.Client().As("admin", nil).Run(t.Context(), "{ __typename }", nil, &got))
	require.Equal(t, "query_root", got.Name)
	require.ErrorContains(t, e.Client().Run(t.Context(), "{ __typename }", nil, nil), "no role")
	var failed engine.OperationError
	require.ErrorAs(t, e.Client().As("admin", nil).Run(t.Context(), "{ nothing }", nil, nil), &failed)
	require.Contains(t, failed[0].Message, "nothing")
	require.Equal(t, "validation-failed", failed[0].Extensions["code"])
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://unused", strings.NewReader(`{"query":"query ($n: Boolean!) { __typename @include(if: $n) }","variables":{"n":true}}`))
	require.NoError(t, err)
	response, err := e.Client().As("admin", nil).Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.JSONEq(t, `{"data":{"__typename":"query_root"}}`, string(text))

	families, err := registry.Gather()
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == "engine_http_connections" }))
	require.NotEmpty(t, spans.Ended())
	e.Stop()
	status, _ = m.post("/v1/graphql", `{"query":"{ __typename }"}`, admin)
	require.Equal(t, http.StatusServiceUnavailable, status)
	families, err = registry.Gather()
	require.NoError(t, err)
	require.Zero(t, len(families))
	require.Contains(t, log.String(), `"msg":"http-log","detail":{`)
}
