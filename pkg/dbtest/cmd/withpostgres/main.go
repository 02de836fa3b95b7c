// Command withpostgres runs a command with a PostgreSQL server for its tests:
//
//	withpostgres go test ./...
//
// With -local neither this server nor one of the command's tests is a container. It starts one server, names it in ENGINE_TEST_POSTGRES_URL, and stops it when the command
// has ended. Where the variable is set already, it starts none. Servers that tests start themselves begin with copies of one data
// directory, which it makes.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"queryengine/pkg/dbtest"
)

func main() {
	args, start := os.Args[1:], dbtest.Start
	if len(args) > 0 && args[0] == "-local" {
		args, start = args[1:], dbtest.StartLocal
		if err := dbtest.OnlyLocal(); err != nil {
			fmt.Fprintln(os.Stderr, "withpostgres:", err)
			os.Exit(1)
		}
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres [-local] COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	code, err := run(args, start)
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
	}
	os.Exit(code)
}

func run(command []string, start func(context.Context) (*dbtest.Server, error)) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	remove, err := dbtest.ShareCluster(ctx)
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if os.Getenv(dbtest.Variable) == "" {
		server, startErr := start(ctx)
		if startErr != nil {
			return 1, startErr
		}
		defer func() {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
			defer cancel()
			if stopErr := server.Stop(end); stopErr != nil {
				code, err = 1, stopErr
			}
		}()
		_ = os.Setenv(dbtest.Variable, server.URL) // fails for bad names only
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// A signal ends the command's own children too when it may clean up after itself.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
