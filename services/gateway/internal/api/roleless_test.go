package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/api"
)

// TestNobodyGetsARoleWithoutASecret asks every endpoint for a role, with everything that a client can
// send except the secret. No service may receive it.
func TestNobodyGetsARoleWithoutASecret(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		for _, g := range []api.Group{api.GroupGraphQL, api.GroupMetadata, api.GroupConfig, api.GroupPGDump, api.GroupMetrics, api.GroupDev} {
			w.settings.Enabled[g] = true
		}
		w.bus.answer = says(`{"data":"of another client"}`)
	})
	wishes := []string{"X-Engine-Role", "admin", "X-Engine-User-Id", "1", "X-Engine-Use-Backend-Only-Permissions", "true"}
	for name, also := range map[string][]string{
		"no secret":       nil,
		"wrong secret":    {"X-Engine-Admin-Secret", "another"},
		"empty secret":    {"X-Engine-Admin-Secret", ""},
		"beginning of it": {"X-Engine-Admin-Secret", "s3cre"},
		"as a token":      {"Authorization", "Bearer s3cret"},
		"as a cookie":     {"Cookie", "X-Engine-Admin-Secret=s3cret"},
		"wrong old name":  {"X-Engine-Access-Key", "another"},
	} {
		for _, r := range []struct{ method, path, body string }{
			{http.MethodPost, "/v1/graphql", `{"query":"{ __typename }"}`},
			{http.MethodPost, "/v1/graphql", `[{"query":"{ __typename }"}]`},
			{http.MethodPost, "/v1alpha1/graphql", `{"query":"{ __typename }"}`},
			{http.MethodPost, "/v1beta1/relay", `{"query":"{ __typename }"}`},
			{http.MethodPost, "/v1/graphql/explain", `{"query":{"query":"{ __typename }"}}`},
			{http.MethodPost, "/v1alpha1/graphql/explain", `{"query":{"query":"{ __typename }"}}`},
			{http.MethodPost, "/v1/metadata", `{"type":"export_metadata","args":{}}`},
			{http.MethodPost, "/v1/query", `{"type":"run_sql","args":{"sql":"SELECT 1"}}`},
			{http.MethodPost, "/v2/query", `{"type":"run_sql","args":{"sql":"SELECT 1"}}`},
			{http.MethodPost, "/pro/cache/clear", ``},
			{http.MethodPost, "/v1alpha1/pg_dump", `{"opts":[]}`},
			{http.MethodGet, "/v1alpha1/config", ``},
			{http.MethodGet, "/api/swagger/json", ``},
			{http.MethodGet, "/healthz/sources", ``},
			{http.MethodGet, "/v1/metrics", ``},
			{http.MethodGet, "/dev/ekg", ``},
			{http.MethodGet, "/dev/plan_cache", ``},
			{http.MethodGet, "/dev/subscriptions", ``},
			{http.MethodGet, "/dev/subscriptions/extended", ``},
			{http.MethodGet, "/api/rest/anything", ``},
		} {
			got := w.send(t, r.method, r.path, r.body, append(also, wishes...)...)
			require.Contains(t, got.body, `"code":"access-denied"`, "%s: %s %s: %d", name, r.method, r.path, got.status)
			require.NotContains(t, got.body, "another client")
		}
	}
	require.Empty(t, w.bus.calls)
}
