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
		"dnt": "1", "content-md5": "x",
	}))
}

func TestMerge(t *testing.T) {
	t.Parallel()
	require.Equal(t, http.Header{"A": {"1", "2"}, "B": {"3"}},
		egress.Merge(http.Header{"a": {"1", "2"}}, nil, http.Header{"A": {"9"}, "b": {"3"}}))
}
