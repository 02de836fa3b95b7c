package delivery

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/telemetry"
	"queryengine/pkg/transform"
	deliveryv1 "queryengine/proto/delivery/v1"
)

func TestCallsAreLogged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := telemetry.NewLog(&out, "info", nil)
	require.NoError(t, err)
	client, err := egress.New(egress.Config{})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	w := New(Config{Client: client, Concurrency: 4, Logger: log.Logger("event-delivery"), Now: time.Now, FailuresAreErrors: true})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header()["Date"] = nil
		rw.Header().Set("Set-Cookie", "hush=1")
		if r.Header.Get("X-Fail") != "" {
			rw.WriteHeader(http.StatusTeapot)
		}
		_, _ = rw.Write([]byte("thanks"))
	}))
	t.Cleanup(server.Close)

	target := &Target{Template: "{{HOOK}}", URL: server.URL, Timeout: time.Minute, Headers: []Header{
		NewHeader(metadata.Header{Name: "Authorization", Value: new("hush")}, "hush"),
		NewHeader(metadata.Header{Name: "X-Key", ValueFromEnv: "KEY"}, "hush"),
		NewHeader(metadata.Header{Name: "X-Made", Value: new("a{{KEY}}b")}, "ahushb"),
		NewHeader(metadata.Header{Name: "X-Plain", Value: new("seen")}, "seen"),
	}}
	a := &Attempt{EventID: "1", Kind: deliveryv1.Kind_KIND_TABLE_EVENT, Name: "t", Version: "2", Body: []byte(`{}`), Target: target}
	o, err := w.do(t.Context(), a)
	require.NoError(t, err)
	require.NotContains(t, string(o.Invocation.Request), "ahushb", "records show what the user wrote")

	failing := *target
	failing.Headers = []Header{NewHeader(metadata.Header{Name: "X-Fail", Value: new("1")}, "1")}
	failing.Request, err = transform.CompileRequest(json.RawMessage(`{"version":2,"template_engine":"Kriti","method":"PUT"}`))
	require.NoError(t, err)
	_, err = w.do(t.Context(), &Attempt{EventID: "2", Kind: deliveryv1.Kind_KIND_ONE_OFF, Version: "1", Body: []byte(`{"k":1}`), Target: &failing})
	require.NoError(t, err)

	gone := *target
	gone.URL, gone.Headers = "http://127.0.0.1:1/", nil
	_, err = w.do(t.Context(), &Attempt{EventID: "3", Kind: deliveryv1.Kind_KIND_CRON, Name: "c", Version: "1", Body: []byte(`{}`), Target: &gone})
	require.NoError(t, err)

	log.Flush()
	require.NotContains(t, out.String(), "hush")
	type line struct {
		Level, Type string
		Detail      map[string]any
	}
	var got []line
	for text := range strings.Lines(out.String()) {
		var l line
		require.NoError(t, json.Unmarshal([]byte(text), &l))
		got = append(got, l)
	}
	require.Len(t, got, 3)
	headers := func(pairs ...string) []any {
		var list []any
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, map[string]any{"name": pairs[i], "value": pairs[i+1]})
		}
		return list
	}
	require.Equal(t, "info event-trigger", got[0].Level+" "+got[0].Type)
	require.Equal(t, "1", got[0].Detail["event_id"])
	require.Equal(t, "t", got[0].Detail["event_name"])
	require.Equal(t, map[string]any{
		"original_request": map[string]any{"url": "{{HOOK}}", "method": "POST", "headers": headers(
			"Content-Type", "application/json", "User-Agent", "graphql-engine/0.4.0",
			"Authorization", "<REDACTED>", "X-Key", "<from_env: KEY>", "X-Made", "a{{KEY}}b", "X-Plain", "seen")},
		"request_size": 2.0,
	}, got[0].Detail["request"])
	response := got[0].Detail["response"].(map[string]any) //nolint:forcetypeassert // a wrong shape fails the test
	require.Subset(t, response["headers"], headers("Set-Cookie", "<REDACTED>"))
	delete(response, "headers")
	require.Equal(t, map[string]any{"status": 200.0, "body": "thanks", "size": 6.0}, response)

	require.Equal(t, "error scheduled-trigger", got[1].Level+" "+got[1].Type)
	require.NotContains(t, got[1].Detail, "event_name")
	request := got[1].Detail["request"].(map[string]any) //nolint:forcetypeassert // see above
	require.Contains(t, request, "transformed_request")
	require.EqualValues(t, 7, request["transformed_request_size"])

	require.Equal(t, "error scheduled-trigger", got[2].Level+" "+got[2].Type)
	response = got[2].Detail["response"].(map[string]any) //nolint:forcetypeassert // see above
	require.Nil(t, response["status"])
	require.Equal(t, "http_exception", response["type"])
}
