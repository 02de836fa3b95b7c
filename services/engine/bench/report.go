package bench

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report holds all figures. It is written as Markdown.
type report struct {
	options Options
	queries []query
	targets []*target
	all     map[string]*figures
}

func newReport(o Options, queries []query, targets []*target) *report {
	return &report{options: o, queries: queries, targets: targets, all: map[string]*figures{}}
}

func reportKey(q *query, clients int, target string) string {
	return fmt.Sprint(q.name, " ", clients, " ", target)
}

// figures returns those of a query on a target, adding them if necessary.
func (r *report) figures(q *query, clients int, target string) *figures {
	key := reportKey(q, clients, target)
	if r.all[key] == nil {
		r.all[key] = &figures{}
	}
	return r.all[key]
}

// find is like figures, but gives nil where nothing was measured.
func (r *report) find(q *query, clients int, target string) *figures {
	return r.all[reportKey(q, clients, target)]
}

// writeHead writes the head of the table that writeQuery continues.
func (r *report) writeHead(out io.Writer) {
	fmt.Fprintf(out, "Each target %v for each line, in %d turns, on %d processors. CPU is per request; %q is that of the\n"+
		"%s target divided by the target's. Others is how many processors were busy with something else,\n"+
		"idle how many with nothing.\n\n",
		r.options.Duration, r.options.Rounds, runtime.NumCPU(), "to "+reference, reference)
	fmt.Fprintf(out, "| query | clients | target | requests/s | to %[1]s | p50 ms | p95 ms | p99 ms | CPU µs | database CPU µs | clients CPU µs | CPU to %[1]s | others | idle |\n", reference)
	fmt.Fprintln(out, "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
}

// writeQuery writes the lines of one query.
func (r *report) writeQuery(out io.Writer, q *query, clients int) {
	base := r.find(q, clients, reference)
	for _, t := range r.targets {
		f := r.find(q, clients, t.name)
		switch {
		case f == nil:
			continue
		case f.err != nil:
			fmt.Fprintf(out, "| %s | %d | %s | %s | | | | | | | | | | |\n", q.name, clients, t.name, strings.ReplaceAll(firstLine(f.err), "|", `\\|`))
			continue
		}
		sortLatencies(f)
		fmt.Fprintf(out, "| %s | %d | %s | %.0f | %s | %s | %s | %s | %.0f | %.0f | %.0f | %.2f | %.1f | %.1f |\n", q.name, clients, t.name,
			f.throughput(), r.ratio(q, clients, t.name, reference),
			ms(f.percentile(50)), ms(f.percentile(95)), ms(f.percentile(99)),
			each(f.cpu, f), each(f.databaseCPU, f), each(f.clientsCPU, f), each(base.cpu+base.databaseCPU, base)/each(f.cpu+f.databaseCPU, f),
			f.othersCPU.Seconds()/f.elapsed.Seconds(), f.idle())
	}
}

// ratio is the throughput of a target against that of another with its interval, "-" where there is
// none.
func (r *report) ratio(q *query, clients int, target, to string) string {
	f, base := r.find(q, clients, target), r.find(q, clients, to)
	if f == nil || base == nil || f.err != nil || base.err != nil {
		return "-"
	}
	return ratioOf(f.rates, base.rates).String()
}

// writeSummary writes the ratios of throughput to the reference, next to the goals.
func (r *report) writeSummary(out io.Writer) {
	durable := "commits aren't synced to disk"
	if r.options.Durable {
		durable = "commits are synced to disk"
	}
	fmt.Fprintf(out, "\nThroughput against %s, with 95 %% confidence; %s.\n\n", reference, durable)
	row := func(name string, cell func(q *query) string) {
		fmt.Fprint(out, "| ", name, " |")
		for i := range r.queries {
			fmt.Fprint(out, " ", cell(&r.queries[i]), " |")
		}
		fmt.Fprintln(out)
	}
	row("", func(q *query) string { return q.name })
	fmt.Fprintln(out, "|---|"+strings.Repeat("--:|", len(r.queries)))
	for _, t := range r.targets {
		if t.name == reference {
			continue
		}
		for _, clients := range r.options.Connections {
			row(fmt.Sprintf("%s, %d clients", t.name, clients), func(q *query) string { return r.ratio(q, clients, t.name, reference) })
			if r.options.compares() && slices.Contains(r.options.targets(), t.name+before) {
				row(fmt.Sprintf("to %s", t.name+before), func(q *query) string { return r.ratio(q, clients, t.name, t.name+before) })
			}
		}
		switch t.name {
		case "one":
			row("goal, 16 clients", func(q *query) string { return fmt.Sprintf("%.2f", q.goalOne) })
		case "split":
			row("goal, 16 clients", func(q *query) string { return fmt.Sprintf("%.2f", q.goalSplit) })
		}
	}
	fmt.Fprintln(out)
	for i := range r.queries {
		fmt.Fprintf(out, "- %s: %s\n", r.queries[i].name, r.queries[i].about)
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond)) }

// each is a time for one request, in microseconds.
func each(d time.Duration, f *figures) float64 {
	return float64(d.Microseconds()) / float64(max(f.requests, 1))
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
