package egress_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/egress"
)

func TestForwarded(t *testing.T) {
	t.Parallel()
	require.Equal(t, http.Header{
		"Authorization": {"Bearer a"}, "Cookie": {"c=1"}, "X-Trace": {"7"},
		"X-Forwarded-Host": {"shop.test"}, "X-Forwarded-User-Agent": {"browser"}, "X-Forwarded-Origin": {"http://o.test"},
	}, egress.Forwarded(map[string]string{
		"authorization": "Bearer a", "cookie": "c=1", "x-trace": "7", "host": "shop.test", "user-agent": "browser",
		"origin": "http://o.test", "x-engine-role": "admin", "X-Engine-Admin-Secret": "s", "content-length": "3", "accept": "*/*",
		"dnt": "1", "content-md5": "x", "upgrade": "websocket", "sec-websocket-key": "k",
	}))
}

// TestClientsDontSayWhatIsForwarded holds that X-Forwarded-* tell what the client sent to this
// server, and never by the order of a map.
func TestClientsDontSayWhatIsForwarded(t *testing.T) {
	t.Parallel()
	for range 100 {
		require.Equal(t, http.Header{"X-Forwarded-Host": {"shop.test"}, "X-Forwarded-Origin": {"http://other.test"}}, egress.Forwarded(map[string]string{
			"Host": "shop.test", "X-Forwarded-Host": "admin.test", "x-forwarded-origin": "http://other.test",
		}))
	}
}

func TestHeadersOfTheConnectionStay(t *testing.T) {
	t.Parallel()
	client := map[string]string{
		"Host": "internal.test", "Connection": "keep-alive, X-Hop", "X-Hop": "1", "Keep-Alive": "timeout=5", "TE": "trailers",
		"Transfer-Encoding": "chunked", "Accept-Encoding": "br", "Proxy-Authorization": "Basic eA==", "Content-Length": "7",
		"Upgrade": "websocket", "Sec-WebSocket-Key": "k", "Cookie": "c=1",
	}
	want := http.Header{"Cookie": {"c=1"}, "X-Forwarded-Host": {"internal.test"}}
	require.Equal(t, want, egress.Forwarded(client))
	require.Equal(t, want, egress.ForwardedBut(client, nil), "also where a definition ignores nothing")
	require.False(t, egress.PassesOn("X-Hop", "keep-alive, x-hop"))
}

func TestMerge(t *testing.T) {
	t.Parallel()
	require.Equal(t, http.Header{"A": {"1", "2"}, "B": {"3"}},
		egress.Merge(http.Header{"a": {"1", "2"}}, nil, http.Header{"A": {"9"}, "b": {"3"}}))
}

func TestPrecedenceOfHeaders(t *testing.T) {
	t.Parallel()
	configured := http.Header{"X-Shop": {"configured"}, "Content-Type": {"text/plain"}}
	forwarded := http.Header{"X-Shop": {"client"}, "X-More": {"1"}}
	require.Equal(t, http.Header{
		"X-Shop": {"client"}, "X-More": {"1"}, "Content-Type": {"application/json"}, "User-Agent": {egress.DefaultUserAgent},
	}, newClient(t, nil).Headers(configured, forwarded))
	require.Equal(t, http.Header{
		"X-Shop": {"configured"}, "X-More": {"1"}, "Content-Type": {"text/plain"}, "User-Agent": {egress.DefaultUserAgent},
	}, newClient(t, func(c *egress.Config) { c.ConfiguredHeadersFirst = true }).Headers(configured, forwarded))
}
