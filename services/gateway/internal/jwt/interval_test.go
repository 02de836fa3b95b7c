package jwt

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestInterval(t *testing.T) {
	t.Parallel()
	now := time.Date(2015, 3, 2, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		control, expires string
		want             time.Duration // 0: the answer doesn't say
		unreadable       error
	}{
		{"", "", 0, nil},
		{"public", "", 0, nil},
		{"max-age=300", "", 5 * time.Minute, nil},
		{"public, S-MaxAge=10", "", 10 * time.Second, nil},
		{"max-age=0", "", time.Second, nil},
		{"max-age=soon", "", 0, errBadCacheControl},
		{"max-age=-1, s-maxage=5", "", 5 * time.Second, nil},
		{"must-revalidate", "", time.Second, nil},
		{"must-revalidate, max-age=30", "", 30 * time.Second, nil},
		{"no-cache, max-age=30", "", time.Second, nil},
		{"no-store", "", time.Second, nil},
		{"", "Mon, 02 Mar 2015 10:02:00 GMT", 2 * time.Minute, nil},
		{"", "Mon, 02 Mar 2015 09:00:00 GMT", time.Second, nil},
		{"", "soon", 0, errBadExpires},
		{"public", "Mon, 02 Mar 2015 10:02:00 GMT", 0, nil}, // Expires counts only without Cache-Control
	} {
		header := http.Header{}
		if c.control != "" {
			header.Set("Cache-Control", c.control)
		}
		if c.expires != "" {
			header.Set("Expires", c.expires)
		}
		got, err := interval(header, now)
		require.Equal(t, c.want, got, "%q %q", c.control, c.expires)
		require.Equal(t, c.unreadable, err, "%q %q", c.control, c.expires)
	}
}

func TestParsePath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]any{
		"$": nil, "": nil, "$.a.b": {"a", "b"}, "a.b": {"a", "b"}, "$.a[0]": {"a", 0}, "$['a b']": {"a b"},
		`$["it's"].x`: {"it's", "x"}, "$.['https://x.test/c'].user.id": {"https://x.test/c", "user", "id"}, "$.a['b%']": {"a", "b%"},
	} {
		p, err := parsePath(text)
		require.NoError(t, err, text)
		require.Equal(t, want, p.steps, text)
	}
	for _, text := range []string{"$.", "$..a", "$[", "$['a", "$[x]", "$[-1]", "$.a[0"} {
		_, err := parsePath(text)
		require.Error(t, err, text)
	}
}
