package program_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
)

// fake is a service that reports what happens to it.
type fake struct {
	state   lifecycle.State
	err     error
	onStart func()
	stopped bool
	sick    atomic.Bool
}

func (*fake) Name() string { return "fake" }

func (f *fake) Start(context.Context) error {
	return f.state.Start(func() error {
		if f.onStart != nil {
			f.onStart()
		}
		return f.err
	})
}

func (f *fake) Started() <-chan struct{} { return f.state.Started() }
func (f *fake) Stop()                    { f.state.Stop(func() { f.stopped = true }) }

func (f *fake) Status() error {
	if f.sick.Load() {
		return errors.New("the database is away")
	}
	return f.state.Status()
}

func checked(*config.Values) error { return nil }

type result struct {
	code      int
	out, errs string
}

func run(t *testing.T, ctx context.Context, f *fake, settings map[string]string, args ...string) result { //nolint:revive // t comes first
	t.Helper()
	var out, errs bytes.Buffer
	env := func(name string) (string, bool) { v, ok := settings[name]; return v, ok }
	code := program.Run(ctx, config.Scheduler, args, env, &out, &errs, checked, func(*program.Env) (lifecycle.Service, error) { return f, nil })
	return result{code, out.String(), errs.String()}
}

func TestServiceRunsUntilTheSignal(t *testing.T) {
	t.Parallel()
	nats, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1})
	require.NoError(t, err)
	t.Cleanup(nats.Stop)
	settings := map[string]string{"ENGINE_GRAPHQL_NATS_URL": nats.ClientURL()}

	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{onStart: cancel}
	r := run(t, ctx, f, settings)
	require.Zero(t, r.code, r.errs)
	require.True(t, f.stopped)
	require.Contains(t, r.out, `"kind":"server","info":{"message":"stopped"`)
	require.Empty(t, r.errs)

	r = run(t, t.Context(), &fake{err: errors.New("the database is away")}, settings)
	require.Equal(t, 1, r.code)
	require.Equal(t, "scheduler: the database is away\n", r.errs)
}

func TestWhatEndsAProgramAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings map[string]string
		args     []string
		want     result
	}{
		"health without a port": {
			args: []string{"health"},
			want: result{1, "", "scheduler: scheduler has no /healthz: set --status-port\n"},
		},
		"version":       {args: []string{"version"}, want: result{0, "scheduler 0.4.0\n", ""}},
		"version flag":  {args: []string{"--version"}, want: result{0, "scheduler 0.4.0\n", ""}},
		"unknown flag":  {args: []string{"--nope"}, want: result{2, "", "scheduler: unknown argument \"--nope\" (see --help)\n"}},
		"misspelt flag": {args: []string{"--nats-ulr=x"}, want: result{2, "", "scheduler: unknown argument \"--nats-ulr\"; did you mean \"--nats-url\"? (see --help)\n"}},
		"misspelt":      {args: []string{"verison"}, want: result{2, "", "scheduler: unknown command \"verison\"; did you mean \"version\"? (see --help)\n"}},
		"no NATS given": {want: result{1, "", "scheduler: no NATS server: set --nats-url or ENGINE_GRAPHQL_NATS_URL\n"}},
		"wrong value": {
			settings: map[string]string{"ENGINE_GRAPHQL_STATUS_PORT": "x"},
			want:     result{1, "", "scheduler: ENGINE_GRAPHQL_STATUS_PORT: Only expecting a value between 0 and 65535\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, run(t, t.Context(), &fake{}, c.settings, c.args...))
		})
	}
	for _, help := range []string{"--help", "-h", "help"} {
		r := run(t, t.Context(), &fake{}, nil, help)
		require.Zero(t, r.code)
		require.Contains(t, r.out, "Usage: scheduler [version|health|completion] [OPTION...]")
		require.Contains(t, r.out, "--nats-url")
	}
}

// notice ends a context with the first line that holds a text.
type notice struct {
	bytes.Buffer
	text   string
	cancel func()
}

func (n *notice) Write(p []byte) (int, error) {
	count, err := n.Buffer.Write(p)
	if bytes.Contains(n.Bytes(), []byte(n.text)) {
		n.cancel()
	}
	return count, err
}

// TestFaultsAreLines: everything that is wrong with settings is reported before anything is waited for,
// a line each and once.
func TestFaultsAreLines(t *testing.T) {
	t.Parallel()
	run := func(check program.Check, env map[string]string, args ...string) result {
		var out, errs bytes.Buffer
		code := program.Run(t.Context(), config.Scheduler, args, func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			&out, &errs, check, nil)
		return result{code, out.String(), errs.String()}
	}
	missing := errors.New("no database")
	check := func(*config.Values) error {
		both := fmt.Errorf("%w: %w", missing, errors.New("really"))
		return errors.Join(missing, errors.Join(apierror.New(apierror.StartFailed, "bad key"), missing), both)
	}
	require.Equal(t, result{1, "", "scheduler: no database\nscheduler: bad key\nscheduler: no database: really\n"}, run(check, nil))

	require.Equal(t, result{2, "", "scheduler: ENGINE_GRAPHQL_STATUS_PORT: Only expecting a value between 0 and 65535\n" +
		"scheduler: option --log-level: Valid log levels: debug, info, warn or error (see --help)\n" +
		"scheduler: unknown argument \"--nope\" (see --help)\n"},
		run(check, map[string]string{"ENGINE_GRAPHQL_STATUS_PORT": "x"}, "--log-level=loud", "--nope"))
}

func TestAbsentNATSIsNamed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, errs := notice{text: "waiting for NATS", cancel: cancel}, bytes.Buffer{}
	code := program.Run(ctx, config.Scheduler, []string{"--nats-url", "nats://scheduler:topsecret@127.0.0.1:1"},
		func(string) (string, bool) { return "", false }, &out, &errs, checked, nil)
	require.Equal(t, 1, code)
	require.Contains(t, out.String(), `"servers":"127.0.0.1:1"`)
	require.Contains(t, errs.String(), "cannot connect to NATS at 127.0.0.1:1")
	require.NotContains(t, out.String()+errs.String(), "topsecret")
}

func TestHealthCommand(t *testing.T) {
	t.Parallel()
	nats, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(nats.Stop)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	require.NoError(t, l.Close())
	settings := map[string]string{"ENGINE_GRAPHQL_NATS_URL": nats.ClientURL(), "ENGINE_GRAPHQL_STATUS_PORT": port}

	require.Equal(t, 1, run(t, t.Context(), &fake{}, settings, "health").code, "nothing runs yet")

	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{}
	done := make(chan result, 1)
	go func() { done <- run(t, ctx, f, settings) }()
	select {
	case <-f.Started():
	case r := <-done:
		t.Fatal(r)
	}
	r := run(t, t.Context(), &fake{}, settings, "health")
	require.Equal(t, result{0, "", ""}, r)
	f.sick.Store(true)
	r = run(t, t.Context(), &fake{}, settings, "health")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.errs, "the database is away")
	cancel()
	require.Zero(t, (<-done).code)
}

func TestHealthCommandOverTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	v, err := config.Load(config.Gateway, []string{
		"--tls-certificate", "c", "--server-port", strconv.Itoa(server.Listener.Addr().(*net.TCPAddr).Port),
	}, func(string) (string, bool) { return "", false }, io.Discard)
	require.NoError(t, err)
	require.NoError(t, program.Health(t.Context(), config.Gateway, v))
}

func TestProgramsOfServicesCompleteTheirOptions(t *testing.T) {
	t.Parallel()
	complete := func(words ...string) string {
		r := run(t, t.Context(), &fake{}, nil, append([]string{"__complete"}, words...)...)
		require.Zero(t, r.code)
		return r.out
	}
	require.Contains(t, complete("--log-f"), "--log-format\thow log lines are written")
	require.Equal(t, "json\t\n", complete("--log-format", "j"))
	require.Empty(t, complete("--tls-k"), "a setting of another service")
	require.Equal(t, "health\t\nhelp\t\n", complete("he"))
	r := run(t, t.Context(), &fake{}, nil, "completion", "bash")
	require.Zero(t, r.code)
	require.Contains(t, r.out, "complete -o default -F _scheduler_complete scheduler\n")
	r = run(t, t.Context(), &fake{}, nil, "completion", "bush")
	require.Equal(t, result{2, "", "scheduler: there is no completion for \"bush\", but for bash, zsh, fish\n"}, r)
}
