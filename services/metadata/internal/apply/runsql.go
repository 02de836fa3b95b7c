package apply

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/metadata/internal/runsql"
	"queryengine/services/metadata/internal/sources"
)

// sqlBodies are the operations that run statements of clients.
var sqlBodies = []served{
	serve((*work).runSQL),
	serve((*work).data),
}

// runSQL runs the text in the source, and follows in the metadata what it did there. The
// claim on the metadata's version is taken before the source commits, so that of both
// commits only the crash of this process in between can keep the second from happening.
func (w *work) runSQL(ctx context.Context, kind string, a *metadata.RunSQL) (json.RawMessage, error) {
	m := w.current.Document.Source(a.Source)
	switch {
	case m == nil:
		return nil, apierror.Newf(apierror.NotExists, "source with name %q does not exist", a.Source)
	case m.Kind != kind:
		return nil, apierror.Newf(apierror.NotExists,
			"source with name %q has backend type %s which does not match the expected type %s", a.Source, m.Kind, kind)
	case m.IsForeign():
		return nil, apierror.Newf(apierror.NotSupported, "sources of kind %s are not supported", m.Kind)
	}
	source, err := w.Sources.Use(m)
	if err != nil {
		return nil, err
	}
	defer source.Release()
	raw := backend.RawSQL{SQL: a.SQL, ReadOnly: a.ReadOnly, NoTransaction: a.NoTransaction, Session: w.session}
	var next *State
	if a.Modifies() {
		var before *catalog.Source
		raw.Before = func(ctx context.Context, introspect backend.IntrospectFunc) error {
			var err error
			before, err = introspect(ctx, sources.Enums(m))
			return err
		}
		raw.Check = func(ctx context.Context, introspect backend.IntrospectFunc) error {
			var err error
			if next, err = w.follow(ctx, m, before, introspect, a.Cascade); err != nil {
				return err
			}
			return w.claim(ctx)
		}
		if _, can := source.Source.(backend.EventTriggers); can {
			raw.EventTriggers = func() backend.EventTriggerChanges {
				c := changesOf(w.installedAt(m.Name), next, m.Name, false)
				c.StringifyNumeric = w.StringifyNumeric
				return c
			}
		}
	}
	w.outside = true
	result, err := source.RunSQL(ctx, raw)
	if err != nil {
		return nil, err
	}
	if next != nil {
		w.current = next
		if w.followed == nil {
			w.followed = map[string]*State{}
		}
		w.followed[m.Name] = next
	}
	return encodeResult(result)
}

// follow finds out what the text did, and returns the state that fits it.
func (w *work) follow(
	ctx context.Context, m *metadata.Source, before *catalog.Source, introspect backend.IntrospectFunc, cascade bool,
) (*State, error) {
	// What happened outside of run_sql since the last introspection is not the fault of
	// this text: what it leads to was there before.
	before = sources.Share(before, w.current.Catalogs[m.Name])
	w.checkQueriesBefore(ctx)
	was := w.resolved(w.current, w.current.Document, m.Name, before)
	enums := sources.Enums(m)
	after, err := introspect(ctx, enums)
	if err != nil {
		return nil, err
	}
	after = sources.Share(after, before)
	doc, err := runsql.Follow(was.Schema, m.Name, before, after, cascade, func(doc *metadata.Document) *resolve.Schema {
		return w.resolved(was, doc, m.Name, before).Schema
	})
	if err != nil {
		return nil, err
	}
	if now := sources.Enums(doc.Source(m.Name)); !slices.Equal(now, enums) {
		if after, err = introspect(ctx, now); err != nil {
			return nil, err
		}
		after = sources.Share(after, before)
	}
	next := w.withQueriesChecked(ctx, w.resolved(was, doc, m.Name, after))
	return next, judge(was, next, metadata.VerdictAny, nil)
}

// resolved is the state with another document and another catalog of one source.
func (w *work) resolved(s *State, doc *metadata.Document, source string, c *catalog.Source) *State {
	next := *s.Snapshot
	next.Document = doc
	next.Catalogs = maps.Clone(s.Catalogs)
	if next.Catalogs == nil {
		next.Catalogs = map[string]*catalog.Source{}
	}
	next.Catalogs[source] = c
	next.SourceErrors = maps.Clone(s.SourceErrors)
	delete(next.SourceErrors, source)
	return newState(&next, s, w.Resolve)
}

func encodeResult(r *backend.RawResult) (json.RawMessage, error) {
	kind := "CommandOk"
	if r.Rows != nil {
		kind = "TuplesOk"
	}
	var rows any = r.Rows
	if r.Values != nil {
		rows = r.Values
	}
	return metadata.Encode(struct {
		Type   string `json:"result_type"`
		Result any    `json:"result"`
	}{kind, rows})
}
