package assembly

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// TestCookiesOfHandlers holds that clients get the cookies that the handlers of actions set, whether these answer or refuse.
func TestCookiesOfHandlers(t *testing.T) {
	t.Parallel()
	handler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "from", Value: r.URL.Path[1:]})
		status, answer := http.StatusOK, `true`
		switch r.URL.Path {
		case "/refused":
			status, answer = http.StatusBadRequest, `{"message":"session expired"}`
		case "/broken":
			answer = `{`
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(handler.Close)
	for _, apart := range []bool{false, true} {
		s := startSystem(t, apart, "--metadata-database-url", dbtest.URL(t), "--enabled-log-types", "startup")
		for _, name := range []string{"good", "refused", "broken"} {
			status, answer := s.post("/v1/metadata", fmt.Sprintf(`{"type":"create_action","args":{"name":%q,"definition":{"handler":%q,"output_type":"Boolean"}}}`,
				name, handler.URL+"/"+name), nil)
			require.Equal(t, http.StatusOK, status, answer)
		}
		for _, c := range []struct {
			query   string
			cookies []string
		}{
			{`mutation { good }`, []string{"from=good"}},
			{`mutation { refused }`, []string{"from=refused"}},
			{`mutation { broken }`, []string{"from=broken"}},
			{`mutation { good refused }`, []string{"from=good", "from=refused"}},
		} {
			status, header, answer := s.send("/v1/graphql", fmt.Sprintf(`{"query":%q}`, c.query), nil)
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, c.cookies, header.Values("Set-Cookie"), "%s: %s", c.query, answer)
		}
	}
}
