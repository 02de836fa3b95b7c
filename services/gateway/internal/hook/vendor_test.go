package hook_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/hook"
)

// The names belong to the process, so that this test isn't parallel.
func TestWebhooksOfAnotherEngine(t *testing.T) {
	release, err := session.UseVendor("acme")
	require.NoError(t, err)
	t.Cleanup(release)
	var seen http.Header
	h := newHook(t, hook.Config{}, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		_, _ = io.WriteString(w, `{"X-Acme-Role":"user","X-Acme-User-Id":"7","X-Acme-Admin-Secret":"s","X-Acme-Org":"theirs","X-Engine-Org":"ours"}`)
	})
	given := http.Header{"X-Engine-Role": {"clerk"}}
	identity, err := h.Authenticate(t.Context(), given, nil)
	require.NoError(t, err)
	require.Equal(t, "user", identity.Session.Role)
	require.Equal(t, map[string]string{
		"x-engine-role": "user", "x-acme-role": "user", "x-engine-user-id": "7", "x-acme-user-id": "7", "x-engine-org": "ours", "x-acme-org": "ours",
	}, identity.Session.Variables)
	require.Equal(t, "clerk", seen.Get("X-Acme-Role"), "a client's headers have both names")
	require.Equal(t, "clerk", seen.Get("X-Engine-Role"))
	require.Equal(t, http.Header{"X-Engine-Role": {"clerk"}}, given)
}
