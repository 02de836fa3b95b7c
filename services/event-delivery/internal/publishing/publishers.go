package publishing

import (
	"context"
	"log/slog"
	"sync"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/snapshot"
)

// Config is what Publishers work with.
type Config struct {
	Bus *bus.Bus
	// Open opens a source; it makes no connection yet.
	Open open.Open
	// Kinds are those of the sources.
	Kinds backend.Kinds
	// Replicas is how many copies NATS keeps of a stream.
	Replicas int
	Logger   *slog.Logger
	Metrics  *Metrics
}

// Publishers publish all that the metadata asks for. They are safe for concurrent use.
type Publishers struct {
	Config
	pool *open.Pool
	ctx  context.Context //nolint:containedctx // the life of all that runs
	stop context.CancelFunc

	mu sync.Mutex
	// schema has the sources that publish something.
	schema     *resolve.Schema
	publishers map[bus.PublishedName]*publisher
	// asked are what the metadata asks for, with its source; nil before the first version.
	asked map[bus.PublishedName]*metadata.Source
	// sources are all of the metadata.
	sources      map[string]*metadata.Source
	installation string
	stopped      bool
	running      sync.WaitGroup
}

// New returns Publishers that know of nothing yet.
func New(c Config) *Publishers {
	p := &Publishers{Config: c, pool: open.New(c.Open), publishers: map[bus.PublishedName]*publisher{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// Follow applies a version of the metadata.
func (p *Publishers) Follow(s *snapshot.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	before := p.asked
	p.asked, p.installation = map[bus.PublishedName]*metadata.Source{}, s.StreamID
	p.sources = map[string]*metadata.Source{}
	var sources []*metadata.Source
	for _, source := range s.Document.Sources {
		p.sources[source.Name] = source
		for _, m := range source.PublishedChanges {
			p.asked[bus.PublishedName{Source: source.Name, Name: m.Name}] = source
		}
		if len(source.PublishedChanges) > 0 {
			sources = append(sources, source)
		}
	}
	p.resolve(s, sources)
	for name, running := range p.publishers {
		if next := p.wanted(name); next == nil || !running.is(next) {
			running.end()
			delete(p.publishers, name)
		}
	}
	for name := range p.asked {
		if p.publishers[name] == nil {
			p.begin(name)
		}
	}
	if before == nil {
		p.running.Go(p.sweep)
	}
	for name, source := range before {
		if p.asked[name] == nil {
			p.running.Go(func() { p.remove(name, source) })
		}
	}
	p.pool.Retain(sources)
}

// resolve resolves the sources that publish something.
func (p *Publishers) resolve(s *snapshot.Snapshot, sources []*metadata.Source) {
	if len(sources) == 0 {
		p.schema = nil
		return
	}
	document := &metadata.Document{Version: s.Document.Version, Sources: sources, InheritedRoles: s.Document.InheritedRoles}
	p.schema = resolve.New(document, resolve.Findings{Catalogs: s.Catalogs, SourceErrors: s.SourceErrors}, p.schema, resolve.Options{Kinds: p.Kinds})
}

// wanted is what is to be published under a name, but for the name in the database; nil when that can't be or isn't
// asked for.
func (p *Publishers) wanted(name bus.PublishedName) *publisher {
	meta := p.asked[name]
	if meta == nil {
		return nil
	}
	source, m := p.schema.Source(name.Source), meta.Published(name.Name)
	if source == nil {
		return nil
	}
	tables, reason := source.Published(m)
	if reason != "" {
		return nil
	}
	return &publisher{
		Config: &p.Config, name: name, source: meta,
		publication: backend.Publication{Name: p.installation, Tables: tables, Session: m.Session()},
		stream:      bus.PublishedStreamConfig{Source: name.Source, Name: name.Name, MaxBytes: m.StreamBytes(), Replicas: p.Replicas},
	}
}

// begin begins to publish, where that can be.
func (p *Publishers) begin(name bus.PublishedName) {
	next := p.wanted(name)
	if next == nil {
		p.Logger.Warn("changes are not published: inconsistent definition", "source", name.Source, "publication", name.Name)
		return
	}
	opened, err := p.pool.Use(next.source)
	if err != nil {
		return // what needs the source reports that
	}
	source, ok := opened.Source.(backend.ChangePublisher)
	if !ok {
		opened.Release()
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	next.end = cancel
	p.publishers[name] = next
	run := *next
	run.publication.Name = source.PublicationName(p.installation, name.Source, name.Name)
	p.running.Go(func() {
		defer opened.Release()
		run.run(ctx, source)
	})
}

// Stop ends all publishing.
func (p *Publishers) Stop() {
	p.mu.Lock()
	p.stopped = true
	p.stop()
	p.mu.Unlock()
	p.running.Wait()
	p.pool.Close()
}
