package queryexecutor

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/querylog"
)

// logged has an executor write lines of these types; it gives the details of those that were.
func logged(t *testing.T, e *Executor, masked []string, types ...string) func() []map[string]any {
	t.Helper()
	var out bytes.Buffer
	log, err := telemetry.NewLog(&out, "info", types)
	require.NoError(t, err)
	e.queryLog = querylog.New(log.Logger("query-executor"), masked)
	return func() []map[string]any {
		log.Flush()
		var details []map[string]any
		for line := range strings.Lines(out.String()) {
			var l struct {
				Level, Type string
				Detail      map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(line), &l))
			require.Contains(t, types, l.Type)
			require.Equal(t, "info", l.Level)
			details = append(details, l.Detail)
		}
		out.Reset()
		return details
	}
}

func send(t *testing.T, e *Executor, query, variables string) error {
	t.Helper()
	s := &session.Session{Role: "admin", Variables: map[string]string{session.RoleHeader: "admin"}}
	return e.execute(t.Context(), &queryv1.ExecuteRequest{
		Session: s.Proto(), Query: query, Variables: []byte(variables), RequestId: "r-1",
	}, &reply{})
}

func TestQueryLog(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	lines := logged(t, e, nil, "query-log")

	const query = `query Q($id: Int!) { a: artist_by_pk(id: $id) { name } __typename __schema { queryType { name } } }`
	require.NoError(t, send(t, e, query, "{\"id\":\n1}"))
	got := lines()
	require.Len(t, got, 2)
	require.Equal(t, map[string]any{"operationName": nil, "query": query, "variables": map[string]any{"id": 1.0}}, got[0]["query"])
	require.Equal(t, "r-1", got[0]["request_id"])
	require.Equal(t, "database", got[0]["kind"])
	sql := got[0]["generated_sql"].(map[string]any)["a"].(map[string]any) //nolint:forcetypeassert // a wrong shape fails the test
	require.Contains(t, sql["query"], "SELECT")
	require.Equal(t, []any{"1"}, sql["prepared_arguments"])
	require.Equal(t, "introspection", got[1]["kind"])
	require.Nil(t, got[1]["generated_sql"])
	require.Contains(t, got[1], "generated_sql")

	require.NoError(t, send(t, e, `mutation ($n: String) { x: insert_artist_one(object: {id: 4711, name: $n}) { id } update_artist(where: {id: {_eq: 4711}}, _set: {name: "y"}) { affected_rows } }`, `{"n":"new"}`))
	got = lines()
	require.Len(t, got, 2)
	for i, field := range []string{"x", "update_artist"} {
		require.Contains(t, got[i]["generated_sql"], field)
		require.Equal(t, "database", got[i]["kind"])
	}

	require.Error(t, send(t, e, `{ nothing }`, ""))
	require.Empty(t, lines(), "nothing was queried")
}

func TestQueryLogOfCachedAnswers(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	lines := logged(t, e, nil, "query-log")
	for range 2 {
		require.NoError(t, send(t, e, `query @cached { artist_by_pk(id: 1) { name } }`, ""))
	}
	got := lines()
	require.Len(t, got, 2)
	require.Equal(t, "database", got[0]["kind"])
	require.Equal(t, "cached", got[1]["kind"])
}

func TestMaskedVariables(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	lines := logged(t, e, []string{"secret"}, "query-log")
	require.NoError(t, send(t, e, `query ($secret: String, $n: Int) { artist(where: {name: {_eq: $secret}}, limit: $n) { id } }`, `{"secret":"hush","n":1}`))
	got := lines()
	require.Len(t, got, 1)
	text, err := json.Marshal(got)
	require.NoError(t, err)
	require.NotContains(t, string(text), "hush")
	require.Contains(t, string(text), `"variables":{"n":1,"secret":"[MASKED]"}`)
	require.Contains(t, string(text), `"prepared_arguments":["[MASKED]","[MASKED]"]`)
}

func TestExecutionLog(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	lines := logged(t, e, nil, "execution-log")
	require.NoError(t, send(t, e, `{ artist_by_pk(id: 1) { name } }`, ""))
	require.Error(t, send(t, e, `{ nothing }`, ""))
	got := lines()
	require.Len(t, got, 2)
	for _, line := range got {
		require.Equal(t, "r-1", line["request_id"])
	}
	statistics := got[0]["statistics"].(map[string]any) //nolint:forcetypeassert // a wrong shape fails the test
	require.Equal(t, "query", statistics["operation_type"])
	require.Positive(t, statistics["execution_time"])
	require.Positive(t, statistics["planning_time"])
	require.EqualValues(t, len(`{"data":{"artist_by_pk":{"name":"Kim"}}}`), statistics["response_size"])
	failed := got[1]["statistics"].(map[string]any) //nolint:forcetypeassert // see above
	require.Equal(t, "validation-failed", failed["error_code"])
}

// BenchmarkQueryLog is a request as it is, with lines of query-log, and with those of
// execution-log.
func BenchmarkQueryLog(b *testing.B) {
	for _, types := range []string{"", "query-log", "execution-log"} {
		b.Run("log "+types, func(b *testing.B) {
			e := newFixture(b, "testdata/cases/shop", Config{})
			log, err := telemetry.NewLog(io.Discard, "info", []string{types})
			require.NoError(b, err)
			e.queryLog = querylog.New(log.Logger("query-executor"), nil)
			request := &queryv1.ExecuteRequest{
				Session: adminSession().Proto(), Query: `query ($id: Int!) { artist_by_pk(id: $id) { name } }`,
				Variables: []byte(`{"id":1}`), RequestId: "r-1",
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := e.execute(b.Context(), request, &reply{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
