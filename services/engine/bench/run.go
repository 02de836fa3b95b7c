package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// Options say what to measure.
type Options struct {
	// Duration is how long each target is measured with each query, over all rounds.
	Duration time.Duration
	Rounds   int
	// Queries and TargetNames choose; empty are all.
	Queries     []string
	TargetNames []string
	Connections int
	// Programs is the directory of the engine's programs.
	Programs string
	// Durable makes the database write commits to the disk before it answers.
	Durable bool
}

// warmUp is how long a target runs before each slice that counts.
const warmUp = 200 * time.Millisecond

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

	database, err := startDatabase(ctx, dir, o.Durable, sample.Small, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopDatabase(ctx, database)) }()

	p := &place{options: o, dir: dir, processes: &processes{dir: dir}, databaseURL: database.URL}
	defer p.processes.stop()
	targets, err := p.startAll(ctx, progress)
	if err != nil {
		return err
	}
	m := &measurer{
		connections: o.Connections,
		database:    func() (time.Duration, error) { return familyTime(database.PID()) },
	}
	r := newReport(o, chosen, targets)
	for i := range chosen {
		if err := p.measure(ctx, m, &chosen[i], targets, r, progress); err != nil {
			return err
		}
		r.writeQuery(out, &chosen[i])
	}
	r.writeSummary(out)
	return nil
}

// startDatabase starts a server in dir and fills its database with the sample.
func startDatabase(ctx context.Context, dir string, durable bool, size sample.Size, progress io.Writer) (*localpg.Server, error) {
	fmt.Fprintln(progress, "starting PostgreSQL and loading the sample")
	say := func(what string) { fmt.Fprintln(progress, what) }
	if err := localpg.Ensure(ctx, say); err != nil {
		return nil, err
	}
	database, err := localpg.Start(ctx, localpg.Config{
		Dir: filepath.Join(dir, "postgresql"), Durable: durable,
		// Vacuum runs between slices, not at any time.
		Settings: map[string]string{"autovacuum": "off", "shared_buffers": "256MB"},
	})
	if err != nil {
		return nil, err
	}
	err = execute(ctx, database.URL("postgres"), "CREATE DATABASE "+sampleDatabase)
	if err == nil {
		err = sample.Load(ctx, database.URL(sampleDatabase), size)
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
		if name != reference && !contains(names, name) {
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

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// measure lets the targets take turns with one query. A target that answers wrongly is
// reported and left out.
func (p *place) measure(ctx context.Context, m *measurer, q *query, targets []*target, r *report, progress io.Writer) error {
	fmt.Fprintf(progress, "%s: %s\n", q.name, q.about)
	for _, t := range targets {
		if t.name == "rows" && rowsStatements[q.name].sql == "" {
			continue
		}
		f := r.figures(q, t.name)
		if f.err = compare(q, t, targets[0]); f.err != nil {
			p.explain(t, f.err, progress)
		}
	}
	for range p.options.Rounds {
		for _, t := range targets {
			f := r.find(q, t.name)
			if f == nil || f.err != nil {
				continue
			}
			if q.write {
				err := execute(ctx, p.databaseURL(sampleDatabase), fmt.Sprintf(`DELETE FROM invoices WHERE id >= %d`, firstNewInvoice))
				if err == nil {
					err = execute(ctx, p.databaseURL(sampleDatabase), `VACUUM invoices`)
				}
				if err != nil {
					return err
				}
			}
			slice, err := m.slice(ctx, t, q, warmUp, p.options.Duration/time.Duration(p.options.Rounds))
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
	return nil
}

// explain shows what a target that failed has said last.
func (p *place) explain(t *target, err error, progress io.Writer) {
	fmt.Fprintf(progress, "%s: %v\n", t.name, err)
	for _, name := range t.logs {
		fmt.Fprintf(progress, "end of the log of %s:\n%s\n", name, p.processes.tail(name))
	}
}
