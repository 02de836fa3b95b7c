package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
	"queryengine/services/engine/internal/command"
)

// identify takes tokens such as "user even" for a role and a user.
func identify(_ context.Context, header http.Header) (engine.Identity, error) {
	token, ok := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
	if !ok {
		return engine.Identity{}, engine.ErrUnauthorized
	}
	role, user, _ := strings.Cut(token, " ")
	return engine.Identity{Role: role, Variables: map[string]string{"user-id": user}}, nil
}

// withToken adds a token to all requests.
type withToken string

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

// assistant connects the official client.
func (m *mounted) assistant(token string) *mcp.ClientSession {
	m.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(m.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: m.url + "/mcp", HTTPClient: &http.Client{Transport: withToken(token)}, DisableStandaloneSSE: true,
	}, nil)
	require.NoError(m.t, err)
	m.t.Cleanup(func() { _ = session.Close() })
	return session
}

func callTool(t testing.TB, s *mcp.ClientSession, name string, arguments any) (text string, failed bool) {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(t, err)
	require.Len(t, result.Content, 1)
	content, ok := result.Content[0].(*mcp.TextContent)
	require.True(t, ok)
	return content.Text, result.IsError
}

const toolDocuments = `{"type":"create_query_collection","args":{"name":"assistant","definition":{
	"queries":[
		{"name":"list_people","query":"query ($limit: Int = 2) { people(limit: $limit, order_by: {id: asc}) { id name } }","tool":{"title":"People","description":"The people that you own"}},
		{"name":"all_people","query":"{ people { id name owner } }","tool":{}},
		{"name":"rename","query":"mutation ($id: Int!, $name: String!) { update_people_by_pk(pk_columns: {id: $id}, _set: {name: $name}) { name } }","tool":{"name":"rename_person"}},
		{"name":"add","query":"mutation ($id: Int!) { insert_people_one(object: {id: $id, name: \"new\"}) { id } }","tool":{}},
		{"name":"run_query","query":"{ people { id } }","tool":{"description":"not the engine's own"}},
		{"name":"some_people","query":"query ($owner: Boolean = false) { people { id owner @include(if: $owner) } }","tool":{}},
		{"name":"hidden","query":"{ people { id } }"}],
	"prompts":[{"name":"greet","description":"Greets a person","text":"Greet {{who}} politely.","arguments":[{"name":"who","required":true}]}]}}}`

// TestAssistants: an assistant sees and does exactly what the role of its token may, by stored documents, discovery,
// resources and prompts.
func TestAssistants(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m := mountWith(t, apart, []string{"--enable-mcp", "--mcp-answer-size", "1", "--mcp-rows", "3", "--metrics-secret", "measure", "--enabled-apis", "graphql,metadata,metrics"}, engine.Authenticate(identify))
		m.metadata(`{"type":"pg_create_update_permission","args":{"table":"people","role":"user","permission":{"columns":["name"],"filter":{"owner":"X-Engine-User-Id"}}}}`)
		m.metadata(`{"type":"pg_create_select_permission","args":{"table":"people","role":"auditor","permission":{"columns":"*","filter":{}}}}`)
		m.sql(`COMMENT ON TABLE people IS 'all who have signed up'`)
		m.metadata(`{"type":"reload_metadata","args":{}}`)
		m.metadata(toolDocuments)
		s := m.assistant("user even")

		tools := map[string]*mcp.Tool{}
		for tool, err := range s.Tools(t.Context(), nil) {
			require.NoError(t, err)
			tools[tool.Name] = tool
		}
		require.Len(t, tools, 5, "a role is offered what it may run")
		require.Contains(t, tools, "search_schema")
		list := tools["list_people"]
		require.Equal(t, "The people that you own", list.Description)
		require.True(t, list.Annotations.ReadOnlyHint)
		shape, err := json.Marshal([]any{list.InputSchema, list.OutputSchema})
		require.NoError(t, err)
		require.JSONEq(t, `[
			{"type":"object","properties":{"limit":{"type":["integer","null"],"default":2}},"additionalProperties":false},
			{"type":"object","properties":{"people":{"type":"array","description":"fetch data from the table: \"people\"","items":
				{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}}}}}}]`, string(shape))
		rename := tools["rename_person"]
		require.False(t, rename.Annotations.ReadOnlyHint)
		require.True(t, *rename.Annotations.DestructiveHint)

		text, failed := callTool(t, s, "list_people", map[string]any{"limit": 1})
		require.False(t, failed, text)
		require.JSONEq(t, `{"people":[{"id":2,"name":"person 2"}]}`, text)
		text, failed = callTool(t, s, "rename_person", map[string]any{"id": 2, "name": "renamed"})
		require.False(t, failed, text)
		require.JSONEq(t, `{"update_people_by_pk":{"name":"renamed"}}`, text)
		text, failed = callTool(t, s, "rename_person", map[string]any{"id": 1, "name": "renamed"})
		require.False(t, failed, text)
		require.JSONEq(t, `{"update_people_by_pk":null}`, text, "a row of another user")
		text, failed = callTool(t, s, "list_people", map[string]any{"limit": "one"})
		require.True(t, failed, text)
		for name, why := range map[string]string{"all_people": "a column that the role doesn't see", "some_people": "such a column, skipped", "hidden": "no tool", "nothing": "no document"} {
			_, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
			require.ErrorContains(t, err, "there is no tool "+name, why)
		}

		text, _ = callTool(t, s, "search_schema", map[string]any{"text": "the names of people", "limit": 5.0})
		require.Contains(t, text, `"of":"people","name":"name"`)
		text, failed = callTool(t, s, "search_schema", map[string]any{"text": "people", "limit": "one"})
		require.True(t, failed)
		require.Equal(t, "the arguments don't fit the tool: limit has to be a number", text)
		text, _ = callTool(t, s, "search_schema", map[string]any{"text": "people"})
		require.Contains(t, text, `"name":"people","type":"[people!]!","kind":"query"`)
		text, _ = callTool(t, s, "search_schema", map[string]any{"text": "owner"})
		require.Equal(t, "[]", text, "what the role doesn't see isn't found")
		text, _ = callTool(t, s, "describe_type", map[string]any{"name": "people"})
		require.Contains(t, text, "type people {")
		require.NotContains(t, text, "owner")
		text, failed = callTool(t, s, "run_query", map[string]any{"query": "query ($n: Int) { people(limit: $n, order_by: {id: desc}) { id } }", "variables": map[string]any{"n": 1}})
		require.False(t, failed, text)
		require.JSONEq(t, `{"people":[{"id":10}]}`, text)
		text, failed = callTool(t, s, "run_query", map[string]any{"query": "mutation { update_people(where: {}, _set: {name: \"x\"}) { affected_rows } }"})
		require.True(t, failed, text)
		_, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "explain", Arguments: map[string]any{"query": "{ people { id } }"}})
		require.ErrorContains(t, err, "there is no tool explain", "it is off by default")
		text, failed = callTool(t, s, "run_query", map[string]any{"query": "{ people(order_by: {id: asc}) { id } }"})
		require.False(t, failed, text)
		require.Equal(t, `{"people":[{"id":2},{"id":4},{"id":6}]}`+"\n... These are the first 3 rows. Ask for the others in pages: order_by, limit and offset.", text)
		var aliases strings.Builder
		for i := range 100 {
			fmt.Fprintf(&aliases, "a_rather_long_name_%d: __typename ", i)
		}
		m.sql(`INSERT INTO people SELECT i, repeat('a rather long name ', 100), 'even' FROM generate_series(11, 12) AS i`)
		text, _ = callTool(t, s, "run_query", map[string]any{"query": "{ people(order_by: {id: desc}) { id name } }"})
		require.Contains(t, text, "The answer is cut off here", "no row fits")
		require.Less(t, len(text), 1300)
		m.sql(`INSERT INTO people SELECT i, repeat('a rather long name ', 100), 'even' FROM generate_series(13, 20) AS i`)
		text, failed = callTool(t, s, "run_query", map[string]any{"query": "{ people(order_by: {id: desc}) { id name } }"})
		require.True(t, failed, text)
		require.Contains(t, text, "The answer is cut off here", "what is kept to cut off is bounded")
		require.Less(t, len(text), 1300)
		for _, query := range []string{"{ " + strings.Repeat("é", 1000) + " }", "{ " + strings.Repeat("n", 2000) + " }", "{ people { id } " + aliases.String() + "}"} {
			text, failed = callTool(t, s, "run_query", map[string]any{"query": query})
			require.True(t, failed, text)
			require.Less(t, len(text), 1300, "whatever makes it long")
		}
		_, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: strings.Repeat("n", 2000)})
		require.ErrorContains(t, err, "there is no tool n")
		require.Less(t, len(err.Error()), 1300)
		for _, query := range []string{"{ people(order_by: {id: asc}) { id name } }", "{ a: people(order_by: {id: asc}, limit: 5) { id } people(order_by: {id: asc}) { name } }"} {
			text, failed = callTool(t, s, "run_query", map[string]any{"query": query})
			require.False(t, failed, text)
			answer, note, _ := strings.Cut(text, "\n")
			require.True(t, json.Valid([]byte(answer)), text)
			require.Contains(t, note, "first", query)
		}
		m.sql(`CREATE VIEW heaps AS SELECT 1 AS id, 'even' AS owner, (SELECT jsonb_agg(jsonb_build_object('n', i)) FROM generate_series(1, 10) AS i) AS heap`)
		m.metadata(`{"type":"pg_track_table","args":{"table":"heaps"}}`)
		m.metadata(`{"type":"pg_create_select_permission","args":{"table":"heaps","role":"user","permission":{"columns":["id","heap"],"filter":{"owner":"X-Engine-User-Id"}}}}`)
		text, failed = callTool(t, s, "run_query", map[string]any{"query": "{ heaps { heap } }"})
		require.False(t, failed, text)
		require.Equal(t, 10, strings.Count(text, `"n"`), "objects in a value are no rows")

		resources, err := s.ListResources(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, resources.Resources, 3, "the schema, and the tables that the role sees")
		require.Equal(t, "engine://types/people", resources.Resources[2].URI)
		require.Equal(t, "all who have signed up", resources.Resources[2].Description)
		read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resources.Resources[0].URI})
		require.NoError(t, err)
		require.Contains(t, read.Contents[0].Text, "type query_root {")
		require.NotContains(t, read.Contents[0].Text, "owner")
		listed, err := s.ListTools(t.Context(), nil)
		require.NoError(t, err)
		templates, err := s.ListResourceTemplates(t.Context(), nil)
		require.NoError(t, err)
		prompts, err := s.ListPrompts(t.Context(), nil)
		require.NoError(t, err)
		for _, kept := range []mcp.Cacheable{listed.Cacheable, resources.Cacheable, templates.Cacheable, read.Cacheable, prompts.Cacheable} {
			require.Equal(t, mcp.Cacheable{CacheScope: "private"}, kept, "others may see something else")
		}
		prompt, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": "Ann"}})
		require.NoError(t, err)
		require.Equal(t, "Greet Ann politely.", prompt.Messages[0].Content.(*mcp.TextContent).Text) //nolint:forcetypeassert // of a test
		_, err = s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet"})
		require.ErrorContains(t, err, `needs the argument "who"`)

		auditor := m.assistant("auditor x")
		text, failed = callTool(t, auditor, "run_query", map[string]any{"query": "{ people(limit: 1, order_by: {id: asc}) { owner } }"})
		require.False(t, failed, text)
		require.JSONEq(t, `{"people":[{"owner":"odd"}]}`, text)
		_, err = auditor.CallTool(t.Context(), &mcp.CallToolParams{Name: "rename_person", Arguments: map[string]any{"id": 2, "name": "y"}})
		require.ErrorContains(t, err, "there is no tool rename_person", "the role has no such mutation")
		counted := m.get("/v1/metrics", map[string]string{"Authorization": "Bearer measure"})
		require.Regexp(t, `engine_mcp_calls_total\{outcome="success",role="user",.*tool="rename_person"\} 2`, counted)
		require.Regexp(t, `engine_mcp_calls_total\{outcome="refused",role="auditor",.*tool=""\} 1`, counted)
	})
}

// TestAssistantsAreNoAdmins: without a setting, no secret and no admin gets in, and callers without a token hear where to
// get one.
func TestAssistantsAreNoAdmins(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	send := func(m *mounted, header map[string]string) (int, string) {
		header["Accept"] = "application/json, text/event-stream"
		return m.post("/mcp", message, header)
	}
	m := mountWith(t, false, []string{"--enable-mcp", "--max-request-size", "100000"}, engine.Authenticate(identify))
	status, answer := send(m, map[string]string{"Authorization": "Bearer user even"})
	require.Equal(t, http.StatusOK, status, answer)
	status, answer = m.post("/mcp", `"`+strings.Repeat("x", 100000)+`"`, map[string]string{"Authorization": "Bearer user even"})
	require.Equal(t, http.StatusRequestEntityTooLarge, status, "no token makes it fit: %s", answer)
	for _, header := range []map[string]string{
		{"X-Engine-Admin-Secret": secret}, {"X-Engine-Admin-Secret": secret, "X-Engine-Role": "user"}, {"Authorization": "Bearer admin x"},
	} {
		status, answer = send(m, header)
		require.Equal(t, http.StatusForbidden, status, answer)
	}
	status, answer = send(m, map[string]string{})
	require.Equal(t, http.StatusUnauthorized, status, answer)
	status, answer = send(m, map[string]string{"Authorization": "Bearer user even", "Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"})
	require.Equal(t, http.StatusForbidden, status, answer)
	require.NotContains(t, answer, "no admin secret", "there is one")

	try := func(m *mounted, header map[string]string) (int, string) {
		header["Accept"] = "application/json, text/event-stream"
		return m.post("/mcp/try", message, header)
	}
	status, answer = try(m, map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "user"})
	require.Equal(t, http.StatusOK, status, answer)
	for _, header := range []map[string]string{{"X-Engine-Admin-Secret": secret}, {"Authorization": "Bearer user even"}, {"Authorization": "Bearer admin x"}} {
		status, answer = try(m, header)
		require.Equal(t, http.StatusForbidden, status, answer)
	}

	for _, method := range []string{http.MethodGet, http.MethodDelete} { // the protocol's streams and sessions
		r, err := http.NewRequestWithContext(t.Context(), method, m.url+"/mcp", nil)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)
		require.Equal(t, "POST", response.Header.Get("Allow"))
	}

	off := mount(t, false, engine.Authenticate(identify))
	status, _ = send(off, map[string]string{"Authorization": "Bearer user even"})
	require.Equal(t, http.StatusNotFound, status)
	status, _ = try(off, map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "user"})
	require.Equal(t, http.StatusNotFound, status)

	allowed := mountWith(t, false, []string{"--enable-mcp", "--mcp-allow-admin", "--mcp-discovery", "run_query,explain"})
	status, answer = send(allowed, map[string]string{"X-Engine-Admin-Secret": secret})
	require.Equal(t, http.StatusOK, status, answer)
	require.Contains(t, answer, `"explain"`)
	require.NotContains(t, answer, "search_schema")

	closed := mountWith(t, false, []string{"--enable-mcp", "--mcp-discovery", ""}, engine.Authenticate(identify))
	closed.metadata(toolDocuments)
	s := closed.assistant("user even")
	for tool, err := range s.Tools(t.Context(), nil) {
		require.NoError(t, err)
		require.NotContains(t, []string{"search_schema", "describe_type", "explain"}, tool.Name)
		require.NotEqual(t, "Run a query", tool.Title)
	}
	_, err := s.ListResources(t.Context(), nil)
	require.ErrorContains(t, err, "method not found")
	_, err = s.ListResourceTemplates(t.Context(), nil)
	require.ErrorContains(t, err, "method not found")
	_, err = s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "engine://schema"})
	require.ErrorContains(t, err, "method not found")
	_, err = s.ListPrompts(t.Context(), nil)
	require.ErrorContains(t, err, "method not found")
	_, err = s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": "Ann"}})
	require.ErrorContains(t, err, "method not found")
	text, failed := callTool(t, s, "list_people", map[string]any{"limit": 1})
	require.False(t, failed, text)

	tokens := mountWith(t, false, []string{"--enable-mcp", "--jwt-secret", `{"type":"HS256","key":"0123456789abcdef0123456789abcdef","issuer":"https://login.example"}`})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tokens.url+"/mcp", strings.NewReader(message))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Equal(t, `Bearer resource_metadata="`+tokens.url+`/.well-known/oauth-protected-resource/mcp"`, response.Header.Get("WWW-Authenticate"))
	require.Contains(t, response.Header.Values("Access-Control-Expose-Headers"), "WWW-Authenticate", "clients in browsers look there")
	r, err = http.NewRequestWithContext(t.Context(), http.MethodGet, tokens.url+"/.well-known/oauth-protected-resource/mcp", nil)
	require.NoError(t, err)
	response, err = http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	var described map[string]any
	require.NoError(t, json.NewDecoder(response.Body).Decode(&described))
	require.Equal(t, map[string]any{
		"resource": tokens.url + "/mcp", "authorization_servers": []any{"https://login.example"}, "bearer_methods_supported": []any{"header"},
	}, described)
}

// TestQueryLogHasAllCalls: a call of any tool is a line of the query log, refused ones too.
func TestQueryLogHasAllCalls(t *testing.T) {
	t.Parallel()
	m := mountWith(t, false, []string{"--enable-mcp", "--mcp-discovery", "search_schema,describe_type,run_query,explain", "--enabled-log-types", "query-log"}, engine.Authenticate(identify))
	m.metadata(toolDocuments)
	s := m.assistant("user even")
	for tool, arguments := range map[string]any{
		"search_schema": map[string]any{"text": "people"}, "describe_type": map[string]any{"name": "people"}, "explain": map[string]any{"query": "{ people { id } }"},
		"run_query": map[string]any{"query": "{ nothing }"}, "list_people": map[string]any{},
	} {
		callTool(t, s, tool, arguments)
	}
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "unknown"})
	require.Error(t, err)
	want := map[string]string{
		"search_schema": "success", "describe_type": "success", "explain": "success", "run_query": "error", "list_people": "success", "unknown": "refused",
	}
	require.Eventually(t, func() bool { return strings.Count(m.log.String(), `\"kind\":\"tool\"`) == len(want) }, patience, 10*time.Millisecond)
	outcomes := map[string]string{}
	for line := range strings.Lines(m.log.String()) {
		_, quoted, _ := strings.Cut(strings.TrimSpace(line), "msg=query-log detail=")
		detail, err := strconv.Unquote(quoted)
		if err != nil || !strings.Contains(detail, `"kind":"tool"`) {
			continue
		}
		var call struct {
			Tool, Role, Outcome string
			RequestID           string `json:"request_id"`
			Session             map[string]string
		}
		require.NoError(t, json.Unmarshal([]byte(detail), &call))
		require.Equal(t, "user", call.Role)
		require.Equal(t, "even", call.Session["x-engine-user-id"])
		require.NotEmpty(t, call.RequestID)
		outcomes[call.Tool] = call.Outcome
	}
	require.Equal(t, want, outcomes)
}

// TestQueriesOfAssistantsWriteNothing: queries may call what writes. run_query and explain don't let them, and a tool that writes is not
// marked as one that reads.
func TestQueriesOfAssistantsWriteNothing(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m := mountWith(t, apart, []string{"--enable-mcp", "--mcp-discovery", "run_query,explain"}, engine.Authenticate(identify))
		m.trackWriters()
		var queries []string
		for _, name := range writers {
			queries = append(queries, fmt.Sprintf(`{"name":%q,"query":"{ %s { id } }","tool":{}}`, name, name))
		}
		m.metadata(`{"type":"create_query_collection","args":{"name":"writers","definition":{"queries":[` + strings.Join(queries, ",") + `]}}}`)
		s := m.assistant("user even")
		call := func(tool, query string) {
			text, failed := callTool(t, s, tool, map[string]any{"query": query})
			require.True(t, failed || tool == "explain", text)
		}
		for _, name := range writers {
			for _, query := range []string{"{ %s { id } }", "{ people { id } ...f } fragment f on query_root { ... { %s { id } } }"} {
				call("run_query", fmt.Sprintf(query, name))
			}
			call("explain", fmt.Sprintf("{ %s { id } }", name))
		}
		require.Zero(t, m.count("SELECT count(*) FROM visit"))
		text, failed := callTool(t, s, "run_query", map[string]any{"query": "{ quiet { id } }"})
		require.True(t, failed)
		require.Contains(t, text, "the field writes, but this request may only read")
		reads := map[string]bool{}
		for tool, err := range s.Tools(t.Context(), nil) {
			require.NoError(t, err)
			require.Equal(t, tool.Name != "loud", tool.Annotations.ReadOnlyHint, tool.Name)
			require.Equal(t, tool.Name != "loud", tool.Annotations.IdempotentHint, tool.Name)
			reads[tool.Name] = tool.Annotations.ReadOnlyHint
		}
		for _, name := range writers {
			text, failed := callTool(t, s, name, nil)
			require.Equal(t, reads[name], failed, "%s: %s", name, text)
		}
		require.Equal(t, 1, m.count("SELECT count(*) FROM visit"))
	})
}

// mountSlow is an engine with a query that doesn't end; running reports whether it runs. limit is the time of a call in seconds.
func mountSlow(t *testing.T, apart bool, limit string) (m *mounted, running func() bool) {
	t.Helper()
	m = mountWith(t, apart, []string{"--enable-mcp", "--mcp-time-limit", limit}, engine.Authenticate(identify))
	m.sql(`CREATE FUNCTION slow() RETURNS SETOF people LANGUAGE sql STABLE AS 'SELECT people.* FROM people, pg_sleep(600)'`)
	m.metadata(`{"type":"pg_track_function","args":{"function":"slow"}}`)
	return m, func() bool {
		return m.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%slow%' AND pid <> pg_backend_pid()`) > 0
	}
}

// TestAssistantsRunOutOfTime: a call that takes too long ends its statement.
func TestAssistantsRunOutOfTime(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m, running := mountSlow(t, apart, "1")
		text, failed := callTool(t, m.assistant("user even"), "run_query", map[string]any{"query": "{ slow { id } }"})
		require.True(t, failed)
		require.Equal(t, "the call took longer than 1s (time-limit-exceeded)", text)
		require.Eventually(t, func() bool { return !running() }, patience, 10*time.Millisecond)
	})
}

// TestAssistantsCancel: a call that its client cancels ends its statement, and so do those of a client that leaves.
func TestAssistantsCancel(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m, running := mountSlow(t, apart, "600")
		s := m.assistant("user even")
		call := func(ctx context.Context) error {
			result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "run_query", Arguments: map[string]any{"query": "{ slow { id } }"}})
			if err == nil && result.IsError {
				err = fmt.Errorf("%+v", result.Content[0])
			}
			return err
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- call(ctx) }()
		require.Eventually(t, running, patience, 10*time.Millisecond)
		cancel()
		require.Error(t, <-ended)
		require.Eventually(t, func() bool { return !running() }, patience, 10*time.Millisecond)

		// A client that cancels and waits for the answer gets one. Another one with the same rights can't cancel its calls.
		header := map[string]string{"Authorization": "Bearer user even", "Accept": "application/json, text/event-stream"}
		initialize := func() string {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.url+"/mcp", strings.NewReader(
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`))
			require.NoError(t, err)
			r.Header = http.Header{"Content-Type": {"application/json"}}
			for name, value := range header {
				r.Header.Set(name, value)
			}
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusOK, response.StatusCode)
			return response.Header.Get("Mcp-Session-Id")
		}
		own, other := initialize(), initialize()
		require.NotEqual(t, own, other)
		header["Mcp-Session-Id"] = own
		answers := make(chan string, 1)
		sent := maps.Clone(header)
		callSlow := func() {
			_, answer := m.post("/mcp", `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"run_query","arguments":{"query":"{ slow { id } }"}}}`, sent)
			answers <- answer
		}
		go callSlow()
		require.Eventually(t, running, patience, 10*time.Millisecond)
		cancelled := func(session string) {
			header["Mcp-Session-Id"] = session
			status, answer := m.post("/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`, header)
			require.Equal(t, http.StatusAccepted, status, answer)
		}
		cancelled(other)
		cancelled("")
		require.True(t, running())
		cancelled(own)
		require.Contains(t, <-answers, "the call was cancelled")
		require.Eventually(t, func() bool { return !running() }, patience, 10*time.Millisecond)
		go callSlow()
		require.Eventually(t, running, patience, 10*time.Millisecond)
		for _, session := range []string{other, own} {
			require.True(t, running())
			r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, m.url+"/mcp", nil)
			require.NoError(t, err)
			r.Header = http.Header{"Authorization": {"Bearer user even"}, "Mcp-Session-Id": {session}}
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusNoContent, response.StatusCode)
		}
		require.Contains(t, <-answers, "the call was cancelled", "its client has left")
		require.Eventually(t, func() bool { return !running() }, patience, 10*time.Millisecond)
		require.NotContains(t, m.log.String(), "crashed")
	})
}

// TestAssistantsOverStandardInput: engine mcp passes on what an assistant that starts it says.
func TestAssistantsOverStandardInput(t *testing.T) {
	t.Parallel()
	m := mountWith(t, false, []string{"--enable-mcp"}, engine.Authenticate(identify))
	m.metadata(toolDocuments)
	here, there := io.Pipe()
	back, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		shell := command.Shell{In: here, Out: out, Errs: io.Discard, Env: func(string) (string, bool) { return "", false }}
		ended <- shell.Run(t.Context(), []string{"mcp", "--endpoint", m.url, "--header", "Authorization: Bearer user even"})
	}()
	lines := bufio.NewReader(back)
	ask := func(id int, method string) string {
		_, err := fmt.Fprintf(there, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{}}`+"\n", id, method)
		require.NoError(t, err)
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		return line
	}
	require.Contains(t, ask(1, "nothing"), "400 Bad Request: JSON RPC not handled", "a refusal says why")
	require.Contains(t, ask(2, "ping"), `"result":{}`, "and ends nothing")
	for line, code := range map[string]string{
		"hello": "-32700", `{"jsonrpc":"2.0","id":1`: "-32700", strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 2): "-32700",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"long":"` + strings.Repeat("x", 20<<20) + `"}}`: `"result":{}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"long":"` + strings.Repeat("x", 40<<20) + `"}}`: "413",
		"[1]": "-32600", `{"id":1}`: "-32600"} {
		_, err := fmt.Fprintln(there, line)
		require.NoError(t, err)
		answer, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, answer, code, line)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: io.NopCloser(lines), Writer: there}, nil)
	require.NoError(t, err)
	text, failed := callTool(t, s, "list_people", map[string]any{"limit": 1})
	require.False(t, failed, text)
	require.JSONEq(t, `{"people":[{"id":2,"name":"person 2"}]}`, text)
	require.NoError(t, s.Close())
	require.NoError(t, there.Close())
	require.Zero(t, <-ended)

	var answers strings.Builder
	shell := command.Shell{In: strings.NewReader(`{"jsonrpc":"2.0","id":"last","method":"ping"}` + "\n"), Out: &answers, Errs: io.Discard, Env: func(string) (string, bool) { return "", false }}
	require.Zero(t, shell.Run(t.Context(), []string{"mcp", "--endpoint", m.url, "--header", "Authorization: Bearer user even"}))
	require.Equal(t, `{"jsonrpc":"2.0","id":"last","result":{}}`+"\n", answers.String(), "it ends when all is answered")
	for endpoint, want := range map[string]string{m.url + "/mcp/": `"result":{}`, m.url + "/nothing": "nothing serves assistants at " + m.url + "/nothing/mcp"} {
		answers.Reset()
		shell.In = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
		require.Zero(t, shell.Run(t.Context(), []string{"mcp", "--endpoint", endpoint, "--header", "Authorization: Bearer user even"}))
		require.Contains(t, answers.String(), want)
	}
}

// TestAssistantsTokenStaysAtItsEngine: engine mcp sends its headers to no other host, wherever the engine redirects to.
func TestAssistantsTokenStaysAtItsEngine(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header.Get("Authorization") }))
	defer elsewhere.Close()
	redirects := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/mcp", http.StatusTemporaryRedirect))
	defer redirects.Close()
	var answers strings.Builder
	shell := command.Shell{In: strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"), Out: &answers, Errs: io.Discard, Env: func(string) (string, bool) { return "a token", true }}
	require.Zero(t, shell.Run(t.Context(), []string{"mcp", "--endpoint", redirects.URL}))
	require.Contains(t, answers.String(), "redirects to "+elsewhere.URL)
	require.Empty(t, seen)
}

// get is what a GET answers with.
func (m *mounted) get(path string, header map[string]string) string {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, m.url+path, nil)
	require.NoError(m.t, err)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(m.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(m.t, err)
	return string(text)
}
