package apply

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
	"queryengine/pkg/metadata"
)

// undeliveredEvents are those of a trigger that wait, and would not be delivered because the trigger would be gone.
type undeliveredEvents struct {
	// Kind is event or cron, as in get_status; Source is that of an event trigger.
	Kind    string `json:"kind"`
	Source  string `json:"source,omitempty"`
	Trigger string `json:"trigger,omitempty"`
	Events  int64  `json:"events"`
	// Error is why those of a source, or of all cron triggers, can't be counted.
	Error string `json:"error,omitempty"`
}

// undelivered counts the events of the triggers that are gone since base, those with most of them first. Databases are
// asked at once, for as long as get_status asks them.
func (w *work) undelivered(ctx context.Context) []undeliveredEvents {
	if w.current.Document == w.base.Document {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, backlogPatience)
	defer cancel()
	var asking guard.WaitGroup
	var mu sync.Mutex
	var list []undeliveredEvents
	add := func(e undeliveredEvents) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, e)
	}
	for _, m := range w.base.Document.Sources {
		gone := w.goneTriggers(m)
		if len(gone) == 0 {
			continue
		}
		asking.Go(func() {
			found, err := w.eventBacklogs(ctx, m)
			if err != nil {
				add(undeliveredEvents{Kind: "event", Source: m.Name, Error: apierror.From(err).Message})
			}
			for _, b := range found {
				if gone[b.Trigger] {
					add(undeliveredEvents{Kind: "event", Source: m.Name, Trigger: b.Trigger, Events: b.Pending + b.InFlight})
				}
			}
		})
	}
	if gone := w.goneCronTriggers(); len(gone) > 0 {
		asking.Go(func() {
			found, err := w.Store.PlannedCronEvents(ctx, gone)
			if err != nil {
				add(undeliveredEvents{Kind: "cron", Error: apierror.From(err).Message})
			}
			for _, p := range found {
				add(undeliveredEvents{Kind: "cron", Trigger: p.Trigger, Events: p.Count})
			}
		})
	}
	asking.Wait()
	slices.SortFunc(list, func(a, b undeliveredEvents) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), strings.Compare(a.Source, b.Source), strings.Compare(a.Trigger, b.Trigger))
	})
	return list[:min(len(list), maxBacklogs)]
}

// goneTriggers are the event triggers of a source of base that no source of current has. Those of a source that was
// renamed stay.
func (w *work) goneTriggers(m *metadata.Source) map[string]bool {
	after := []*metadata.Source{w.current.Document.Source(m.Name)}
	if after[0] == nil {
		after = slices.DeleteFunc(slices.Clone(w.current.Document.Sources), func(s *metadata.Source) bool { return w.base.Document.Source(s.Name) != nil })
	}
	gone := map[string]bool{}
	eachTrigger(m, func(name string) { gone[name] = true })
	for _, s := range after {
		eachTrigger(s, func(name string) { delete(gone, name) })
	}
	return gone
}

// eachTrigger calls f with the names of a source's event triggers.
func eachTrigger(m *metadata.Source, f func(name string)) {
	for _, table := range m.Tables {
		for _, raw := range table.EventTriggers {
			f(metadata.Key(raw, "name"))
		}
	}
}

func (w *work) goneCronTriggers() []string {
	after := map[string]bool{}
	for _, raw := range w.current.Document.CronTriggers {
		after[metadata.Key(raw, "name")] = true
	}
	var gone []string
	for _, raw := range w.base.Document.CronTriggers {
		if name := metadata.Key(raw, "name"); !after[name] {
			gone = append(gone, name)
		}
	}
	return gone
}
