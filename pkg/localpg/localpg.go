package localpg

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"queryengine/pkg/dirlock"
)

// Names inside Config.Dir.
const (
	dataName     = "data"
	passwordName = "password"
	logName      = "postgresql.log"
)

// superuser is the database role that initdb makes.
const superuser = "postgres"

// Config configures the server.
type Config struct {
	// Dir holds the data directory, the password and the log. It is made when missing.
	Dir string
	// Durable makes commits survive a crash of the machine; without it the server is
	// several times faster, which is right for tests only.
	Durable bool
	// Settings are further server settings (max_connections, shared_preload_libraries).
	Settings map[string]string
	// Template is the Dir of a cluster that has never been started, unless it is empty. A new cluster is a copy of it, with its
	// password, which takes a tenth of the time.
	Template string
}

// Prepare makes the cluster when there is none, and starts nothing.
func Prepare(ctx context.Context, c Config) error {
	r, lock, err := c.open()
	if err != nil {
		return err
	}
	defer r.close()
	_, err = ensureCluster(ctx, r, c.Template)
	return errors.Join(err, lock.Close())
}

// Server is a running server.
type Server struct {
	dir      string
	port     int
	password string
	cmd      *exec.Cmd
	done     chan struct{}
	lock     *dirlock.Lock
}

// Start makes the cluster when there is none, starts its server, and returns when it
// accepts connections. ctx bounds the start only; the server runs until Stop. It fails with dirlock.ErrInUse when another process uses
// the directory.
func Start(ctx context.Context, c Config) (*Server, error) {
	r, lock, err := c.open()
	if err != nil {
		return nil, err
	}
	defer r.close()
	s, err := startIn(ctx, r, c)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.lock = lock
	return s, nil
}

func startIn(ctx context.Context, r *runner, c Config) (*Server, error) {
	password, err := ensureCluster(ctx, r, c.Template)
	if err != nil {
		return nil, err
	}
	bin, err := FindBinaries(ctx, clusterVersion(r.dir))
	if err != nil {
		return nil, err
	}
	// The port was free a moment ago; another process may take it in between.
	for attempt := 0; ; attempt++ {
		s, err := start(ctx, r, bin, c)
		if err == nil {
			s.password = password
			return s, nil
		}
		if attempt == 2 || !strings.Contains(err.Error(), "Address already in use") {
			return nil, err
		}
	}
}

// open makes the directory when it is missing, and keeps other processes out of it.
func (c Config) open() (*runner, *dirlock.Lock, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, nil, err
	}
	lock, err := dirlock.Take(dir, 0o700)
	if err != nil {
		return nil, nil, err
	}
	r, err := newRunner(dir)
	if err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	return r, lock, nil
}

// URL is the address of a database as the superuser. It holds the password, and says that the server has no TLS: a client that
// asks for it first costs the server a second process for each session.
func (s *Server) URL(database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, s.password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// PID is the process id of the server's first process, the parent of all its others.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Done is closed when the server has ended, by Stop or by itself.
func (s *Server) Done() <-chan struct{} { return s.done }

// Stop ends open connections and shuts the server down; when ctx is done first, at once,
// as after a crash. It is safe to call twice.
func (s *Server) Stop(ctx context.Context) error {
	defer s.unlock()
	select {
	case <-s.done:
		return nil
	default:
	}
	// SIGINT is PostgreSQL's "fast shutdown".
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		_ = s.cmd.Process.Signal(syscall.SIGQUIT)
		<-s.done
		return ctx.Err()
	}
}

// unlock lets others use the directory; a second time does nothing.
func (s *Server) unlock() {
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// clusterVersion is the major version of the data directory, 0 when there is none.
func clusterVersion(dir string) int {
	b, err := os.ReadFile(filepath.Join(dir, dataName, "PG_VERSION"))
	if err != nil {
		return 0
	}
	v, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return v
}

// unfinished is what a cluster is made under: one that has its name is whole.
const unfinished = dataName + ".new"

// ensureCluster makes the cluster when there is none and returns its password.
func ensureCluster(ctx context.Context, r *runner, template string) (string, error) {
	passwordFile := filepath.Join(r.dir, passwordName)
	if clusterVersion(r.dir) > 0 {
		return readPassword(passwordFile)
	}
	secret := make([]byte, 24)
	_, _ = rand.Read(secret) // never fails
	password := base64.RawURLEncoding.EncodeToString(secret)
	if template != "" {
		var err error
		if password, err = readPassword(filepath.Join(template, passwordName)); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(passwordFile, []byte(password+"\n"), 0o600); err != nil {
		return "", err
	}
	if err := r.own(passwordFile); err != nil {
		return "", err
	}
	if err := os.RemoveAll(filepath.Join(r.dir, unfinished)); err != nil {
		return "", err
	}
	cmd, err := r.making(ctx, template)
	if err != nil {
		return "", err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return password, os.Rename(filepath.Join(r.dir, unfinished), filepath.Join(r.dir, dataName))
}

func readPassword(path string) (string, error) {
	b, err := os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}

// making is the command that makes a cluster.
func (r *runner) making(ctx context.Context, template string) (*exec.Cmd, error) {
	if template != "" {
		// By this process itself, which, unlike the user that the server runs as, can enter all directories. The owner stays.
		return exec.CommandContext(ctx, "cp", "-pR", filepath.Join(template, dataName), filepath.Join(r.dir, unfinished)), nil
	}
	bin, err := FindBinaries(ctx, 0)
	if err != nil {
		return nil, err
	}
	return r.command(ctx, filepath.Join(bin.Dir, "initdb"),
		"--pgdata="+r.path(unfinished),
		"--username="+superuser,
		"--pwfile="+r.path(passwordName),
		"--auth=scram-sha-256",
		"--encoding=UTF8",
		"--locale=C.UTF-8",
		"--no-sync",
	), nil
}

func start(ctx context.Context, r *runner, bin Binaries, c Config) (*Server, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(r.dir, logName), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	settings := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    strconv.Itoa(port),
		"unix_socket_directories": "",
		"max_connections":         "300",
	}
	if !c.Durable {
		settings["fsync"] = "off"
		settings["synchronous_commit"] = "off"
		settings["full_page_writes"] = "off"
	}
	maps.Copy(settings, c.Settings)
	args := []string{"-D", r.path(dataName)}
	for _, k := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", k+"="+settings[k])
	}
	// The server outlives ctx.
	cmd := r.command(context.WithoutCancel(ctx), filepath.Join(bin.Dir, "postgres"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	s := &Server{dir: r.dir, port: port, cmd: cmd, done: make(chan struct{})}
	if err := runUntilDone(cmd, s.done); err != nil {
		return nil, err
	}
	if err := s.waitReady(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// waitReady waits until the server writes "ready" into its pid file, which is also what
// pg_ctl looks at.
func (s *Server) waitReady(ctx context.Context) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.done:
			log, _ := os.ReadFile(filepath.Join(s.dir, logName)) // detail of the error only
			return fmt.Errorf("PostgreSQL did not start in %s:\n%s", s.dir, strings.TrimSpace(string(log)))
		case <-ctx.Done():
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = s.Stop(stop)
			return fmt.Errorf("starting PostgreSQL: %w", ctx.Err())
		case <-tick.C:
			if s.ready() {
				return nil
			}
		}
	}
}

func (s *Server) ready() bool {
	b, err := os.ReadFile(filepath.Join(s.dir, dataName, "postmaster.pid"))
	if err != nil {
		return false
	}
	// The eighth line is the state. A file of a server that was killed has another pid.
	lines := strings.Split(string(b), "\n")
	return len(lines) >= 8 && lines[0] == strconv.Itoa(s.cmd.Process.Pid) && strings.TrimSpace(lines[7]) == "ready"
}

func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
