package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"queryengine/pkg/localpg"
	"queryengine/services/engine/sample"
)

// DatabaseVariable names the database of a yardstick's process.
const DatabaseVariable = "BENCH_DATABASE_URL"

// reference is the target that all others are compared with.
const reference = "json"

// Targets are all that can be measured.
var Targets = []string{reference, "rows", "one", "split"}

// before follows the name of a target that is measured in an earlier build, too.
const before = "-before"

// Options select what to measure.
type Options struct {
	// Duration is how long each target is measured with each query, over all rounds.
	Duration time.Duration
	Rounds   int
	// Queries and TargetNames choose; empty are all.
	Queries     []string
	TargetNames []string
	// Connections are the numbers of clients at the same time, one measurement for each.
	Connections []int
	// Programs is the directory of the engine's programs.
	Programs string
	// Before is that of an earlier build, which is measured next to them; empty for none.
	Before string
	// Execution is the execution of the source, as JSON, of a second engine that is measured next to them; empty for none.
	Execution string
	// Durable makes the database write commits to the disk before it answers.
	Durable bool
	// Profile is the file that gets one CPU profile of all of the engine's processes; empty for none.
	Profile string
}

const (
	// beginning is how long a target runs with a query before the first slice, warmUp before each one.
	beginning = 400 * time.Millisecond
	warmUp    = 25 * time.Millisecond
	// fewest is how many answers each client gets in a slice, about.
	fewest = 10
)

// Components of Options.Time: the start of all targets, and what a slice takes besides: reading CPU times, and the
// removal of written rows.
const (
	startTime = 20 * time.Second
	besides   = 40 * time.Millisecond
)

// Run measures and writes the tables to out and the progress to progress.
func Run(ctx context.Context, o Options, out, progress io.Writer) (err error) {
	var newInvoice atomic.Int64
	newInvoice.Store(firstNewInvoice)
	chosen, err := choose(queries(&newInvoice), o.Queries)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	database, err := startDatabase(ctx, dir, o.Durable, sample.Small, nil, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopDatabase(ctx, database)) }()

	p := &place{options: o, dir: dir, processes: &processes{dir: dir}, databaseURL: database.URL}
	p.profiler.file = o.Profile
	defer p.processes.stop()
	targets, err := p.startAll(ctx, progress)
	if err != nil {
		return err
	}
	length, err := o.Time()
	if err != nil {
		return err
	}
	finishProfile := p.profiler.start(ctx, length-startTime)
	m := &measurer{database: func() (time.Duration, error) { return familyTime(database.PID()) }}
	r := newReport(o, chosen, targets)
	r.writeHead(out)
	for i := range chosen {
		for _, clients := range o.Connections {
			if !chosen[i].takes(clients) {
				continue
			}
			if err := p.measure(ctx, m, &chosen[i], clients, targets, r, progress); err != nil {
				return err
			}
			r.writeQuery(out, &chosen[i], clients)
		}
	}
	r.writeSummary(out)
	return finishProfile()
}

// Time is about how long a measurement takes.
func (o Options) Time() (time.Duration, error) {
	chosen, err := choose(queries(new(atomic.Int64)), o.Queries)
	if err != nil {
		return 0, err
	}
	sum := startTime
	for i := range chosen {
		for _, clients := range o.Connections {
			if !chosen[i].takes(clients) {
				continue
			}
			for _, name := range o.targets() {
				if answers(name, &chosen[i]) {
					sum += o.Duration + beginning + time.Duration(o.Rounds)*(warmUp+besides)
				}
			}
		}
	}
	return sum, nil
}

// targets are the names of the chosen targets, the reference in any case.
func (o Options) targets() []string {
	var names []string
	for _, name := range Targets {
		if name != reference && len(o.TargetNames) > 0 && !slices.Contains(o.TargetNames, name) {
			continue
		}
		if o.compares() && (name == "one" || name == "split") {
			names = append(names, name+before)
		}
		names = append(names, name)
	}
	return names
}

// compares reports whether each engine is measured next to another one: of an earlier build, with other settings, or both.
func (o Options) compares() bool { return o.Before != "" || o.Execution != "" }

// takes reports whether a query is measured with that many clients.
func (q *query) takes(clients int) bool { return q.most == 0 || clients <= q.most }

// answers reports whether a target has an answer to a query.
func answers(target string, q *query) bool {
	switch target {
	case reference, "rows":
		_, ok := statementOf(target, q.name)
		return ok
	}
	return true
}

// startDatabase starts a server in dir and fills its database with the sample.
func startDatabase(ctx context.Context, dir string, durable bool, size sample.Size, more map[string]string, progress io.Writer) (*localpg.Server, error) {
	fmt.Fprintln(progress, "starting PostgreSQL and loading the sample")
	say := func(what string) { fmt.Fprintln(progress, what) }
	if err := localpg.Ensure(ctx, say); err != nil {
		return nil, err
	}
	// Vacuum runs between slices, not at any time.
	settings := map[string]string{"autovacuum": "off", "shared_buffers": "256MB"}
	maps.Copy(settings, more)
	database, err := localpg.Start(ctx, localpg.Config{Dir: filepath.Join(dir, "postgresql"), Durable: durable, Settings: settings})
	if err != nil {
		return nil, err
	}
	err = execute(ctx, database.URL("postgres"), "CREATE DATABASE "+sampleDatabase)
	if err == nil {
		err = sample.Load(ctx, database.URL(sampleDatabase), size)
	}
	if err == nil {
		err = execute(ctx, database.URL(sampleDatabase), fmt.Sprintf(`ALTER TABLE invoices ALTER id RESTART WITH %d`, firstOfDatabase))
	}
	if err != nil {
		return nil, errors.Join(err, stopDatabase(ctx, database))
	}
	return database, nil
}

func stopDatabase(ctx context.Context, database *localpg.Server) error {
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return database.Stop(stop)
}

// startAll starts the chosen targets, and the reference in any case.
func (p *place) startAll(ctx context.Context, progress io.Writer) ([]*target, error) {
	for _, name := range p.options.TargetNames {
		if !slices.Contains(Targets, name) {
			return nil, fmt.Errorf("targets are %s", strings.Join(Targets, ","))
		}
	}
	var targets []*target
	for _, name := range p.options.targets() {
		fmt.Fprintln(progress, "starting", name)
		t, err := p.start(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", name, err)
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// measure lets the targets take turns with one query, each time beginning with another one. A
// target that answers wrongly is reported and left out.
func (p *place) measure(ctx context.Context, m *measurer, q *query, clients int, targets []*target, r *report, progress io.Writer) error {
	fmt.Fprintf(progress, "%s: %s, %d clients\n", q.name, q.about, clients)
	for _, t := range targets {
		if !answers(t.name, q) {
			continue
		}
		f := r.figures(q, clients, t.name)
		if f.err = compare(q, t, targets[0]); f.err != nil {
			p.explain(t, f.err, progress)
		}
	}
	crews, slowest, err := begin(ctx, q, clients, targets, r)
	defer func() {
		for _, c := range crews {
			c.close()
		}
	}()
	if err != nil {
		return err
	}
	rounds, length := p.options.slices(slowest)
	for round := range rounds {
		if q.write {
			if err := p.clean(ctx); err != nil {
				return err
			}
		}
		for i := range crews {
			c := crews[(round+i)%len(crews)]
			f := r.find(q, clients, c.target.name)
			if f.err != nil {
				continue
			}
			slice, err := m.slice(ctx, c, warmUp, length)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				p.explain(c.target, err, progress)
			}
			slice.err = err
			f.add(slice)
			f.rates = append(f.rates, slice.throughput())
		}
	}
	if q.write {
		return p.clean(ctx)
	}
	return nil
}

// begin connects the clients of all targets that answer rightly, and lets each run for a while. slowest is how long
// the slowest one takes for an answer.
func begin(ctx context.Context, q *query, clients int, targets []*target, r *report) (crews []*crew, slowest time.Duration, err error) {
	for _, t := range targets {
		f := r.find(q, clients, t.name)
		if f == nil || f.err != nil {
			continue
		}
		c, err := newCrew(t, q, clients)
		if err != nil {
			return crews, 0, fmt.Errorf("%s: %w", t.name, err)
		}
		crews = append(crews, c)
		first := &figures{}
		if f.err = c.load(ctx, beginning, first); f.err == nil {
			slowest = max(slowest, first.elapsed*time.Duration(clients)/time.Duration(max(first.requests, 1)))
		}
	}
	return crews, slowest, ctx.Err()
}

// slices is how many turns each target takes, and how long: fewer and longer ones where answers take long.
func (o Options) slices(answer time.Duration) (rounds int, length time.Duration) {
	length = max(o.Duration/time.Duration(o.Rounds), fewest*answer)
	return max(min(o.Rounds, int(o.Duration/length)), 1), length
}

// clean removes the written rows, so that all begin with the same tables. It does so without the
// triggers of foreign keys, which would look for lines of each invoice.
func (p *place) clean(ctx context.Context) error {
	database := p.databaseURL(sampleDatabase)
	err := execute(ctx, database, fmt.Sprintf(`SET session_replication_role = replica;
		DELETE FROM invoice_lines WHERE invoice_id >= %[1]d; DELETE FROM invoices WHERE id >= %[1]d`, firstNewInvoice))
	if err == nil {
		err = execute(ctx, database, `VACUUM invoices, invoice_lines`)
	}
	return err
}

// explain shows the last output of a target that failed.
func (p *place) explain(t *target, err error, progress io.Writer) {
	fmt.Fprintf(progress, "%s: %v\n", t.name, err)
	for _, name := range t.logs {
		fmt.Fprintf(progress, "end of the log of %s:\n%s\n", name, p.processes.tail(name))
	}
}
