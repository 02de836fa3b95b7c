// Command bench compares the engine with hand-written servers; see package bench.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"queryengine/pkg/bus/natsserver"
	"queryengine/services/engine/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // stop only frees a signal handler
	}
}

func run(ctx context.Context, args []string) error {
	// The processes of a measurement are this program too.
	switch {
	case len(args) == 4 && args[0] == "yardstick":
		return yardstick(ctx, args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "nats":
		return nats(ctx, args[1], args[2])
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	o := bench.Options{}
	var queries, targets, connections, page string
	flags.DurationVar(&o.Duration, "duration", 6*time.Second, "how long each target is measured with each query, in all turns")
	flags.IntVar(&o.Rounds, "rounds", 60, "turns that the targets take, fewer where answers take long; fewer than 6 give no confidence")
	flags.StringVar(&queries, "queries", "", "queries to measure (Q1,Q6); all when empty")
	flags.StringVar(&targets, "targets", "", "targets to measure next to json ("+strings.Join(bench.Targets[1:], ",")+"); all when empty")
	flags.StringVar(&connections, "connections", "1,16,64", "numbers of clients at the same time, one measurement for each")
	flags.StringVar(&o.Programs, "programs", "bin", "directory of the engine's programs")
	flags.StringVar(&o.Before, "before", "", "directory of the programs of an earlier build, to measure both in turns")
	flags.StringVar(&o.Execution, "execution", "", `execution of the source of a second engine, to measure both in turns, as {"share":"off"}`)
	flags.BoolVar(&o.Durable, "durable", false, "let the database write commits to the disk")
	flags.StringVar(&o.Profile, "profile", "", "file that gets a CPU profile of the engine's processes")
	flags.StringVar(&page, "chart", "", "page whose table of ratios is drawn as SVG; nothing is measured")
	options := func() (err error) {
		o.Queries, o.TargetNames = list(queries), list(targets)
		o.Connections, err = numbers(connections)
		if err == nil && o.Rounds < 1 {
			err = errors.New("-rounds is at least 1")
		}
		return err
	}
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "Measures the engine next to hand-written servers, and writes tables in Markdown.")
		flags.PrintDefaults()
		if options() == nil {
			if d, err := o.Time(); err == nil {
				fmt.Fprintf(flags.Output(), "With these options it takes about %v.\n", d.Round(time.Second))
			}
		}
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if page != "" {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		bench.Chart(os.Stdout, string(text))
		return nil
	}
	if err := options(); err != nil {
		return err
	}
	d, err := o.Time()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "this takes about %v\n", d.Round(time.Second))
	return bench.Run(ctx, o, os.Stdout, os.Stderr)
}

func numbers(s string) ([]int, error) {
	var all []int
	for _, text := range list(s) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-connections: %q is no number of clients", text)
		}
		all = append(all, n)
	}
	if all == nil {
		return nil, errors.New("-connections is empty")
	}
	return all, nil
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

func yardstick(ctx context.Context, kind, address, connections string) error {
	n, err := strconv.Atoi(connections)
	if err != nil {
		return err
	}
	y, err := bench.NewYardstick(ctx, kind, os.Getenv(bench.DatabaseVariable), n)
	if err != nil {
		return err
	}
	defer y.Close()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return y.Serve(ctx, l)
}

func nats(ctx context.Context, dir, port string) error {
	n, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	server, err := natsserver.Start(natsserver.Config{Dir: dir, Host: "127.0.0.1", Port: n})
	if err != nil {
		return err
	}
	<-ctx.Done()
	server.Stop()
	return nil
}
