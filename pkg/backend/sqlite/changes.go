package sqlite

import (
	"context"
	"sync"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// defaultPoll is how often the file is polled to see whether other processes have changed it. It costs a look
// into shared memory.
const defaultPoll = 500 * time.Millisecond

// Changes tells which tables change: at once for what this source writes, after a moment for what other
// processes and other sources write to the file.
func (s *Source) Changes() backend.Changes { return s.changes }

// changes implements backend.Changes. The id of a table is its name.
type changes struct {
	source *Source

	mu sync.Mutex
	// watched are the tables that anybody has asked for.
	watched   map[string]bool
	listeners map[*listener]bool
}

// listener is one call of Listen.
type listener struct {
	changed map[string]bool
	// wake has a token when something changed.
	wake chan struct{}
}

func newChanges(s *Source) *changes {
	return &changes{source: s, watched: map[string]bool{}, listeners: map[*listener]bool{}}
}

// Watch gives the tables behind relations: for a view those that it reads.
func (w *changes) Watch(ctx context.Context, relations []catalog.Name) ([]string, error) {
	c, err := w.source.read.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer w.source.read.release(c)
	kinds, err := c.relationKinds(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, relation := range relations {
		tables, err := c.tablesBehind(relation.Name)
		if err != nil {
			return nil, backend.ErrUnwatchable
		}
		for _, table := range tables {
			switch kinds[table] {
			case relationVirtual:
				// It may show what isn't in the file.
				return nil, backend.ErrUnwatchable
			case relationTable:
				add(&ids, table)
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		w.watched[id] = true
	}
	return ids, nil
}

// tablesBehind are the relations that reading one of them reads.
func (c *conn) tablesBehind(relation string) ([]string, error) {
	var tables []string
	c.guard.reads = &tables
	defer func() { c.guard.reads = nil }()
	stmt, _, err := c.db.PrepareTransient("SELECT * FROM " + mainSchema + "." + quoteName(relation))
	if err != nil {
		return nil, err
	}
	return tables, stmt.Finalize()
}

// Listen implements backend.Changes.
func (w *changes) Listen(ctx context.Context, ready func(), changed func(backend.Change)) error {
	l := &listener{changed: map[string]bool{}, wake: make(chan struct{}, 1)}
	version, err := w.dataVersion(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.listeners[l] = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.listeners, l)
		w.mu.Unlock()
	}()
	ready()
	every := w.source.options.Poll
	if every == 0 {
		every = defaultPoll
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.wake:
		case <-tick.C:
			now, err := w.dataVersion(ctx)
			if err != nil {
				return err
			}
			if now != version && now != (dataVersion{}) {
				version = now
				w.tellAll()
			}
		}
		for id := range w.taken(l) {
			changed(backend.Change{ID: id})
		}
	}
}

// dataVersion is a number that changes when another connection than this one changes the file.
type dataVersion struct {
	conn    *conn
	version string
}

// dataVersion asks the connection that writes, whose own changes are reported without it. It is zero when
// that connection is busy.
func (w *changes) dataVersion(ctx context.Context) (dataVersion, error) {
	c, err := w.source.write.tryAcquire(ctx)
	if err != nil || c == nil {
		return dataVersion{}, err
	}
	defer w.source.write.release(c)
	v := dataVersion{conn: c}
	const text = "PRAGMA data_version"
	_, err = c.rows(ctx, text, nil, func(row answer.Cells) error {
		v.version = string(row.Values[0])
		return nil
	})
	return v, queryError(ctx, err, executed{SQL: text})
}

// tell notifies the listeners of changed tables.
func (w *changes) tell(tables map[string]bool) {
	if len(tables) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for table := range tables {
		w.notify(table)
	}
}

// tellAll notifies the listeners of all tables.
func (w *changes) tellAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for table := range w.watched {
		w.notify(table)
	}
}

// notify needs the lock.
func (w *changes) notify(table string) {
	if !w.watched[table] {
		return
	}
	for l := range w.listeners {
		l.changed[table] = true
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// taken gives what a listener learned of.
func (w *changes) taken(l *listener) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := l.changed
	l.changed = map[string]bool{}
	return changed
}
