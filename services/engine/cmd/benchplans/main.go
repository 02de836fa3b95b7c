// Command benchplans compares the statements that the engine makes with hand-written ones; see
// bench.RunPlans.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"queryengine/services/engine/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "benchplans:", err)
		os.Exit(1) //nolint:gocritic // stop only frees a signal handler
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("benchplans", flag.ContinueOnError)
	o := bench.PlanOptions{}
	var names string
	flags.IntVar(&o.Runs, "runs", 7, "how often each statement is run next to a hand-written one")
	flags.IntVar(&o.Turns, "turns", bench.ModeTurns, "turns of each way to plan with a statement")
	flags.StringVar(&o.Programs, "programs", "bin", "directory of the engine's programs")
	flags.StringVar(&o.Server, "server", "", `PostgreSQL server whose database "music" holds the large sample; one is started when empty`)
	flags.StringVar(&o.Part, "part", "", "statements (next to hand-written ones) or modes (of planning); both when empty")
	flags.StringVar(&names, "queries", "", "queries to compare, by name; all when empty")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if o.Runs < 1 || o.Turns < 1 {
		return errors.New("-runs and -turns are at least 1")
	}
	o.Names = strings.FieldsFunc(names, func(r rune) bool { return r == ',' })
	return bench.RunPlans(ctx, o, os.Stdout, os.Stderr)
}
