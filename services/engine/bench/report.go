package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// report holds all figures.
type report struct {
	options Options
	queries []query
	targets []*target
	all     map[string]*figures // by query and target
}

func newReport(o Options, queries []query, targets []*target) *report {
	return &report{options: o, queries: queries, targets: targets, all: map[string]*figures{}}
}

// figures are those of a query on a target, made when there are none yet.
func (r *report) figures(q *query, target string) *figures {
	key := q.name + " " + target
	if r.all[key] == nil {
		r.all[key] = &figures{}
	}
	return r.all[key]
}

// find is like figures, but gives nil where nothing was measured.
func (r *report) find(q *query, target string) *figures { return r.all[q.name+" "+target] }

// writeQuery writes the table of one query.
func (r *report) writeQuery(out io.Writer, q *query) {
	fmt.Fprintf(out, "\n%s  %s\n", q.name, q.about)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\trequests/s\tto json\tp50 ms\tp95 ms\tp99 ms\tCPU µs\tdatabase CPU µs\tto json\t")
	base := r.find(q, reference)
	var faults []string
	for _, t := range r.targets {
		f := r.find(q, t.name)
		switch {
		case f == nil:
			continue
		case f.err != nil:
			faults = append(faults, t.name+": "+firstLine(f.err))
			continue
		}
		sortLatencies(f)
		fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%s\t%s\t%s\t%.0f\t%.0f\t%.2f\t\n", t.name,
			f.throughput(), f.throughput()/base.throughput(),
			ms(f.percentile(50)), ms(f.percentile(95)), ms(f.percentile(99)),
			each(f.cpu, f), each(f.databaseCPU, f), each(f.databaseCPU, f)/each(base.databaseCPU, base))
	}
	_ = w.Flush() // as any other write of a report
	for _, fault := range faults {
		fmt.Fprintln(out, "  "+fault)
	}
}

// writeSummary writes the ratios of throughput to the reference, beside the goals.
func (r *report) writeSummary(out io.Writer) {
	fmt.Fprintf(out, "\nThroughput against %s, %d connections, durable commits: %v\n",
		reference, r.options.Connections, r.options.Durable)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, cell func(q *query) string) {
		fmt.Fprint(w, name)
		for i := range r.queries {
			fmt.Fprint(w, "\t", cell(&r.queries[i]))
		}
		fmt.Fprintln(w, "\t")
	}
	row("", func(q *query) string { return q.name })
	for _, t := range r.targets {
		row(t.name, func(q *query) string {
			f, base := r.find(q, t.name), r.find(q, reference)
			if f == nil || f.err != nil || base.err != nil {
				return "-"
			}
			return fmt.Sprintf("%.2f", f.throughput()/base.throughput())
		})
		switch t.name {
		case "one":
			row("goal", func(q *query) string { return fmt.Sprintf("%.2f", q.goalOne) })
		case "split":
			row("goal", func(q *query) string { return fmt.Sprintf("%.2f", q.goalSplit) })
		}
	}
	_ = w.Flush()
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
