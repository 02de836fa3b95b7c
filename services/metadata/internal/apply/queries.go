package apply

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"queryengine/pkg/metadata"
)

// checkTimeout bounds the check of queries. A request doesn't fail for want of an executor.
const checkTimeout = 5 * time.Second

// checkQueriesBefore finds the queries of collections that don't suit the schema that the request
// builds on, unless that was done already: existing faults refuse no change.
func (w *work) checkQueriesBefore(ctx context.Context) {
	if !w.current.queriesChecked {
		w.current = w.checkQueries(ctx, w.current)
	}
}

// withQueriesChecked is next with the queries of collections that don't suit its schema among the
// inconsistent objects. Executors know the schema; while none answers, queries keep their state, and
// new ones count as valid.
func (w *work) withQueriesChecked(ctx context.Context, next *State) *State {
	if !w.current.queriesChecked {
		return next
	}
	if sameForAdmin(w.current, next) {
		unchecked := *next
		unchecked.queriesChecked = true
		return &unchecked
	}
	return w.checkQueries(ctx, next)
}

// checkQueries asks an executor about the queries of a state. When none answers, the state is
// returned as it is.
func (w *work) checkQueries(ctx context.Context, s *State) *State {
	queries := s.Document.CollectionQueries()
	problems, err := w.problems(ctx, s, queries)
	if err != nil {
		w.Logger.WarnContext(ctx, "queries of collections were not checked against the schema", "error", err)
		return s
	}
	var invalid []metadata.Inconsistency
	for i, problem := range problems {
		if problem != "" {
			invalid = append(invalid, s.Document.InvalidQuery(queries[i], problem))
		}
	}
	checked := *s
	checked.queriesChecked = true
	before := s.Document.InvalidQueries(s.Inconsistent)
	if !equalInconsistent(before, invalid) {
		next := *s.Snapshot
		valid := len(s.Inconsistent) - len(before)
		next.Inconsistent = slices.Concat(s.Inconsistent[:valid], invalid)
		checked.Snapshot = &next
	}
	return &checked
}

// problems returns the errors of queries in the schema of a state, "" for none.
func (w *work) problems(ctx context.Context, s *State, queries []metadata.CollectionQuery) ([]string, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	overlay, err := w.overlayOf(s)
	if err != nil {
		return nil, err
	}
	documents := make([]string, len(queries))
	for i, q := range queries {
		documents[i] = q.Query
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return w.Data.Check(ctx, documents, w.base.Version, overlay)
}

// sameForAdmin reports whether both states give the same answers about queries: whether they differ at
// most in other roles, events and settings. It may return false where true would be right.
func sameForAdmin(a, b *State) bool {
	if len(b.Document.QueryCollections) == 0 {
		return len(a.Document.QueryCollections) == 0
	}
	return maps.Equal(a.Catalogs, b.Catalogs) && maps.Equal(a.SourceErrors, b.SourceErrors) &&
		a.answers().Same(b.answers()) && reflect.DeepEqual(forAdmin(a.Document, b.Document), forAdmin(b.Document, a.Document))
}

// forAdmin is the document without what the schema of admin and the reasons of invalid queries
// don't depend on. Tables that other has, too, are left as they are, so that they compare by
// their pointers.
func forAdmin(d, other *metadata.Document) *metadata.Document {
	known := map[*metadata.Table]bool{}
	for _, s := range other.Sources {
		for _, t := range s.Tables {
			known[t] = true
		}
	}
	n := *d
	n.InheritedRoles, n.CronTriggers = nil, nil
	n.APILimits, n.MetricsConfig, n.Introspection, n.DocumentRules, n.Network, n.OpenTelemetry = nil, nil, nil, nil, nil, nil
	n.Sources = make([]*metadata.Source, len(d.Sources))
	for i, s := range d.Sources {
		source := *s
		source.Tables = make([]*metadata.Table, len(s.Tables))
		for k, t := range s.Tables {
			source.Tables[k] = t
			if !known[t] {
				table := *t
				table.InsertPermissions, table.SelectPermissions = nil, nil
				table.UpdatePermissions, table.DeletePermissions, table.EventTriggers = nil, nil, nil
				source.Tables[k] = &table
			}
		}
		n.Sources[i] = &source
	}
	return &n
}
