package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"queryengine/pkg/backend/bigquery/bigquerytest"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/freeport"
	"queryengine/pkg/logtest"
	"queryengine/pkg/nodetest"
)

const (
	scriptLimit  = 3 * time.Minute  // of a block of shell
	buildLimit   = 10 * time.Minute // of a start that builds the engine where nothing is built yet
	printedLimit = 3 * time.Minute  // until a program in the background has printed what it should
)

// addresses are addresses of this machine on pages: port 8080 is the engine, others are programs in the
// background. Each page has ports of its own in their place.
var addresses = regexp.MustCompile(`\b(127\.0\.0\.1|localhost):(\d{4,5})\b`)

// shims make the commands of a page those of this build.
const shims = `
set -euo pipefail
engine() {
  case "$*" in
  *--address*) ;;
  init*) set -- "$@" --engine "$SOURCE" ;;
  echo*) set -- "$@" --address "127.0.0.1:$ECHO_PORT" ;;
  esac
  "$ENGINE_PROGRAM" "$@"
}
make() { if [ "$*" = run ]; then engine dev; else command make "$@"; fi; }
npm() { # the packages are there already: see testdata/guides
  [ "$1" = install ]
  for package in "${@:2}"; do
    version=$(node -p "require('./node_modules/${package%@*}/package.json').version")
    case $version. in
    "${package##*@}".*) ;;
    *) echo "testdata/guides has ${package%@*} $version" >&2; return 1 ;;
    esac
  done
}
npx() { command npx --no-install "$@"; }
`

// page is a page of the documentation whose blocks are run.
type page struct {
	*testing.T
	dir   string            // where its commands run
	ports map[string]string // that stand for those of the page
	dev   *process          // nil until it is needed
	clone *clone            // nil for commands of this build

	variables json.RawMessage // of the next query
	token     string          // the same, "" for none
	outside   *outside        // nil until it is needed
	shop      *shop           // nil for pages without
	bigquery  string          // the address of a server of BigQuery, "" for pages without
	node      string          // the directory of node and a colon, "" for pages without packages of npm
	// answered is what the block before was answered with, nil for a block without an answer. output is
	// the same of a shell, with its standard error.
	answered, output []byte
	// printed is what programs in the background print; seen are lines that were found already.
	printed logtest.Buffer
	seen    map[int]bool
}

func newPage(t *testing.T) *page {
	t.Helper()
	p := &page{T: t, dir: t.TempDir(), ports: map[string]string{}, seen: map[int]bool{}}
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, ".curlrc"), []byte("silent\nshow-error\n"), 0o600))
	return p
}

// run runs all blocks and returns the page with the answers that came.
func (p *page) run(text string) string {
	p.Helper()
	texts, blocks, err := splitPage(text)
	require.NoError(p, err)
	if slices.ContainsFunc(blocks, func(b *block) bool { return b.language == "sql" && b.verb == "owner" }) {
		p.shop = newShop(p.T)
	}
	if strings.Contains(text, `{"type": "bigquery_add_source"`) {
		datasets := dbtest.URL(p)
		execute(p.T, datasets, "CREATE SCHEMA web")
		p.bigquery = bigquerytest.New(p, datasets).URL
	}
	if strings.Contains(text, "npm install ") {
		p.node = filepath.Dir(nodetest.Program(p)) + ":"
		require.NoError(p, os.Symlink(filepath.Join(nodetest.Install(p, "testdata/guides"), "node_modules"), filepath.Join(p.dir, "node_modules")))
	}
	var written strings.Builder
	for i, b := range blocks {
		written.WriteString(texts[i])
		content := p.runBlock(b)
		lines := strings.Split(text, "\n")
		written.WriteString(lines[b.line-1] + "\n" + content + fence + "\n")
	}
	written.WriteString(texts[len(blocks)])
	return written.String()
}

// runBlock returns the content of the block, or what it should be.
func (p *page) runBlock(b *block) string {
	p.Helper()
	here := addresses.ReplaceAllStringFunc(b.content, func(a string) string {
		host, port, _ := strings.Cut(a, ":")
		return host + ":" + p.port(port)
	})
	switch b.language + " " + b.verb {
	case "json ", "text ":
		require.NotNil(p, p.answered, "line %d: an answer without a question", b.line)
		as := matchesJSON
		actual := p.answered
		if b.language == "text" {
			as, actual = matchesText, p.output
		}
		if !as(here, string(actual)) {
			if *update {
				return p.documented(b.language, actual)
			}
			require.Equal(p, here, string(actual), "line %d", b.line)
		}
		p.answered, p.output = nil, nil
		return b.content
	case "json printed", "text printed":
		p.awaitPrinted(b, here)
		return b.content
	case "json asked":
		asked := p.beyond().lastAsked()
		require.True(p, matchesJSON(here, string(asked)), "line %d: asked was\n%s", b.line, asked)
		return b.content
	case "json variables":
		p.variables = json.RawMessage(here)
		return b.content
	case "json token":
		p.token = p.beyond().sign(here)
		return b.content
	case "json hook":
		p.beyond().answer(here)
		return b.content
	}
	p.answered, p.output = nil, nil
	switch b.verb {
	case "not-run":
		return b.content
	case "file":
		path := filepath.Join(p.dir, b.argument)
		require.NoError(p, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(p, os.WriteFile(path, []byte(here), 0o600))
		return b.content
	}
	switch b.language {
	case "sh":
		p.shell(b, here)
	case "graphql":
		p.graphql(b, here)
	case "json":
		p.request(b, http.MethodPost, b.argument, b.headers(), here)
	case "sql":
		if b.verb == "owner" {
			p.answered = p.shop.execute(here)
			p.output = p.answered
			break
		}
		body, err := json.Marshal(map[string]any{"type": "run_sql", "args": map[string]any{"sql": here}})
		require.NoError(p, err)
		p.request(b, http.MethodPost, "/v2/query", b.headers(), string(body))
	case "http":
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(httpText(here))))
		require.NoError(p, err, "line %d", b.line)
		_, body, _ := strings.Cut(here, "\n\n")
		header := b.headers()
		for name := range r.Header {
			header[name] = r.Header.Get(name)
		}
		p.request(b, r.Method, r.RequestURI, header, body)
	case "go":
		p.goCode(b)
	}
	return b.content
}

// httpText is the head of a request as it goes over the wire.
func httpText(request string) string {
	head, _, _ := strings.Cut(strings.TrimSpace(request), "\n\n")
	first, rest, _ := strings.Cut(head, "\n")
	return strings.ReplaceAll(first+" HTTP/1.1\nHost: engine\n"+rest+"\n\n", "\n", "\r\n")
}

// port is the one that stands for a port of the page.
func (p *page) port(ofPage string) string {
	if p.ports[ofPage] == "" {
		p.ports[ofPage] = freeport.Text(p.T)
	}
	return p.ports[ofPage]
}

// documented is an answer as the page has it.
func (p *page) documented(language string, actual []byte) string {
	text := strings.TrimSpace(string(actual))
	if language == "json" {
		text = readable(p.T, actual)
	}
	for ofPage, port := range p.ports {
		text = strings.ReplaceAll(text, ":"+port, ":"+ofPage)
	}
	return text + "\n"
}

// engine is the one of the page, which is started when it is first asked.
func (p *page) engine() *process {
	p.Helper()
	if p.dev == nil {
		p.startEngine("make run")
	}
	return p.dev
}

// beyond is what stands for the providers of the page.
func (p *page) beyond() *outside {
	p.Helper()
	if p.outside == nil {
		p.outside = newOutside(p.T)
	}
	return p.outside
}

// startEngine starts the engine as on the page, instead of the running one.
func (p *page) startEngine(script string) {
	p.Helper()
	if p.dev != nil {
		p.dev.stop()
	}
	// The engine takes the place of the shell, so that it gets its signals.
	if p.clone != nil {
		p.dev = startDev(p.T, p.clone.bash(p, "exec "+script), p.port("8080"), buildLimit)
		return
	}
	prepareDev(p.T, p.dir)
	cmd := p.bash("engine() { exec \"$ENGINE_PROGRAM\" \"$@\"; }\n" + p.beyond().reachable(script))
	p.dev = startDev(p.T, cmd, p.port("8080"), startLimit)
}

// bash is a shell with the commands of this build.
func (p *page) bash(script string) *exec.Cmd {
	if p.clone != nil {
		return p.clone.bash(p, script)
	}
	cmd := exec.Command("bash", "-c", shims+script)
	cmd.Dir = p.dir
	cmd.Env = []string{
		"PATH=" + programs + ":" + p.node + os.Getenv("PATH"), "HOME=" + p.dir, "ENGINE_PROGRAM=" + filepath.Join(programs, engine),
		"ENGINE_GRAPHQL_SERVER_PORT=" + p.port("8080"), "ENGINE_GRAPHQL_ENDPOINT=http://127.0.0.1:" + p.port("8080"),
		"SOURCE=" + p.source(),
		"ECHO_PORT=" + p.port("9000"), // where engine echo listens when it isn't told
	}
	cmd.Env = append(cmd.Env, goEnvironment()...)
	if p.shop != nil {
		cmd.Env = append(cmd.Env, "SHOP_DATABASE_URL="+p.shop.engineURL, "SHOP_REPLICA_URL="+p.shop.engineURL)
	}
	if p.bigquery != "" {
		cmd.Env = append(cmd.Env, "BIGQUERY_EMULATOR_HOST="+p.bigquery, "WEB_SERVICE_ACCOUNT={}")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return cmd
}

// source is the directory of the project.
func (p *page) source() string {
	dir, err := filepath.Abs(documentationRoot)
	require.NoError(p, err)
	return dir
}

// goEnvironment lets Go find its caches and settings in spite of another home.
var goEnvironment = sync.OnceValue(func() []string {
	var list []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOENV", "GOPROXY", "GOSUMDB", "GONOSUMDB"} {
		if value, err := exec.Command("go", "env", name).Output(); err == nil { // pages that need Go fail without
			list = append(list, name+"="+strings.TrimSpace(string(value)))
		}
	}
	return list
})

func (p *page) shell(b *block, script string) {
	p.Helper()
	switch b.verb {
	case "engine":
		p.startEngine(script)
		return
	case "background":
		if strings.Contains(script, ":"+p.port("8080")) {
			p.engine()
		}
		p.background(b, script)
		return
	}
	p.engine()
	// What a block exports, and where it goes, holds for the next ones.
	state := filepath.Join(p.dir, ".state")
	cmd := p.bash("[ ! -f " + state + " ] || . " + state + "\n" + script + "\n{ export -p; printf 'cd %q\\n' \"$PWD\"; } > " + state)
	var out, all logtest.Buffer
	cmd.Stdout, cmd.Stderr = &tee{&out, &all}, &all
	timer := time.AfterFunc(scriptLimit, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Run()
	timer.Stop()
	require.NoError(p, err, "line %d:\n%s\n%s", b.line, script, all.String())
	p.answered, p.output = []byte(out.String()), []byte(all.String())
}

// background starts a program that runs until the end of the page, and waits until it prints something.
func (p *page) background(b *block, script string) {
	p.Helper()
	cmd := p.bash(script)
	var own logtest.Buffer
	cmd.Stdout, cmd.Stderr = &tee{&own, &p.printed}, &tee{&own, &p.printed}
	require.NoError(p, cmd.Start())
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed, or what it should print doesn't come
		close(done)
	}()
	p.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // it may have ended
		select {
		case <-done:
		case <-time.After(stopLimit):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-done
		}
	})
	eventually(p.T, startLimit, func() bool { return own.String() != "" }, func() string { return "silence of:\n" + b.content })
}

// tee writes to both.
type tee struct{ a, b *logtest.Buffer }

func (t *tee) Write(p []byte) (int, error) {
	_, _ = t.a.Write(p) // buffers take everything
	return t.b.Write(p)
}

// awaitPrinted waits until programs in the background have printed the text in lines that weren't
// asked for yet.
func (p *page) awaitPrinted(b *block, expected string) {
	p.Helper()
	find := p.findText
	if b.language == "json" {
		find = p.findJSON
	}
	eventually(p.T, printedLimit, func() bool { return find(expected) }, func() string {
		return "not printed:\n" + expected + "\nbut:\n" + p.printed.String()
	})
}

func (p *page) findJSON(expected string) bool {
	for n, line := range strings.Split(p.printed.String(), "\n") {
		if !p.seen[n] && matchesJSON(expected, line) {
			p.seen[n] = true
			return true
		}
	}
	return false
}

func (p *page) findText(expected string) bool {
	lines := strings.Split(p.printed.String(), "\n")
	height := strings.Count(strings.TrimSpace(expected), "\n") + 1
	for n := 0; n+height <= len(lines); n++ {
		if !p.seen[n] && matchesText(expected, strings.Join(lines[n:n+height], "\n")) {
			for i := range height {
				p.seen[n+i] = true
			}
			return true
		}
	}
	return false
}

// headers are the pairs of the info string, but for those of graphql.
func (b *block) headers() map[string]string {
	header := map[string]string{}
	for _, pair := range b.pairs {
		switch pair.name {
		case "at":
		case "role":
			header["X-Engine-Role"] = pair.value
		default:
			header[pair.name] = pair.value
		}
	}
	return header
}

func (p *page) graphql(b *block, document string) {
	p.Helper()
	if b.verb == "schema" {
		_, err := parser.ParseSchema(&ast.Source{Input: document})
		require.NoError(p, err)
		return
	}
	endpoint := "/v1/graphql"
	for _, pair := range b.pairs {
		if pair.name == "at" {
			endpoint = pair.value
		}
	}
	body := map[string]any{"query": document, "variables": p.variables}
	header := b.headers()
	if p.token != "" {
		header["Authorization"] = "Bearer " + p.token
	}
	p.variables, p.token = nil, ""
	ask := p.engine().post
	if strings.HasPrefix(document, "subscription") {
		ask = p.engine().firstEvent
	}
	p.answered = ask(endpoint, header, body).body
	p.output = p.answered
}

// request sends a request, which has to succeed.
func (p *page) request(b *block, method, path string, header map[string]string, body string) {
	p.Helper()
	a, err := p.engine().send(method, path, header, []byte(body))
	require.NoError(p, err)
	require.Equal(p, http.StatusOK, a.status, "line %d:\n%s\n%s", b.line, b.content, a.text())
	p.answered, p.output = a.body, a.body
}

// goCode holds a block to the file that it is a part of, or builds its statements.
func (p *page) goCode(b *block) {
	p.Helper()
	root, err := filepath.Abs(documentationRoot)
	require.NoError(p, err)
	if b.verb == "of" {
		source, err := os.ReadFile(filepath.Join(root, b.argument))
		require.NoError(p, err)
		require.Contains(p, string(source), b.content, "line %d", b.line)
		return
	}
	var imports string
	for _, pair := range b.pairs {
		require.Equal(p, "import", pair.name)
		imports += "import \"" + pair.value + "\"\n"
	}
	source, overlay := filepath.Join(p.dir, "example.go"), filepath.Join(p.dir, "overlay.json")
	require.NoError(p, os.WriteFile(source, []byte("package example\n"+imports+"func _() {\n"+b.content+"}\n"), 0o600))
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "services/engine/example/example.go"): source,
	}})
	require.NoError(p, err)
	require.NoError(p, os.WriteFile(overlay, replaced, 0o600))
	build := exec.CommandContext(p.Context(), "go", "build", "-overlay", overlay, "./example")
	build.Dir = filepath.Join(root, "services/engine")
	out, err := build.CombinedOutput()
	require.NoError(p, err, "line %d:\n%s", b.line, bytes.TrimSpace(out))
}
