package publishing

import (
	"fmt"

	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/guard"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/metadata"
)

// sweep removes what was published before this process knew of anything, and isn't asked for.
func (p *Publishers) sweep() {
	names, err := p.Bus.Published(p.ctx)
	for err != nil && lifecycle.Sleep(p.ctx, retryLast) {
		names, err = p.Bus.Published(p.ctx)
	}
	for _, name := range names { // each by itself: one whose database doesn't answer may take for ever
		p.running.Go(func() { p.remove(name, nil) })
	}
}

// remove removes what publishing has left, if it isn't asked for again. source is the one that it was requested with,
// nil for the one of that name.
func (p *Publishers) remove(name bus.PublishedName, source *metadata.Source) {
	pause, said := retryFirst, false
	for p.ctx.Err() == nil && !p.isAsked(name) {
		err := guard.Do(p.Logger, "panic in the publishing of changes", func() error { return p.removeOnce(name, source) })
		if err == nil {
			p.Logger.Info("publishing of table changes ended", "source", name.Source, "publication", name.Name)
			return
		}
		if !said && p.ctx.Err() == nil {
			p.Logger.Warn("leftovers of published changes can't be removed; retrying later",
				"source", name.Source, "publication", name.Name, "error", err)
		}
		said = true
		lifecycle.Sleep(p.ctx, pause)
		pause = min(2*pause, retryLast)
	}
}

// removeOnce leaves the stream for the end: it tells that there is something to be removed.
func (p *Publishers) removeOnce(name bus.PublishedName, source *metadata.Source) error {
	if err := p.dropIn(name, source); err != nil {
		return err
	}
	return p.Bus.PublishedChanges(bus.PublishedStreamConfig{Source: name.Source, Name: name.Name}).Delete(p.ctx)
}

// dropIn removes the slot and the publication from the database.
func (p *Publishers) dropIn(name bus.PublishedName, source *metadata.Source) error {
	if source == nil {
		if source = p.sourceNamed(name.Source); source == nil {
			p.Logger.Warn("source of published changes was removed; drop its replication slot if the database still exists",
				"source", name.Source, "publication", name.Name)
			return nil
		}
	}
	opened, err := p.pool.Use(source)
	if err != nil {
		return err
	}
	defer opened.Release()
	publisher, ok := opened.Source.(backend.ChangePublisher)
	if !ok {
		return fmt.Errorf("source %q can't publish changes", source.Name)
	}
	p.mu.Lock()
	inDatabase := publisher.PublicationName(p.installation, name.Source, name.Name)
	p.mu.Unlock()
	return publisher.DropPublishedChanges(p.ctx, inDatabase, backend.ChangeProgress{Logger: p.Logger})
}

func (p *Publishers) isAsked(name bus.PublishedName) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[name] != nil
}

// sourceNamed is a source of the metadata, nil for none.
func (p *Publishers) sourceNamed(name string) *metadata.Source {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sources[name]
}
