// Command benchremote measures queries on a remote schema; see bench.RunRemote.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"queryengine/services/engine/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "benchremote:", err)
		os.Exit(1) //nolint:gocritic // stop only frees a signal handler
	}
}

func run(ctx context.Context, args []string) error {
	// The processes of a measurement are this program too.
	switch {
	case len(args) == 2 && args[0] == "remote":
		return serve(ctx, args[1], bench.ServeRemote)
	case len(args) == 3 && args[0] == "proxy":
		return serve(ctx, args[1], func(ctx context.Context, l net.Listener) error { return bench.ServeProxy(ctx, l, args[2]) })
	}
	flags := flag.NewFlagSet("benchremote", flag.ContinueOnError)
	o := bench.RemoteOptions{}
	flags.StringVar(&o.Programs, "programs", "bin", "directory of the engine's programs")
	flags.DurationVar(&o.Duration, "duration", 10*time.Second, "how long each target is measured with each query")
	flags.IntVar(&o.Rounds, "rounds", 5, "turns that the targets take")
	flags.IntVar(&o.Connections, "connections", 16, "clients at the same time")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if o.Rounds < 1 || o.Connections < 1 {
		return errors.New("-rounds and -connections are at least 1")
	}
	return bench.RunRemote(ctx, o, os.Stdout, os.Stderr)
}

func serve(ctx context.Context, address string, server func(context.Context, net.Listener) error) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return server(ctx, l)
}
