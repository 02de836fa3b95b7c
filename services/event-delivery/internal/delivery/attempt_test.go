package delivery

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/egress"
	"queryengine/pkg/transform"
)

var now = time.Date(2015, 3, 1, 2, 0, 0, 0, time.UTC)

func testWorker(t *testing.T, kinds ...Kind) *Worker {
	t.Helper()
	client, err := egress.New(egress.DefaultConfig())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return New(Config{Client: client, Concurrency: 4, Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }})
}

func requestTransform(t *testing.T, definition string) *transform.Request {
	t.Helper()
	r, err := transform.CompileRequest(json.RawMessage(definition))
	require.NoError(t, err)
	return r
}

func responseTransform(t *testing.T, definition string) *transform.Response {
	t.Helper()
	r, err := transform.CompileResponse(json.RawMessage(definition))
	require.NoError(t, err)
	return r
}

// answering is a webhook that always answers alike.
func answering(t *testing.T, status int, body string, headers ...string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	status := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		server  *httptest.Server
		change  func(*Attempt)
		state   State
		retryIn time.Duration
		status  *int
		// response is the record's data, "" when there is no invocation.
		response string
	}{
		"delivered": {
			server: answering(t, 204, "", "Retry-After", "5"), state: Delivered, status: status(204),
		},
		"delivered, transformed": {
			server: answering(t, 200, `{"a":1}`), state: Delivered, status: status(200),
			change:   func(a *Attempt) { a.Target.Response = responseTransform(t, `{"body":"{{$body.a}}"}`) },
			response: `{"body":"1"}`,
		},
		"retried":                 {server: answering(t, 500, "oops"), state: Waiting, retryIn: 7 * time.Second, status: status(500), response: `{"message":"oops"}`},
		"redirect without target": {server: answering(t, 304, ""), state: Waiting, retryIn: 7 * time.Second, status: status(304), response: `{"message":""}`},
		"last but one try":        {server: answering(t, 500, ""), change: func(a *Attempt) { a.Tries = 1 }, state: Waiting, retryIn: 7 * time.Second, status: status(500)},
		"last try":                {server: answering(t, 500, ""), change: func(a *Attempt) { a.Tries = 2 }, state: Failed, status: status(500)},
		"retry after, used up": {
			server: answering(t, 503, "", "Retry-After", "90"), change: func(a *Attempt) { a.Tries = 2 }, state: Waiting, retryIn: 90 * time.Second, status: status(503),
		},
		"retry after a date": {server: answering(t, 503, "", "Retry-After", "Sun, 01 Mar 2015 03:00:00 GMT"), state: Waiting, retryIn: 7 * time.Second, status: status(503)},
		"retry after zero":   {server: answering(t, 503, "", "Retry-After", "0"), change: func(a *Attempt) { a.Tries = 9 }, state: Failed, status: status(503)},
		"not UTF-8":          {server: answering(t, 500, "\xff\x00"), state: Waiting, retryIn: 7 * time.Second, status: status(500), response: `{"message":["Base64","/wA="]}`},
		"response transform fails": {
			server: answering(t, 200, `{}`), state: Waiting, retryIn: 7 * time.Second, status: status(500),
			change: func(a *Attempt) { a.Target.Response = responseTransform(t, `{"body":"$gone"}`) },
			response: `{"message":"[{\"error_code\":\"Name Error\",\"message\":\"Variable '$gone' not in scope\",` +
				`\"source_position\":{\"start_line\":0,\"start_column\":1,\"end_line\":0,\"end_column\":6}}]"}`,
		},
		"request transform fails": {
			server: answering(t, 200, ``), change: func(a *Attempt) { a.Target.Request = requestTransform(t, `{"body":"$gone"}`) }, state: Failed,
		},
		"no connection": {
			server: answering(t, 200, ``), change: func(a *Attempt) { a.Target.URL = "http://127.0.0.1:1/secret" }, state: Waiting, retryIn: 7 * time.Second,
			response: `{"message":"{\"message\":\"Connection failure: connection refused\",\"request\":{\"method\":\"POST\"},\"type\":\"http_exception\"}"}`,
		},
		"bad address": {
			server: answering(t, 200, ``), change: func(a *Attempt) { a.Target.URL = "nowhere"; a.Target.Template = "nowhere" }, state: Waiting, retryIn: 7 * time.Second,
			response: `{"message":"{\"message\":\"Invalid URL\",\"request\":{\"host\":\"\",\"method\":\"POST\",\"path\":\"nowhere\",\"port\":\"\",\"queryString\":\"\",\"secure\":false},\"type\":\"invalid_url\"}"}`,
		},
		"no time at all": {
			server: answering(t, 200, ``), change: func(a *Attempt) { a.Target.Timeout = 0 }, state: Waiting, retryIn: 7 * time.Second, status: status(500),
			response: `{"message":"Event \"1\" timed out while processing."}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &Attempt{EventID: "1", Described: `Event "1"`, Version: "1", Body: []byte(`{"k":1}`), Target: &Target{
				Template: "{{HOOK}}", URL: c.server.URL, Timeout: 30 * time.Second, Retries: 2, Interval: 7 * time.Second,
			}}
			if c.change != nil {
				c.change(a)
			}
			o, err := testWorker(t).do(t.Context(), a)
			require.NoError(t, err)
			require.Equal(t, c.state, o.State)
			if c.retryIn > 0 {
				require.Equal(t, now.Add(c.retryIn), o.RetryAt)
			}
			if o.State == Failed && c.status == nil {
				require.Nil(t, o.Invocation)
				return
			}
			require.Equal(t, c.status, o.Invocation.Status)
			if c.response != "" {
				var record struct{ Data map[string]json.RawMessage }
				require.NoError(t, json.Unmarshal(o.Invocation.Response, &record))
				var want map[string]json.RawMessage
				require.NoError(t, json.Unmarshal([]byte(c.response), &want))
				for key, value := range want {
					require.JSONEq(t, string(value), string(record.Data[key]))
				}
			}
		})
	}
}

// TestWhatIsSentAndRecorded holds the request against its record: headers of the engine win,
// values from variables are not shown, a removed User-Agent is not sent.
func TestWhatIsSentAndRecorded(t *testing.T) {
	t.Parallel()
	got := make(chan *http.Request, 1)
	body := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got <- r
		body <- string(text)
	}))
	t.Cleanup(s.Close)
	a := &Attempt{EventID: "1", Version: "2", Body: []byte(`{"k":1}`), Session: map[string]string{"x-engine-role": "clerk"}, Target: &Target{
		Template: s.URL, URL: s.URL, Timeout: 30 * time.Second,
		Headers: []Header{{Name: "content-type", Value: "text/plain"}, {Name: "X-Key", Value: "s3cret", FromEnv: "KEY"}, {Name: "X-Plain", Value: "p"}},
		Request: requestTransform(t, `{"method":"PUT","query_params":{"role":"{{$session_variables['x-engine-role']}}"},
			"request_headers":{"remove_headers":["user-agent"],"add_headers":{"X-New":"{{$body.k}}"}},"body":"[{{$body}}]"}`),
	}}
	o, err := testWorker(t).do(t.Context(), a)
	require.NoError(t, err)
	r := <-got
	require.Equal(t, "PUT /?role=clerk", r.Method+" "+r.URL.RequestURI())
	require.Equal(t, `[{"k":1}]`, <-body)
	require.Equal(t, []string{"application/json"}, r.Header["Content-Type"])
	require.Equal(t, "s3cret", r.Header.Get("X-Key"))
	require.Empty(t, r.Header.Get("User-Agent"))
	require.JSONEq(t, `{"payload":[{"k":1}],"version":"2","headers":[{"name":"Content-Type","value":"application/json"},
		{"name":"X-Key","value_from_env":"KEY"},{"name":"X-Plain","value":"p"},{"name":"X-New","value":"1"}]}`, string(o.Invocation.Request))
	require.NotContains(t, string(o.Invocation.Request)+string(o.Invocation.Response), "s3cret")
	var record responseRecord
	require.NoError(t, json.Unmarshal(o.Invocation.Response, &record))
	require.Equal(t, "webhook_response", record.Type)
	require.Equal(t, "2", record.Version)
}
