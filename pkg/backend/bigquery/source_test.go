package bigquery

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// api is a server that checks requests as the REST API is documented and answers what a test says.
type api struct {
	t  *testing.T
	mu sync.Mutex
	// answers are the responses by method and path below the project, in their order; the last one stays.
	answers map[string][]response
	// sent are the bodies of jobs.query, requests the other requests, with its query.
	sent     []map[string]any
	requests []string
	// asked learns of each request.
	asked chan string
	// authorization is the header that requests have.
	authorization string
}

type response struct {
	status int
	body   string
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	path, found := strings.CutPrefix(r.URL.Path, "/bigquery/v2/projects/demo")
	assert.True(a.t, found, r.URL.Path)
	assert.Equal(a.t, a.authorization, r.Header.Get("Authorization"))
	if r.Method == http.MethodPost && path == "/queries" {
		assert.Equal(a.t, "application/json", r.Header.Get("Content-Type"))
		body, err := io.ReadAll(r.Body)
		assert.NoError(a.t, err)
		sent := map[string]any{}
		assert.NoError(a.t, json.Unmarshal(body, &sent))
		assert.Equal(a.t, false, sent["useLegacySql"])
		if _, has := sent["queryParameters"]; has {
			assert.Equal(a.t, "NAMED", sent["parameterMode"])
		}
		a.sent = append(a.sent, sent)
	}
	a.requests = append(a.requests, r.Method+" "+path+" "+r.URL.Query().Get("pageToken")+r.URL.Query().Get("location"))
	key := r.Method + " " + path
	list := a.answers[key]
	if len(list) == 0 {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error": {"code": 404, "message": "Not found", "errors": [{"reason": "notFound"}]}}`)
	} else {
		if len(list) > 1 {
			a.answers[key] = list[1:]
		}
		w.WriteHeader(list[0].status)
		fmt.Fprint(w, list[0].body)
	}
	select {
	case a.asked <- key:
	default:
	}
}

func ok(body string) response { return response{http.StatusOK, body} }

func failure(status int, reason string) response {
	return response{status, fmt.Sprintf(`{"error": {"code": %d, "message": "secret %s", "errors": [{"reason": %q}]}}`, status, reason, reason)}
}

// rowsOf is a complete response with rows of one text each.
func rowsOf(texts ...string) string {
	rows := make([]string, len(texts))
	for i, text := range texts {
		rows[i] = fmt.Sprintf(`{"f": [{"v": %q}]}`, text)
	}
	return `{"jobComplete": true, "jobReference": {"jobId": "j1", "location": "EU"}, "schema": {"fields": [{"name": "c0", "type": "INTEGER"}]}, "rows": [` +
		strings.Join(rows, ", ") + `]}`
}

const running = `{"jobComplete": false, "jobReference": {"jobId": "j1", "location": "EU"}}`

func open(t *testing.T, answers map[string][]response, configuration string) (*api, *Source) {
	t.Helper()
	a := &api{t: t, answers: answers, asked: make(chan string, 100)}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	var c Configuration
	require.NoError(t, json.Unmarshal([]byte(`{"project_id": "demo", "datasets": ["hub"], "retry_base_delay": 1`+configuration+`}`), &c))
	c.Endpoint = server.URL
	require.NoError(t, c.Check())
	o, err := Configure(c, func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	s := Open(o)
	t.Cleanup(s.Close)
	return a, s
}

func ids(t *testing.T, where ir.BoolExp) backend.Statement {
	t.Helper()
	st, err := Dialect{}.RenderQuery(&ir.Select{Rows: ir.Rows{From: authors, Where: where}, Fields: fields(id)}, backend.RenderOptions{})
	require.NoError(t, err)
	return st
}

func query(ctx context.Context, s *Source, st backend.Statement, a backend.Args) (string, error) {
	out := backend.NewAnswer(nil, nil, 0)
	err := s.Query(ctx, st, a, out)
	return string(out.Buf), err
}

func TestQueryReadsAllPagesOfASlowJob(t *testing.T) {
	t.Parallel()
	first := strings.Replace(rowsOf("1", "2"), `"rows"`, `"pageToken": "next", "rows"`, 1)
	a, s := open(t, map[string][]response{
		"POST /queries":   {ok(running)},
		"GET /queries/j1": {ok(running), ok(first), ok(rowsOf("3"))},
	}, `, "location": "EU", "maximum_bytes_billed": 1000, "job_timeout": 30`)
	st := ids(t, ir.And{Exps: []ir.BoolExp{
		compare(id, ir.OpGt, ir.Variable{Index: 0, Type: id.Type}),
		compare(name, ir.OpIn, ir.SessionVar{Name: "x-engine-names", Type: name.Type, List: true}),
		compare(name, ir.OpEq, ir.Variable{Index: 1, Type: name.Type}),
	}})
	got, err := query(t.Context(), s, st, backend.Args{
		Variables: [][]byte{[]byte("7"), nil}, Session: &session.Session{Role: "Night Shift", Variables: map[string]string{"x-engine-names": `{a,"b c"}`}},
	})
	require.NoError(t, err)
	require.Equal(t, `[{"id":"1"}, {"id":"2"}, {"id":"3"}]`, strings.ReplaceAll(got, " : ", ":"))
	require.Equal(t, []string{"POST /queries ", "GET /queries/j1 EU", "GET /queries/j1 EU", "GET /queries/j1 nextEU"}, a.requests)
	sent := a.sent[0]
	require.Equal(t, "EU", sent["location"])
	require.Equal(t, "1000", sent["maximumBytesBilled"])
	require.Equal(t, "30000", sent["jobTimeoutMs"])
	require.Equal(t, map[string]any{"engine_role": "night_shift"}, sent["labels"])
	parameters, err := json.Marshal(sent["queryParameters"])
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"name": "p1", "parameterType": {"type": "INT64"}, "parameterValue": {"value": "7"}},
		{"name": "p2", "parameterType": {"type": "ARRAY", "arrayType": {"type": "STRING"}}, "parameterValue": {"arrayValues": [{"value": "a"}, {"value": "b c"}]}},
		{"name": "p3", "parameterType": {"type": "STRING"}, "parameterValue": {}}]`, string(parameters))
}

func TestQueryIsSentAgainAfterAPassingError(t *testing.T) {
	t.Parallel()
	a, s := open(t, map[string][]response{
		"POST /queries": {failure(503, "backendError"), failure(403, "rateLimitExceeded"), ok(rowsOf("1"))},
	}, "")
	_, err := query(t.Context(), s, ids(t, nil), backend.Args{})
	require.NoError(t, err)
	require.Len(t, a.sent, 3)
	require.Equal(t, a.sent[0]["requestId"], a.sent[2]["requestId"], "the same job")
}

func TestErrorsOfTheDatabaseAreHidden(t *testing.T) {
	t.Parallel()
	for reason, c := range map[string]struct {
		status int
		want   string
	}{
		"jobInternalError":         {400, "query execution failed"}, // emulators mean a fault of the statement
		"quotaExceeded":            {403, "a quota of the database is exceeded"},
		"bytesBilledLimitExceeded": {400, "the query would process more bytes than the source allows"},
		"invalidQuery":             {400, "query execution failed"},
		"backendError":             {503, "query execution failed"},
	} {
		a, s := open(t, map[string][]response{"POST /queries": {failure(c.status, reason)}}, `, "retry_limit": 1`)
		got, err := query(t.Context(), s, ids(t, nil), backend.Args{})
		var failed *apierror.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, apierror.BigQueryError, failed.Code)
		require.Equal(t, c.want, failed.Message)
		require.Equal(t, "secret "+reason, failed.Internal.(detail).Error.Message)
		require.Empty(t, got)
		require.Len(t, a.sent, map[bool]int{true: 2, false: 1}[reason == "backendError"])
	}
}

func TestAnswerOfAFailedPageIsTakenBack(t *testing.T) {
	t.Parallel()
	_, s := open(t, map[string][]response{
		"POST /queries":   {ok(strings.Replace(rowsOf("1"), `"rows"`, `"pageToken": "next", "rows"`, 1))},
		"GET /queries/j1": {failure(404, "notFound")},
	}, "")
	got, err := query(t.Context(), s, ids(t, nil), backend.Args{})
	require.Error(t, err)
	require.Empty(t, got)
}

func TestCancellingEndsTheJob(t *testing.T) {
	t.Parallel()
	a, s := open(t, map[string][]response{
		"POST /queries": {ok(running)}, "GET /queries/j1": {ok(running)}, "POST /jobs/j1/cancel": {ok(`{}`)},
	}, "")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for key := range a.asked {
			if strings.HasPrefix(key, "GET") {
				cancel()
				return
			}
		}
	}()
	_, err := query(ctx, s, ids(t, nil), backend.Args{})
	require.ErrorIs(t, err, context.Canceled)
	a.mu.Lock()
	defer a.mu.Unlock()
	require.Equal(t, "POST /jobs/j1/cancel EU", a.requests[len(a.requests)-1])
}

// TestBytesAreCountedAndBounded has a job take three requests, which count once, and refuses a statement by a dry run.
func TestBytesAreCountedAndBounded(t *testing.T) {
	t.Parallel()
	read := func(body string) response {
		return ok(strings.Replace(body, "{", `{"totalBytesProcessed": "4096", `, 1))
	}
	a, s := open(t, map[string][]response{
		"POST /queries":   {ok(running), read(rowsOf()), read(rowsOf("1")), read(rowsOf())},
		"GET /queries/j1": {read(strings.Replace(rowsOf("1"), `"rows"`, `"pageToken": "next", "rows"`, 1)), read(rowsOf("2"))},
	}, `, "location": "EU"`)
	st := ids(t, compare(id, ir.OpEq, number("1")))
	scan := &backend.Scan{}
	args := backend.Args{Scan: scan, Operation: "Top Pages"}
	_, err := query(t.Context(), s, st, args)
	require.NoError(t, err)
	require.EqualValues(t, 4096, scan.Bytes())
	require.Equal(t, map[string]any{"engine_operation": "top_pages"}, a.sent[0]["labels"])

	scan.Bound(8000)
	_, err = query(t.Context(), s, st, args)
	require.NoError(t, err)
	require.EqualValues(t, 2*4096, scan.Bytes())
	require.Len(t, a.sent, 3)
	require.Equal(t, true, a.sent[1]["dryRun"])
	require.Equal(t, "EU", a.sent[1]["location"])
	require.Nil(t, a.sent[2]["dryRun"])
	_, err = query(t.Context(), s, st, args)
	var failed *apierror.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, apierror.BytesLimitExceeded, failed.Code)
	require.Equal(t, "bytes limit exceeded: the operation would scan 8192 bytes, the limit is 8000", failed.Message)
	require.Len(t, a.sent, 4, "the statement isn't sent")
}

func TestExplainIsADryRun(t *testing.T) {
	t.Parallel()
	a, s := open(t, map[string][]response{"POST /queries": {ok(`{"jobComplete": true, "totalBytesProcessed": "4096"}`)}}, "")
	text, plan, err := s.Explain(t.Context(), ids(t, compare(name, ir.OpEq, literalOf(name, `o'x`))), backend.Args{})
	require.NoError(t, err)
	require.Contains(t, text, `= 'o\'x'`)
	require.Equal(t, []string{"bytes processed: 4096"}, plan)
	require.Equal(t, true, a.sent[0]["dryRun"])
}

const columnsOfAuthor = `{"jobComplete": true, "rows": [
	{"f": [{"v": "author"}, {"v": "BASE TABLE"}, {"v": "id"}, {"v": "INT64"}, {"v": "NO"}]},
	{"f": [{"v": "author"}, {"v": "BASE TABLE"}, {"v": "tags"}, {"v": "ARRAY<STRING>"}, {"v": "NO"}]},
	{"f": [{"v": "recent"}, {"v": "VIEW"}, {"v": "id"}, {"v": "INT64"}, {"v": "YES"}]}]}`

func TestIntrospectionHasTwoWays(t *testing.T) {
	t.Parallel()
	tables := map[string][]response{
		"GET /datasets/hub/tables": {
			ok(`{"tables": [{"tableReference": {"tableId": "author"}, "type": "TABLE"}], "nextPageToken": "n"}`),
			ok(`{"tables": [{"tableReference": {"tableId": "recent"}, "type": "VIEW"}]}`),
		},
		"GET /datasets/hub/tables/author": {ok(`{"schema": {"fields": [{"name": "id", "type": "INTEGER", "mode": "REQUIRED"}, {"name": "tags", "type": "STRING", "mode": "REPEATED"}]}}`)},
		"GET /datasets/hub/tables/recent": {ok(`{"schema": {"fields": [{"name": "id", "type": "INTEGER"}]}}`)},
		"POST /queries":                   {failure(400, "invalidQuery")},
	}
	for way, answers := range map[string]map[string][]response{"views": {"POST /queries": {ok(columnsOfAuthor)}}, "lists": tables} {
		_, s := open(t, answers, `, "global_select_limit": "12"`)
		found, err := s.Introspect(t.Context(), nil)
		require.NoError(t, err, way)
		require.Equal(t, "12", found.Extensions[extensionLimit])
		author := found.Tables[catalog.Name{Schema: "hub", Name: "author"}]
		require.NotNil(t, author, way)
		require.Equal(t, catalog.Type{Name: "int8"}, author.Columns[0].Type)
		require.Equal(t, catalog.Type{Name: "text", Dims: 1}, author.Columns[1].Type)
		require.False(t, author.Columns[0].Nullable)
		recent := found.Tables[catalog.Name{Schema: "hub", Name: "recent"}]
		require.Equal(t, catalog.KindView, recent.Kind)
		require.True(t, recent.Columns[0].Nullable)
	}
	_, s := open(t, map[string][]response{}, "")
	_, err := s.Introspect(t.Context(), nil)
	require.ErrorContains(t, err, "query execution failed", "a dataset that isn't there is an error")
}

func TestRunSQL(t *testing.T) {
	t.Parallel()
	_, s := open(t, map[string][]response{"POST /queries": {ok(rowsOf("1", "2")), ok(`{"jobComplete": true}`), failure(400, "invalidQuery")}}, "")
	result, err := s.RunSQL(t.Context(), backend.RawSQL{SQL: "SELECT 1"})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"c0"}, {"1"}, {"2"}}, result.Rows)
	result, err = s.RunSQL(t.Context(), backend.RawSQL{SQL: "CREATE TABLE t (n INT64)"})
	require.NoError(t, err)
	require.Nil(t, result.Rows, "a command has no rows")
	_, err = s.RunSQL(t.Context(), backend.RawSQL{SQL: "SELECT x"})
	var failed *apierror.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, http.StatusBadRequest, failed.Status)
	_, err = s.RunSQL(t.Context(), backend.RawSQL{SQL: "SELECT 1", ReadOnly: true})
	require.ErrorContains(t, err, "read_only")
}

// TestLimitsOfARunAreConstants ranks no rows where the limits are known.
func TestLimitsOfARunAreConstants(t *testing.T) {
	t.Parallel()
	a, s := open(t, map[string][]response{"POST /queries": {ok(rowsOf())}}, "")
	limit, offset := ir.Variable{Index: 0, Type: typeInteger}, ir.Variable{Index: 1, Type: typeInteger}
	root := &ir.Select{Rows: ir.Rows{From: authors, OrderBy: []ir.OrderItem{asc(id)}, Limit: limit}, Fields: with(fields(id), "articles",
		many(ir.Rows{From: articles, Limit: limit, Offset: offset}, toArticles, fields(id)))}
	st, err := Dialect{Limit: 7}.RenderQuery(root, backend.RenderOptions{})
	require.NoError(t, err)
	require.Contains(t, st.SQL(), "ROW_NUMBER")
	for _, c := range []struct {
		variables [][]byte
		want      []string
	}{
		{[][]byte{[]byte("3"), []byte("2")}, []string{" LIMIT 5) AS v", "i >= 2 AND i - 2 < 3", "ORDER BY t0.`id` LIMIT 3"}},
		{[][]byte{[]byte("30"), nil}, []string{" LIMIT 7) AS v", "t2.v AS c1", "ORDER BY t0.`id` LIMIT 7"}},
		{[][]byte{nil, []byte("0")}, []string{" LIMIT 7) AS v", "t2.v AS c1", "ORDER BY t0.`id` LIMIT 7"}},
	} {
		got, err := query(t.Context(), s, st, backend.Args{Variables: c.variables})
		require.NoError(t, err)
		require.Equal(t, "[]", got)
		sent := a.sent[len(a.sent)-1]
		require.NotContains(t, sent["query"], "ROW_NUMBER")
		require.NotContains(t, sent, "queryParameters")
		for _, part := range c.want {
			require.Contains(t, sent["query"], part)
		}
	}
	shown, _, err := s.Explain(t.Context(), st, backend.Args{Variables: [][]byte{[]byte("3"), nil}})
	require.NoError(t, err)
	require.Contains(t, shown, "LIMIT 3")
}

func TestNativeQueriesAreTried(t *testing.T) {
	t.Parallel()
	native := ir.NativeQuery{
		Code:    []ir.Code{{Text: "SELECT id, name FROM hub.author LIMIT "}, {Value: ir.Variable{Index: 0, Type: typeInteger}}},
		Columns: []ir.NativeColumn{{Name: "id", Type: typeDecimal}, {Name: "name", Type: typeText}},
	}
	fields := func(name string) response {
		return ok(`{"schema": {"fields": [{"name": "id", "type": "INTEGER"}, {"name": "name", "type": "` + name + `"}]}}`)
	}
	a, s := open(t, map[string][]response{"POST /queries": {fields("STRING"), fields("DATE"), failure(http.StatusBadRequest, "invalidQuery"), failure(500, "x")}}, `, "retry_limit": 0`)
	require.NoError(t, s.ValidateNativeQuery(t.Context(), native))
	require.Equal(t, true, a.sent[0]["dryRun"])
	require.Equal(t, []any{map[string]any{"name": "p1", "parameterType": map[string]any{"type": "INT64"}, "parameterValue": map[string]any{"value": "1"}}}, a.sent[0]["queryParameters"])
	for _, want := range []string{`Return column \"name\" has a type mismatch. The expected type is \"STRING\", but the actual type is \"DATE\".`, "secret invalidQuery"} {
		var failed *apierror.Error
		require.ErrorAs(t, s.ValidateNativeQuery(t.Context(), native), &failed)
		require.Equal(t, apierror.ValidationFailed, failed.Code)
		require.Contains(t, string(failed.InternalJSON()), want)
	}
	require.NoError(t, s.ValidateNativeQuery(t.Context(), native), "an emulator may lack dry runs")
}

// TestTableFunctionsAreListed reads the pages of a list, and what the list leaves out one by one.
func TestTableFunctionsAreListed(t *testing.T) {
	t.Parallel()
	const list = "GET /datasets/hub/routines"
	a, s := open(t, map[string][]response{
		"POST /queries": {ok(`{"jobComplete": true, "rows": [{"f": [{"v": "author"}, {"v": "BASE TABLE"}, {"v": "id"}, {"v": "INT64"}, {"v": "NO"}]}]}`)},
		list: {
			ok(`{"routines": [{"routineReference": {"routineId": "written"}, "routineType": "TABLE_VALUED_FUNCTION", "description": "what they wrote",
				"arguments": [{"name": "who", "argumentKind": "FIXED_TYPE", "dataType": {"typeKind": "INT64"}}, {"name": "any", "argumentKind": "ANY_TYPE"},
				{"name": "tags", "dataType": {"typeKind": "ARRAY", "arrayElementType": {"typeKind": "STRING"}}}, {"name": "rows", "argumentKind": "FIXED_TABLE"}]}],
				"nextPageToken": "more"}`),
			ok(`{"routines": [{"routineReference": {"routineId": "totals"}, "routineType": "TABLE_VALUED_FUNCTION"},
				{"routineReference": {"routineId": "plain"}, "routineType": "SCALAR_FUNCTION"}]}`),
		},
		list + "/totals": {ok(`{"routineReference": {"routineId": "totals"}, "routineType": "TABLE_VALUED_FUNCTION",
			"returnTableType": {"columns": [{"name": "total", "type": {"typeKind": "NUMERIC"}}]}}`)},
	}, "")
	c, err := s.Introspect(t.Context(), nil)
	require.NoError(t, err)
	require.Contains(t, a.requests, list+" more")
	require.Len(t, c.Functions, 2)
	written := c.Functions[catalog.Name{Schema: "hub", Name: "written"}][0]
	require.Equal(t, "what they wrote", *written.Comment)
	require.Equal(t, catalog.Stable, written.Volatility)
	require.Empty(t, written.Columns)
	require.Equal(t, []catalog.Argument{
		{Name: "who", Type: catalog.Type{Name: "int8"}},
		{Name: "any", Type: catalog.Type{Name: "ANY TYPE", Kind: catalog.TypePseudo}},
		{Name: "tags", Type: catalog.Type{Name: "text", Dims: 1}},
		{Name: "rows", Type: catalog.Type{Name: "FIXED_TABLE", Kind: catalog.TypePseudo}},
	}, written.Args)
	totals := c.Functions[catalog.Name{Schema: "hub", Name: "totals"}][0]
	require.Equal(t, []*catalog.Column{{Name: "total", Type: catalog.Type{Name: "numeric"}, Nullable: true}}, totals.Columns)

	for _, answered := range []struct {
		status   int
		emulator bool
		served   bool
	}{
		{http.StatusForbidden, false, true},
		{http.StatusNotImplemented, false, true},
		{http.StatusInternalServerError, false, false},
		{http.StatusInternalServerError, true, true},
	} {
		a, s := open(t, map[string][]response{"POST /queries": a.answers["POST /queries"], list: {failure(answered.status, "x")}}, `, "retry_limit": 0`)
		if s.client.options.Anonymous = answered.emulator; !answered.emulator {
			s.client.token.Store(&oauth2.Token{AccessToken: "account"})
			a.authorization = "Bearer account"
		}
		c, err := s.Introspect(t.Context(), nil)
		if !answered.served {
			require.Error(t, err, "functions that were there would be lost")
			continue
		}
		require.NoError(t, err)
		require.Len(t, c.Tables, 1)
		require.Empty(t, c.Functions)
	}
}

func TestConfigurations(t *testing.T) {
	t.Parallel()
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"P": "42", "D": "a, b", "K": `{"type": "service_account"}`, "H": "emulator:9050"}[name]
		return v, ok
	}
	for text, want := range map[string]func(Options){
		`{"project_id": {"from_env": "P"}, "datasets": {"from_env": "D"}, "service_account": {"from_env": "K"}}`: func(o Options) {
			assert.Equal(t, "42", o.Project)
			assert.Equal(t, []string{"a", "b"}, o.Datasets)
			assert.Equal(t, `{"type": "service_account"}`, string(o.ServiceAccount))
			assert.Equal(t, defaultSelectLimit, o.SelectLimit)
			assert.False(t, o.Anonymous)
			assert.Equal(t, publicEndpoint, o.Endpoint)
		},
		`{"project_id": 7, "datasets": ["a"], "service_account": {"client_email": "x"}, "retry_limit": 0, "retry_base_delay": 1000}`: func(o Options) {
			assert.Equal(t, "7", o.Project)
			assert.JSONEq(t, `{"client_email": "x"}`, string(o.ServiceAccount))
			assert.Zero(t, o.Retries)
			assert.Equal(t, time.Millisecond, o.RetryDelay)
		},
		`{"project_id": "p", "datasets": ["a"], "endpoint": "emulator:9050"}`: func(o Options) {
			assert.Equal(t, "http://emulator:9050", o.Endpoint)
			assert.True(t, o.Anonymous)
		},
	} {
		var c Configuration
		require.NoError(t, json.Unmarshal([]byte(text), &c))
		require.NoError(t, c.Check())
		o, err := Configure(c, env)
		require.NoError(t, err)
		want(o)
	}
	for text, want := range map[string]string{
		`{"project_id": "p", "datasets": 7}`:                                "expected an array of names",
		`{"project_id": "p", "datasets": []}`:                               "one name at least",
		`{"project_id": true, "datasets": ["a"]}`:                           "project_id",
		`{"project_id": "p", "datasets": ["a"], "global_select_limit": 0}`:  "global_select_limit",
		`{"project_id": "p", "datasets": ["a"], "retry_limit": -1}`:         "between 0 and 100",
		`{"project_id": "p", "datasets": ["a"], "endpoint": "ftp://x"}`:     "endpoint",
		`{"project_id": "p", "datasets": ["a"], "maximum_bytes_billed": 0}`: "positive",
		`{"project_id": {"from_env": "NONE"}, "datasets": ["a"]}`:           "not set",
		`{"project_id": "p", "datasets": ["a"], "service_account": ["a"]}`:  "service_account",
	} {
		var c Configuration
		require.NoError(t, json.Unmarshal([]byte(text), &c))
		err := c.Check()
		if err == nil {
			_, err = Configure(c, env)
		}
		require.ErrorContains(t, err, want, text)
	}
	var _ metadata.Configuration = &Configuration{}
}
