package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/hook"
)

// What a webhook is shown of a request: its headers with Host, and of the body the members that
// GraphQL requests have.
func TestWhatWebhooksAreShown(t *testing.T) {
	t.Parallel()
	shown := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		shown <- body
		_, _ = io.WriteString(w, `{"x-engine-role":"user"}`)
	}))
	t.Cleanup(server.Close)
	asked, err := hook.New(hook.Config{URL: server.URL, Post: true, SendRequestBody: true}, server.Client(), telemetry.Discard())
	require.NoError(t, err)
	w := setup(t, func(w *world) {
		w.deps.Authenticator, err = auth.New(auth.Config{Secrets: []config.Secret{adminSecret}, Hook: asked})
		require.NoError(t, err)
		w.bus.answer = says(`{"data":{}}`)
	})
	for _, c := range []struct{ path, body, want string }{
		{"/v1/graphql", `{"query":"{a}","operationName":null,"more":1}`, `{"query":"{a}"}`},
		{"/v1/graphql", `[{"query":"{a}","variables":{"x":1}}]`, `[{"query":"{a}","variables":{"x":1}}]`},
		{"/v1/graphql", `{"a":1}`, `null`},
		{"/v1/graphql", `{`, `null`},
		{"/v1/metadata", `{"type":"export_metadata","args":{}}`, `null`},
	} {
		w.send(t, http.MethodPost, c.path, c.body, "X-Who", "me")
		var got struct {
			Headers map[string]string `json:"headers"`
			Request json.RawMessage   `json:"request"`
		}
		require.NoError(t, json.Unmarshal(<-shown, &got))
		require.Equal(t, c.want, string(got.Request), c.body)
		require.Equal(t, "me", got.Headers["X-Who"])
		require.Equal(t, w.server.Listener.Addr().String(), got.Headers["Host"])
	}
}
