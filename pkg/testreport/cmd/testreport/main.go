// Command testreport reports what was skipped in a run of tests, and how long its tests took:
//
//	testreport [-strict] [-part] -budget LIST EVENTS
//
// EVENTS is the output of go test -json, LIST has the reasons of what may take longer than others. It fails for a list that names tests
// that don't exist, unless -part says that some were left out, and, with -strict, for tests and packages over their limit. A busy machine is no reason to fail, so that
// strict is for a quiet one.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"queryengine/pkg/testreport"
)

// shown is how many of the slowest tests are printed.
const shown = 10

func main() {
	strict := flag.Bool("strict", false, "fail for tests and packages over their limit")
	budget := flag.String("budget", "", "the list of reasons")
	part := flag.Bool("part", false, "accept a list with tests that weren't run")
	flag.Parse()
	ok, err := report(os.Stdout, *budget, flag.Arg(0), *strict, *part)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func report(out io.Writer, budget, events string, strict, part bool) (ok bool, err error) {
	run, err := read(events, testreport.Read)
	if err != nil {
		return false, err
	}
	list, err := read(budget, testreport.ReadList)
	if err != nil {
		return false, fmt.Errorf("%s: %w", budget, err)
	}
	if len(run.Skips) > 0 {
		fmt.Fprintln(out, "\nSkipped:")
	}
	for _, s := range run.Skips {
		times := ""
		if s.Count > 1 {
			times = fmt.Sprintf(" (%d times)", s.Count)
		}
		fmt.Fprintf(out, "  %s: %s%s\n", s.Name, s.Reason, times)
	}
	fmt.Fprintln(out, "\nSlowest tests:")
	for _, t := range run.Tests[:min(shown, len(run.Tests))] {
		fmt.Fprintf(out, "%8s  %s\n", seconds(t.Took), t.Name)
	}
	over, unknown := run.Over(list), run.Unknown(list)
	if part {
		unknown = nil
	}
	for _, t := range over {
		fmt.Fprintf(out, "Over its budget: %s took %s. Make it faster, or add it to %s with the reason.\n", t.Name, seconds(t.Took), budget)
	}
	for _, name := range unknown {
		fmt.Fprintf(out, "%s lists %s, which doesn't exist.\n", budget, name)
	}
	fmt.Fprintf(out, "\n%d passed, %d failed, %d skipped\n", run.Passed, run.Failed, run.Skipped)
	return len(unknown) == 0 && (!strict || len(over) == 0), nil
}

func read[T any](file string, parse func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(file)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return parse(f)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
