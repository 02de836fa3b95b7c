// Command benchsubscriptions measures subscriptions; see bench.RunSubscriptions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
		fmt.Fprintln(os.Stderr, "benchsubscriptions:", err)
		os.Exit(1) //nolint:gocritic // stop only frees a signal handler
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("benchsubscriptions", flag.ContinueOnError)
	o := bench.SubscriptionOptions{}
	flags.StringVar(&o.Programs, "programs", "bin", "directory of the engine's programs")
	flags.IntVar(&o.Documents, "documents", 100, "different subscriptions")
	flags.IntVar(&o.Values, "values", 100, "different variables for each of them")
	flags.IntVar(&o.Connections, "connections", 1000, "WebSockets that they share")
	flags.DurationVar(&o.Idle, "idle", 20*time.Second, "how long nothing happens")
	flags.IntVar(&o.Changes, "changes", 5, "how often something does")
	flags.BoolVar(&o.Rows, "rows", false, "each of the values is another row, and changes are reported from the log; -documents and -changes don't count")
	flags.BoolVar(&o.Poll, "poll", false, "poll instead of being notified of changes")
	flags.IntVar(&o.Streams, "streams", 0, "measure that many subscribers of streams instead")
	flags.IntVar(&o.Inserts, "inserts", 300, "rows that are inserted for streams")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if min(o.Documents, o.Values, o.Connections, o.Changes, o.Inserts) < 1 {
		return errors.New("there is at least one of everything")
	}
	if o.Streams > 0 {
		return bench.RunStreams(ctx, o, os.Stdout, os.Stderr)
	}
	return bench.RunSubscriptions(ctx, o, os.Stdout, os.Stderr)
}
