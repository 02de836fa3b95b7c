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
	require.Equal(t, "text/plain charset=UTF-8", h.Get("Content-Type"))

	for _, origin := range []string{"", "https://other.example"} {
		h, done = apply(http.MethodOptions, origin)
		require.False(t, done)
		require.Empty(t, h)
	}
}

// A preflight request is answered without a body: what arrives has no length at all, as 204
// demands.
func TestPreflightOverHTTP(t *testing.T) {
	t.Parallel()
	p, err := cors.New([]string{"https://shop.example"}, false)
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.Apply(w.Header(), r) {
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, server.URL, nil)
	require.NoError(t, err)
	request.Header.Set("Origin", "https://shop.example")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusNoContent, answer.StatusCode)
	require.Empty(t, answer.Header.Values("Content-Length"))
	require.Equal(t, "https://shop.example", answer.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "1728000", answer.Header.Get("Access-Control-Max-Age"))
}

func TestTrusts(t *testing.T) {
	t.Parallel()
	all, listed := []string{"*"}, []string{"*", "https://shop.example", "https://*.shop.example"}
	for name, c := range map[string]struct {
		domains []string
		method  string
		headers map[string]string
		want    bool
	}{
		"no browser":                          {all, "POST", nil, true},
		"its own page":                        {all, "POST", map[string]string{"Origin": "https://api.example", "Sec-Fetch-Site": "same-origin"}, true},
		"its own page, behind a proxy":        {all, "POST", map[string]string{"Origin": "https://proxy.example", "Sec-Fetch-Site": "same-origin"}, true},
		"its own page, an older browser":      {all, "POST", map[string]string{"Origin": "https://API.example"}, true},
		"another page":                        {all, "POST", map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, false},
		"another page, an older browser":      {all, "POST", map[string]string{"Origin": "https://evil.example"}, false},
		"another page of the site":            {all, "POST", map[string]string{"Origin": "https://blog.api.example", "Sec-Fetch-Site": "same-site"}, false},
		"its own host without TLS":            {all, "POST", map[string]string{"Origin": "http://api.example", "Sec-Fetch-Site": "cross-site"}, false},
		"a page without an origin":            {all, "POST", map[string]string{"Origin": "null"}, false},
		"a page that hides its origin":        {all, "POST", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		"an image in another page":            {all, "GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, false},
		"a link in another page":              {all, "GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, true},
		"a form in another page":              {all, "POST", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, false},
		"an address that a person types":      {all, "GET", map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, true},
		"a named page":                        {listed, "POST", map[string]string{"Origin": "https://shop.example", "Sec-Fetch-Site": "cross-site"}, true},
		"a page below a named domain":         {listed, "POST", map[string]string{"Origin": "https://a.shop.example"}, true},
		"a page that only \"*\" allows":       {listed, "POST", map[string]string{"Origin": "https://evil.example"}, false},
		"a host that begins like that of one": {listed, "POST", map[string]string{"Origin": "https://shop.example.evil.example"}, false},
	} {
		p, err := cors.New(c.domains, false)
		require.NoError(t, err)
		r := httptest.NewRequest(c.method, "https://api.example/v1/graphql", nil)
		for k, v := range c.headers {
			r.Header.Set(k, v)
		}
		require.Equal(t, c.want, p.Trusts(r), name)
	}
	off, err := cors.New([]string{"https://shop.example"}, true)
	require.NoError(t, err)
	r := httptest.NewRequest("POST", "https://api.example/v1/graphql", nil)
	r.Header.Set("Origin", "https://shop.example")
	require.False(t, off.Trusts(r), "no origin is named where CORS is off")
}
