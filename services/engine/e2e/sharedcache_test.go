package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/freeport"
	"queryengine/pkg/logtest"
	"queryengine/pkg/testlong"
)

// sharedCache starts a program with a configuration in a file, in which DIR, PORT and ENGINE are replaced, and gives its address. The test
// is skipped without the program.
func sharedCache(t *testing.T, engine, program, configuration string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/" + program); err != nil {
			t.Skipf("%s is not installed: %v", program, err)
		}
	}
	dir, port := t.TempDir(), freeport.Text(t)
	fill := strings.NewReplacer("DIR", dir, "PORT", port, "ENGINE", strings.TrimPrefix(engine, "http://"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "conf"), []byte(fill.Replace(configuration)), 0o600))
	for i := range args {
		args[i] = fill.Replace(args[i])
	}
	var log logtest.Buffer
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address := "http://127.0.0.1:" + port
	require.Eventually(t, func() bool {
		r, err := http.Get(address + "/healthz")
		if err == nil {
			r.Body.Close()
		}
		return err == nil && r.StatusCode == http.StatusOK
	}, time.Minute, 20*time.Millisecond, "%s", &log)
	return address
}

const nginxCache = `
daemon off; master_process off; pid DIR/pid; error_log stderr;
events {}
http {
	access_log off;
	client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/f; uwsgi_temp_path DIR/u; scgi_temp_path DIR/s;
	proxy_cache_path DIR/cache keys_zone=answers:4m;
	server {
		listen 127.0.0.1:PORT;
		location / {
			proxy_pass http://ENGINE;
			proxy_set_header Host $host;
			proxy_cache answers;
			proxy_cache_revalidate on;
			add_header X-Shared $upstream_cache_status always;
		}
	}
}
`

const haproxyCache = `
defaults
	mode http
	timeout connect 10s
	timeout client 60s
	timeout server 60s
cache answers
	total-max-size 16
	max-object-size 100000
	max-age 60
	process-vary on
frontend clients
	bind 127.0.0.1:PORT
	default_backend engine
backend engine
	http-request cache-use answers
	http-response cache-store answers
	server engine ENGINE
`

// TestSharedCachesMixNothingUp: clients of several roles and sessions ask through caches that they share. Each gets what the engine would
// answer it.
func TestSharedCachesMixNothingUp(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE note (id int PRIMARY KEY, owner text, text text);
		INSERT INTO note SELECT i, CASE WHEN i % 4 = 0 THEN 'all' ELSE (i % 4)::text END, 'note ' || i FROM generate_series(1, 40) i;
		CREATE TABLE hello (owner text, text text); INSERT INTO hello VALUES ('1', 'hello 1'), ('2', 'hello 2')`)
	c.start(metadata)
	c.start(executor)
	g := c.start(gateway, "UNAUTHORIZED_ROLE=guest", `JWT_SECRETS=[{"type":"HS256","key":"`+guardKey+`"},{"type":"HS256","key":"`+guardKey+`","header":{"type":"Cookie","name":"token"}}]`)
	permit := func(table, role string, filter any) any {
		return map[string]any{"type": "pg_create_select_permission", "args": map[string]any{
			"table": table, "role": role, "permission": map[string]any{"columns": []string{"text"}, "filter": filter},
		}}
	}
	own := map[string]any{"owner": map[string]any{"_eq": "X-Engine-User-Id"}}
	g.metadata("bulk", []any{
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "note"}},
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "hello"}},
		permit("note", "guest", map[string]any{"owner": map[string]any{"_eq": "all"}}), permit("note", "member", own),
		permit("note", "editor", map[string]any{}), permit("hello", "guest", own), permit("hello", "member", own),
		map[string]any{"type": "import_documents", "args": map[string]any{"collection": "web", "documents": map[string]string{
			"notes": `query Notes @cached(ttl: 600) { note(order_by: {text: asc}) { text } }`,
			"some":  `query Some($n: Int!) @cached { note(order_by: {text: asc}, limit: $n) { text } }`,
			"hello": `query Hello @cached { hello { text } }`,
			"fresh": `query Fresh { note(order_by: {text: desc}, limit: 3) { text } }`,
		}}},
		map[string]any{"type": "create_query_collection", "args": map[string]any{"name": "rest", "definition": map[string]any{
			"queries": []any{map[string]any{"name": "notes", "query": `query Notes @cached { note(order_by: {text: asc}) { text } }`}},
		}}},
		map[string]any{"type": "create_rest_endpoint", "args": map[string]any{
			"name": "notes", "url": "notes", "methods": []string{"GET"},
			"definition": map[string]any{"query": map[string]any{"collection_name": "rest", "query_name": "notes"}},
		}},
	})
	token := func(role, user string) string {
		return signedToken(guardKey, fmt.Sprintf(`{"exp":%d,"https://engine.io/jwt/claims":{"x-engine-default-role":%q,"x-engine-allowed-roles":["member","editor"],"x-engine-user-id":%q}}`,
			time.Now().Add(time.Hour).Unix(), role, user))
	}
	clients := []map[string]string{
		{}, {}, {"X-Engine-User-Id": "1"}, {"X-Engine-User-Id": "2"}, {"X-Engine-Role": "admin"},
		as("member", "X-Engine-User-Id", "1"), as("member", "X-Engine-User-Id", "2"), as("guest"), asAdmin,
	}
	for _, user := range []string{"1", "2"} {
		for _, role := range []string{"member", "editor"} {
			clients = append(clients, map[string]string{"Authorization": "Bearer " + token(role, user)}, map[string]string{"Cookie": "token=" + token(role, user)})
		}
		clients = append(clients,
			map[string]string{"Authorization": "Bearer " + token("member", user), "X-Engine-Role": "editor"},
			// Of a page elsewhere, whose cookies don't count.
			map[string]string{"Cookie": "token=" + token("member", user), "Origin": "https://elsewhere.example"})
	}
	paths := []string{"/v1/graphql?documentId=notes", "/v1/graphql?documentId=hello", "/v1/graphql?documentId=fresh", "/api/rest/notes"}
	for _, n := range []int{1, 2, 5} {
		paths = append(paths, "/v1/graphql?documentId=some&variables="+url.QueryEscape(fmt.Sprintf(`{"n":%d}`, n)))
	}
	for _, program := range []string{"nginx", "haproxy"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			var address string
			if program == "nginx" {
				address = sharedCache(t, g.url, program, nginxCache, "-p", "DIR", "-c", "DIR/conf")
			} else {
				address = sharedCache(t, g.url, program, haproxyCache, "-db", "-f", "DIR/conf")
			}
			shared := &process{t: t, url: address}
			seed := testlong.Seed(t, 43)
			random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // G404: no secret
			tags := map[string]string{}              // bodies by validators
			last := map[string]string{}              // validators by paths
			hits, unchanged := 0, 0
			for range testlong.Of(1500, 50_000) {
				path, client := paths[random.IntN(len(paths))], clients[random.IntN(len(clients))]
				header := map[string]string{"Cache-Control": "no-cache"}
				for k, v := range client {
					header[k] = v
				}
				direct, err := g.send(http.MethodGet, path, header, nil)
				require.NoError(t, err)
				delete(header, "Cache-Control")
				if tag := last[path]; tag != "" && random.IntN(2) == 0 {
					header["If-None-Match"] = tag
				}
				if random.IntN(3) == 0 {
					header["Accept-Encoding"] = "identity"
				}
				got, err := shared.send(http.MethodGet, path, header, nil)
				require.NoError(t, err)
				if got.header.Get("X-Shared") == "HIT" {
					hits++
				}
				body := got.text()
				if got.status == http.StatusNotModified {
					unchanged++
					body = tags[got.header.Get("Etag")]
				} else if tag := got.header.Get("Etag"); tag != "" {
					tags[tag], last[path] = body, tag
				}
				require.Equal(t, withoutID(direct.text()), withoutID(body), "%s %v", path, client)
				if strings.HasPrefix(got.header.Get("Cache-Control"), "public") {
					require.Empty(t, client["Authorization"]+client["Cookie"]+client["X-Engine-Admin-Secret"], path)
					require.NotContains(t, path, "hello", "it depends on a session variable")
				}
			}
			t.Logf("%s: %d answers of the cache, %d unchanged", program, hits, unchanged)
			require.Positive(t, unchanged)
			require.True(t, program != "nginx" || hits > 0, "answers without credentials are shared")
		})
	}
}

// withoutID leaves out what differs between equal answers.
func withoutID(body string) string {
	var v any
	if json.Unmarshal([]byte(body), &v) != nil {
		return body
	}
	text, _ := json.Marshal(v) // it was JSON
	return string(text)
}
