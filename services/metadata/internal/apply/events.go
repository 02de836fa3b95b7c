package apply

import (
	"context"
	"encoding/json"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

// eventBodies are the operations on the logs of events in sources.
var eventBodies = []served{
	serve((*work).invokeEventTrigger),
	serve((*work).redeliverEvent),
	serve((*work).listEvents),
	serve((*work).listEventInvocations),
	serve((*work).eventByID),
	serve((*work).countEventInvocations),
	serve((*work).cleanEventLog),
}

func (w *work) redeliverEvent(ctx context.Context, kind string, a *metadata.RedeliverEvent) (json.RawMessage, error) {
	return w.onEventLog(kind, a.Source, func(s backend.EventTriggers) (json.RawMessage, error) {
		return success, s.RedeliverEvent(ctx, a.ID)
	})
}

func (w *work) listEvents(ctx context.Context, kind string, a *metadata.GetEventLogs) (json.RawMessage, error) {
	return w.listEventLog(ctx, kind, a.EventLogPage, string(a.Status), backend.EventTriggers.Events)
}

func (w *work) listEventInvocations(ctx context.Context, kind string, a *metadata.GetEventInvocationLogs) (json.RawMessage, error) {
	return w.listEventLog(ctx, kind, a.EventLogPage, "", backend.EventTriggers.EventInvocations)
}

func (w *work) eventByID(ctx context.Context, kind string, a *metadata.GetEventByID) (json.RawMessage, error) {
	return w.onEventLog(kind, a.Source, func(s backend.EventTriggers) (json.RawMessage, error) {
		return s.EventByID(ctx, a.ID, *a.Limit, a.Offset)
	})
}

// onEventLog calls f with a source of that kind.
func (w *work) onEventLog(
	kind, name string, f func(backend.EventTriggers) (json.RawMessage, error),
) (json.RawMessage, error) {
	m, err := w.current.view(kind).FindSource(name)
	if err != nil {
		return nil, err
	}
	s, release, err := w.eventTriggersOf(m)
	if err != nil {
		return nil, err
	}
	defer release()
	return f(s)
}

// eventTriggersOf opens a source that has event triggers; the caller releases it.
func (w *work) eventTriggersOf(m *metadata.Source) (s backend.EventTriggers, release func(), err error) {
	source, err := w.Sources.Use(m)
	if err != nil {
		return nil, nil, err
	}
	s, ok := source.Source.(backend.EventTriggers)
	if !ok {
		source.Release()
		return nil, nil, apierror.Newf(apierror.NotSupported, "sources of kind %q have no event triggers", m.Kind)
	}
	return s, source.Release, nil
}

// eventTrigger finds a trigger of a source.
func (w *work) eventTrigger(kind, source, name string) (*metadata.Table, *metadata.EventTrigger, error) {
	m, err := w.current.view(kind).FindSource(source)
	if err != nil {
		return nil, nil, err
	}
	return m.RequireEventTrigger(name)
}

func (w *work) invokeEventTrigger(ctx context.Context, kind string, a *metadata.InvokeEventTrigger) (json.RawMessage, error) {
	table, t, err := w.eventTrigger(kind, a.Source, a.Name)
	switch {
	case err != nil:
		return nil, err
	case !t.Definition.EnableManual:
		return nil, apierror.New(apierror.NotSupported, "manual mode is not enabled for event trigger")
	}
	return w.onEventLog(kind, a.Source, func(s backend.EventTriggers) (json.RawMessage, error) {
		w.outside = true
		id, err := s.InvokeEventTrigger(ctx, backend.ManualEvent{
			Trigger: a.Name, Table: table.Table, Payload: a.Payload, Session: w.session,
		})
		if err != nil {
			return nil, err
		}
		return metadata.Encode(map[string]string{"event_id": id})
	})
}

func (w *work) listEventLog(
	ctx context.Context, kind string, page metadata.EventLogPage, status string,
	list func(backend.EventTriggers, context.Context, backend.EventQuery) (json.RawMessage, error),
) (json.RawMessage, error) {
	if _, _, err := w.eventTrigger(kind, page.Source, page.Name); err != nil {
		return nil, err
	}
	return w.onEventLog(kind, page.Source, func(s backend.EventTriggers) (json.RawMessage, error) {
		return list(s, ctx, backend.EventQuery{Trigger: page.Name, Limit: *page.Limit, Offset: page.Offset, Status: status})
	})
}

// cleanedEvents is the answer of a clean-up.
type cleanedEvents struct {
	Message     string `json:"message"`
	Events      int64  `json:"deleted_event_logs"`
	Invocations int64  `json:"deleted_event_invocation_logs"`
	// AtLeast reports whether a dry run has counted no further: the figures are those of a part.
	AtLeast bool `json:"at_least,omitempty"`
}

func (w *work) cleanEventLog(ctx context.Context, kind string, a *metadata.CleanupEventLogs) (json.RawMessage, error) {
	if _, _, err := w.eventTrigger(kind, a.Source, a.Name); err != nil {
		return nil, err
	}
	return w.onEventLog(kind, a.Source, func(s backend.EventTriggers) (json.RawMessage, error) {
		c := backend.EventCleanup{
			Trigger: a.Name, OlderThan: time.Duration(a.OlderThan) * time.Hour, BatchSize: a.BatchSize,
			Timeout: time.Duration(a.Timeout) * time.Second, Invocations: a.Invocations,
		}
		var found backend.EventsCleaned
		var more bool
		var err error
		if w.dry {
			found, more, err = s.CountOldEvents(ctx, c)
		} else {
			w.outside = true
			found, err = s.CleanEventLog(ctx, c, nil)
		}
		if err != nil {
			return nil, err
		}
		return metadata.Encode(cleanedEvents{"success", found.Events, found.Invocations, more})
	})
}

// admitEventTrigger refuses a trigger whose variables are missing, one on the rows of a view, and a new
// one that the database has already: it may belong to the metadata of another installation.
func (w *work) admitEventTrigger(ctx context.Context, a *metadata.CreateEventTrigger) error {
	if env := w.Resolve.Env; env != nil {
		if err := a.Trigger.Resolve(env); err != nil {
			return err
		}
	}
	d := a.Trigger.Definition
	if c := w.current.Catalogs[a.Source]; c != nil && c.Tables[a.Table] != nil && (d.Insert != nil || d.Update != nil || d.Delete != nil) {
		if err := onTables(w.current.Document.Source(a.Source), []backend.EventTrigger{{Name: a.Trigger.Name, Table: c.Tables[a.Table]}}); err != nil {
			return err
		}
	}
	if before := w.base.Document.Source(a.Source); before != nil {
		if table, _ := before.EventTrigger(a.Trigger.Name); table != nil {
			return nil // replaced, or deleted by this request
		}
	}
	s, release, err := w.eventTriggersOf(w.current.Document.Source(a.Source))
	if err != nil {
		return err
	}
	defer release()
	installed, err := s.InstalledEventTriggers(ctx, []string{a.Trigger.Name})
	if err == nil && installed[a.Trigger.Name] > 0 {
		err = apierror.Newf(apierror.AlreadyExists, "Event trigger with name %q already exists", a.Trigger.Name)
	}
	return err
}
