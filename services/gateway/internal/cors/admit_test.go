package cors_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/cors"
)

func TestAdmit(t *testing.T) {
	t.Parallel()
	const own, elsewhere = true, false
	for name, c := range map[string]struct {
		method, host string
		headers      []string
		want         bool
	}{
		"a program":                           {"POST", "127.0.0.1:8080", nil, own},
		"curl with a form's type":             {"POST", "localhost:8080", []string{"Content-Type", "application/x-www-form-urlencoded", "User-Agent", "curl/8"}, own},
		"another container":                   {"POST", "engine:8080", nil, own},
		"another pod":                         {"POST", "engine.shop.svc.cluster.local", nil, own},
		"IPv6":                                {"POST", "[::1]:8080", nil, own},
		"no port":                             {"POST", "[::1]", nil, own},
		"a foreign name":                      {"POST", "evil.example:8080", nil, elsewhere},
		"its own page there":                  {"POST", "evil.example:8080", []string{"Origin", "http://evil.example:8080", "Sec-Fetch-Site", "same-origin"}, elsewhere},
		"a name with a dot at the end":        {"POST", "evil.example.:8080", nil, elsewhere},
		"localhost as a label":                {"POST", "localhost.evil.example", nil, elsewhere},
		"an address as labels":                {"POST", "127.0.0.1.evil.example", nil, elsewhere},
		"a listed host":                       {"POST", "shop.example", nil, own},
		"a listed host with its port":         {"POST", "shop.example:443", nil, own},
		"a listed host with another port":     {"POST", "shop.example:8443", nil, elsewhere},
		"the console":                         {"POST", "127.0.0.1:8080", []string{"Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-origin"}, own},
		"the console in an old browser":       {"POST", "127.0.0.1:8080", []string{"Origin", "http://127.0.0.1:8080"}, own},
		"the console behind a proxy":          {"POST", "127.0.0.1:8080", []string{"Origin", "https://db.corp.example", "Sec-Fetch-Site", "same-origin"}, own},
		"a listed page":                       {"POST", "127.0.0.1:8080", []string{"Origin", "https://shop.example", "Sec-Fetch-Site", "cross-site"}, own},
		"a foreign page":                      {"POST", "127.0.0.1:8080", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, elsewhere},
		"a foreign page in an old browser":    {"POST", "127.0.0.1:8080", []string{"Origin", "https://evil.example"}, elsewhere},
		"a page without an origin":            {"POST", "127.0.0.1:8080", []string{"Origin", "null"}, elsewhere},
		"a page of another port":              {"POST", "localhost:8080", []string{"Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"}, elsewhere},
		"a page of another name":              {"POST", "127.0.0.1:8080", []string{"Origin", "http://localhost:8080", "Sec-Fetch-Site", "cross-site"}, elsewhere},
		"a picture on a foreign page":         {"GET", "127.0.0.1:8080", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, elsewhere},
		"a link on a foreign page":            {"GET", "127.0.0.1:8080", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, own},
		"a form that is sent by a link":       {"POST", "127.0.0.1:8080", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, elsewhere},
		"an address that is typed":            {"GET", "127.0.0.1:8080", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"}, own},
		"a referrer alone":                    {"POST", "127.0.0.1:8080", []string{"Referer", "https://evil.example/x"}, elsewhere},
		"a referrer of its own":               {"POST", "127.0.0.1:8080", []string{"Referer", "http://127.0.0.1:8080/console"}, own},
		"a form in a browser without headers": {"POST", "127.0.0.1:8080", []string{"User-Agent", "Mozilla/5.0", "Content-Type", "text/plain;charset=UTF-8"}, elsewhere},
		"JSON in a browser without headers":   {"POST", "127.0.0.1:8080", []string{"User-Agent", "Mozilla/5.0", "Content-Type", "application/json"}, own},
	} {
		p, err := cors.New([]string{"*", "https://shop.example"}, false)
		require.NoError(t, err)
		r := httptest.NewRequest(c.method, "/v1/graphql", nil)
		r.Host = c.host
		for i := 0; i < len(c.headers); i += 2 {
			r.Header.Set(c.headers[i], c.headers[i+1])
		}
		if c.want {
			require.Nil(t, p.Admit(r), name)
		} else {
			require.ErrorContains(t, p.Admit(r), "no admin secret is set", name)
		}
	}
	// CORS that is off lists no origin.
	p, err := cors.New([]string{"https://shop.example"}, true)
	require.NoError(t, err)
	r := httptest.NewRequest("POST", "/v1/graphql", nil)
	r.Host = "127.0.0.1"
	r.Header.Set("Origin", "https://shop.example")
	require.NotNil(t, p.Admit(r))
}
