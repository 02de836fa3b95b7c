// Package command is the command line of the engine program: serve runs services in one
// process, dev does so with a database of its own and the sample in it.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"queryengine/pkg/completion"
	"queryengine/pkg/config"
	"queryengine/pkg/dirlock"
	"queryengine/pkg/extension"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/program"
	"queryengine/pkg/service"
	"queryengine/services/engine/internal/process"
)

const usage = `Usage: engine COMMAND [OPTION...]

Commands:
  serve       run the services in one process, with NATS inside unless --nats-url says where it is; this is
              what is done without a command, too
  dev         the same with a PostgreSQL server of its own and sample data, to try things out; with --database-url URL
              a database of yours, which gets the sample only with --sample; --track-all tracks all of its tables;
              with --sqlite FILE the tables of a database file of SQLite are tracked in place of the sample
  track       track tables of a running engine: all of a source, or some
  metadata    apply, export, compare and check the metadata of a project directory, and follow its changes
  migrate     apply migrations of SQL to the sources
  seed        load rows into the sources
  documents   publish, compare and remove the GraphQL documents of clients
  console     open the console on a project directory: what is changed in it is written there, too
  import      take over the catalogue of another engine: metadata, events, applied migrations
  doctor      examine sources: what fails, is slow or limited on them, and how to fix it
  sample      fill the database of a running installation with sample data, and track it
  echo        print the HTTP requests that come and answer them, to try webhooks out
  secrets     make and show the secrets of an installation, as docker compose uses it
  mcp         connect a desktop assistant, which starts this program, with a running engine
  service     run one service on its own: gateway, metadata, query-executor, event-delivery or scheduler
  go          print GraphQL types of the actions that this build has in Go, or the schema of a role for generated clients
  init        --go DIR writes a project that adds Go code to the engine
  completion  print a script that completes command lines in bash, zsh or fish
  health      ask the engine that runs with the same options how it is
  version     print the version

engine serve --help lists the options.
`

// commands are the words that usage explains.
var commands = []string{
	"serve", "dev", "track", "metadata", "migrate", "seed", "documents", "console", "import", "doctor", "sample", "echo", "secrets", "mcp", "service", "go", "init", "completion", "health", "version", "help",
}

// exitUsage is the exit code of a command line that isn't understood.
const exitUsage = 2

// postgresDir is the directory of the database server inside of the data directory.
const postgresDir = "postgresql"

// Check reports all faults of the settings of the named services; no I/O.
type Check func(v *config.Values, names []string) error

// Assemble makes the named services; no I/O.
type Assemble func(e *program.Env, names []string) (lifecycle.Service, error)

// Shell is what the commands work in.
type Shell struct {
	Out, Errs io.Writer
	// In is what mcp reads, nil for nothing.
	In io.Reader
	// Env is os.LookupEnv, Setenv is os.Setenv: metadata may name variables, and those that
	// dev makes up are found there.
	Env      func(string) (string, bool)
	Setenv   func(name, value string) error
	Check    Check
	Assemble Assemble
	// Program is a service as a program of its own runs it.
	Program func(name string) (service config.Service, check program.Check, build program.Build, ok bool)
	// Code is the code of this build that metadata may name, nil for none.
	Code *extension.Set
}

// Run executes one command and returns the exit code.
func (sh *Shell) Run(ctx context.Context, args []string) int {
	command, args := split(args)
	if len(args) == 1 && args[0] == "--version" && slices.Contains(commands, command) {
		command = "version"
	}
	if command == "help" && len(args) > 0 { // engine help serve
		command, args = args[0], append(args[1:], "--help")
	}
	var run func(context.Context, []string) error
	switch command {
	case "serve":
		run = sh.serve
	case "dev":
		run = sh.dev
	case "metadata", "migrate", "seed", "documents", "go":
		run = sh.onProject(command)
	case "mcp":
		run = sh.mcp
	case "service":
		return sh.service(ctx, args)
	case "track":
		run = func(ctx context.Context, args []string) error { return sh.runProject(ctx, trackCommand(), args) }
	case "import":
		run = func(ctx context.Context, args []string) error { return sh.runProject(ctx, importCommand(), args) }
	case "console":
		run = func(ctx context.Context, args []string) error { return sh.runProject(ctx, consoleCommand(), args) }
	case "doctor":
		run = func(ctx context.Context, args []string) error { return sh.runProject(ctx, doctorCommand(), args) }
	case "sample":
		run = sh.sample
	case "echo":
		run = sh.echo
	case "secrets":
		run = sh.secrets
	case "init":
		run = func(_ context.Context, args []string) error { return sh.init(args) }
	case "completion":
		run = func(_ context.Context, args []string) error { return sh.completion(args) }
	case completion.Word:
		commandTree().Write(sh.Out, args)
		return 0
	case "health":
		run = sh.health
	case "version", "--version":
		fmt.Fprintln(sh.Out, "engine", service.Build())
		return 0
	case "help", "--help", "-h":
		fmt.Fprint(sh.Out, usage)
		return 0
	default:
		fmt.Fprintf(sh.Errs, "engine: unknown command %q%s (see engine --help)\n", command, config.DidYouMean(command, commands))
		return exitUsage
	}
	var ended exit
	switch err := run(ctx, args); {
	case errors.As(err, &ended):
		return int(ended)
	case err != nil:
		program.Report(sh.Errs, config.Engine, err)
		return 1
	}
	return 0
}

// split takes the command off the arguments. Without one, or with options of serve in its place,
// it is serve.
func split(args []string) (command string, rest []string) {
	if len(args) == 0 {
		return "serve", nil
	}
	switch first := args[0]; {
	case first == "--version", first == "--help", first == "-h", !strings.HasPrefix(first, "-"):
		return first, args[1:]
	}
	return "serve", args
}

// exit ends the program with a code, when everything has been printed.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// settings reads the settings of a command.
func (sh *Shell) settings(command string, args []string, env func(string) (string, bool)) (*config.Values, error) {
	usage := "engine " + command + " [OPTION...]"
	if command == "dev" {
		usage += devHelp()
	}
	v, code := program.Settings(config.Engine, usage, args, env, sh.Out, sh.Errs)
	if v == nil {
		return nil, exit(code)
	}
	return v, nil
}

func (sh *Shell) serve(ctx context.Context, args []string) error {
	v, err := sh.settings("serve", args, sh.Env)
	if err != nil {
		return err
	}
	return sh.runServices(ctx, v, nil)
}

func (sh *Shell) health(ctx context.Context, args []string) error {
	v, err := sh.settings("health", args, sh.Env)
	if err != nil {
		return err
	}
	return program.Health(ctx, config.Engine, v)
}

// runServices runs the services until ctx is done; ready is called when they are up.
func (sh *Shell) runServices(ctx context.Context, v *config.Values, ready func(context.Context) error) error {
	if err := sh.Check(v, config.RunServices.Get(v)); err != nil {
		return err
	}
	if err := checkPort(ctx, v); err != nil {
		return err
	}
	p, err := process.Open(ctx, v, sh.Out)
	if err != nil {
		return dataDirFault(err)
	}
	defer p.Close()
	env := p.Env
	env.Use(sh.Code)
	services, err := sh.Assemble(env, config.RunServices.Get(v))
	if err != nil {
		return err
	}
	return program.Serve(ctx, env, services, ready)
}

// dataDirFault names the setting where another process uses its directory, or this one can't.
func dataDirFault(err error) error {
	for _, fault := range []error{dirlock.ErrInUse, fs.ErrPermission, syscall.EROFS, syscall.ENOSPC} {
		if errors.Is(err, fault) {
			return config.DataDir.Spec().Wrong(err)
		}
	}
	return err
}

// checkPort fails when the gateway couldn't listen, before anything is made in databases.
func checkPort(ctx context.Context, v *config.Values) error {
	port := config.ServerPort.Get(v)
	if !slices.Contains(config.RunServices.Get(v), string(config.Gateway)) || port == 0 {
		return nil
	}
	network, host := "tcp", config.ServerHost.Get(v)
	if host == "*" {
		network, host = "tcp4", ""
	}
	l, err := new(net.ListenConfig).Listen(ctx, network, net.JoinHostPort(host, strconv.Itoa(port)))
	if unknown := new(net.DNSError); errors.Is(err, syscall.EADDRNOTAVAIL) || errors.As(err, &unknown) {
		return config.ServerHost.Spec().Wrong(fmt.Errorf("not an address of this machine: %w", err))
	}
	if err != nil {
		return config.ServerPort.Spec().Wrong(fmt.Errorf("cannot listen: %w", err))
	}
	return l.Close()
}
