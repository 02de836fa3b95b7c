package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/api"
)

const noResource = `{"error":"resource does not exist","path":"$","code":"not-found"}`

func TestConsoleIsOff(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for _, path := range []string{"/", "/console", "/console/data", "/console/assets/main.js"} {
		got := w.send(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusNotFound, got.status)
		require.Equal(t, noResource, got.body)
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	assets := fstest.MapFS{
		"main.js": {Data: []byte("plain")}, "main.js.gz": {Data: []byte("packed")}, "img/a.svg": {Data: []byte("<svg/>")}, "x": {Data: []byte("data")},
	}
	w := setup(t, func(w *world) { w.settings.Console, w.deps.Assets = true, assets })

	got := w.send(t, http.MethodGet, "/", "")
	require.Equal(t, http.StatusFound, got.status)
	require.Equal(t, "/console", got.header.Get("Location"))

	for _, path := range []string{"/console", "/console/data/</script>"} {
		got = w.send(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, got.status)
		require.Equal(t, "text/html; charset=utf-8", got.header.Get("Content-Type"))
		_, rest, _ := strings.Cut(got.body, "<script>")
		script, _, _ := strings.Cut(rest, "</script>")
		require.Contains(t, script, `"consoleMode":"server","urlPrefix":"/console","isAdminSecretSet":true,"serverVersion":"v1.2.3","consolePath":"/console`)
		hash := sha256.Sum256([]byte(script))
		require.Contains(t, got.header.Get("Content-Security-Policy"), "'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
		require.Contains(t, got.body, `src="/console/assets/main.js"`)
	}

	for path, want := range map[string][2]string{
		"/console/assets/main.js": {"plain", "text/javascript; charset=utf-8"}, "/console/assets/img/a.svg": {"<svg/>", "image/svg+xml"},
		"/console/assets/x": {"data", "application/octet-stream"},
	} {
		got = w.send(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, got.status)
		require.Equal(t, want, [2]string{got.body, got.header.Get("Content-Type")})
	}
	for _, name := range []string{"none", "img", "../secret", "img/../x", "img/../../secret", "/x"} {
		got = w.send(t, http.MethodGet, "/console/assets/"+strings.ReplaceAll(name, "/", "%2f"), "")
		require.Equal(t, http.StatusNotFound, got.status, name)
		require.JSONEq(t, `{"error":"Couldn't find console asset `+name+`","path":"$","code":"not-found"}`, got.body)
	}

	// A packed file goes out as it is.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"/console/assets/main.js", nil)
	require.NoError(t, err)
	r.Header.Set("Accept-Encoding", "gzip, br")
	resp, err := (&http.Transport{}).RoundTrip(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	require.EqualValues(t, len("packed"), resp.ContentLength)

	w = setup(t, func(w *world) { w.settings.Console, w.settings.Enabled[api.GroupMetadata] = true, false })
	require.Equal(t, noResource, w.send(t, http.MethodGet, "/", "").body)
	require.Contains(t, w.send(t, http.MethodGet, "/console", "").body, "No console is installed")
	require.Equal(t, http.StatusNotFound, w.send(t, http.MethodGet, "/console/assets/x", "").status)
}
