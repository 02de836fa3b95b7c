package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for _, c := range []struct {
		method, path string
		headers      []string
	}{
		{http.MethodPost, "/v1/graphql", admin},
		{http.MethodPost, "/v1/graphql", nil},
		{http.MethodGet, "/healthz", nil},
		{http.MethodGet, "/nowhere", nil},
		{http.MethodDelete, "/v1/graphql", nil},
		{http.MethodGet, "/api/rest/nothing", admin},
		{http.MethodGet, "/v1/graphql", []string{
			"Origin", "https://not.allowed", "Connection", "Upgrade", "Upgrade", "websocket",
		}},
	} {
		got := w.send(t, c.method, c.path, `{"query":"{ __typename }"}`, c.headers...)
		for name, want := range map[string]string{
			"X-Content-Type-Options":    "nosniff",
			"Referrer-Policy":           "no-referrer",
			"X-Frame-Options":           "DENY",
			"Content-Security-Policy":   "default-src 'none'; frame-ancestors 'none'",
			"Strict-Transport-Security": "", // not over TLS
		} {
			require.Equal(t, want, got.header.Get(name), "%s of %s %s", name, c.method, c.path)
		}
	}
}
