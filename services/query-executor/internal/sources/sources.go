// Package sources keeps the databases of the metadata open: one pool for each source,
// opened when the source appears and closed when it goes or is reached in another way.
package sources

import (
	"reflect"
	"sync"
	"sync/atomic"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

// Open opens a source; it makes no connection yet.
type Open func(*metadata.Source) (backend.Source, error)

// Manager is safe for concurrent use.
type Manager struct {
	open Open

	mu      sync.RWMutex
	entries map[string]*entry
	closing sync.WaitGroup
}

// entry is one open source.
type entry struct {
	configuration metadata.SourceConfiguration
	kind          string
	source        backend.Source
	// err is why the source could not be opened.
	err error
	// users counts the requests that work with the source, and one for the manager.
	users atomic.Int64
}

// New returns a Manager without sources.
func New(open Open) *Manager {
	return &Manager{open: open, entries: map[string]*entry{}}
}

// Use is a source in use by one request.
type Use struct {
	backend.Source
	entry   *entry
	manager *Manager
}

// Release ends the use. A source that is gone is closed with its last use.
func (u Use) Release() { u.manager.drop(u.entry) }

// Use returns a source by its name; the caller releases it.
func (m *Manager) Use(name string) (Use, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	e := m.entries[name]
	if e == nil {
		return Use{}, apierror.Newf(apierror.NotExists, "source with name %q does not exist", name)
	}
	if e.err != nil {
		return Use{}, e.err
	}
	e.users.Add(1)
	return Use{Source: e.source, entry: e, manager: m}, nil
}

// Update opens the sources that are new and closes those that are gone. One whose
// configuration did not change stays as it is.
func (m *Manager) Update(list []*metadata.Source) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := make(map[string]*entry, len(list))
	for _, s := range list {
		old := m.entries[s.Name]
		if old != nil && old.kind == s.Kind && reflect.DeepEqual(old.configuration, s.Configuration) {
			kept[s.Name] = old
			continue
		}
		kept[s.Name] = m.opened(s)
	}
	for name, e := range m.entries {
		if kept[name] != e {
			m.drop(e)
		}
	}
	m.entries = kept
}

func (m *Manager) opened(s *metadata.Source) *entry {
	e := &entry{configuration: s.Configuration, kind: s.Kind}
	e.users.Store(1)
	e.source, e.err = m.open(s)
	return e
}

// drop removes one user. Closing waits for connections in use, so it runs in the background.
func (m *Manager) drop(e *entry) {
	if e.users.Add(-1) > 0 || e.source == nil {
		return
	}
	m.closing.Add(1)
	go func() {
		defer m.closing.Done()
		e.source.Close()
	}()
}

// Close closes all sources and waits for those that are in use.
func (m *Manager) Close() {
	m.Update(nil)
	m.closing.Wait()
}
