package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"queryengine/pkg/freeport"
)

// composeVariable asks for the test of docker-compose.yml, which takes minutes: make test-compose.
const composeVariable = "ENGINE_TEST_COMPOSE"

const composeLimit = 5 * time.Minute

// composed is an installation by docker compose, from images of the programs that were just built.
type composed struct {
	t       *testing.T
	root    string
	env     []string
	project string
	url     string
}

// newComposed needs Docker; where that doesn't answer, the test is skipped.
func newComposed(t *testing.T) *composed {
	t.Helper()
	if os.Getenv(composeVariable) == "" {
		t.Skip("docker compose is tried by make test-compose")
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	c := &composed{t: t, root: root}
	if out, err := c.run("docker", "info"); err != nil {
		t.Skipf("Docker does not answer: %s", out)
	}
	if out, err := c.run("docker", "compose", "version"); err != nil {
		t.Skipf("there is no docker compose: %s", out)
	}
	for _, image := range []string{"postgres:15", "nats:2-alpine", "gcr.io/distroless/static-debian12:nonroot"} {
		c.needImage(t, image)
	}
	port, project := freeport.Text(t), "engine-test-"+freeport.Text(t)
	c.project, c.url = project, "http://127.0.0.1:"+port
	files := []string{filepath.Join(root, "docker-compose.yml"), c.images(project)}
	c.env = append(os.Environ(), "COMPOSE_PROJECT_NAME="+project, "ENGINE_PORT="+port, "ENGINE_ADDRESS=127.0.0.1",
		"ENGINE_GRAPHQL_ADMIN_SECRET=", "COMPOSE_FILE="+strings.Join(files, string(os.PathListSeparator)))
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := c.run("docker", "compose", "--profile", "*", "logs", "--tail", "30")
			t.Logf("%s", out)
		}
		c.must("docker", "compose", "--profile", "*", "down", "--volumes", "--timeout", "5", "--remove-orphans")
		for _, what := range []string{"ps -a", "volume ls", "network ls"} {
			arguments := append(strings.Fields(what), "--quiet", "--filter", "label=com.docker.compose.project="+project)
			require.Empty(t, c.must("docker", arguments...), "nothing is left of %s", what)
		}
		for _, name := range composePrograms {
			_, _ = c.run("docker", "image", "rm", "--force", project+"/"+name)
		}
	})
	return c
}

var composePrograms = []string{gateway, metadata, executor, eventDelivery, scheduler, engine}

// needImage skips the test where an image isn't available.
func (c *composed) needImage(t *testing.T, name string) {
	t.Helper()
	if _, err := c.run("docker", "image", "inspect", name); err == nil {
		return
	}
	if out, err := c.run("docker", "pull", "--quiet", name); err != nil {
		t.Skipf("the image %s is not here and can't be pulled: %s", name, out)
	}
}

// images makes the images of the Dockerfile, but for its stage that compiles, in whose place the
// programs of this test are. The file that names them is returned.
func (c *composed) images(project string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.root, "deploy", "docker", "Dockerfile"))
	require.NoError(c.t, err)
	head, rest, found := strings.Cut(string(text), "FROM golang:")
	require.True(c.t, found)
	_, rest, found = strings.Cut(rest, "\nFROM ")
	require.True(c.t, found)
	dir := c.t.TempDir()
	require.NoError(c.t, os.WriteFile(filepath.Join(dir, "Dockerfile"),
		[]byte(head+"FROM scratch AS build\nCOPY out /out\n\nFROM "+rest), 0o600))
	require.NoError(c.t, os.CopyFS(filepath.Join(dir, "out"), os.DirFS(programs)))
	for _, name := range []string{"LICENSE", "THIRD-PARTY-NOTICES.md"} {
		text, err := os.ReadFile(filepath.Join(c.root, name))
		require.NoError(c.t, err)
		require.NoError(c.t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	type service struct {
		Image string    `yaml:"image"`
		Build yaml.Node `yaml:"build"`
	}
	nothing := yaml.Node{Kind: yaml.ScalarNode, Tag: "!reset", Value: "null"}
	services := map[string]service{}
	for _, name := range composePrograms {
		c.must("docker", "build", "--quiet", "--build-arg", "PROGRAM="+name, "--tag", project+"/"+name, dir)
		services[name] = service{project + "/" + name, nothing}
	}
	for _, name := range []string{"setup", "check", "sample", "welcome"} {
		services[name] = service{project + "/" + engine, nothing}
	}
	delete(services, engine)
	out, err := yaml.Marshal(map[string]any{"services": services})
	require.NoError(c.t, err)
	file := filepath.Join(dir, "images.yml")
	require.NoError(c.t, os.WriteFile(file, out, 0o600))
	return file
}

// run runs a command in the directory of docker-compose.yml.
func (c *composed) run(name string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), composeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir, cmd.Env = c.root, c.env
	cmd.WaitDelay = stopLimit
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (c *composed) must(name string, arguments ...string) string {
	c.t.Helper()
	out, err := c.run(name, arguments...)
	require.NoError(c.t, err, "%s %s:\n%s", name, strings.Join(arguments, " "), out)
	return out
}

// with adds files to COMPOSE_FILE.
func (c *composed) with(files ...string) {
	for i, e := range c.env {
		if strings.HasPrefix(e, "COMPOSE_FILE=") {
			c.env[i] = strings.Join(append([]string{e}, files...), string(os.PathListSeparator))
		}
	}
}

// up starts what isn't there yet, and waits until all is healthy.
func (c *composed) up(arguments ...string) {
	c.t.Helper()
	c.must("docker", append(append([]string{"compose"}, arguments...), "--wait", "--timeout", "60")...)
}

// post sends a request as the administrator.
func (c *composed) post(path, secret, body string) (string, int, error) {
	request, err := http.NewRequest(http.MethodPost, c.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return "", 0, err
	}
	request.Header.Set("X-Engine-Admin-Secret", secret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), response.StatusCode, err
}

// under runs f while clients query and change rows, none of which may fail, and returns how many
// requests there were.
func (c *composed) under(secret string, f func()) int64 {
	c.t.Helper()
	var asked atomic.Int64
	failures := make(chan string, 8)
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range cap(failures) {
		clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				body := `{"query": "{ albums_by_pk(id: 1) { id artist { id } } }"}`
				if n%10 == 9 {
					body = `{"query": "mutation { albums_by_pk: update_albums_by_pk(pk_columns: {id: 1}, _set: {title: \"Loaded\"}) { id } }"}`
				}
				text, status, err := c.post("/v1/graphql", secret, body)
				if err != nil || status != http.StatusOK || !strings.Contains(text, `"albums_by_pk":{"id":1`) {
					failures <- strings.TrimSpace(time.Now().Format(time.TimeOnly) + " " + text + errorText(err))
					return
				}
				asked.Add(1)
			}
		})
	}
	moved := func() bool { before := asked.Load(); return eventuallyMore(&asked, before) }
	begun := moved()
	f()
	ended := moved()
	close(stop)
	clients.Wait()
	close(failures)
	for failure := range failures {
		c.t.Errorf("a request failed: %s", failure)
	}
	require.True(c.t, begun && ended, "requests are answered before and after")
	return asked.Load()
}

// eventuallyMore reports whether a counter rises by some hundred.
func eventuallyMore(counter *atomic.Int64, before int64) bool {
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if counter.Load() > before+300 {
			return true
		}
	}
	return false
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestDockerCompose does what a newcomer does: start with nothing prepared, the first query as it
// is printed, more and fewer replicas under load, a project at the start, and the end of it.
func TestDockerCompose(t *testing.T) {
	c := newComposed(t)
	c.up("--profile", "sample", "up", "-d")

	welcome := c.must("docker", "compose", "logs", "--no-log-prefix", "welcome")
	require.Contains(t, welcome, "listens at "+c.url)
	_, command, found := strings.Cut(welcome, "The admin secret:")
	require.True(t, found, welcome)
	command, query, found := strings.Cut(command, "\n")
	require.True(t, found, welcome)
	_, query, found = strings.Cut(query, "A first query:")
	require.True(t, found, welcome)
	require.Contains(t, c.must("bash", "-c", "set -e\n"+command+"\n"+query), `"title":"Under the Letter"`)
	secret := c.must("bash", "-c", "set -e\n"+command+"\nprintf %s \"$SECRET\"")

	dump, status, err := c.post("/v1alpha1/pg_dump", secret, `{"opts": ["--schema-only"], "clean_output": true}`)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, dump)
	require.Contains(t, dump, "CREATE TABLE public.albums")

	asked := c.under(secret, func() {
		c.up("up", "-d", "--no-recreate", "--scale", executor+"=3")
		require.Len(t, strings.Fields(c.must("docker", "compose", "ps", "--quiet", executor)), 3)
		c.up("up", "-d", "--no-recreate", "--scale", executor+"=1")
	})
	t.Logf("%d requests while there were 1, 3 and 1 executors", asked)

	t.Run("gateways", func(t *testing.T) {
		c.needImage(t, "haproxy:3.2-alpine")
		c.with(filepath.Join(c.root, "deploy", "compose", "proxy.yml"))
		c.up("up", "-d")
		gateways := func() int { return len(strings.Fields(c.must("docker", "compose", "ps", "--quiet", gateway))) }
		require.Equal(t, 2, gateways())
		asked := c.under(secret, func() {
			c.up("up", "-d", "--no-recreate", "--scale", gateway+"=4")
			require.Equal(t, 4, gateways())
			c.up("up", "-d", "--no-recreate", "--scale", gateway+"=1")
		})
		t.Logf("%d requests while there were 2, 4 and 1 gateways", asked)
	})

	t.Run("project", func(t *testing.T) {
		text, status, err := c.post("/v1/metadata", secret, `{"type": "export_metadata", "args": {}}`)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status, text)
		var exported struct {
			Sources []struct{ Configuration json.RawMessage }
		}
		require.NoError(t, json.Unmarshal([]byte(text), &exported))
		require.Len(t, exported.Sources, 1)

		project := c.t.TempDir()                     // compose reads it to the end
		require.NoError(t, os.Chmod(project, 0o755)) // the containers have another user
		for name, text := range map[string]string{
			"migrations/default/1767225600000_stock/up.sql": "CREATE TABLE stock (id int PRIMARY KEY); INSERT INTO stock VALUES (7)",
			"metadata/version.yaml":                         "version: 3\n",
			"metadata/databases/databases.yaml": "- name: default\n  kind: postgres\n" +
				"  configuration: " + string(exported.Sources[0].Configuration) + "\n" +
				"  tables: [{table: {schema: public, name: stock}}]\n",
			"image.yml": "services: {apply: {image: " + c.project + "/" + engine + "}}\n",
		} {
			path := filepath.Join(project, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		c.env = append(c.env, "PROJECT="+project)
		c.with(filepath.Join(c.root, "deploy", "compose", "apply.yml"), filepath.Join(project, "image.yml"))
		for range 2 { // the second time there is nothing to do
			c.up("up", "-d")
			text, status, err := c.post("/v1/graphql", secret, `{"query": "{ stock { id } }"}`)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status, text)
			require.JSONEq(t, `{"data": {"stock": [{"id": 7}]}}`, text)
			c.must("docker", "compose", "down", "--timeout", "60")
		}
	})
}
