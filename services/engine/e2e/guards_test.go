package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/bigquery/bigquerytest"
	"queryengine/pkg/config"
	"queryengine/pkg/dbtest"
	document "queryengine/pkg/metadata"
)

// language is how a door is called.
type language string

const (
	plain        language = "GraphQL"
	subscription language = "subscription"
	relay        language = "Relay"
	entities     language = "entities of federation"
	data         language = "data operation"
)

// guard is something that an operation has to pass, and operations that don't, in the languages in
// which it can be violated.
type guard struct {
	name string
	// role is held to the guard.
	role string
	// refused are parts of the answer, of which one has to be there.
	refused []string
	asked   map[language]string
	// without is why a language or an endpoint has no operation that violates the guard.
	without map[string]string
	// always reports that admin is held to it, too, or would wait for long.
	always bool
	// twice has the operation asked twice: the second time counts.
	twice bool
	// header is sent along.
	header map[string]string
}

const (
	readsNothingElse = "it only reads"
	noMutations      = "it has no mutations"
	noAggregates     = "it has no aggregates"
	oneOperation     = "it takes one operation"
	noTool           = "there is no tool"
)

const nested = `{ item { parts { id } } }`

// deep are operations that look at related rows.
var deep = map[language]string{
	plain: nested, subscription: "subscription " + nested,
	relay:    `{ item_connection { edges { node { parts_connection { edges { node { id } } } } } } }`,
	entities: `{ _entities(representations: [{__typename: "item", id: 1}]) { ... on item { parts { id } } } }`,
	data:     `{"type":"select","args":{"table":"item","columns":["id",{"name":"parts","columns":["id"]}]}}`,
}

// readers are doors that never write.
func readers(why string) map[string]string {
	return map[string]string{string(subscription): why, string(entities): why, "get": why, "relay-events-get": why, "rest-get": "the read-only guard comes first", "mcp": "the read-only guard comes first"}
}

// guards are those of operations. Each limit of the metadata and each guard of data operations is among
// them: TestGuardsAreComplete.
var guards = []guard{
	{name: "depth_limit", role: "depth", refused: []string{"depth-limit-exceeded"}, asked: deep},
	{name: "node_limit", role: "node", refused: []string{"node-limit-exceeded"}, asked: deep},
	{name: "rate_limit", role: "rate", refused: []string{"rate-limit-exceeded"}, asked: deep, twice: true},
	{name: "time_limit", role: "time", always: true, refused: []string{"time-limit-exceeded"}, asked: map[language]string{
		plain: `{ slow { slept } }`, relay: `{ slow_connection { edges { node { slept } } } }`,
		data: `{"type":"select","args":{"table":"slow","columns":["slept"]}}`,
	}, without: map[string]string{
		string(subscription): "a subscription goes on", string(relay): "a view has no key, and so no connection",
		string(entities): "a view has no key",
	}},
	{name: "bytes_limit", role: "bytes", refused: []string{"bytes-limit-exceeded"}, asked: map[language]string{
		plain: `{ web_visit { page } }`, data: `{"type":"select","args":{"source":"bq","table":{"dataset":"web","name":"visit"},"columns":["page"]}}`,
	}, without: map[string]string{
		string(subscription): "BigQuery has no subscriptions", string(relay): "BigQuery has no keys", string(entities): "BigQuery has no keys",
	}},
	{
		name: "batch_limit", role: "batch", refused: []string{"batch-limit-exceeded"}, asked: map[language]string{plain: nested, relay: deep[relay], data: deep[data]},
		without: map[string]string{
			string(subscription): oneOperation, string(entities): oneOperation, "graphql": oneOperation, "alpha": oneOperation,
			"get": oneOperation, "events": oneOperation, "alpha-events": oneOperation, "relay-events": oneOperation, "rest-get": oneOperation, "rest": oneOperation,
			"mcp": oneOperation, "mcp-tool": oneOperation, "socket": oneOperation, "socket-legacy": oneOperation, "alpha-socket": oneOperation,
			"relay": oneOperation, "relay-events-get": oneOperation, "relay-socket": oneOperation, "data": oneOperation,
		},
	},
	{name: "database role", role: "policed", refused: []string{"x-engine-database-role"}, asked: deep},
	{name: "root-fields", role: "free", refused: []string{"validation-failed", "permission-denied", "not-exists", "not found in type", noTool}, asked: map[language]string{
		plain: `{ hidden { id } }`, subscription: `subscription { hidden { id } }`, relay: `{ hidden_connection { edges { node { id } } } }`,
		entities: `{ _entities(representations: [{__typename: "hidden", id: 1}]) { ... on hidden { id } } }`,
		data:     `{"type":"select","args":{"table":"hidden","columns":["id"]}}`,
	}},
	{name: "aggregations", role: "free", refused: []string{"validation-failed", "permission-denied", noTool}, asked: map[language]string{
		plain: `{ item_aggregate { aggregate { count } } }`, subscription: `subscription { item_aggregate { aggregate { count } } }`,
		data: `{"type":"count","args":{"table":"item"}}`,
	}, without: map[string]string{string(relay): noAggregates, string(entities): noAggregates}},
	{name: "backend-only", role: "free", refused: []string{"validation-failed", "permission-denied", "not-exists", noTool}, asked: map[language]string{
		plain: `mutation { insert_trusted(objects: [{id: 9}]) { affected_rows } }`, relay: `mutation { insert_trusted(objects: [{id: 9}]) { affected_rows } }`,
		data: `{"type":"insert","args":{"table":"trusted","objects":[{"id":9}]}}`,
	}, without: readers(readsNothingElse)},
	{name: "validate-input", role: "free", refused: []string{"the webhook says no"}, asked: map[language]string{
		plain: `mutation { insert_checked(objects: [{id: 9}]) { affected_rows } }`, relay: `mutation { insert_checked(objects: [{id: 9}]) { affected_rows } }`,
		data: `{"type":"insert","args":{"table":"checked","objects":[{"id":9}]}}`,
	}, without: readers(readsNothingElse)},
	{
		name: "foreign cookie", role: "free", refused: []string{"validation-failed", "permission-denied", "not-exists", "access-denied", noTool}, asked: deep,
		header: map[string]string{"Origin": "https://elsewhere.example"},
	},
	{name: "read-only", role: "free", always: true, refused: []string{"Mutations are not allowed when read-only mode is enabled"}, asked: map[language]string{
		plain: `mutation { insert_written(objects: [{id: 9}]) { affected_rows } }`,
	}, without: map[string]string{
		string(subscription): noMutations, string(relay): "POST may write", string(data): "POST may write", string(entities): noMutations, "graphql": "POST may write",
		"alpha": "POST may write", "batch": "POST may write", "events": "POST may write", "alpha-events": "POST may write",
		"mcp-tool": "tools may write", "rest": "POST may write", "socket": "sockets may write", "socket-legacy": "sockets may write", "alpha-socket": "sockets may write",
	}},
}

// allowlist is the guard that binds all operations of all roles, so that it has an engine of its own.
var allowlist = guard{name: "allow-list", role: "free", refused: []string{"is not allowed", "PersistedQueryNotSupported", noTool}, asked: deep}

// door is a way by which an operation reaches an executor, called as the gateway's list of routes does.
type door struct {
	name     string
	language language
	ask      func(c *visitor, operation string) string
}

var doors = []door{
	{"graphql", plain, post("/v1/graphql", body)},
	{"batch", plain, post("/v1/graphql", func(q string) string { return "[" + body(q) + "," + body(q) + "]" })},
	{"events", plain, func(c *visitor, q string) string { return c.events(http.MethodPost, "/v1/graphql", q) }},
	{"get", plain, func(c *visitor, q string) string {
		return c.send(http.MethodGet, "/v1/graphql?query="+url.QueryEscape(q), "")
	}},
	{"socket", plain, socket("/v1/graphql", "graphql-transport-ws")},
	{"id-graphql", plain, post("/v1/graphql", byID)},
	{"id-batch", plain, post("/v1/graphql", func(q string) string { return "[" + byID(q) + "," + byID(q) + "]" })},
	{"id-alpha", plain, post("/v1alpha1/graphql", byID)},
	{"id-get", plain, func(c *visitor, q string) string {
		return c.send(http.MethodGet, "/v1/graphql?documentId="+endpointOf(q), "")
	}},
	{"id-socket", plain, func(c *visitor, q string) string {
		return c.overSocket("/v1/graphql", "graphql-transport-ws", byID(q))
	}},
	{"id-events-get", subscription, func(c *visitor, q string) string {
		c.header["Accept"] = "text/event-stream"
		return c.send(http.MethodGet, "/v1/graphql?documentId="+endpointOf(q), "")
	}},
	{"id-relay", relay, post("/v1/relay", byID)},
	{"hash-graphql", plain, post("/v1/graphql", byHash)},
	{"hash-get", plain, func(c *visitor, q string) string {
		return c.send(http.MethodGet, "/v1/graphql?extensions="+url.QueryEscape(persisted(q)), "")
	}},
	{"hash-socket", plain, func(c *visitor, q string) string {
		return c.overSocket("/v1/graphql", "graphql-ws", byHash(q))
	}},
	{"sent-graphql", plain, func(c *visitor, q string) string {
		c.send(http.MethodPost, "/v1/graphql", byHash("  "+q)) // unknown, as a client finds out first
		return c.send(http.MethodPost, "/v1/graphql", `{"query":`+quoted("  "+q)+`,"extensions":`+persisted("  "+q)+`}`)
	}},
	{"socket-legacy", plain, socket("/v1/graphql", "graphql-ws")},
	{"mcp", plain, func(c *visitor, q string) string { return c.assistant("run_query", `{"query":`+quoted(q)+`}`) }},
	{"mcp-tool", plain, func(c *visitor, q string) string { return c.assistant(endpointOf(q), "{}") }},
	{"alpha", plain, post("/v1alpha1/graphql", body)},
	{"alpha-socket", plain, socket("/v1alpha1/graphql", "graphql-ws")},
	{"rest-get", plain, func(c *visitor, q string) string { return c.send(http.MethodGet, "/api/rest/"+endpointOf(q), "") }},
	{"rest", plain, func(c *visitor, q string) string {
		return c.send(http.MethodPost, "/api/rest/"+endpointOf(q), "{}")
	}},
	{"subscription over socket", subscription, socket("/v1/graphql", "graphql-transport-ws")},
	{"subscription over socket-legacy", subscription, socket("/v1/graphql", "graphql-ws")},
	{"events-get", subscription, func(c *visitor, q string) string { return c.events(http.MethodGet, "/v1/graphql", q) }},
	{"relay", relay, post("/v1beta1/relay", body)},
	{"relay-batch", relay, post("/v1beta1/relay", func(q string) string { return "[" + body(q) + "," + body(q) + "]" })},
	{"relay-socket", relay, socket("/v1beta1/relay", "graphql-transport-ws")},
	{"relay-events-get", relay, func(c *visitor, q string) string {
		return c.events(http.MethodGet, "/v1beta1/relay", "subscription "+q)
	}},
	{"v1-relay", relay, post("/v1/relay", body)},
	{"v1-relay-socket", relay, socket("/v1/relay", "graphql-transport-ws")},
	{"v1-relay-events", relay, func(c *visitor, q string) string { return c.events(http.MethodPost, "/v1/relay", q) }},
	{"v1-relay-events-get", relay, func(c *visitor, q string) string {
		return c.events(http.MethodGet, "/v1/relay", "subscription "+q)
	}},
	{"alpha-events", plain, func(c *visitor, q string) string { return c.events(http.MethodPost, "/v1alpha1/graphql", q) }},
	{"alpha-events-get", subscription, func(c *visitor, q string) string { return c.events(http.MethodGet, "/v1alpha1/graphql", q) }},
	{"relay-events", relay, func(c *visitor, q string) string { return c.events(http.MethodPost, "/v1beta1/relay", q) }},
	{"entities", entities, post("/v1/graphql", body)},
	{"data", data, post("/v1/query", func(q string) string { return q })},
	{"data-bulk", data, post("/v1/query", func(q string) string { return `{"type":"bulk","args":[` + q + `,` + q + `]}` })},
}

// adminDoors are open to admin alone.
var adminDoors = map[string]struct{ path, body string }{
	"explain": {"/v1/graphql/explain", body(nested)}, "alpha-explain": {"/v1alpha1/graphql/explain", body(nested)}, "data-v2": {"/v2/query", deep[data]},
	"mcp-try": {"/mcp/try", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_query","arguments":` + body(nested) + `}}`},
}

// byID, byHash and persisted are requests that name a stored operation.
func byID(q string) string { return `{"documentId":"` + endpointOf(q) + `"}` }

func byHash(q string) string { return `{"extensions":` + persisted(q) + `}` }

func persisted(q string) string {
	return fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":"%x"}}`, sha256.Sum256([]byte(q)))
}

func quoted(q string) string {
	b, _ := json.Marshal(q) // see body
	return string(b)
}

// doorLike is the door whose reasons count for a door, which differs in the path or in how it names operations.
func doorLike(name string) string {
	for _, prefix := range []string{"v1-", "id-", "hash-", "sent-"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

func body(q string) string {
	b, _ := json.Marshal(map[string]string{"query": q}) // a string can always be encoded
	return string(b)
}

// endpointOf is the REST endpoint of an operation.
func endpointOf(q string) string { return fmt.Sprintf("e%x", sha256.Sum256([]byte(q)))[:20] }

func post(path string, encode func(string) string) func(*visitor, string) string {
	return func(c *visitor, q string) string { return c.send(http.MethodPost, path, encode(q)) }
}

func socket(path, protocol string) func(*visitor, string) string {
	return func(c *visitor, q string) string { return c.overSocket(path, protocol, body(q)) }
}

// visitor is a client with a token in a cookie, as a browser has it.
type visitor struct {
	t      *testing.T
	p      *process
	header map[string]string
}

func (c *visitor) send(method, path, body string) string {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.p.url+path, strings.NewReader(body))
	require.NoError(c.t, err)
	r.Header.Set("Content-Type", "application/json")
	for k, v := range c.header {
		r.Header.Set(k, v)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(c.t, err)
	defer response.Body.Close()
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return firstOf(response.Body, "data: ")
	}
	answer, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return string(answer)
}

// assistant calls a tool.
func (c *visitor) assistant(tool, arguments string) string {
	c.t.Helper()
	c.header["Accept"] = "application/json, text/event-stream"
	return c.send(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`)
}

// events asks for server-sent events and gives the first one.
func (c *visitor) events(method, path, operation string) string {
	c.t.Helper()
	c.header["Accept"] = "text/event-stream"
	if method == http.MethodGet {
		return c.send(method, path+"?query="+url.QueryEscape(operation), "")
	}
	return c.send(method, path, body(operation))
}

// TestEveryDoorHasEveryGuard asks through each door for what each guard refuses, and for what none does.
func TestEveryDoorHasEveryGuard(t *testing.T) {
	t.Parallel()
	p := engineWithGuards(t)
	for name, d := range adminDoors {
		answer := (&visitor{t, p, map[string]string{"Cookie": "token=" + signedFor("free")}}).send(http.MethodPost, d.path, d.body)
		require.Contains(t, answer, "access-denied", name)
	}
	for i, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			ask := func(g guard, operation string) string {
				header := map[string]string{"Cookie": "token=" + signedFor(g.role), "X-Real-Ip": fmt.Sprintf("10.0.0.%d", i)}
				for k, v := range g.header {
					header[k] = v
				}
				return d.ask(&visitor{t, p, header}, operation)
			}
			refuses := func(g guard, answer string) bool {
				return slices.ContainsFunc(g.refused, func(part string) bool { return strings.Contains(answer, part) })
			}
			free := ask(guard{role: "free"}, deep[d.language])
			require.Contains(t, strings.ReplaceAll(free, " ", ""), `"id":`, "what no guard refuses is answered")
			require.NotContains(t, free, `"code"`)
			for _, g := range guards {
				operation, violates := g.asked[d.language]
				why := g.without[doorLike(d.name)] + g.without[string(d.language)]
				if why != "" {
					continue
				}
				require.True(t, violates, "no cell for the guard %s", g.name)
				answer := ask(g, operation)
				if g.twice {
					answer = ask(g, operation)
				}
				require.True(t, refuses(g, answer), "%s: %s", g.name, answer)
				if !g.always {
					answer = ask(guard{header: map[string]string{"X-Engine-Admin-Secret": secret}}, operation)
					require.False(t, refuses(g, answer), "it is not %s that refuses: %s", g.name, answer)
				}
			}
		})
	}
}

// TestEveryDoorHasTheAllowList is TestEveryDoorHasEveryGuard for the allow list.
func TestEveryDoorHasTheAllowList(t *testing.T) {
	t.Parallel()
	p := engineWithGuards(t, "ENABLE_ALLOWLIST=true")
	for _, d := range doors {
		if strings.HasPrefix(d.name, "rest") {
			continue // the operations of endpoints are the operator's own
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			answer := d.ask(&visitor{t, p, map[string]string{"Cookie": "token=" + signedFor(allowlist.role)}}, allowlist.asked[d.language])
			require.True(t, slices.ContainsFunc(allowlist.refused, func(part string) bool { return strings.Contains(answer, part) }), answer)
		})
	}
}

// TestGuardsAreComplete fails when the gateway has a route, or the metadata or the settings a guard, that
// the table doesn't know.
func TestGuardsAreComplete(t *testing.T) {
	t.Parallel()
	known := map[string]bool{allowlist.name: true, "api-limits": true} // the latter are the limits of the metadata
	for _, g := range guards {
		known[g.name] = true
	}
	limits := reflect.TypeFor[document.APILimits]()
	for i := range limits.NumField() {
		name, _, _ := strings.Cut(limits.Field(i).Tag.Get("json"), ",")
		require.True(t, name == "disabled" || known[name], "a limit of the metadata without a guard: %s", name)
	}
	_, names, _ := strings.Cut(config.UnguardedDataOperations.Spec().Help, "GraphQL: ")
	require.NotEmpty(t, names)
	for name := range strings.SplitSeq(names, ", ") {
		require.True(t, known[name], "a guard of data operations without a row: %s", name)
	}

	here := map[string]bool{}
	for _, d := range doors {
		here[d.name] = true
	}
	routes, err := os.ReadFile(filepath.Join("..", "..", "gateway", "internal", "api", "testdata", "doors.txt"))
	require.NoError(t, err)
	listed := 0
	for line := range strings.Lines(string(routes)) {
		_, names, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || strings.HasPrefix(names, "none: ") {
			continue
		}
		for name := range strings.FieldsSeq(names) {
			listed++
			require.True(t, here[name] || adminDoors[name].path != "", "a door without a row: %s", name)
		}
	}
	require.Greater(t, listed, 20)
}

// engineWithGuards starts an engine whose metadata has all guards.
func engineWithGuards(t *testing.T, settings ...string) *process {
	t.Helper()
	webhook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"message":"the webhook says no"}`)
	}))
	t.Cleanup(webhook.Close)
	dataset := dbtest.URL(t)
	execute(t, dataset, `CREATE SCHEMA web; CREATE TABLE web.visit (page text)`)
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE item (id int PRIMARY KEY); INSERT INTO item VALUES (1);
		CREATE TABLE part (id int PRIMARY KEY, item_id int REFERENCES item); INSERT INTO part VALUES (1, 1);
		CREATE TABLE hidden (id int PRIMARY KEY); INSERT INTO hidden VALUES (1);
		CREATE TABLE trusted (id int PRIMARY KEY); CREATE TABLE checked (id int PRIMARY KEY); CREATE TABLE written (id int PRIMARY KEY);
		CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(20)::text AS slept`)
	c.start(metadata)
	c.start(executor, append(settings, "ENABLE_APOLLO_FEDERATION=true")...)
	g := c.start(gateway, append(settings, "ENABLE_PERSISTED_QUERIES=true", "ENABLE_MCP=true", "MCP_ALLOW_ADMIN=true", `JWT_SECRET={"type":"HS256","key":"`+guardKey+`","header":{"type":"Cookie","name":"token"}}`,
		"UNAUTHORIZED_ROLE=stranger", "STRICT_GRAPHQL_OVER_HTTP=true", "ENABLE_APOLLO_FEDERATION=true")...)
	g.metadata("bulk", guardMetadata(webhook.URL, bigquerytest.New(t, dataset).URL))
	return g
}

const guardKey = "a key of the tests that is long enough"

func signedFor(role string) string {
	return signedToken(guardKey, fmt.Sprintf(`{"exp":%d,"https://engine.io/jwt/claims":{"x-engine-default-role":%q,"x-engine-allowed-roles":[%q]}}`,
		time.Now().Add(time.Hour).Unix(), role, role))
}
