package apply

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/metadata/internal/runsql"
	"queryengine/services/metadata/internal/sources"
)

// sqlBodies are the operations that run statements of clients.
var sqlBodies = []served{
	serve((*work).runSQL),
	serve((*work).inspectDatabase),
	serve((*work).describeTable),
	serve((*work).data),
	serve((*work).explainPermissions),
}

// runSQL runs the text in the source, and follows in the metadata what it did there. The
// claim on the metadata's version is taken before the source commits, so that of both
// commits only the crash of this process in between can keep the second from happening.
func (w *work) runSQL(ctx context.Context, kind string, a *metadata.RunSQL) (json.RawMessage, error) {
	m, source, err := w.sourceOf(a.Source, kind)
	if err != nil {
		return nil, err
	}
	defer source.Release()
	if a.MaxRows < 0 {
		return nil, apierror.At(apierror.New(apierror.ParseFailed, "max_rows must not be negative"), "max_rows")
	}
	run := source.RunSQL
	if a.DryRun {
		if run, err = rehearsalOf(m, source, a); err != nil {
			return nil, err
		}
	}
	raw := backend.RawSQL{
		SQL: a.SQL, ReadOnly: a.ReadOnly, NoTransaction: a.NoTransaction, Session: w.session,
		AllResults: a.AllResults, MaxRows: a.MaxRows,
	}
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
			if a.DryRun {
				return nil
			}
			return w.claim(ctx)
		}
		if _, can := source.Source.(backend.EventTriggers); can && !a.DryRun {
			raw.EventTriggers = func() backend.EventTriggerChanges {
				c := changesOf(w.installedAt(m.Name), next, m.Name, false)
				c.StringifyNumeric = w.StringifyNumeric
				return c
			}
		}
	}
	w.outside = true
	result, err := run(ctx, raw)
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
	if a.AllResults {
		return metadata.Encode(struct {
			Results []backend.RawStatement `json:"results"`
		}{append([]backend.RawStatement{}, result.Statements...)})
	}
	return encodeResult(result)
}

// rehearsalOf is what runs a text that is only tried.
func rehearsalOf(m *metadata.Source, source open.Use, a *metadata.RunSQL) (func(context.Context, backend.RawSQL) (*backend.RawResult, error), error) {
	rehearser, can := source.Source.(backend.SQLRehearser)
	switch {
	case !can:
		return nil, apierror.At(apierror.Newf(apierror.NotSupported, "SQL can't be tried in sources of kind %s", m.Kind), "dry_run")
	case a.NoTransaction:
		return nil, apierror.At(apierror.New(apierror.NotSupported, "SQL can't be tried without a transaction"), "no_transaction")
	}
	return rehearser.RehearseSQL, nil
}

// sourceOf is a source of a kind, in use.
func (w *work) sourceOf(name, kind string) (*metadata.Source, open.Use, error) {
	m := w.current.Document.Source(name)
	switch {
	case m == nil:
		return nil, open.Use{}, apierror.Newf(apierror.NotExists, "source with name %q does not exist", name)
	case m.Kind != kind:
		return nil, open.Use{}, apierror.Newf(apierror.NotExists,
			"source with name %q has backend type %s which does not match the expected type %s", name, m.Kind, kind)
	case m.IsForeign():
		return nil, open.Use{}, apierror.Newf(apierror.NotSupported, "sources of kind %s are not supported", m.Kind)
	}
	source, err := w.Sources.Use(m)
	return m, source, err
}

// inspectDatabase lists the tables of a source with their columns, as the database has them now.
func (w *work) inspectDatabase(ctx context.Context, kind string, a *metadata.InspectDatabase) (json.RawMessage, error) {
	m, source, err := w.sourceOf(a.Source, kind)
	if err != nil {
		return nil, err
	}
	defer source.Release()
	found, err := source.Introspect(ctx, sources.Enums(m))
	if err != nil {
		return nil, err
	}
	dialect, err := w.Resolve.Kinds.Dialect(kind, found, nil)
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"table_schema", "table_name", "table_type", "columns"}}
	for _, name := range slices.SortedFunc(maps.Keys(found.Tables), catalog.Name.Compare) {
		t := found.Tables[name]
		type column struct {
			Name     string `json:"column_name"`
			Type     string `json:"data_type"`
			Nullable bool   `json:"is_nullable"`
		}
		columns := make([]column, len(t.Columns))
		for i, c := range t.Columns {
			columns[i] = column{c.Name, dialect.Scalar(c.Type).SQL, c.Nullable}
		}
		text, err := metadata.Encode(columns)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{t.Name.Schema, t.Name.Name, string(t.Kind), string(text)})
	}
	return encodeResult(&backend.RawResult{Rows: rows})
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
	return next, w.unlessTried(judge(was, next, metadata.VerdictAny, nil))
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
