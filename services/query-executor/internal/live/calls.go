package live

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
)

const (
	// asked is how many calls one query looks up.
	asked = 1000
	// askPatience bounds one question, answerPatience one answer.
	askPatience    = 10 * time.Second
	answerPatience = time.Minute
)

// Calls is what a subscription has instead of a statement when it is about calls of
// asynchronous actions.
type Calls struct {
	IDs []string
	// Lasting reports whether answers may change when the calls have ended: tables are part of them.
	// The subscription goes on then; others end with their calls.
	Lasting bool
	// Answer makes the response document.
	Answer func(ctx context.Context) ([]byte, error)
}

// CallLog knows which calls have ended.
type CallLog interface {
	// Finished returns which of some calls have ended.
	Finished(ctx context.Context, ids []string) ([]string, error)
	// Watch reports calls that end, without a promise that none is missed, until stop.
	Watch(ended func(ids []string)) (stop func(), err error)
}

// watch answers all subscriptions about calls. It looks at the log at an interval, and at once
// when it hears of a call that has ended.
type watch struct {
	manager *Manager
	wake    chan struct{}
	// slots bound the answers that are made at once; tables are those of answers that tables are part of, which may hang.
	slots, tables chan struct{}

	mu       sync.Mutex
	watching map[*Subscriber]*watched
	// heard are calls that have ended and were not looked at yet.
	heard map[string]struct{}
}

// watched is a subscriber with what it waits for.
type watched struct {
	*Subscriber
	open map[string]struct{}
	// due reports whether it needs an answer, busy whether one is being made.
	due, busy bool
	hash      Hash
	// known reports whether hash counts.
	known bool
}

// watchCalls adds a subscriber to those that wait for calls.
func (m *Manager) watchCalls(s *Subscriber) {
	if m.calls == nil {
		m.calls = &watch{manager: m, wake: make(chan struct{}, 1), slots: make(chan struct{}, statements), tables: make(chan struct{}, statements), watching: map[*Subscriber]*watched{}, heard: map[string]struct{}{}}
		m.running.Go(m.calls.run)
	}
	m.deps.Metrics.subscribers(queries, s.Operation, 1)
	m.calls.add(s)
}

func (w *watch) add(s *Subscriber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	entry := &watched{Subscriber: s, open: make(map[string]struct{}, len(s.Calls.IDs)), due: true}
	for _, id := range s.Calls.IDs {
		entry.open[id] = struct{}{}
	}
	entry.known = copy(entry.hash[:], s.Hash) == len(entry.hash)
	w.watching[s] = entry
	w.signal()
}

// remove takes a subscriber out, and notes what it has seen.
func (w *watch) remove(s *Subscriber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if entry := w.watching[s]; entry != nil && entry.known {
		s.Hash = bytes.Clone(entry.hash[:])
	}
	delete(w.watching, s)
}

func (w *watch) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// hear notes calls that have ended, when a subscriber waits for them.
func (w *watch) hear(ids []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, entry := range w.watching {
		for _, id := range ids {
			if _, waits := entry.open[id]; waits {
				w.heard[id] = struct{}{}
				w.signal()
			}
		}
	}
}

// run runs until the manager is closed.
func (w *watch) run() {
	log := w.manager.deps.Log
	stop, err := w.manager.deps.Calls.Watch(w.hear)
	if err != nil {
		log.Warn("no notifications of completed action calls; subscriptions poll", "error", err)
	} else {
		defer stop()
	}
	interval := cmp.Or(w.manager.deps.Queries.Interval, time.Second)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		all := false
		select {
		case <-w.manager.base.Done():
			return
		case <-tick.C:
			all = true
		case <-w.wake:
		}
		w.cycle(all)
	}
}

// cycle answers subscribers that may have something to receive: all of them, or those with calls known
// to have ended.
func (w *watch) cycle(all bool) {
	m := w.manager
	ended, ids := w.open(all)
	if err := w.ask(ids, ended); err != nil && m.base.Err() == nil {
		m.deps.Log.Warn("completed action calls are unknown", "error", err)
	}
	for _, entry := range w.affected(ended, all) {
		slots := w.slots
		if entry.Calls.Lasting {
			slots = w.tables
		}
		m.running.Go(func() {
			select {
			case slots <- struct{}{}:
			case <-m.base.Done():
				return
			}
			defer func() { <-slots }()
			w.answer(entry)
		})
	}
}

// ask adds those of the calls that have ended.
func (w *watch) ask(ids []string, ended map[string]struct{}) error {
	ctx, cancel := context.WithTimeout(w.manager.base, askPatience)
	defer cancel()
	for part := range slices.Chunk(ids, asked) {
		finished, err := w.manager.deps.Calls.Finished(ctx, part)
		if err != nil {
			return err
		}
		for _, id := range finished {
			ended[id] = struct{}{}
		}
	}
	return nil
}

// open takes the calls known to have ended, and lists the calls to ask about: those that are waited
// for, or those of subscribers without an answer yet.
func (w *watch) open(all bool) (heard map[string]struct{}, ids []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	heard, w.heard = w.heard, map[string]struct{}{}
	distinct := map[string]struct{}{}
	for _, entry := range w.watching {
		if all || entry.due {
			maps.Copy(distinct, entry.open)
		}
	}
	return heard, slices.Collect(maps.Keys(distinct))
}

// affected are the subscribers whose answers may have changed; those with an answer in the making
// get another one afterwards.
func (w *watch) affected(ended map[string]struct{}, all bool) []*watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*watched
	for _, entry := range w.watching {
		before := len(entry.open)
		maps.DeleteFunc(entry.open, func(id string, _ struct{}) bool {
			_, over := ended[id]
			return over
		})
		if !entry.due && len(entry.open) == before && (!all || !entry.Calls.Lasting || len(entry.open) == len(entry.Calls.IDs)) {
			continue
		}
		if entry.due = entry.busy; !entry.busy {
			entry.busy = true
			list = append(list, entry)
		}
	}
	return list
}

// answer makes an answer and sends it, unless the subscriber has it.
func (w *watch) answer(entry *watched) {
	m := w.manager
	ctx, cancel := context.WithTimeout(m.base, answerPatience)
	defer cancel()
	var body []byte
	err := guard.Do(m.deps.Log, "panic in a subscription", func() (err error) {
		body, err = entry.Calls.Answer(ctx)
		return err
	})
	if m.base.Err() != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w.mu.Lock()
	// What is due once more was made before the last call had ended: its end is still to be reported.
	gone, over := w.watching[entry.Subscriber] != entry, len(entry.open) == 0 && !entry.due && !entry.Calls.Lasting
	h := sha256.Sum256(body)
	changed := !entry.known || entry.hash != h
	entry.hash, entry.known, entry.busy = h, err == nil, false
	if entry.due {
		w.signal()
	}
	w.mu.Unlock()
	switch {
	case gone:
		return
	case err != nil && over:
		m.end(entry.Subscriber, err)
		return
	case err != nil:
		entry.link.push(entry.Subscriber, &Result{Err: apierror.From(err)})
	case changed:
		entry.link.push(entry.Subscriber, &Result{Data: body, Hash: h})
	}
	if over {
		m.end(entry.Subscriber, nil)
	}
}
