package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"queryengine/pkg/completion"
	"queryengine/pkg/config"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/logtype"
	"queryengine/pkg/service"
	"queryengine/pkg/status"
	"queryengine/pkg/telemetry"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	// exitUsage is a command line that isn't understood.
	exitUsage = 2
)

// stopGrace is how much longer than its services a program waits before it gives up on a
// stop.
const stopGrace = 5 * time.Second

// Check reports all faults of the settings of a program; no I/O.
type Check func(*config.Values) error

// Build makes the service of a program; no I/O.
type Build func(*Env) (lifecycle.Service, error)

// Main is the main function of the program that runs one service. It does not return.
func Main(name config.Service, check Check, build Build) {
	if len(os.Args) < 2 || !atOnce(os.Args[1]) {
		RelaxTimers()
	}
	ctx, stop := Signals()
	code := Run(ctx, name, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr, check, build)
	stop()
	os.Exit(code)
}

// Signals is a context that ends with the first signal to stop. A second one ends the
// process at once.
func Signals() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Run is Main with everything handed in; it returns the exit code. Logs go to out.
func Run(
	ctx context.Context, name config.Service, args []string, env func(string) (string, bool), out, errs io.Writer,
	check Check, build Build,
) int {
	command := ""
	if len(args) > 0 && (atOnce(args[0]) || !strings.HasPrefix(args[0], "-")) {
		command, args = args[0], args[1:]
	}
	switch command {
	case "version", "--version":
		fmt.Fprintln(out, string(name), service.Build())
		return exitOK
	case "help":
		args = []string{"--help"}
	case "", "health":
	case completion.Word:
		commandTree(name).Write(out, args)
		return exitOK
	case "completion":
		return printScript(out, errs, name, args)
	default:
		fmt.Fprintf(errs, "%s: unknown command %q%s (see --help)\n", name, command,
			config.DidYouMean(command, commands))
		return exitUsage
	}
	v, code := Settings(name, string(name)+" [version|health|completion] [OPTION...]", args, env, out, errs)
	if v == nil {
		return code
	}
	var err error
	if command == "health" {
		err = Health(ctx, name, v)
	} else if err = check(v); err == nil {
		err = run(ctx, name, v, out, build)
	}
	if err != nil {
		Report(errs, name, err)
		return exitError
	}
	return exitOK
}

// atOnce reports whether an argument is a command that starts no service.
func atOnce(argument string) bool {
	return argument == "--version" || argument == completion.Word || slices.Contains(commands, argument)
}

// Settings reads the settings of a program. When the program has to end, because they are wrong or help
// was requested, it has reported why, and returns nil and the exit code.
func Settings(
	name config.Service, usage string, args []string, env func(string) (string, bool), out, errs io.Writer,
) (v *config.Values, code int) {
	var help bytes.Buffer
	v, err := config.Load(name, args, env, &help)
	var wrong *config.UsageError
	switch {
	case err == nil:
		return v, exitOK
	case errors.Is(err, config.ErrHelp):
		fmt.Fprintf(out, "Usage: %s\n%s", usage, help.String())
		return nil, exitOK
	case errors.As(err, &wrong):
		Report(errs, name, err)
		return nil, exitUsage
	}
	Report(errs, name, err)
	return nil, exitError
}

func run(ctx context.Context, name config.Service, v *config.Values, logs io.Writer, build Build) error {
	env, err := Open(ctx, name, v, logs, nil)
	if err != nil {
		return err
	}
	defer env.Close()
	s, err := build(env.For(name))
	if err != nil {
		return err
	}
	return Serve(ctx, env, Reported(env, s), nil)
}

// withStatus adds the server of --status-port to a service.
func withStatus(env *Env, s lifecycle.Service) lifecycle.Service {
	port := config.StatusPort.Get(env.Values)
	if port == 0 {
		return s
	}
	status := telemetry.NewStatusServer(port, s.Status, env.Gatherer)
	if config.Profiling.Get(env.Values) {
		status.ServeProfiles()
	}
	return lifecycle.NewGroup(s.Name(), status, s)
}

// Reported adds to a service what tells get_status of it.
func Reported(env *Env, s lifecycle.Service) lifecycle.Service {
	source, ok := s.(status.Source)
	if !ok {
		return s
	}
	return lifecycle.NewGroup(s.Name(), s, status.NewReporter(status.ReporterConfig{
		Source: source, Topics: env.Bus, Instance: env.Bus.Instance(), Version: service.Version,
		Metrics: env.Gatherer, Logger: env.Logger,
	}))
}

// Serve starts a service, calls ready (nil for nothing), and stops the service when ctx is
// done, or ready has failed. A stop that takes longer than the settings allow is given up.
func Serve(ctx context.Context, env *Env, s lifecycle.Service, ready func(context.Context) error) error {
	defer tuneCollector(config.Service(s.Name()))()
	s = withStatus(env, s)
	startup := telemetry.Of(env.Logger, logtype.Startup)
	if err := s.Start(ctx); err != nil {
		s.Stop()
		if ctx.Err() != nil {
			return nil //nolint:nilerr // told to stop while it was starting
		}
		return err
	}
	startup.Info("", "kind", "server_configuration", "info", env.Values.ServerConfiguration())
	said := func(what string) {
		startup.Info("", "kind", "server", slog.Group("info",
			"message", what, "service", s.Name(), "version", service.Version, "instance", env.Bus.Instance()))
	}
	said("started")
	var failed error
	if ready != nil {
		failed = ready(ctx)
	}
	if failed == nil {
		<-ctx.Done()
	}
	said("stopping")
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.Stop()
	}()
	limit := config.GracefulShutdownTimeout.Get(env.Values) + stopGrace
	select {
	case <-stopped:
		said("stopped")
		if ctx.Err() != nil {
			return nil //nolint:nilerr // told to stop before it was ready
		}
		return failed
	case <-time.After(limit):
		return fmt.Errorf("not everything stopped within %s", limit)
	}
}
