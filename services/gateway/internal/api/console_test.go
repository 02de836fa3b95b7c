package api_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"regexp"
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
	require.Equal(t, http.StatusOK, w.send(t, http.MethodGet, "/console", "").status)
	require.Equal(t, http.StatusNotFound, w.send(t, http.MethodGet, "/console/assets/x", "").status)
}

// TestOwnConsole: without a directory of assets, the engine's own console is served, with a policy that
// lets nothing else run.
func TestOwnConsole(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.settings.Console = true })
	nonces := map[string]bool{}
	var page string
	for _, path := range []string{"/console", "/console/", "/console/api", "/console/data/</script>"} {
		got := w.send(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, got.status)
		require.Equal(t, "no-store", got.header.Get("Cache-Control"))
		require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-referrer", got.header.Get("Referrer-Policy"))
		policy := got.header.Get("Content-Security-Policy")
		require.Contains(t, policy, "frame-ancestors 'none'")
		require.NotContains(t, policy, "unsafe")
		nonce := regexp.MustCompile(`style-src 'self' 'nonce-([^']+)'`).FindStringSubmatch(policy)
		require.NotNil(t, nonce, policy)
		require.False(t, nonces[nonce[1]], "the nonce is used again")
		nonces[nonce[1]] = true
		require.Contains(t, got.body, `nonce="`+nonce[1]+`"`)
		require.NotContains(t, got.body, "</script></script>")
		page = got.body
	}
	asset := regexp.MustCompile(`src="(/console/assets/[^"]+\.js)"`).FindStringSubmatch(page)
	require.NotNil(t, asset)
	var contents [2]string
	for i, encoding := range []string{"gzip", "identity"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+asset[1], nil)
		require.NoError(t, err)
		r.Header.Set("Accept-Encoding", encoding)
		resp, err := (&http.Transport{}).RoundTrip(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.Equal(t, "text/javascript; charset=utf-8", resp.Header.Get("Content-Type"))
		require.Equal(t, "public, max-age=31536000, immutable", resp.Header.Get("Cache-Control"))
		require.Equal(t, "Accept-Encoding", resp.Header.Get("Vary"))
		body := io.Reader(resp.Body)
		if encoding == "gzip" {
			require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
			body, err = gzip.NewReader(resp.Body)
			require.NoError(t, err)
		} else {
			require.Empty(t, resp.Header.Get("Content-Encoding"))
		}
		content, err := io.ReadAll(body)
		require.NoError(t, err)
		contents[i] = string(content)
	}
	require.NotEmpty(t, contents[0])
	require.Equal(t, contents[0], contents[1], "the packed file has another content")
	for _, name := range []string{"none.js", "..%2findex.html", "index.html"} {
		got := w.send(t, http.MethodGet, "/console/assets/"+name, "")
		require.Equal(t, http.StatusNotFound, got.status, name)
		require.Empty(t, got.header.Get("Cache-Control"), name)
	}
}
