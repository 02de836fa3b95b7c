package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

func TestErrorsOfEachEndpoint(t *testing.T) {
	t.Parallel()
	invalid := apierror.At(apierror.New(apierror.ValidationFailed, "no"), "selectionSet")
	const graphql = `{"errors":[{"message":"no","extensions":{"path":"$.selectionSet","code":"validation-failed"}}]}`
	const plain = `{"error":"no","path":"$.selectionSet","code":"validation-failed"}`
	w := setup(t, func(w *world) { w.bus.answer = fails(invalid) })
	for path, want := range map[string]answer{
		"/v1/graphql":         {status: 200, body: graphql},
		"/v1beta1/relay":      {status: 200, body: graphql},
		"/v1alpha1/graphql":   {status: 400, body: graphql},
		"/v1/graphql/explain": {status: 400, body: plain},
		"/v1/metadata":        {status: 400, body: plain},
		"/v1/query":           {status: 400, body: plain},
		"/v2/query":           {status: 400, body: plain},
	} {
		got := w.send(t, "POST", path, `{"query":"{a}","type":"x"}`, admin...)
		require.Equal(t, want.status, got.status, path)
		require.Equal(t, want.body, got.body, path)
		require.Equal(t, "application/json; charset=utf-8", got.header.Get("Content-Type"))
		require.NotEmpty(t, got.header.Get("X-Request-Id"))
	}
}

func TestAuthenticationErrors(t *testing.T) {
	t.Parallel()
	const text = "x-engine-admin-secret/x-engine-access-key required, but not found"
	const graphql = `{"errors":[{"message":"` + text + `","extensions":{"path":"$","code":"access-denied"}}]}`
	for _, preserve := range []bool{false, true} {
		w := setup(t, func(w *world) { w.settings.Preserve401 = preserve })
		status := map[bool]int{false: 200, true: 401}[preserve]
		for path, want := range map[string]answer{
			"/v1/graphql":       {status: status, body: graphql},
			"/v1beta1/relay":    {status: status, body: graphql},
			"/v1alpha1/graphql": {status: 401, body: graphql},
			"/v1/metadata":      {status: 401, body: `{"error":"` + text + `","path":"$","code":"access-denied"}`},
		} {
			got := w.send(t, "POST", path, `not JSON`)
			require.Equal(t, want.status, got.status, path)
			require.Equal(t, want.body, got.body, path)
		}
		require.Empty(t, w.bus.calls)
	}
}

func TestFaultsThatKeepTheirStatus(t *testing.T) {
	t.Parallel()
	busy := apierror.New(apierror.Busy, "every query-executor is busy")
	busy.RetryAfter = 1
	w := setup(t, func(w *world) { w.bus.answer = fails(busy); w.settings.MaxRequestSize = 100 })
	got := w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, admin...)
	require.Equal(t, http.StatusServiceUnavailable, got.status)
	require.Equal(t, "1", got.header.Get("Retry-After"))
	require.Equal(t, `{"errors":[{"message":"every query-executor is busy","extensions":{"path":"$","code":"busy"}}]}`, got.body)

	got = w.send(t, "POST", "/v1/graphql", `{"query":"`+strings.Repeat("a", 100)+`"}`, admin...)
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
	require.Equal(t, `{"errors":[{"message":"the request body is larger than 100 bytes","extensions":{"path":"$","code":"bad-request"}}]}`, got.body)
}

func TestInternal(t *testing.T) {
	t.Parallel()
	fault := apierror.New(apierror.Unexpected, "database query error").WithInternal(map[string]any{"statement": "SELECT"})
	for name, c := range map[string]struct {
		dev, admins bool
		role        string
		shown       bool
	}{
		"admin":                {false, true, "admin", true},
		"admin, switched off":  {false, false, "admin", false},
		"others":               {false, true, "clerk", false},
		"others in dev mode":   {true, false, "clerk", true},
		"admin in dev mode":    {true, false, "admin", true},
		"others, switched off": {false, false, "clerk", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, func(w *world) {
				w.settings.DevMode, w.settings.AdminInternalErrors = c.dev, c.admins
				w.bus.answer = fails(fault)
			})
			headers := append([]string{"X-Engine-Role", c.role}, admin...)
			got := w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, headers...)
			require.Equal(t, c.shown, strings.Contains(got.body, `"code":"unexpected","internal":{"statement":"SELECT"}`), got.body)
			got = w.send(t, "POST", "/v1/query", `{"type":"select"}`, headers...)
			require.Equal(t, http.StatusInternalServerError, got.status)
			require.Equal(t, c.shown, strings.Contains(got.body, `"code":"unexpected","internal":{"statement":"SELECT"}`), got.body)
		})
	}
}

func TestBadBodies(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for body, want := range map[string]string{
		``:                    `{"errors":[{"message":"Error in $: not enough input at byte 0","extensions":{"path":"$","code":"invalid-json"}}]}`,
		`{"variables":{}}`:    `{"errors":[{"message":"key \"query\" not found","extensions":{"path":"$","code":"parse-failed"}}]}`,
		`{"query":["{ a }"]}`: `{"errors":[{"message":"parsing Text failed, expected String, but encountered Array","extensions":{"path":"$.query","code":"parse-failed"}}]}`,
		`{"extensions":{"persistedQuery":{"version":1}}}`: `{"errors":[{"message":"PersistedQueryNotSupported","extensions":{"path":"$","code":"not-supported"}}]}`,
	} {
		got := w.send(t, "POST", "/v1/graphql", body, admin...)
		require.Equal(t, http.StatusOK, got.status)
		require.Equal(t, want, got.body)
		require.Equal(t, http.StatusBadRequest, w.send(t, "POST", "/v1alpha1/graphql", body, admin...).status)
	}
	for _, path := range []string{"/v1/metadata", "/v1/query", "/v2/query"} {
		got := w.send(t, "POST", path, `{"type":"insert",}`, admin...)
		require.Equal(t, http.StatusBadRequest, got.status)
		require.Equal(t, `{"error":"Error in $: unexpected '}' at byte 17","path":"$","code":"invalid-json"}`, got.body)
	}
	got := w.send(t, "GET", "/v1/graphql", "", admin...)
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Equal(t, `{"errors":[{"message":"PersistedQueryNotSupported","extensions":{"path":"$","code":"not-supported"}}]}`, got.body)
	require.Empty(t, w.bus.calls, "nothing of this concerns another service")
}

func TestRelaySwitchedOff(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.settings.Relay = false })
	got := w.send(t, "POST", "/v1beta1/relay", `{"query":"{a}"}`, admin...)
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Equal(t, `{"error":"The Relay API is disabled. To enable it, set the ENGINE_GRAPHQL_ENABLE_RELAY environment variable to 'true'.","path":"$","code":"not-supported"}`, got.body)
}

func TestPathsOfDataErrors(t *testing.T) {
	t.Parallel()
	denied := apierror.At(apierror.New(apierror.PermissionDenied, "no"), "args", "table")
	malformed := apierror.At(apierror.New(apierror.ParseFailed, "no"), "limit")
	w := setup(t, nil)
	for _, c := range []struct {
		path string
		err  error
		want string
	}{
		{"/v1/query", denied, "$.args.table"},
		{"/v1/query", malformed, "$.limit"},
		{"/v2/query", denied, "$.table"},
		{"/v2/query", malformed, "$.limit"},
	} {
		w.bus.answer = fails(c.err)
		got := w.send(t, "POST", c.path, `{"type":"select"}`, admin...)
		require.Contains(t, got.body, `"path":"`+c.want+`"`, c.path)
	}
	got := w.send(t, "POST", "/v2/query", `{"type":"select"}`, append(admin, "X-Engine-Role", "clerk")...)
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Equal(t, `{"error":"restricted access : admin only","path":"$.args","code":"access-denied"}`, got.body)
}

func TestBatch(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	large := strings.Repeat("0123456789", 60_000)
	w.bus.answer = func(_ context.Context, _ bus.Endpoint, req proto.Message, sink bus.Sink) error {
		r, _ := req.(*queryv1.ExecuteRequest)
		_ = sink.Head(&queryv1.ExecuteHead{Headers: []*queryv1.Header{{Name: "Set-Cookie", Value: "x"}}})
		switch r.GetQuery() {
		case "broken":
			return apierror.New(apierror.ValidationFailed, "no")
		case "half":
			_, _ = sink.Write([]byte(`{"data":{"a":`))
			return apierror.New(apierror.Unexpected, "lost")
		case "large":
			_, err := sink.Write([]byte(`"` + large + `"`))
			return err
		}
		_, err := sink.Write([]byte(`{"data":"` + r.GetQuery() + `"}`))
		return err
	}
	const no = `{"errors":[{"message":"no","extensions":{"path":"$","code":"validation-failed"}}]}`
	const lost = `{"errors":[{"message":"lost","extensions":{"path":"$","code":"unexpected"}}]}`
	const noQuery = `{"errors":[{"message":"key \"query\" not found","extensions":{"path":"$","code":"parse-failed"}}]}`
	for body, want := range map[string]string{
		`[]`:                                    `[]`,
		`[{"query":"a"}]`:                       `[{"data":"a"}]`,
		`[{"query":"a"},{"query":"b"}]`:         `[{"data":"a"},{"data":"b"}]`,
		`[{"query":"broken"},{"query":"b"},{}]`: `[` + no + `,{"data":"b"},` + noQuery + `]`,
		`[{"query":"a"},{"query":"half"}]`:      `[{"data":"a"},` + lost + `]`,
		`[{"query":"large"},{"query":"large"},{"query":"broken"},{"query":"a"}]`: `["` + large + `","` + large + `",` + no + `,{"data":"a"}]`,
	} {
		got := w.send(t, "POST", "/v1/graphql", body, admin...)
		require.Equal(t, http.StatusOK, got.status)
		require.Equal(t, want, got.body)
		require.Empty(t, got.header.Get("Set-Cookie"))
	}
}

func TestHeadersOfAnExecutor(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
		err := sink.Head(&queryv1.ExecuteHead{Headers: []*queryv1.Header{{Name: "Set-Cookie", Value: "a=1"}, {Name: "Set-Cookie", Value: "b=2"}}})
		_, _ = sink.Write([]byte("{}"))
		return err
	}
	got := w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, admin...)
	require.Equal(t, []string{"a=1", "b=2"}, got.header.Values("Set-Cookie"))
}

func TestCompressionAndCORS(t *testing.T) {
	t.Parallel()
	body := `{"data":"` + strings.Repeat("x", 1000) + `"}`
	w := setup(t, func(w *world) { w.bus.answer = says(body) })
	headers := append([]string{"Accept-Encoding", "gzip", "Origin", "https://shop.example"}, admin...)
	got := w.send(t, "POST", "/v1/query", `{"type":"select"}`, headers...)
	require.Equal(t, "gzip", got.header.Get("Content-Encoding"))
	require.Equal(t, body, got.body)
	require.Equal(t, "https://shop.example", got.header.Get("Access-Control-Allow-Origin"))

	got = w.send(t, "OPTIONS", "/v1/graphql", "", "Origin", "https://shop.example", "Access-Control-Request-Headers", "x")
	require.Equal(t, http.StatusNoContent, got.status)
	require.Equal(t, "x", got.header.Get("Access-Control-Allow-Headers"))
	require.Empty(t, got.body)
	got = w.send(t, "OPTIONS", "/v1/graphql", "", "Origin", "https://other.example")
	require.Equal(t, http.StatusNotFound, got.status)
	require.Empty(t, got.header.Get("Access-Control-Allow-Origin"))
}

func TestCrash(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.bus.answer = func(context.Context, bus.Endpoint, proto.Message, bus.Sink) error { panic("out of order") }
	got := w.send(t, "POST", "/v1/metadata", `{"type":"x"}`, admin...)
	require.Equal(t, http.StatusInternalServerError, got.status)
	require.Equal(t, `{"error":"Internal Server Error","path":"$","code":"unexpected"}`, got.body)
	w.bus.answer = says("{}")
	require.Equal(t, "{}", w.send(t, "POST", "/v1/metadata", `{"type":"x"}`, admin...).body)
}

func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.settings.RequestTimeout = 20 * time.Millisecond })
	w.bus.answer = func(ctx context.Context, ep bus.Endpoint, _ proto.Message, sink bus.Sink) error {
		if _, limited := ctx.Deadline(); !limited {
			_, err := sink.Write([]byte("{}"))
			return err
		}
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ctx.Err()
		}
		return apierror.New(apierror.Timeout, "the request took too long")
	}
	got := w.send(t, "POST", "/v1alpha1/graphql", `{"query":"{a}"}`, admin...)
	require.Equal(t, http.StatusGatewayTimeout, got.status)
	require.Equal(t, `{"errors":[{"message":"the request took too long","extensions":{"path":"$","code":"timeout"}}]}`, got.body)
	got = w.send(t, "POST", "/v1/metadata", `{"type":"run_sql"}`, admin...)
	require.Equal(t, http.StatusOK, got.status, "changes of a schema may take longer")
}

func TestHeldAnswerBecomesAnError(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
		_, _ = sink.Write([]byte(`{"data":{"a":1`))
		return apierror.New(apierror.Unexpected, "lost")
	}
	got := w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, admin...)
	require.Equal(t, `{"errors":[{"message":"lost","extensions":{"path":"$","code":"unexpected"}}]}`, got.body)
}
