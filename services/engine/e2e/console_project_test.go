package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/freeport"
	"queryengine/pkg/logtest"
	"queryengine/pkg/nodetest"
)

// openConsole runs engine console on the project. It returns the process, with the address that it has printed.
func (w *workshop) openConsole() (p *process, link string) {
	w.t.Helper()
	address := "127.0.0.1:" + freeport.Text(w.t)
	p = &process{t: w.t, name: "engine console", url: "http://" + address, done: make(chan struct{})}
	p.cmd = exec.Command(filepath.Join(programs, engine), "console", "--no-browser", "--address", address, "--project", w.dir)
	p.cmd.Env = []string{"ENGINE_GRAPHQL_ENDPOINT=" + w.url, "ENGINE_GRAPHQL_ADMIN_SECRET=" + secret}
	var out logtest.Buffer
	p.cmd.Stdout, p.cmd.Stderr = &out, &p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.run()
	eventually(w.t, startLimit, func() bool { return strings.Contains(out.String(), "\n") }, p.log.Tail)
	return p, strings.TrimSpace(out.String())
}

// keys opens the link as a browser does, and returns the cookie of the page and the key of its requests.
func keys(t *testing.T, link string) (cookie, key string) {
	t.Helper()
	answer, err := http.Get(link)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Len(t, answer.Cookies(), 1)
	stored := regexp.MustCompile(`"query-engine-project-key", "(\w+)"`).FindStringSubmatch(string(text))
	require.Len(t, stored, 2, string(text))
	return answer.Cookies()[0].Name + "=" + answer.Cookies()[0].Value, stored[1]
}

func TestConsoleWritesIntoAProject(t *testing.T) {
	t.Parallel()
	w, gateway := newWorkshop(t)
	console, link := w.openConsole()
	_, key := keys(t, link)
	header := map[string]string{"X-Engine-Console-Key": key, "Origin": console.url}
	sql := func(text string, more ...string) answer {
		h := map[string]string{}
		for k, v := range header {
			h[k] = v
		}
		for i := 0; i+1 < len(more); i += 2 {
			h[more[i]] = more[i+1]
		}
		return console.post("/v2/query", h, map[string]any{"type": "run_sql", "args": map[string]any{"source": "default", "sql": text}})
	}
	track := func(table string) answer {
		return console.post("/v1/metadata", header, map[string]any{"type": "pg_track_table", "args": map[string]any{"table": table}})
	}

	made := sql("CREATE TABLE stock (id int PRIMARY KEY, label text)", "X-Engine-Migration-Name", "the%20stock")
	require.Equal(t, http.StatusOK, made.status, made.text())
	require.Contains(t, made.header.Get("X-Engine-Project"), "_the_stock")
	require.Equal(t, http.StatusOK, sql("INSERT INTO stock VALUES (1, 'Axe')").status)
	refused := sql("CREATE TABLE half (id int); SELECT nonsense")
	require.NotEqual(t, http.StatusOK, refused.status)
	found, err := filepath.Glob(filepath.Join(w.dir, "migrations/default/*"))
	require.NoError(t, err)
	require.Len(t, found, 1, "data and what is refused make no migration")
	require.Contains(t, w.does(0, "migrate status"), "all 1 migrations are applied")

	tracked := track("stock")
	require.Equal(t, http.StatusOK, tracked.status, tracked.text())
	file := filepath.Join(w.dir, "metadata/databases/default/tables/public_stock.yaml")
	require.FileExists(t, file)
	require.Contains(t, w.does(0, "metadata diff"), "no differences")

	// The secret is the command's.
	require.JSONEq(t, `{"data":{"stock":[{"label":"Axe"}]}}`, console.query(header, `{stock {label}}`).text())
	upgrade := http.Header{}
	for name, value := range header {
		upgrade.Set(name, value)
	}
	subscriber := console.upgraded(upgrade, nil)
	subscriber.await(subscriber.subscribe("subscription {stock {label}}", nil), `{"stock":[{"label":"Axe"}]}`)

	// What was written by hand isn't lost.
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "select_permissions:\n  - role: clerk\n    permission: {columns: '*', filter: {}}\n"...), 0o600))
	before := gateway.metadata("export_metadata", map[string]any{}).text()
	stopped := console.post("/v1/metadata", header, map[string]any{"type": "pg_untrack_table", "args": map[string]any{"table": "stock"}})
	require.Equal(t, http.StatusConflict, stopped.status, stopped.text())
	require.Equal(t, before, gateway.metadata("export_metadata", map[string]any{}).text())
	w.does(0, "metadata apply")
	require.Equal(t, http.StatusOK, sql("CREATE TABLE kind (id int PRIMARY KEY)").status)
	require.Equal(t, http.StatusOK, track("kind").status)

	// A directory that can't be written: a migration is refused before it runs, metadata afterwards.
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "metadata")))
	w.write("metadata", "")
	require.NoError(t, os.Rename(filepath.Join(w.dir, "migrations"), filepath.Join(w.dir, "kept")))
	w.write("migrations", "")
	broken := track("none")
	require.NotEqual(t, http.StatusOK, broken.status, broken.text())
	require.NoError(t, os.Remove(filepath.Join(w.dir, "metadata")))
	unwritten := sql("CREATE TABLE never (id int)")
	require.Contains(t, unwritten.text(), "so the SQL was not run")
	require.NoError(t, os.Remove(filepath.Join(w.dir, "migrations")))
	require.NoError(t, os.Rename(filepath.Join(w.dir, "kept"), filepath.Join(w.dir, "migrations")))
	again := console.post("/project/metadata", header, map[string]any{})
	require.Equal(t, http.StatusOK, again.status, again.text())
	require.Contains(t, w.does(0, "metadata diff"), "no differences")

	// A fresh server gets all of it.
	other, fresh := newWorkshop(t)
	other.dir = w.dir
	other.does(0, "migrate apply")
	other.does(0, "metadata apply --disallow-inconsistent-metadata")
	other.does(0, "metadata diff")
	require.JSONEq(t, `{"data":{"stock":[],"kind":[]}}`, fresh.query(asAdmin, `{stock {label} kind {id}}`).text())
}

func TestConsoleOfAProjectRefusesOthers(t *testing.T) {
	t.Parallel()
	w, _ := newWorkshop(t)
	console, link := w.openConsole()
	cookie, key := keys(t, link)
	const header = "X-Engine-Console-Key"
	host := strings.TrimPrefix(console.url, "http://")
	for name, c := range map[string]struct {
		want int
		path string
		host string
		set  map[string]string
	}{
		"its page":               {http.StatusOK, "/console", host, map[string]string{"Cookie": cookie}},
		"its page's requests":    {http.StatusOK, "/v1/version", host, map[string]string{header: key, "Origin": console.url, "Sec-Fetch-Site": "same-origin"}},
		"no key":                 {http.StatusForbidden, "/v1/version", host, nil},
		"no cookie":              {http.StatusForbidden, "/console", host, nil},
		"another key":            {http.StatusForbidden, "/v1/version", host, map[string]string{header: "x"}},
		"the key in the address": {http.StatusOK, "/v1/version?console-key=" + key, host, nil},
		// What a server at another port of the host gets from the browser.
		"the page's cookie":      {http.StatusForbidden, "/v1/version", host, map[string]string{"Cookie": cookie}},
		"the cookie as the key":  {http.StatusForbidden, "/v1/version", host, map[string]string{header: cookie[strings.IndexByte(cookie, '=')+1:]}},
		"another token":          {http.StatusForbidden, "/?token=x", host, nil},
		"another origin":         {http.StatusForbidden, "/v1/version", host, map[string]string{header: key, "Origin": "http://127.0.0.1:1"}},
		"a page of no origin":    {http.StatusForbidden, "/v1/version", host, map[string]string{header: key, "Origin": "null"}},
		"an image elsewhere":     {http.StatusForbidden, "/v1/version", host, map[string]string{header: key, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}},
		"a frame elsewhere":      {http.StatusForbidden, "/console", host, map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}},
		"a name that leads here": {http.StatusForbidden, "/v1/version", "rebound.example", map[string]string{header: key}},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, console.url+c.path, http.NoBody)
		require.NoError(t, err)
		request.Host = c.host
		for k, v := range c.set {
			request.Header.Set(k, v)
		}
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, c.want, answer.StatusCode, name)
		require.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"), name)
	}
}

// TestConsoleOfAProject uses it in a browser.
func TestConsoleOfAProject(t *testing.T) {
	t.Parallel()
	browser := findBrowser(t)
	dir := nodetest.Install(t, "testdata/console")
	w, _ := newWorkshop(t)
	_, link := w.openConsole()
	nodetest.Run(t, dir, nil, "project.mjs", browser, link, secret)
	found, err := filepath.Glob(filepath.Join(w.dir, "migrations/default/*_a_shelf/up.sql"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.FileExists(t, filepath.Join(w.dir, "metadata/databases/default/tables/public_shelf.yaml"))

	// What a form has made is taken back by what it has written.
	found, err = filepath.Glob(filepath.Join(w.dir, "migrations/default/*_one_more_column/down.sql"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	down, err := os.ReadFile(found[0])
	require.NoError(t, err)
	require.Equal(t, "ALTER TABLE \"public\".\"shelf\" DROP COLUMN \"it's\";\n", string(down))
	up, err := os.ReadFile(filepath.Join(filepath.Dir(found[0]), "up.sql"))
	require.NoError(t, err)
	require.Equal(t, "ALTER TABLE \"public\".\"shelf\" ADD COLUMN \"it's\" text DEFAULT ('é');\n", string(up))
	require.Contains(t, w.does(0, "migrate status"), "all 3 migrations are applied")
}
