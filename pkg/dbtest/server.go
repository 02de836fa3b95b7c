package dbtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"queryengine/pkg/localpg"
)

// image is what runs where Docker is there; the oldest version that we support.
const image = "postgres:15"

// memory is a file system in memory, where there is one, and memoryNeeded what has to be free there for the databases
// of tests that run at the same time.
const (
	memory       = "/dev/shm"
	memoryNeeded = 4 << 30
)

// Server is a PostgreSQL server for tests. It keeps nothing when it stops.
type Server struct {
	// URL is the address of its database postgres as a superuser.
	URL  string
	stop func(context.Context) error
}

// Stop stops the server and removes its data.
func (s *Server) Stop(ctx context.Context) error { return s.stop(ctx) }

// Start starts a server of its own: a container where a Docker daemon answers and has or
// gets the image, else one from local binaries, which are installed where that is possible.
func Start(ctx context.Context) (*Server, error) { return start(ctx, nil) }

func start(ctx context.Context, settings map[string]string) (*Server, error) {
	containerErr := errOnlyLocal
	if os.Getenv(onlyLocalVariable) == "" {
		var server *Server
		if server, containerErr = startContainer(ctx, settings); containerErr == nil {
			return server, nil
		}
	}
	server, localErr := startLocal(ctx, settings)
	if localErr == nil {
		return server, OnlyLocal() // Docker may take a minute to fail
	}
	return nil, fmt.Errorf("%s is not set; container: %w; local server: %w", Variable, containerErr, localErr)
}

// onlyLocalVariable is set where no server is a container.
const onlyLocalVariable = "ENGINE_TEST_ONLY_LOCAL"

var errOnlyLocal = errors.New("not tried, because of " + onlyLocalVariable)

// OnlyLocal keeps this process and its later children from trying containers.
func OnlyLocal() error { return os.Setenv(onlyLocalVariable, "yes") }

// StartLocal is Start from local binaries: for extensions and locales that images lack.
func StartLocal(ctx context.Context) (*Server, error) { return startLocal(ctx, nil) }

func startLocal(ctx context.Context, settings map[string]string) (*Server, error) {
	say := func(what string) { fmt.Fprintln(os.Stderr, "dbtest:", what) }
	if err := localpg.Ensure(ctx, say); err != nil {
		return nil, err
	}
	dir, err := tempDir()
	if err != nil {
		return nil, err
	}
	s, err := localpg.Start(ctx, localpg.Config{Dir: dir, Settings: withQuiet(settings), Template: Cluster()})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Server{
		URL: s.URL("postgres"),
		stop: func(ctx context.Context) error {
			return errors.Join(s.Stop(ctx), os.RemoveAll(dir))
		},
	}, nil
}

// clusterVariable names the cluster that those of tests are copies of: a directory as localpg.Config.Template.
const clusterVariable = "ENGINE_TEST_CLUSTER"

// Cluster is the template of the clusters that tests start servers on: the one that ShareCluster made, or none.
func Cluster() string { return os.Getenv(clusterVariable) }

// ShareCluster makes a cluster that this process and those that it starts take as their template, and returns what removes it. Where
// this machine has no PostgreSQL, or they have a template already, it does nothing.
func ShareCluster(ctx context.Context) (remove func() error, err error) {
	nothing := func() error { return nil }
	if Cluster() != "" {
		return nothing, nil
	}
	dir, err := tempDir()
	if err != nil {
		return nothing, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	if err := localpg.Prepare(ctx, localpg.Config{Dir: dir}); err != nil {
		err = errors.Join(err, remove())
		if errors.Is(err, localpg.ErrNoBinaries) {
			err = nil
		}
		return nothing, err
	}
	return remove, os.Setenv(clusterVariable, dir)
}

// withQuiet adds what keeps a server from work that tests don't need: to compile statements over tables without statistics, whose
// costs it can't know, and to look after hundreds of short-lived databases.
func withQuiet(settings map[string]string) map[string]string {
	all := map[string]string{"jit": "off", "autovacuum": "off"}
	maps.Copy(all, settings)
	return all
}

// tempDir makes the directory of a server, in memory where enough of it is free: to make and drop a database there costs a fourth.
func tempDir() (string, error) {
	if localpg.FreeSpace(memory) >= memoryNeeded {
		if dir, err := os.MkdirTemp(memory, "dbtest-"); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", "dbtest-")
}

func startContainer(ctx context.Context, settings map[string]string) (*Server, error) {
	if err := dockerAnswers(ctx); err != nil {
		return nil, err
	}
	password := rand.Text()
	command := []string{"postgres", "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=300"}
	for name, value := range withQuiet(settings) {
		command = append(command, "-c", name+"="+value)
	}
	c, err := testcontainers.Run(ctx, image,
		testcontainers.WithExposedPorts("5432/tcp"),
		testcontainers.WithEnv(map[string]string{"POSTGRES_PASSWORD": password}),
		testcontainers.WithCmd(command...),
		// The image starts the server twice: first without a port, to set it up.
		testcontainers.WithWaitStrategyAndDeadline(time.Minute,
			wait.ForLog("database system is ready to accept connections").WithOccurrence(2),
			wait.ForListeningPort("5432/tcp").SkipInternalCheck()),
	)
	if err != nil {
		return nil, errors.Join(err, testcontainers.TerminateContainer(c))
	}
	host, err := c.PortEndpoint(ctx, "5432/tcp", "")
	if err != nil {
		return nil, errors.Join(err, testcontainers.TerminateContainer(c))
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", password), Host: host, Path: "/postgres", RawQuery: "sslmode=disable"}
	return &Server{
		URL:  u.String(),
		stop: func(ctx context.Context) error { return c.Terminate(ctx) },
	}, nil
}

// Image is a database of another kind that speaks PostgreSQL's protocol, as a container.
type Image struct {
	Name string
	// Port is the container's, as in 5432/tcp.
	Port string
	Env  map[string]string
	Cmd  []string
	// Ready is what the log says when connections are taken, Times how often until then.
	Ready string
	Times int
	// URL is the address of a database whose user may create others, without host and port.
	URL url.URL
}

// imageLimit is how long an image may take to come and to start.
const imageLimit = 5 * time.Minute

// ImageURL starts a container for the test and returns the address of its database. It skips the test, and
// says why, where no Docker daemon answers or the image isn't available.
func ImageURL(t testing.TB, i Image) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), imageLimit)
	defer cancel()
	if err := dockerAnswers(ctx); err != nil {
		t.Skipf("not tried on %s: %v", i.Name, err)
	}
	c, err := testcontainers.Run(ctx, i.Name,
		testcontainers.WithExposedPorts(i.Port), testcontainers.WithEnv(i.Env), testcontainers.WithCmd(i.Cmd...),
		testcontainers.WithWaitStrategyAndDeadline(imageLimit, wait.ForLog(i.Ready).WithOccurrence(i.Times)),
	)
	t.Cleanup(func() { _ = testcontainers.TerminateContainer(c) })
	if err != nil {
		t.Skipf("not tried on %s: %v", i.Name, err)
	}
	host, err := c.PortEndpoint(ctx, i.Port, "")
	if err != nil {
		t.Fatal(err)
	}
	u := i.URL
	u.Host = host
	return u.String()
}

func dockerAnswers(ctx context.Context) error {
	p, err := testcontainers.NewDockerProvider()
	if err != nil {
		return fmt.Errorf("no Docker daemon: %w", err)
	}
	defer p.Close()
	if err := p.Health(ctx); err != nil {
		return fmt.Errorf("no Docker daemon: %w", err)
	}
	return nil
}
