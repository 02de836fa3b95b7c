package command_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/dirlock"
	"queryengine/pkg/freeport"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	"queryengine/services/engine/internal/command"
	"queryengine/services/engine/sample"
)

// asEngine has the program of the tests be engine, for shells that call it.
const asEngine = "TEST_AS_ENGINE"

func TestMain(m *testing.M) {
	if os.Getenv(asEngine) != "" {
		shell := command.Shell{Out: os.Stdout, Errs: os.Stderr, Env: os.LookupEnv, Setenv: os.Setenv}
		os.Exit(shell.Run(context.Background(), os.Args[1:]))
	}
	dbtest.Main(m)
}

// shell runs one command with services that are only a gateway's face: health, and a
// metadata document that the test looks at.
type shell struct {
	command.Shell
	out, errs bytes.Buffer
	env       map[string]string
	names     []string
	face      *face
}

func newShell(t *testing.T, env map[string]string) *shell {
	t.Helper()
	s := &shell{env: env, face: &face{document: `{"version": 3, "sources": [{"tables": []}]}`}}
	s.Shell = command.Shell{
		Out: &s.out, Errs: &s.errs,
		Env: func(name string) (string, bool) {
			v, ok := s.env[name]
			return v, ok
		},
		Setenv: func(name, value string) error {
			s.env[name] = value
			return nil
		},
		Check: func(*config.Values, []string) error { return nil },
		Assemble: func(e *program.Env, names []string) (lifecycle.Service, error) {
			s.names = names
			s.face.host = config.ServerHost.Get(e.Values)
			s.face.port = config.ServerPort.Get(e.Values)
			return s.face, nil
		},
	}
	return s
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args      []string
		code      int
		out, errs string
	}{
		"none is serve":   {[]string{"--services", "gateway,kitchen"}, 2, "", "Only expecting list of comma separated services"},
		"unknown":         {[]string{"dance"}, 2, "", "engine: unknown command \"dance\" (see engine --help)\n"},
		"misspelt":        {[]string{"srve"}, 2, "", "engine: unknown command \"srve\"; did you mean \"serve\"? (see engine --help)\n"},
		"misspelt second": {[]string{"metadata", "aply"}, 2, "", "engine: unknown command \"aply\" of metadata; did you mean \"apply\"? (see engine metadata --help)\n"},
		"misspelt third":  {[]string{"metadata", "inconsistency", "lst"}, 2, "", "engine: unknown command \"lst\" of metadata inconsistency; did you mean \"list\"?"},
		"misspelt secret": {[]string{"secrets", "shwo", "dir"}, 2, "", "engine: unknown command \"shwo\" of secrets; did you mean \"show\"?"},
		"no second":       {[]string{"seed"}, 2, "", "engine: seed needs a command: apply, create (see engine seed --help)\n"},
		"misspelt option": {[]string{"metadata", "apply", "--dry-rnu"}, 2, "", "engine: unknown argument \"--dry-rnu\"; did you mean \"--dry-run\"? (see --help)\n"},
		"help of a group": {[]string{"migrate", "--help"}, 0, "engine migrate create|apply|status|squash", ""},
		"help of apply":   {[]string{"metadata", "apply", "--help"}, 0, "-dry-run", ""},
		"help command":    {[]string{"help", "serve"}, 0, "Usage: engine serve [OPTION...]", ""},
		"help of secrets": {[]string{"secrets", "--help"}, 0, "Usage: engine secrets COMMAND", ""},
		"serve --version": {[]string{"serve", "--version"}, 0, "engine 0.4.0", ""},
		"help":            {[]string{"--help"}, 0, "Usage: engine COMMAND", ""},
		"help of serve":   {[]string{"serve", "--help"}, 0, "Usage: engine serve [OPTION...]", ""},
		"version":         {[]string{"version"}, 0, "engine 0.4.0", ""},
		"unknown option":  {[]string{"serve", "--dance"}, 2, "", `engine: unknown argument "--dance"`},
		"unknown service": {[]string{"serve", "--services", "gateway,kitchen"}, 2, "", "Only expecting list of comma separated services"},
		"help of service": {[]string{"service", "--help"}, 0, "Usage: engine service NAME", ""},
		"help of echo":    {[]string{"echo", "--help"}, 0, "Usage: engine echo [OPTION...]", ""},
		"misspelt echo":   {[]string{"echo", "--adress", "x"}, 2, "", "engine: unknown argument \"--adress\"; did you mean \"--address\"? (see --help)\n"},
		"no value":        {[]string{"echo", "--status"}, 2, "", "engine: option --status needs a value (see --help)\n"},
		"no direction":    {[]string{"migrate", "apply", "--type", "left"}, 2, "", "engine: option --type: \"left\" is not up or down (see --help)\n"},
		"no switch":       {[]string{"migrate", "apply", "--dry-run=maybe"}, 2, "", "engine: option --dry-run: parse error (see --help)\n"},
		"no shell":        {[]string{"completion", "bush"}, 2, "", "engine: unknown command \"bush\" of completion; did you mean \"bash\"? (see engine completion --help)\n"},
		"which shell":     {[]string{"completion"}, 2, "", "engine: completion needs a shell: bash, zsh, fish (see engine completion --help)\n"},
		"no such status":  {[]string{"echo", "--status", "/x=ok"}, 2, "", "engine: option --status: \"ok\" is not a status from 200 to 599 (see --help)\n"},
		"more than echo":  {[]string{"echo", "this"}, 2, "", "engine: unknown argument \"this\" (see engine echo --help)\n"},
		"empty address":   {[]string{"dev", "--database-url", ""}, 1, "", "engine: --database-url (ENGINE_GRAPHQL_DATABASE_URL): empty string not allowed"},
		"empty address =": {[]string{"dev", "--database-url="}, 1, "", "engine: --database-url (ENGINE_GRAPHQL_DATABASE_URL): empty string not allowed"},
		"help of dev":     {[]string{"dev", "--help"}, 0, "\n  --track-all\n        track all tables of the database", ""},
		"switch of dev":   {[]string{"dev", "--sample=true", "--server-port", "x"}, 2, "", "engine: option --server-port: "},
		"no such switch":  {[]string{"dev", "--sample=maybe"}, 2, "", "engine: option --sample: parse error (see --help)\n"},
		"no file":         {[]string{"dev", "--sqlite"}, 2, "", "engine: option --sqlite needs a value (see --help)\n"},
		"empty file":      {[]string{"dev", "--sqlite="}, 2, "", "engine: option --sqlite: expected the path of a file (see --help)\n"},
		"foreign host":    {[]string{"dev", "--server-host", "192.0.2.1"}, 1, "", "engine: --server-host (ENGINE_GRAPHQL_SERVER_HOST): not an address of this machine: "},
		"no server there": {[]string{"health", "--server-port", "1"}, 1, "", "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, map[string]string{})
			require.Equal(t, c.code, s.Run(t.Context(), c.args))
			require.Contains(t, s.out.String(), c.out)
			require.Contains(t, s.errs.String(), c.errs)
		})
	}
}

func TestServeRunsTheChosenServices(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := newShell(t, map[string]string{"ENGINE_GRAPHQL_DATA_DIR": t.TempDir()})
	s.face.onStart = cancel
	require.Zero(t, s.Run(ctx, []string{"serve", "--services", "gateway,query-executor", "--server-host", "127.0.0.1", "--server-port", freeport.Text(t)}), s.errs.String())
	require.Equal(t, []string{"gateway", "query-executor"}, s.names)
	require.Equal(t, lifecycle.ErrStopped, s.face.Status())
}

// TestDevOffersTheSampleOnce: into an empty database, with metadata that tracks nothing, on
// the first start only.
func TestDevOffersTheSampleOnce(t *testing.T) {
	t.Parallel()
	url, dir := dbtest.URL(t), t.TempDir()
	start := func() *shell {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newShell(t, map[string]string{"ENGINE_GRAPHQL_DATABASE_URL": url, "ENGINE_GRAPHQL_DATA_DIR": dir})
		s.Out = writerFunc(func(p []byte) (int, error) {
			if bytes.Contains(p, []byte("Ctrl-C")) {
				cancel()
			}
			return s.out.Write(p)
		})
		require.Zero(t, s.Run(ctx, []string{"dev", "--sample", "--server-port", freeport.Text(t)}), s.errs.String())
		require.Equal(t, "127.0.0.1", s.face.host, "there is no secret")
		return s
	}
	first := start()
	loaded, err := sample.Loaded(t.Context(), url)
	require.NoError(t, err)
	require.True(t, loaded)
	require.Contains(t, first.face.replaced(), `"name":"playlist_tracks"`)
	require.Contains(t, first.out.String(), "curl http://127.0.0.1:")

	require.Empty(t, start().face.replaced(), "the second start")
}

func TestDevLeavesADatabaseWithTablesAlone(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	require.NoError(t, sample.Load(t.Context(), url, sample.Small))
	s := newShell(t, map[string]string{"ENGINE_GRAPHQL_DATABASE_URL": url, "ENGINE_GRAPHQL_DATA_DIR": t.TempDir()})
	s.face.document = `{"version": 3, "sources": [{"tables": [{}]}]}`
	s.face.err = errors.New("port in use")
	require.Equal(t, 1, s.Run(t.Context(), []string{"dev", "--sample"}))
	require.Equal(t, "engine: port in use\n", s.errs.String())
	require.NotContains(t, s.out.String(), "loading the sample")
}

// TestPortThatIsTaken is noticed before anything is made in a database.
func TestPortThatIsTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	url := dbtest.URL(t)
	s := newShell(t, map[string]string{"ENGINE_GRAPHQL_DATABASE_URL": url, "ENGINE_GRAPHQL_DATA_DIR": t.TempDir()})
	require.Equal(t, 1, s.Run(t.Context(), []string{"dev", "--server-port", port}))
	require.Contains(t, s.errs.String(), "engine: --server-port (ENGINE_GRAPHQL_SERVER_PORT): cannot listen: ")
	empty, err := sample.Empty(t.Context(), url)
	require.NoError(t, err)
	require.True(t, empty)
}

// TestWelcomeHasCommandsThatWork: with a secret that is no variable of the reader's shell, too.
func TestWelcomeHasCommandsThatWork(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{"": `admin-secret: SECRET"`, "topsecret": `admin-secret: $ENGINE_GRAPHQL_ADMIN_SECRET"`} {
		ctx, cancel := context.WithCancel(t.Context())
		s := newShell(t, map[string]string{"ENGINE_GRAPHQL_DATABASE_URL": dbtest.URL(t), "ENGINE_GRAPHQL_DATA_DIR": t.TempDir()})
		args := []string{"dev", "--server-port", freeport.Text(t)}
		if variable == "" {
			args = append(args, "--admin-secret", "topsecret")
		} else {
			s.env["ENGINE_GRAPHQL_ADMIN_SECRET"] = variable
		}
		s.Out = writerFunc(func(p []byte) (int, error) {
			if bytes.Contains(p, []byte("Ctrl-C")) {
				cancel()
			}
			return s.out.Write(p)
		})
		require.Zero(t, s.Run(ctx, args), s.errs.String())
		require.Contains(t, s.out.String(), want)
		require.NotContains(t, s.out.String(), "topsecret")
		cancel()
	}
}

// TestCausesOfInconsistencies are printed where the server names them.
func TestCausesOfInconsistencies(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"is_consistent":false,"inconsistent_objects":[
			{"type":"remote_schema","name":"remote_schema charts","reason":"Inconsistent object: HTTP exception","message":{"type":"connection_failure","message":"Connection failure: connection refused"}},
			{"type":"table","name":"table none","reason":"Inconsistent object: no such table","message":"no such table"}]}`)
	}))
	defer server.Close()
	s := newShell(t, nil)
	require.Zero(t, s.Run(t.Context(), []string{"metadata", "inconsistency", "list", "--project", t.TempDir(), "--endpoint", server.URL}), s.errs.String())
	require.Equal(t, "remote_schema\tremote_schema charts\tInconsistent object: HTTP exception: Connection failure: connection refused\n"+
		"table\ttable none\tInconsistent object: no such table\n", s.out.String())
}

// TestMigrationsNeedAProject: in a directory that has nothing of one, nothing isn't done in silence.
func TestMigrationsNeedAProject(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"apply", "status"} {
		s := newShell(t, nil)
		require.Equal(t, 1, s.Run(t.Context(), []string{"migrate", command, "--project", t.TempDir()}))
		require.Contains(t, s.errs.String(), "this is not a project directory")
	}
}

// TestSampleKeepsTheAddressOfItsSource: an installation that reads its secrets from files has no
// variable with the address.
func TestSampleKeepsTheAddressOfItsSource(t *testing.T) {
	t.Parallel()
	url, dir := dbtest.URL(t), t.TempDir()
	var replaced []byte
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case bytes.Contains(body, []byte("export_metadata")):
			_, _ = io.WriteString(w, `{"version": 3, "sources": [{"name": "default", "tables": [],
				"configuration": {"connection_info": {"database_url": "postgres://kept"}}}]}`)
		case r.Header.Get("X-Engine-Admin-Secret") != "it":
			w.WriteHeader(http.StatusOK) // of /healthz
		default:
			replaced = body
		}
	}))
	defer gateway.Close()
	_, port, err := net.SplitHostPort(gateway.Listener.Addr().String())
	require.NoError(t, err)
	run := func() {
		s := newShell(t, map[string]string{
			"ENGINE_GRAPHQL_DATABASE_URL": url, "ENGINE_GRAPHQL_DATA_DIR": dir, "ENGINE_GRAPHQL_ADMIN_SECRET": "it",
			"ENGINE_GRAPHQL_SERVER_HOST": "127.0.0.1", "ENGINE_GRAPHQL_SERVER_PORT": port,
		})
		require.Zero(t, s.Run(t.Context(), []string{"sample"}), s.errs.String())
	}
	run()
	loaded, err := sample.Loaded(t.Context(), url)
	require.NoError(t, err)
	require.True(t, loaded)
	require.Contains(t, string(replaced), `"database_url":"postgres://kept"`)
	require.Contains(t, string(replaced), `playlist_tracks`)
	replaced = nil
	run()
	require.Empty(t, replaced, "it is offered once")
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestDirectoryThatIsInUse: a second engine dev in a directory says which setting gives it another one.
func TestDirectoryThatIsInUse(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{"database": "postgresql", "NATS": "nats"} {
		dir := t.TempDir()
		lock, err := dirlock.Take(filepath.Join(dir, part), 0o700)
		require.NoError(t, err)
		args := []string{"dev", "--data-dir", dir, "--server-port", freeport.Text(t)}
		if part == "nats" {
			args = append(args, "--database-url", "postgres://127.0.0.1:1/none")
		}
		s := newShell(t, map[string]string{})
		require.Equal(t, 1, s.Run(t.Context(), args), name)
		require.Contains(t, s.errs.String(), "engine: --data-dir (ENGINE_GRAPHQL_DATA_DIR): ", name)
		require.Contains(t, s.errs.String(), "is in use by another process\n", name)
		require.NoError(t, lock.Close())
	}
}

// TestDirectoryThatCannotBeWritten: PostgreSQL's part of it may be of another user.
func TestDirectoryThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "postgresql"), 0o500))
	s := newShell(t, map[string]string{})
	require.Equal(t, 1, s.Run(t.Context(), []string{"dev", "--data-dir", dir, "--server-port", freeport.Text(t)}))
	require.Contains(t, s.errs.String(), "engine: --data-dir (ENGINE_GRAPHQL_DATA_DIR): ")
}

// TestInterruptedStartIsNoFailure: Ctrl-C while PostgreSQL is set up.
func TestInterruptedStartIsNoFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newShell(t, map[string]string{})
	require.Zero(t, s.Run(ctx, []string{"dev", "--data-dir", t.TempDir(), "--server-port", freeport.Text(t)}))
	require.Empty(t, s.errs.String())
}

// TestVariablesOfAnotherEngine: a project's commands say that they ignore them, until its name is a setting.
func TestVariablesOfAnotherEngine(t *testing.T) {
	t.Parallel()
	for environment, want := range map[string]string{
		"ACME_GRAPHQL_ADMIN_SECRET=s\n":                                             "warning: variables ACME_GRAPHQL_\\* are ignored: set ENGINE_GRAPHQL_VENDOR_NAMES to acme\n",
		"ACME_GRAPHQL_ADMIN_SECRET=s\nENGINE_GRAPHQL_ADMIN_SECRET=t\n":              "",
		"ACME_GRAPHQL_ADMIN_SECRET=s\nENGINE_GRAPHQL_VENDOR_NAMES=acme\n":           "",
		"SHOP_GRAPHQL_ENDPOINT=http://shop.example\nACME_GRAPHQL_ADMIN_SECRETS=x\n": "",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), []byte(environment), 0o600))
		s := newShell(t, nil)
		require.Equal(t, 1, s.Run(t.Context(), []string{"metadata", "reload", "--project", dir, "--endpoint", "http://127.0.0.1:1"}))
		require.Regexp(t, "^"+want+"engine: the server can't be reached: ", s.errs.String(), environment)
	}
}
