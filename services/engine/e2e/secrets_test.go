package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtest"
)

// TestSecretsStaySecret runs all services with everything they can log and trace switched on,
// sends them requests that succeed and that fail, and looks for secrets in all that comes out.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	const (
		password = "pass-of-the-database"
		tokenKey = "key-of-tokens-0123456789abcdef-0123456789"
		metrics  = "secret-of-metrics"
		wrong    = "a-wrong-secret"
		cookie   = "value-of-a-cookie"
		token    = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJzb21lYm9keSJ9.c2lnbmF0dXJl"
	)
	var traces logtest.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(&traces, r.Body)
	}))
	t.Cleanup(collector.Close)

	c := newCluster(t)
	execute(t, c.databaseURL, `DO $$ BEGIN CREATE ROLE keeper_of_secrets LOGIN SUPERUSER PASSWORD '`+password+`';
		EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`) // the tests' server may be an older one
	for _, name := range []string{"ENGINE_GRAPHQL_DATABASE_URL", "ENGINE_GRAPHQL_METADATA_DATABASE_URL"} {
		u, err := url.Parse(c.settings[name])
		require.NoError(t, err)
		u.User = url.UserPassword("keeper_of_secrets", password)
		c.settings[name] = u.String()
	}
	for name, value := range map[string]string{
		"LOG_LEVEL":         "debug",
		"ENABLED_LOG_TYPES": "startup,http-log,webhook-log,websocket-log,jwk-refresh-log,query-log,execution-log,livequery-poller-log",
		"JWT_SECRET":        `{"type":"HS256","key":"` + tokenKey + `"}`,
		"METRICS_SECRET":    metrics,
		"ENABLED_APIS":      "metadata,graphql,config,metrics,developer",
		"DEV_MODE":          "true",
		"OTLP_ENDPOINT":     collector.URL,
	} {
		c.settings["ENGINE_GRAPHQL_"+name] = value
	}
	processes := []*process{c.start(metadata), c.start(executor), c.start(eventDelivery), c.start(scheduler)}
	g := c.start(gateway)
	processes = append(processes, g)

	var answers strings.Builder
	send := func(method, path, body string, headers ...string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(body))
		require.NoError(t, err)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		r.Header.Set("Cookie", "session="+cookie)
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		answers.Write(text)
		require.NoError(t, resp.Header.Write(&answers))
	}
	const query, unreachable = `{"query":"{ nothing { id } }"}`, `{"type":"pg_add_source","args":{"name":"gone",` +
		`"configuration":{"connection_info":{"database_url":"postgres://u:` + password + `@127.0.0.1:1/x"}}}}`
	for _, who := range [][]string{
		{"X-Engine-Admin-Secret", secret},
		{"X-Engine-Admin-Secret", wrong},
		{"X-Engine-Access-Key", wrong},
		{"Authorization", "Bearer " + token},
		{"Authorization", token},
		{"Authorization", "Bearer " + metrics},
	} {
		send(http.MethodPost, "/v1/graphql", query, who...)
		send(http.MethodPost, "/v1/graphql", `{`, who...)
		send(http.MethodPost, "/v1/graphql", `{"query":"{ __typename }"}`, who...)
		send(http.MethodPost, "/v1/metadata", unreachable, who...)
		send(http.MethodPost, "/v1/metadata", `{"type":"nonsense","args":{}}`, who...)
		send(http.MethodPost, "/v2/query", `{"type":"run_sql","args":{"sql":"SELECT nonsense"}}`, who...)
		send(http.MethodPost, "/v1/graphql/explain", `{"query":{"query":"{ nothing }"}}`, who...)
		for _, path := range []string{"/v1alpha1/config", "/v1/metrics", "/healthz", "/dev/ekg", "/api/rest/nothing", "/healthz/sources"} {
			send(http.MethodGet, path, "", who...)
		}
	}
	require.Contains(t, answers.String(), "field 'nothing' not found")
	require.Contains(t, answers.String(), "invalid x-engine-admin-secret")

	out := map[string]string{"answers": answers.String()}
	for _, p := range processes {
		p.stop()
		out["log of "+p.name] = p.log.String()
	}
	require.Contains(t, out["log of gateway"], `"http-log"`)
	out["traces"] = traces.String() // the last of them are sent when a process stops
	require.Contains(t, out["traces"], "/v1/graphql")
	for place, text := range out {
		for name, hidden := range map[string]string{
			"admin secret": secret, "wrong secret": wrong, "password": password, "key of tokens": tokenKey,
			"secret of metrics": metrics, "cookie": cookie, "token": token,
		} {
			require.NotContains(t, text, hidden, "the %s is in the %s", name, place)
		}
	}
}
