// Package sourcehealth finds out, round after round, whether the sources that ask for it
// answer.
package sourcehealth

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"sync"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/logtype"
	"queryengine/pkg/metadata"
	"queryengine/pkg/telemetry"
)

// Status is what the last round found.
type Status string

// What a round may find.
const (
	OK      Status = "OK"      // the test succeeded
	Timeout Status = "TIMEOUT" // every try took too long
	Error   Status = "ERROR"   // the database or its driver complained
	Failed  Status = "FAILED"  // the test could not be run because of the configuration
)

// Number is the status as a metric.
func (s Status) Number() float64 {
	switch s {
	case OK:
		return 0
	case Timeout:
		return 1
	case Failed:
		return 2
	case Error:
	}
	return 3
}

// Report is the result of a round.
type Report struct {
	Status    Status    `json:"status"`
	Error     any       `json:"error"`
	Timestamp time.Time `json:"timestamp"`
}

// complaint is an error of a database.
type complaint struct {
	Message string          `json:"message"`
	Extra   json.RawMessage `json:"extra"`
}

// Config is what a Monitor works with.
type Config struct {
	// Document is the newest metadata.
	Document func() *metadata.Document
	// Source opens a source.
	Source func(*metadata.Source) (open.Use, error)
	Logger *slog.Logger
}

// Monitor keeps a loop for each source with a health check.
type Monitor struct {
	config  Config
	mu      sync.Mutex
	reports map[string]Report
	loops   map[string]*loop
	running sync.WaitGroup
}

// loop is the loop of one source; another configuration takes another loop.
type loop struct {
	source *metadata.Source
	cancel context.CancelFunc
}

// New returns a Monitor that does nothing yet.
func New(c Config) *Monitor {
	return &Monitor{config: c, reports: map[string]Report{}, loops: map[string]*loop{}}
}

// shortestPause is the least time between two rounds.
const shortestPause = time.Second

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// followEvery is how often the monitor looks for changes of the metadata.
const followEvery = time.Second

// Run follows the metadata until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	defer m.running.Wait()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		m.follow(ctx, m.config.Document())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Reports are the results of the last rounds by source. A source without one is left out.
func (m *Monitor) Reports() map[string]Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.reports)
}

// follow starts and ends loops according to the document. An unchanged source is the same pointer.
func (m *Monitor) follow(ctx context.Context, doc *metadata.Document) {
	if doc == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	wanted := map[string]*metadata.Source{}
	for _, s := range doc.Sources {
		if len(s.HealthCheck) > 0 {
			wanted[s.Name] = s
		}
	}
	for name, l := range m.loops {
		if s := wanted[name]; s == nil || !same(s, l.source) {
			l.cancel()
			delete(m.loops, name)
			delete(m.reports, name)
		}
	}
	for name, s := range wanted {
		if m.loops[name] != nil {
			continue
		}
		inner, cancel := context.WithCancel(ctx)
		l := &loop{s, cancel}
		m.loops[name] = l
		m.running.Go(func() { m.watch(inner, l) })
	}
}

// same reports whether two versions of a source are reached and tested in the same way.
func same(a, b *metadata.Source) bool {
	return a == b || open.Same(a, b) && string(a.HealthCheck) == string(b.HealthCheck)
}

func (m *Monitor) watch(ctx context.Context, l *loop) {
	check := &metadata.HealthCheck{}
	if err := json.Unmarshal(l.source.HealthCheck, check); err != nil {
		m.store(ctx, l, Report{Status: Failed, Error: err.Error()})
		return
	}
	for {
		report := Report{Status: Failed, Error: "internal error"}
		guard.Run(m.config.Logger, "panic in a health check", func() { report = m.round(ctx, l.source, check) })
		if ctx.Err() != nil {
			return
		}
		m.store(ctx, l, report)
		if !lifecycle.Sleep(ctx, max(shortestPause, seconds(check.Interval))) {
			return
		}
	}
}

// round runs the test until it succeeds, or often enough.
func (m *Monitor) round(ctx context.Context, s *metadata.Source, check *metadata.HealthCheck) Report {
	var report Report
	for try := range 1 + max(0, check.Retries) {
		if try > 0 && !lifecycle.Sleep(ctx, seconds(check.RetryInterval)) {
			break
		}
		if report = m.test(ctx, s, check); report.Status == OK {
			break
		}
	}
	return report
}

func (m *Monitor) test(ctx context.Context, s *metadata.Source, check *metadata.HealthCheck) Report {
	source, err := m.config.Source(s)
	if err != nil {
		return Report{Status: Failed, Error: apierror.From(err).Message}
	}
	defer source.Release()
	limited, cancel := context.WithTimeout(ctx, seconds(check.Timeout))
	defer cancel()
	_, err = source.RunSQL(limited, backend.RawSQL{SQL: check.Test.SQL, ReadOnly: true})
	switch {
	case err == nil:
		return Report{Status: OK}
	case limited.Err() != nil:
		return Report{Status: Timeout}
	}
	e := apierror.From(err)
	return Report{Status: Error, Error: complaint{Message: e.Message, Extra: e.InternalJSON()}}
}

func (m *Monitor) store(ctx context.Context, l *loop, r Report) {
	r.Timestamp = time.Now().UTC()
	m.mu.Lock()
	current := m.loops[l.source.Name] == l
	if current {
		m.reports[l.source.Name] = r
	}
	m.mu.Unlock()
	if !current {
		return
	}
	level := slog.LevelInfo
	if r.Status != OK {
		level = slog.LevelWarn
	}
	telemetry.Of(m.config.Logger, logtype.HealthCheck).Log(ctx, level, "",
		"source_name", l.source.Name, "status", r.Status, "timestamp", r.Timestamp, "internal", r.Error)
}
