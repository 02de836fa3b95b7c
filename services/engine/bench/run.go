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
	// Durable makes the database write commits to the disk before it answers.
	Durable bool
	// Profile is the file that gets one CPU profile of all of the engine's processes; empty for none.
	Profile string
}

// warmUp is how long a target runs before each slice that counts.
const warmUp = 200 * time.Millisecond

// Components of Options.Time: the start of all targets, and the removal of written rows.
const (
	startTime = 20 * time.Second
	cleanUp   = 50 * time.Millisecond
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
			for _, name := range Targets {
				if (name == reference || len(o.TargetNames) == 0 || slices.Contains(o.TargetNames, name)) && answers(name, &chosen[i]) {
					sum += o.Duration + time.Duration(o.Rounds)*(warmUp+cleanUp)
				}
			}
		}
	}
	return sum, nil
}

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
	names := p.options.TargetNames
	if len(names) == 0 {
		names = Targets
	}
	var targets []*target
	for _, name := range Targets {
		if name != reference && !slices.Contains(names, name) {
			continue
		}
		fmt.Fprintln(progress, "starting", name)
		t, err := p.start(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", name, err)
		}
		targets = append(targets, t)
	}
	if len(targets) < len(names) {
		return nil, fmt.Errorf("targets are %s", strings.Join(Targets, ","))
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
	for round := range p.options.Rounds {
		for i := range targets {
			t := targets[(round+i)%len(targets)]
			f := r.find(q, clients, t.name)
			if f == nil || f.err != nil {
				continue
			}
			if q.write {
				if err := p.clean(ctx); err != nil {
					return err
				}
			}
			slice, err := m.slice(ctx, t, q, clients, warmUp, p.options.Duration/time.Duration(p.options.Rounds))
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				p.explain(t, err, progress)
			}
			slice.err = err
			f.add(slice)
		}
	}
	if q.write {
		return p.clean(ctx)
	}
	return nil
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
