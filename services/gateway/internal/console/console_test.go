package console_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/console"
)

// firstPage is the limit for what is loaded before anything is shown, packed.
const firstPage = 250_000

var (
	loaded  = regexp.MustCompile(`(?:src|href)="/console/assets/([^"]+)"`)
	address = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
)

func TestPage(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	page, err := console.Page(h, `{"directory":"<b>"}`)
	require.NoError(t, err)
	nonce := regexp.MustCompile(`nonce-(\w+)`).FindStringSubmatch(h.Get("Content-Security-Policy"))[1]
	require.Contains(t, string(page), `nonce="`+nonce+`"`)
	require.Contains(t, string(page), `data-project="{&#34;directory&#34;:&#34;&lt;b&gt;&#34;}"`)
	require.NotContains(t, string(page), "CSP-NONCE")
	for _, a := range address.FindAllStringSubmatch(string(page), -1) {
		require.True(t, strings.HasPrefix(a[1], "/console/assets/") || a[1] == "data:,", "%s is of another server", a[1])
	}
	size := len(page)
	files := loaded.FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, files)
	for _, file := range files {
		a, err := console.Open(file[1])
		require.NoError(t, err)
		size += len(a.Packed())
	}
	require.Less(t, size, firstPage)
}

func TestAssets(t *testing.T) {
	t.Parallel()
	names, err := console.Names()
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		require.Regexp(t, `-[\w-]{8}\.(js|css|svg)$`, name, "the name has no hash")
		a, err := console.Open(name)
		require.NoError(t, err)
		require.NotEmpty(t, a.Type, name)
		require.NotEmpty(t, a.Plain)
		r, err := gzip.NewReader(bytes.NewReader(a.Packed()))
		require.NoError(t, err)
		unpacked, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, a.Plain, unpacked, name)
	}
	for _, name := range []string{"", "..", "../index.html", "none.js", "/etc/passwd"} {
		_, err := console.Open(name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
}
