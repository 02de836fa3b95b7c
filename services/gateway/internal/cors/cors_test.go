package cors_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/cors"
)

func TestAllows(t *testing.T) {
	t.Parallel()
	listed := []string{"http://*.localhost", "http://localhost:3000", "https://*.foo.example:8443", "https://shop.example"}
	for _, c := range []struct {
		domains []string
		origin  string
		want    bool
	}{
		{[]string{"*"}, "https://any.example", true},
		{[]string{"https://shop.example", "*"}, "null", true},
		{listed, "http://localhost:3000", true},
		{listed, "http://localhost:3001", false},
		{listed, "http://localhost", false},
		{listed, "https://localhost:3000", false},
		{listed, "http://app.localhost", true},
		{listed, "http://a.b.localhost", false},
		{listed, "http://.localhost", false},
		{listed, "https://a.foo.example:8443", true},
		{listed, "https://a.foo.example", false},
		{listed, "https://evil.example/a.foo.example:8443", false},
		{listed, "https://shop.example", true},
		{listed, "https://shop.example.evil.example", false},
		{nil, "https://shop.example", false},
	} {
		p, err := cors.New(c.domains, false)
		require.NoError(t, err)
		require.Equal(t, c.want, p.Allows(c.origin), "%v %s", c.domains, c.origin)
	}
	off, err := cors.New([]string{"*"}, true)
	require.NoError(t, err)
	require.False(t, off.Allows("https://any.example"))
}

func TestBadDomains(t *testing.T) {
	t.Parallel()
	for _, d := range []string{"", "shop.example", "https://", "https://a.*.example", "https://*", "https://shop.example:", "https://shop.example:x", "https://shop.example/path", "://x"} {
		_, err := cors.New([]string{d}, false)
		require.EqualError(t, err, "invalid domain: '"+d+"'. All domains should have scheme + (optional wildcard) host + (optional port)")
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	p, err := cors.New([]string{"https://shop.example"}, false)
	require.NoError(t, err)
	apply := func(method, origin string) (http.Header, bool) {
		r := httptest.NewRequest(method, "/v1/graphql", nil)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		r.Header.Set("Access-Control-Request-Headers", "content-type,x-engine-role")
		h := http.Header{}
		return h, p.Apply(h, r)
	}

	h, done := apply(http.MethodPost, "https://shop.example")
	require.False(t, done)
	require.Equal(t, http.Header{
		"Access-Control-Allow-Origin":      {"https://shop.example"},
		"Access-Control-Allow-Credentials": {"true"},
		"Access-Control-Allow-Methods":     {"GET,POST,PUT,PATCH,DELETE,OPTIONS"},
		"Access-Control-Expose-Headers":    {"X-Engine-Query-Cache-Key,X-Engine-Query-Family-Cache-Key,Warning"},
		"Vary":                             {"Origin"},
	}, h)

	h, done = apply(http.MethodOptions, "https://shop.example")
	require.True(t, done)
	require.Equal(t, "1728000", h.Get("Access-Control-Max-Age"))
	require.Equal(t, "content-type,x-engine-role", h.Get("Access-Control-Allow-Headers"))
	require.Equal(t, "0", h.Get("Content-Length"))
	require.Equal(t, "text/plain charset=UTF-8", h.Get("Content-Type"))

	for _, origin := range []string{"", "https://other.example"} {
		h, done = apply(http.MethodOptions, origin)
		require.False(t, done)
		require.Empty(t, h)
	}
}
