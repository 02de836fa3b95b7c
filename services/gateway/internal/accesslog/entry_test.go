package accesslog_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/querylog"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/request"
)

func entry() *accesslog.Entry {
	r := httptest.NewRequest(http.MethodPost, "/v1/graphql?x=1", nil)
	r.RemoteAddr = "10.0.0.7:4711"
	return &accesslog.Entry{
		RequestID: "id-1", Request: r, Status: 200,
		Variables: map[string]string{"x-engine-role": "clerk"}, Mode: accesslog.ModeSingle,
		Sent: 10, Size: 20, Read: time.Millisecond, Executed: 2500 * time.Microsecond,
	}
}

const httpInfo = `"http_info":{"status":200,"method":"POST","ip":"10.0.0.7","url":"/v1/graphql","http_version":"HTTP/1.1","content_encoding":null}`

func TestDetail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*accesslog.Entry)
		level  slog.Level
		want   string
	}{
		"success": {func(*accesslog.Entry) {}, slog.LevelInfo, `{"request_id":"id-1",` + httpInfo + `,
			"operation":{"request_id":"id-1","user_vars":{"x-engine-role":"clerk"},"request_mode":"single","query":null,
			"response_size":10,"uncompressed_response_size":20,"request_read_time":0.001,"query_execution_time":0.0025}}`},
		"with its query": {func(e *accesslog.Entry) {
			e.Hash = "abc"
			e.Query = accesslog.Query{
				GraphQL: &request.GraphQL{Query: "{ a }", Variables: []byte(`{"pw":"x"}`)}, Mask: querylog.NewMask([]string{"pw"}),
			}
		}, slog.LevelInfo, `{"request_id":"id-1",` + httpInfo + `,
			"operation":{"request_id":"id-1","user_vars":{"x-engine-role":"clerk"},"request_mode":"single",
			"query":{"operationName":null,"query":"{ a }","variables":{"pw":"[MASKED]"}},"parameterized_query_hash":"abc",
			"response_size":10,"uncompressed_response_size":20,"request_read_time":0.001,"query_execution_time":0.0025}}`},
		"failure": {func(e *accesslog.Entry) {
			e.Encoding, e.Variables, e.Mode = "gzip", nil, accesslog.ModeNonGraphQL
			e.Query.JSON = []byte("{\"type\":\n\"x\"}")
			e.Error = apierror.New(apierror.Unexpected, `broken "thing"`).WithInternal("why")
			e.Request.Header.Set("X-Forwarded-For", "192.0.2.1")
		}, slog.LevelError, `{"request_id":"id-1",
			"http_info":{"status":200,"method":"POST","ip":"192.0.2.1","url":"/v1/graphql","http_version":"HTTP/1.1","content_encoding":"gzip"},
			"operation":{"request_id":"id-1","request_mode":"non-graphql","query":{"type":"x"},
			"response_size":10,"uncompressed_response_size":20,"request_read_time":0.001,"query_execution_time":0.0025,
			"error":{"path":"$","error":"broken \"thing\"","code":"unexpected","internal":"why"}}}`},
		"unreadable": {func(e *accesslog.Entry) {
			e.Mode, e.Raw, e.Error = accesslog.ModeError, []byte("{\xff"), apierror.New(apierror.InvalidJSON, "no JSON")
		}, slog.LevelError, `{"request_id":"id-1",` + httpInfo + `,
			"operation":{"request_id":"id-1","user_vars":{"x-engine-role":"clerk"},"request_mode":"error","query":null,"raw_query":"{\ufffd",
			"response_size":10,"uncompressed_response_size":20,"request_read_time":0.001,"query_execution_time":0.0025,
			"error":{"path":"$","error":"no JSON","code":"invalid-json"}}}`},
		"batch": {func(e *accesslog.Entry) {
			e.Mode = accesslog.ModeBatched
			e.Batch = []accesslog.Operation{
				{Size: 3, Executed: time.Second, Hash: "abc"},
				{Query: accesslog.Query{GraphQL: &request.GraphQL{Query: "{ b }"}}, Error: apierror.New(apierror.ValidationFailed, "bad")},
			}
		}, slog.LevelInfo, `{"request_id":"id-1",` + httpInfo + `,
			"operation":{"request_id":"id-1","user_vars":{"x-engine-role":"clerk"},"request_mode":"batched","query":null,"parameterized_query_hash":["abc"],
			"response_size":10,"uncompressed_response_size":20,"request_read_time":0.001,"query_execution_time":0.0025},
			"batched_operations":[{"query":null,"response_size":3,"query_execution_time":1,"parameterized_query_hash":"abc"},
			{"query":{"operationName":null,"query":"{ b }","variables":null},"error":{"path":"$","error":"bad","code":"validation-failed"}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := entry()
			c.change(e)
			got := e.AppendDetail(nil)
			require.NotContains(t, string(got), "\n")
			require.JSONEq(t, c.want, string(got))
			require.Equal(t, c.level, e.Level())
		})
	}
}

// TestTextsOfClientsAreCut holds that a client can't fill the log with the headers of one request.
func TestTextsOfClientsAreCut(t *testing.T) {
	t.Parallel()
	e, long := entry(), strings.Repeat("x", 1<<20)
	e.Request.Header.Set("X-Forwarded-For", long)
	e.Request.URL.Path = "/" + long
	for i := range 100 {
		e.Variables["x-engine-"+strconv.Itoa(i)] = long[:2000]
	}
	line := e.AppendDetail(nil)
	require.Less(t, len(line), 16<<10)
	var shown struct {
		Operation struct {
			Variables map[string]string `json:"user_vars"`
		}
	}
	require.NoError(t, json.Unmarshal(line, &shown))
	require.Greater(t, len(shown.Operation.Variables), 5)
	require.Equal(t, "[CUT OFF]", shown.Operation.Variables["..."])
}
