package apply

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// installed is an event trigger as its source has it, with the schedule of its clean-ups.
type installed struct {
	backend.EventTrigger
	schedule string
}

// eventTriggers are the triggers of a source by their names, as far as the database has their
// tables.
func eventTriggers(s *State, source string) map[string]installed {
	found := map[string]installed{}
	m := s.Document.Source(source)
	if m == nil {
		return found
	}
	for _, t := range m.Tables {
		for _, raw := range t.EventTriggers {
			trigger, err := metadata.ParseEventTrigger(raw)
			if err != nil {
				continue // what can't be read was refused when it came
			}
			i := installed{EventTrigger: backend.EventTrigger{
				Name: trigger.Name, OnReplication: trigger.OnReplication, Ordered: trigger.OrderByKey,
				ViaLog: trigger.Via == metadata.ViaLog,
				Insert: operationOf(trigger.Definition.Insert), Update: operationOf(trigger.Definition.Update),
				Delete: operationOf(trigger.Definition.Delete),
			}}
			if c := s.Catalogs[source]; c != nil && c.Tables[t.Table] != nil {
				table := c.Tables[t.Table]
				// Estimates and comments change nothing.
				i.Table = &catalog.Table{
					Name: table.Name, ID: table.ID, Kind: table.Kind, Columns: table.Columns, PrimaryKey: table.PrimaryKey,
				}
			}
			if trigger.Cleanup != nil {
				i.schedule = trigger.Cleanup.Schedule
			}
			found[trigger.Name] = i
		}
	}
	return found
}

func operationOf(c *metadata.EventChange) *backend.EventOperation {
	if c == nil {
		return nil
	}
	o := &backend.EventOperation{}
	if !c.Columns.All {
		o.Columns = c.Columns.Names
	}
	if c.Payload != nil && !c.Payload.All {
		o.Payload = c.Payload.Names
	}
	return o
}

// firesOnRows reports whether the database has something of the trigger. What it can't install, as
// a table or a column is missing, is inconsistent.
func (i installed) firesOnRows() bool {
	if i.Table == nil {
		return false
	}
	for _, o := range []*backend.EventOperation{i.Insert, i.Update, i.Delete} {
		if o == nil {
			continue
		}
		for _, name := range slices.Concat(o.Columns, o.Payload) {
			if i.Table.Column(name) == nil {
				return false
			}
		}
	}
	return i.operations() > 0
}

// operations is how many there are that make events.
func (i installed) operations() int {
	n := 0
	for _, o := range []*backend.EventOperation{i.Insert, i.Update, i.Delete} {
		if o != nil {
			n++
		}
	}
	return n
}

// changesOf returns the changes in a source that lead from one state to another. all recreates all of
// its triggers.
func changesOf(before, after *State, source string, all bool) backend.EventTriggerChanges {
	var c backend.EventTriggerChanges
	old, now := eventTriggers(before, source), eventTriggers(after, source)
	a, b := before.Document.Source(source), after.Document.Source(source)
	elsewhere := a != nil && b != nil && !open.Same(a, b)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		i, was := now[name], old[name]
		if was.Name != "" && was.schedule != i.schedule {
			c.Replan = append(c.Replan, name)
		}
		switch {
		case !i.firesOnRows():
			if was.Name != "" && was.firesOnRows() {
				c.Remake = append(c.Remake, name)
			}
			continue
		case all || was.Table != nil && was.Table.ID != "" && was.Table.ID != i.Table.ID:
			c.Remake = append(c.Remake, name)
		case !elsewhere && reflect.DeepEqual(was.EventTrigger, i.EventTrigger):
			continue
		}
		c.Install = append(c.Install, i.EventTrigger)
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if now[name].Name == "" {
			c.Drop = append(c.Drop, name)
		}
	}
	return c
}

// changeEventTriggers brings the sources in line with the state that is about to be committed.
// What undoes it is never nil.
func (w *work) changeEventTriggers(ctx context.Context) (undo func(context.Context), err error) {
	var done []string
	undo = func(ctx context.Context) {
		for _, source := range done {
			if err := w.changeSource(ctx, w.base.Document.Source(source), changesOf(w.current, w.base, source, false)); err != nil {
				w.Logger.WarnContext(ctx, "event triggers were changed for a request that failed; recreate them",
					"source", source, "error", err)
			}
		}
	}
	for _, m := range w.current.Document.Sources {
		if w.current.SourceErrors[m.Name] != "" {
			continue // it is brought in line when it is reloaded
		}
		all := w.recreate != nil && (w.recreate.All || slices.Contains(w.recreate.Names, m.Name))
		c := changesOf(w.installedAt(m.Name), w.current, m.Name, all)
		if w.checkInstalled && !all {
			if err := w.addMissing(ctx, m, &c); err != nil {
				return undo, err
			}
		}
		if err := w.changeSource(ctx, m, c); err != nil {
			return undo, err
		}
		if w.base.Document.Source(m.Name) != nil {
			done = append(done, m.Name)
		}
	}
	for _, m := range w.base.Document.Sources {
		if w.current.Document.Source(m.Name) != nil {
			continue
		}
		// A source that was dropped may be unreachable permanently.
		if err := w.changeSource(ctx, m, changesOf(w.base, w.current, m.Name, false)); err != nil {
			w.Logger.WarnContext(ctx, "event triggers of a dropped source are still in its database",
				"source", m.Name, "error", err)
		}
	}
	return undo, nil
}

// installedAt is the state that the event triggers of a source are in line with.
func (w *work) installedAt(source string) *State {
	if s := w.followed[source]; s != nil {
		return s
	}
	return w.base
}

// onTables refuses triggers on views, of which rows fire none.
func onTables(m *metadata.Source, list []backend.EventTrigger) error {
	for i := range list {
		switch t := list[i].Table; t.Kind {
		case catalog.KindView, catalog.KindMaterializedView:
			return apierror.Newf(apierror.NotSupported, "event trigger %q: changes of rows make events on tables only, and %q is a view",
				list[i].Name, m.Display(t.Name))
		case catalog.KindTable, catalog.KindForeignTable, catalog.KindPartitioned:
		}
	}
	return nil
}

func (w *work) changeSource(ctx context.Context, m *metadata.Source, c backend.EventTriggerChanges) error {
	if m == nil || c.Empty() {
		return nil
	}
	if err := onTables(m, c.Install); err != nil {
		return err
	}
	s, release, err := w.eventTriggersOf(m)
	if err != nil {
		return err
	}
	defer release()
	w.outside = true
	c.StringifyNumeric = w.StringifyNumeric
	return s.ChangeEventTriggers(ctx, c)
}

// addMissing adds those triggers that are missing in the source, or were made by an older server.
func (w *work) addMissing(ctx context.Context, m *metadata.Source, c *backend.EventTriggerChanges) error {
	var names []string
	known := eventTriggers(w.current, m.Name)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if known[name].firesOnRows() {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	s, release, err := w.eventTriggersOf(m)
	if err != nil {
		return err
	}
	defer release()
	outdated, err := s.EventLogOutdated(ctx)
	if err != nil {
		return err
	}
	var there map[string]int
	if !outdated {
		if there, err = s.InstalledEventTriggers(ctx, names); err != nil {
			return err
		}
	}
	for _, name := range names {
		planned := slices.ContainsFunc(c.Install, func(t backend.EventTrigger) bool { return t.Name == name })
		if !planned && there[name] < known[name].operations() {
			c.Install = append(c.Install, known[name].EventTrigger)
		}
	}
	return nil
}

// installMissing installs the triggers that the sources have lost while no metadata service was
// running.
func (e *Engine) installMissing(ctx context.Context) {
	state := e.State()
	w := e.newWork(Request{operation: startOperation}, state)
	for _, m := range state.Document.Sources {
		if state.SourceErrors[m.Name] != "" {
			continue
		}
		var c backend.EventTriggerChanges
		err := w.addMissing(ctx, m, &c)
		if err == nil {
			err = w.changeSource(ctx, m, c)
		}
		if err != nil && ctx.Err() == nil {
			e.Logger.WarnContext(ctx, "event triggers are missing in the database of a source", "source", m.Name, "error", err)
		}
	}
}
