// Package freshness tells which cached answers are outdated, by the change feeds of the sources that they were read from.
//
// An executor serves an answer from the cache as long as it has watched the answer's tables since before the answer was stored, so it
// doesn't matter which executor stored it, nor whether that one is still there.
package freshness

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/guard"
	"queryengine/services/query-executor/internal/live"
)

const (
	// listenAgain is the pause before a lost feed is taken up again.
	listenAgain = time.Second
	// watchWithin bounds the time that preparing tables takes.
	watchWithin = 10 * time.Second
	// skew is by how much the clocks of executors may differ.
	skew = 2 * time.Second
	// mostFamilies bounds the answers that are remembered of a table.
	mostFamilies = 10_000
)

// Deps are what a Watcher works with.
type Deps struct {
	Changes live.Changes
	// Forget removes the answers of a family from the cache.
	Forget func(ctx context.Context, family string)
	Log    *slog.Logger
}

// Watcher watches the tables of cached answers. It is safe for concurrent use.
type Watcher struct {
	deps  Deps
	base  context.Context //nolint:containedctx // of the goroutines
	close context.CancelFunc
	done  sync.WaitGroup

	mu      sync.Mutex
	sources map[string]*source
}

// source is a source with the tables that are watched.
type source struct {
	watcher *Watcher
	name    string

	mu      sync.Mutex
	changes backend.Changes // nil while nothing is reported
	tables  map[catalog.Name]*table
	byID    map[string][]*table
}

// table is a table that is watched. Answers that were stored after since are not outdated, nor are those of families.
type table struct {
	since    time.Time
	changes  int
	lost     bool
	families map[string]bool
}

// New returns a Watcher that watches nothing yet.
func New(d Deps) *Watcher {
	w := &Watcher{deps: d, sources: map[string]*source{}}
	w.base, w.close = context.WithCancel(context.Background())
	return w
}

// Close ends all work.
func (w *Watcher) Close() {
	w.close()
	w.done.Wait()
}

// Guard is the state of the tables of an answer at a time.
type Guard struct {
	tables  []guarded
	changed int
}

type guarded struct {
	source *source
	*table
}

// errDown reports that a source has a change feed that reports nothing at present.
var errDown = errors.New("the change feed of a source is down")

// Guard watches tables of sources, and returns their state. Tables of sources without a change feed, and those that can't be watched, are
// left out. It fails while a change could be missed.
func (w *Watcher) Guard(ctx context.Context, reads map[string][]catalog.Name) (*Guard, error) {
	g := &Guard{}
	for name, tables := range reads {
		s, err := w.source(name)
		if err != nil {
			return nil, err
		}
		if s == nil {
			continue
		}
		if err := s.guard(ctx, g, tables); err != nil {
			return nil, err
		}
	}
	g.changed = g.count()
	return g, nil
}

// source is nil for one without a change feed.
func (w *Watcher) source(name string) (*source, error) {
	opened, release, err := w.deps.Changes.Use(name)
	if err != nil {
		return nil, err
	}
	has := w.deps.Changes.Of(name, opened) != nil
	release()
	if !has {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sources[name]
	if s == nil && w.base.Err() == nil {
		s = &source{watcher: w, name: name, tables: map[catalog.Name]*table{}, byID: map[string][]*table{}}
		w.sources[name] = s
		w.done.Go(s.run)
	}
	return s, nil
}

func (s *source) guard(ctx context.Context, g *Guard, tables []catalog.Name) error {
	ctx, cancel := context.WithTimeout(ctx, watchWithin)
	defer cancel()
	for _, name := range tables {
		t, err := s.watch(ctx, name)
		if errors.Is(err, backend.ErrUnwatchable) {
			continue
		}
		if err != nil {
			return err
		}
		g.tables = append(g.tables, guarded{s, t})
	}
	return nil
}

func (s *source) watch(ctx context.Context, name catalog.Name) (*table, error) {
	s.mu.Lock()
	changes, t := s.changes, s.tables[name]
	s.mu.Unlock()
	if changes == nil {
		return nil, errDown
	}
	if t != nil {
		return t, nil
	}
	ids, err := changes.Watch(ctx, []catalog.Name{name})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes != changes {
		return nil, errDown
	}
	if t = s.tables[name]; t == nil {
		t = &table{since: time.Now(), families: map[string]bool{}}
		s.tables[name] = t
		for _, id := range ids {
			s.byID[id] = append(s.byID[id], t)
		}
	}
	return t, nil
}

// count is how often the tables have changed.
func (g *Guard) count() (n int) {
	for _, t := range g.tables {
		t.source.mu.Lock()
		n += t.changes
		if t.lost {
			n++
		}
		t.source.mu.Unlock()
	}
	return n
}

// Changed reports whether a table has changed since the guard was made, or may have.
func (g *Guard) Changed() bool { return g.count() != g.changed }

// Covers reports whether no table has changed since an answer of a family was stored: they were watched since then.
func (g *Guard) Covers(family string, stored time.Time) bool {
	for _, t := range g.tables {
		t.source.mu.Lock()
		covered := !t.lost && (t.families[family] || stored.After(t.since.Add(skew)))
		t.source.mu.Unlock()
		if !covered {
			return false
		}
	}
	return true
}

// Keep has answers of a family removed when a table changes. It reports false when there are too many.
func (g *Guard) Keep(family string) bool {
	for _, t := range g.tables {
		t.source.mu.Lock()
		full := len(t.families) >= mostFamilies && !t.families[family]
		if !full {
			t.families[family] = true
		}
		t.source.mu.Unlock()
		if full {
			return false
		}
	}
	return true
}

// run listens until the watcher is closed.
func (s *source) run() {
	w := s.watcher
	for w.base.Err() == nil {
		err := guard.Do(w.deps.Log, "panic in a change feed", func() error {
			return live.Listen(w.base, w.deps.Changes, s.name, func() bool { return true }, s.up, s.changed)
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			w.deps.Log.Warn("change feed lost; answers with tags are not cached", "source", s.name, "error", err)
		}
		s.down()
		select {
		case <-time.After(listenAgain):
		case <-w.base.Done():
		}
	}
}

func (s *source) up(c backend.Changes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = c
}

// down forgets all tables: changes may be missed from now on.
func (s *source) down() {
	s.mu.Lock()
	outdated := map[string]bool{}
	for _, t := range s.tables {
		t.lost = true
		for family := range t.families {
			outdated[family] = true
		}
	}
	s.changes = nil
	clear(s.tables)
	clear(s.byID)
	s.mu.Unlock()
	s.forget(outdated)
}

// changed removes the answers that were read from a table.
func (s *source) changed(c backend.Change) {
	s.mu.Lock()
	outdated := map[string]bool{}
	for _, t := range s.byID[c.ID] {
		t.changes++
		t.since = time.Now()
		for family := range t.families {
			outdated[family] = true
		}
		clear(t.families)
	}
	s.mu.Unlock()
	s.forget(outdated)
}

// forget removes answers. The feed waits for that, so changes can't pile up here.
func (s *source) forget(families map[string]bool) {
	for family := range families {
		s.watcher.deps.Forget(s.watcher.base, family)
	}
}
