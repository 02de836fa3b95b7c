package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/guard"
)

const (
	// listenAgain is the pause before a lost change feed is taken up again, sourceCheck how
	// often it is seen after whether the source is still the same.
	listenAgain = time.Second
	sourceCheck = 2 * time.Second
	// watchWithin bounds the time that preparing tables for it may take.
	watchWithin = 10 * time.Second
	// refresh is how often everything is run without a notification: changes made without the triggers,
	// and dropped triggers, must not go unnoticed forever. Where it is noticed that something isn't told, seldom is enough.
	refresh = time.Minute
	seldom  = time.Hour
	// unwatchedFor is how long a poller keeps polling before it asks again whether its tables
	// can be watched.
	unwatchedFor = time.Minute
)

// changeFeed passes on the notifications of changes in a source.
type changeFeed struct {
	manager *Manager
	source  string

	// wake is signalled when the first poller begins to use the feed.
	wake chan struct{}

	mu sync.Mutex
	// users counts the pollers that exist.
	users   int
	changes backend.Changes // nil while nothing is reported
	// pollers are those that depend on a table, with what is of interest of its changes.
	pollers map[string]map[*poller]*interest
}

func newChangeFeed(m *Manager, source string) *changeFeed {
	return &changeFeed{manager: m, source: source, wake: make(chan struct{}, 1), pollers: map[string]map[*poller]*interest{}}
}

// use counts a poller.
func (f *changeFeed) use() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users++
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *changeFeed) used() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.users > 0
}

// run listens while there are pollers, until the manager is closed.
func (f *changeFeed) run() {
	defer f.manager.running.Done()
	for f.manager.base.Err() == nil {
		if !f.used() {
			select {
			case <-f.wake:
			case <-f.manager.base.Done():
			}
			continue
		}
		f.listen()
		f.down()
		select {
		case <-time.After(listenAgain):
		case <-f.manager.base.Done():
		}
	}
}

// listen listens for as long as the connection and the source stay what they are.
func (f *changeFeed) listen() {
	deps := f.manager.deps
	err := guard.Do(deps.Log, "panic in a change feed", func() error {
		return Listen(f.manager.base, Changes{Use: deps.Use, Log: deps.ChangeLog}, f.source, f.used, f.up, f.changed)
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		deps.Log.Warn("change feed lost; subscriptions poll", "source", f.source, "error", err)
	}
}

// Changes are where the changes of sources come from.
type Changes struct {
	Use func(source string) (backend.LiveSource, func(), error)
	// Log gives the changes of a source whose log another process reads.
	Log func(source string) backend.Changes
}

// Of is nil when the source doesn't report changes.
func (c Changes) Of(name string, source backend.LiveSource) backend.Changes {
	if s, ok := source.(backend.LogSource); ok && s.ChangeLog("") != nil {
		return c.Log(name)
	}
	if s, ok := source.(backend.ChangeSource); ok {
		return s.Changes()
	}
	return nil
}

// Listen calls up once the changes of a source are reported, and changed for each of them, for as long as the connection and the source
// stay what they are, and used reports true.
func Listen(ctx context.Context, from Changes, name string, used func() bool, up func(backend.Changes), changed func(backend.Change)) error {
	source, release, err := from.Use(name)
	if err != nil {
		return nil // it is tried again
	}
	defer release()
	changes := from.Of(name, source)
	if changes == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var watching sync.WaitGroup
	watching.Go(func() { whileSame(ctx, cancel, from, name, source, used) })
	err = changes.Listen(ctx, func() { up(changes) }, changed)
	cancel()
	watching.Wait()
	return err
}

// whileSame ends a feed whose source was opened again, and one that has no user.
func whileSame(ctx context.Context, cancel context.CancelFunc, from Changes, name string, source backend.LiveSource, used func() bool) {
	tick := time.NewTicker(sourceCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, release, err := from.Use(name)
		if err != nil || now != source || !used() {
			cancel()
		}
		if err == nil {
			release()
		}
	}
}

func (f *changeFeed) up(c backend.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = c
}

// down has all pollers poll again.
func (f *changeFeed) down() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = nil
	for _, pollers := range f.pollers {
		for p := range pollers {
			p.follow("")
			p.pushed.Store(false)
			p.lost.Store(true)
			p.notice()
		}
	}
	clear(f.pollers)
}

// changed passes on that a table has changed.
func (f *changeFeed) changed(c backend.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p, i := range f.pollers[c.ID] {
		if !guard.Run(f.manager.deps.Log, "panic in a change of a table", func() { p.hear(&c, i) }) {
			p.distrust()
		}
	}
}

// hear takes a change of a table.
func (p *poller) hear(c *backend.Change, i *interest) {
	if p.takeChange(c) {
		return
	}
	if images, all := i.images(c.Rows); all {
		p.doubt()
		p.noticeAll(c.Position)
	} else {
		p.noticeRows(images, c.Position)
	}
}

// watch subscribes a poller to changes, if possible, and returns when to ask again.
func (f *changeFeed) watch(p *poller) (again time.Time) {
	f.mu.Lock()
	changes := f.changes
	f.mu.Unlock()
	if changes == nil {
		return time.Now()
	}
	ctx, cancel := context.WithTimeout(p.ctx, watchWithin)
	defer cancel()
	var found map[string]*interest
	var followed string
	err := guard.Do(f.manager.deps.Log, "panic in the watching of tables", func() (err error) {
		found, followed, err = watchStream(ctx, changes, p.live)
		return err
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || f.changes != changes {
		if err != nil && !errors.Is(err, backend.ErrUnwatchable) && p.ctx.Err() == nil {
			f.manager.deps.Log.Warn("tables can't be watched; their subscriptions poll", "source", f.source, "error", err)
		}
		f.forget(p)
		p.follow("")
		p.pushed.Store(false)
		return time.Now().Add(unwatchedFor)
	}
	guarded, ok := changes.(backend.GuardedChanges)
	steady := ok && guarded.Guarded()
	for id, i := range found {
		steady = steady && i.table
		if f.pollers[id] == nil {
			f.pollers[id] = map[*poller]*interest{}
		}
		f.pollers[id][p] = i
	}
	p.follow(followed)
	if !p.pushed.Swap(true) {
		p.notice() // changes since the last cycle
	}
	p.refresh = refresh
	if steady {
		p.refresh = seldom
	}
	return time.Now().Add(p.refresh)
}

// leave ends use, and watch.
func (f *changeFeed) leave(p *poller) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users--
	f.forget(p)
}

func (f *changeFeed) forget(p *poller) {
	for id, pollers := range f.pollers {
		delete(pollers, p)
		if len(pollers) == 0 {
			delete(f.pollers, id)
		}
	}
}
