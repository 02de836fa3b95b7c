package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/freeport"
	"queryengine/pkg/logtest"
)

// programs is the directory of the built programs.
var programs string

// names of the programs, as of their services.
const (
	gateway       = "gateway"
	metadata      = "metadata"
	executor      = "query-executor"
	eventDelivery = "event-delivery"
	scheduler     = "scheduler"
	engine        = "engine"
)

const (
	startLimit = 2 * time.Minute
	stopLimit  = time.Minute
	secret     = "a secret of the tests"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if dir := os.Getenv(natsDirVariable); dir != "" {
		return serveNATS(dir)
	}
	var err error
	if programs, err = os.MkdirTemp("", "e2e-"); err == nil {
		defer os.RemoveAll(programs)
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the programs:", err)
		return 1
	}
	return dbtest.Run(m)
}

// build makes the programs, of which this run gets files of its own. They are built in a place that stays, where go links only those that
// are out of date.
func build() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	at, err := os.Getwd()
	if err != nil {
		return err
	}
	// Another checkout has other programs.
	stay := filepath.Join(cache, "queryengine-e2e", fmt.Sprintf("%x", sha256.Sum256([]byte(at)))[:16])
	if err := os.MkdirAll(stay, 0o700); err != nil {
		return err
	}
	lock, err := os.Create(filepath.Join(stay, "lock"))
	if err != nil {
		return err
	}
	defer lock.Close()                                                     // releases it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil { //nolint:gosec // a file number
		return err
	}
	// With the flags of make build, so that everything is compiled once.
	args := []string{"build", "-trimpath", "-o", stay + "/"}
	names := []string{gateway, metadata, executor, eventDelivery, scheduler, engine}
	for _, name := range names {
		args = append(args, "queryengine/services/"+name+"/cmd/"+name)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	for _, name := range names {
		// go replaces a file that it builds again; it doesn't write into the one that runs.
		if os.Link(filepath.Join(stay, name), filepath.Join(programs, name)) == nil {
			continue
		}
		if out, err := exec.Command("cp", filepath.Join(stay, name), programs).CombinedOutput(); err != nil { // on another file system
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
}

// cluster is one installation: databases, NATS, and processes of services.
type cluster struct {
	t           *testing.T
	nats        *natsserver.Server
	natsDir     string
	natsPort    int
	databaseURL string // the source default
	metadataURL string
	settings    map[string]string
}

// newCluster makes the databases and NATS; services are started one by one.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	nats, err := natsserver.Start(natsserver.Config{Dir: dir, Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(nats.Stop)
	c := clusterOn(t, nats.ClientURL())
	c.nats, c.natsDir, c.natsPort = nats, dir, nats.Port()
	return c
}

// clusterOn makes the databases of an installation whose NATS is at that address.
func clusterOn(t *testing.T, nats string) *cluster {
	t.Helper()
	c := &cluster{t: t}
	c.databaseURL, c.metadataURL = dbtest.URL(t), dbtest.URL(t)
	c.settings = map[string]string{
		"ENGINE_GRAPHQL_NATS_URL":              nats,
		"ENGINE_GRAPHQL_DATABASE_URL":          c.databaseURL,
		"ENGINE_GRAPHQL_METADATA_DATABASE_URL": c.metadataURL,
		"ENGINE_GRAPHQL_ADMIN_SECRET":          secret,
		"ENGINE_GRAPHQL_SERVER_HOST":           "127.0.0.1",
	}
	return c
}

// startAll starts one of each service and returns the gateway.
func (c *cluster) startAll() *process {
	c.t.Helper()
	c.start(metadata)
	c.start(executor)
	c.start(eventDelivery)
	c.start(scheduler)
	return c.start(gateway)
}

// start starts one process of a service and waits until it is healthy.
func (c *cluster) start(name string, settings ...string) *process {
	c.t.Helper()
	p := c.launch(name, settings...)
	p.awaitHealthy()
	return p
}

// launch starts one process of a service. Settings are NAME=VALUE without the prefix of the
// names.
func (c *cluster) launch(name string, settings ...string) *process {
	c.t.Helper()
	port := freeport.Text(c.t)
	env := maps.Clone(c.settings)
	if name == gateway { // whose port for clients has all that is requested
		env["ENGINE_GRAPHQL_SERVER_PORT"] = port
	} else {
		env["ENGINE_GRAPHQL_STATUS_PORT"] = port
	}
	p := &process{t: c.t, name: name, url: "http://127.0.0.1:" + port, done: make(chan struct{})}
	p.cmd = exec.Command(filepath.Join(programs, name))
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for k, v := range env {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	for _, s := range settings {
		p.cmd.Env = append(p.cmd.Env, "ENGINE_GRAPHQL_"+s)
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.run()
	return p
}

// process is a running program.
type process struct {
	t    *testing.T
	name string
	url  string
	cmd  *exec.Cmd
	log  logtest.Buffer
	done chan struct{}
}

func (p *process) run() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait() // how it ended is for the tests to ask
		close(p.done)
	}()
	p.t.Cleanup(func() {
		p.signal(syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(stopLimit):
			p.signal(syscall.SIGKILL)
			p.t.Errorf("%s did not stop within %s", p.name, stopLimit)
		}
		if p.t.Failed() {
			p.t.Logf("log of %s:\n%s", p.name, p.log.Tail())
		}
	})
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) } // it may have ended

// stop ends the process in order.
func (p *process) stop() {
	p.signal(syscall.SIGTERM)
	<-p.done
}

// kill ends the process as a crash does.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// awaitHealthy waits until /healthz answers 200.
func (p *process) awaitHealthy() {
	p.t.Helper()
	last := "no answer"
	eventually(p.t, startLimit, func() bool {
		select {
		case <-p.done:
			p.t.Fatalf("%s has ended:\n%s", p.name, p.log.Tail())
		default:
		}
		r, err := p.get("/healthz")
		if err == nil {
			last = r.text()
		}
		return err == nil && r.status == http.StatusOK
	}, func() string { return p.name + " is not healthy: " + last })
}

// rss is the process's resident memory.
func (p *process) rss() int {
	p.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	pages, err := strconv.Atoi(string(bytes.Fields(b)[1]))
	require.NoError(p.t, err)
	return pages * os.Getpagesize()
}

// eventually asks until the answer is yes.
func eventually(t *testing.T, limit time.Duration, ask func() bool, otherwise func() string) {
	t.Helper()
	for deadline := time.Now().Add(limit); !ask(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(otherwise())
		}
	}
}
