package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/hook"
)

// withWebhook has a webhook authenticate callers.
func withWebhook(t *testing.T, c hook.Config, answer http.HandlerFunc) func(*world) {
	t.Helper()
	webhook := httptest.NewServer(answer)
	t.Cleanup(webhook.Close)
	return func(w *world) {
		c.URL = webhook.URL
		asked, err := hook.New(c, http.DefaultClient, telemetry.Discard())
		require.NoError(t, err)
		w.deps.Authenticator, err = auth.New(auth.Config{Secrets: []config.Secret{"s3cret"}, Hook: asked})
		require.NoError(t, err)
		w.metadata.set(withItems(5))
		w.bus.answer = says(`{"data":{}}`)
	}
}

// TestStrangersAreRefusedUnread: nothing is read of a request that the webhook refuses, unless the
// webhook gets it, and a wrong secret is refused unread in any case.
func TestStrangersAreRefusedUnread(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hook   hook.Config
		secret string
	}{
		"GET":                     {hook: hook.Config{SendRequestBody: true}},
		"POST without the body":   {hook: hook.Config{Post: true}},
		"POST, but with a secret": {hook.Config{Post: true, SendRequestBody: true}, "wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, withWebhook(t, c.hook, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
			body, rest := io.Pipe() // a body that never comes
			t.Cleanup(func() { _ = rest.Close() })
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/v1/graphql", body)
			require.NoError(t, err)
			r.ContentLength = 1 << 19 // of less, net/http reads the rest before it answers
			if c.secret != "" {
				r.Header.Set("X-Engine-Admin-Secret", c.secret)
			}
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Contains(t, string(text), "access-denied")
		})
	}
}

// TestWebhookIsToldTheRequest where it is configured so.
func TestWebhookIsToldTheRequest(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	w := setup(t, withWebhook(t, hook.Config{Post: true, SendRequestBody: true}, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Request json.RawMessage `json:"request"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body) // what isn't there fails the test below
		asked <- string(body.Request)
		_, _ = io.WriteString(w, `{"X-Engine-Role":"user"}`)
	}))
	response, err := http.Post(w.server.URL+"/v1/graphql", "application/json", strings.NewReader(`{"query":"{ items { id } }"}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.JSONEq(t, `{"query":"{ items { id } }"}`, <-asked)
}
