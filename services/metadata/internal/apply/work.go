package apply

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/remotes"
	"queryengine/services/metadata/internal/sources"
	"queryengine/services/metadata/internal/store"
)

// work is the progress of one request.
type work struct {
	*Engine
	api       metadata.API
	session   *session.Session
	operation string // the type of the request
	// patience bounds each call to a remote schema, 0 to leave it to the definitions.
	patience time.Duration
	// clientHeaders and id are copied from the client's request.
	clientHeaders map[string]string
	id            string
	// minVersion is the published version that the client's gateway knows, 0 for none.
	minVersion int64
	// base is the state that the request builds on, current what it has come to.
	base, current *State
	// outside reports whether something happened outside of the metadata that can't be undone, so that
	// the request can't be processed again.
	outside bool
	// unchanged reports whether there is nothing to commit.
	unchanged bool
	// dry reports whether nothing will be committed; refused is what would keep it from being so.
	dry     bool
	refused error
	// goesOn reports whether a refused element doesn't refuse the request.
	goesOn bool
	// recreate names sources whose event triggers are recreated, checkInstalled asks for those that are
	// missing in the sources.
	recreate       *metadata.Selection
	checkInstalled bool
	// followed are the states that run_sql has brought the event triggers of sources to.
	followed map[string]*State
	// forgotten names actions whose calls go with the change.
	forgotten []string
	// tx is the claim on the version of base, nil before it is needed.
	tx *store.Tx
}

func (e *Engine) newWork(r Request, base *State) *work {
	return &work{Engine: e, api: r.API, session: r.Session, clientHeaders: r.ClientHeaders, id: r.ID, minVersion: r.MinVersion, operation: r.operation, patience: r.patience, base: base, current: base}
}

var success = json.RawMessage(`{"message":"success"}`)

// run runs one step; when it fails, current is unchanged.
func (w *work) run(ctx context.Context, s step) (json.RawMessage, error) {
	if bulk, ok := s.(bulkStep); ok {
		return w.bulk(ctx, bulk)
	}
	body, err := w.single(ctx, s)
	if err == nil || store.IsConflict(err) {
		return body, err
	}
	return nil, w.placed(s, err)
}

// placed puts the place of the arguments in front of the path of a step's error.
func (w *work) placed(s step, err error) error {
	data := isOnRows(s)
	switch {
	case data && w.api == metadata.APIQueryV2:
		// Executors place their errors as /v1/query does.
		e := *apierror.From(err)
		if rest, ok := strings.CutPrefix(e.Path, "$.args"); ok {
			e.Path = "$" + rest
		}
		return &e
	case data || w.api == metadata.APIQueryV2:
		return err
	}
	return apierror.At(err, "args")
}

// isOnRows reports whether a step is for an executor.
func isOnRows(s step) bool {
	o, ok := s.(operationStep)
	if ok {
		_, ok = o.Args.(*metadata.Rows)
	}
	return ok
}

func (w *work) single(ctx context.Context, s step) (json.RawMessage, error) {
	switch s := s.(type) {
	case internalStep:
		return nil, w.internal(ctx, s)
	case operationStep:
		if w.dry && !s.CanDryRun() {
			return nil, apierror.New(apierror.NotSupported, "this request can't be tried with dry_run")
		}
		return w.perform(ctx, s.Operation)
	}
	return nil, apierror.Newf(apierror.Unexpected, "unknown step %T", s)
}

func (w *work) perform(ctx context.Context, o *metadata.Operation) (json.RawMessage, error) {
	switch args := o.Args.(type) {
	case metadata.Query:
		return w.query(ctx, o.Kind, args)
	case metadata.Batch:
		return w.batch(ctx, o, args)
	case metadata.Command:
		body, err := w.command(ctx, o.Kind, args)
		if err != nil {
			return nil, err
		}
		return metadata.WithWarnings(body, o.Unknown)
	}
	if b := bodies[reflect.TypeOf(o.Args)]; b != nil {
		return b(ctx, w, o)
	}
	return nil, apierror.Newf(apierror.Unexpected, "unknown operation %T", o.Args)
}

func (w *work) command(ctx context.Context, kind string, c metadata.Command) (json.RawMessage, error) {
	w.checkQueriesBefore(ctx)
	r, err := metadata.Apply(c, w.current.view(kind))
	if err != nil {
		return nil, err
	}
	switch args := c.(type) {
	case *metadata.CreateEventTrigger:
		if err := w.admitEventTrigger(ctx, args); err != nil {
			return nil, err
		}
	case *metadata.ReloadMetadata:
		w.recreate = args.EventTriggers
		w.checkInstalled = true
	}
	return w.adopt(ctx, kind, r)
}

// adopt makes the result of a command the state that the request has come to.
func (w *work) adopt(ctx context.Context, kind string, r *metadata.Result) (json.RawMessage, error) {
	next, err := w.build(ctx, r.Document, r.Introspect)
	if err != nil {
		return nil, err
	}
	if err := w.judge(next, r.Verdict, r.Objects); err != nil {
		return nil, err
	}
	if err := w.validate(ctx, next, r.Validate); err != nil {
		return nil, err
	}
	w.current = next
	w.forgotten = append(w.forgotten, r.ClearActions...)
	if r.Reply == nil {
		return success, nil
	}
	return r.Reply(next.view(kind))
}

// judge is judge on the state that the request has come to; in a dry run, the refusal is
// part of the answer.
func (w *work) judge(next *State, verdict metadata.Verdict, named []metadata.ObjectID) error {
	return w.unlessTried(judge(w.current, next, verdict, named))
}

// unlessTried is the refusal of a state; in a dry run it becomes a part of the answer.
func (w *work) unlessTried(refusal error) error {
	if w.dry && !w.goesOn && refusal != nil {
		w.refused = cmp.Or(w.refused, apierror.At(refusal, "args"))
		return nil
	}
	return refusal
}

// build makes the state of a document, after introspection of what it asks for.
func (w *work) build(ctx context.Context, doc *metadata.Document, what metadata.Introspection) (*State, error) {
	w.checkQueriesBefore(ctx)
	catalogs := sources.Introspect(ctx, w.Sources, doc, w.current.catalogs(), what)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	answers, err := w.Remotes.Introspect(ctx, doc, w.current.answers(), remotes.Asking{
		What: what, Before: w.current.Document, Patience: w.patience,
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	next := *w.current.Snapshot
	next.Document, next.Catalogs, next.SourceErrors = doc, catalogs.BySource, catalogs.Errors
	next.Remotes, next.RemoteErrors = answers.ByName, answers.Errors
	w.resolutions.Add(1)
	return w.withQueriesChecked(ctx, newState(&next, w.current, w.Resolve)), ctx.Err()
}

// claim makes sure that no other process commits on top of base.
func (w *work) claim(ctx context.Context) error {
	if w.tx != nil {
		return nil
	}
	tx, err := w.Store.Claim(ctx, w.base.version())
	if err != nil {
		return err
	}
	w.tx = tx
	return nil
}

// end gives up what wasn't committed.
func (w *work) end(ctx context.Context) {
	if w.tx != nil {
		w.tx.Rollback(ctx)
	}
	w.Sources.Retain(w.State().Document.Sources)
}

// data hands an operation on rows to an executor, which sees the changes of the request to the metadata
// so far. If there are none, the published metadata suffices: base may wait for NATS.
func (w *work) data(ctx context.Context, _ string, rows *metadata.Rows) (json.RawMessage, error) {
	overlay, err := w.overlay()
	if err != nil {
		return nil, err
	}
	version := w.base.Version
	if overlay == nil && w.minVersion > 0 {
		version = min(version, w.minVersion)
	}
	w.outside = true
	return w.Data.Execute(ctx, DataOperation{
		Session: w.session, Body: rows.Body, Version: version, Overlay: overlay, ClientHeaders: w.clientHeaders, RequestID: w.id,
	})
}

func (w *work) explainPermissions(ctx context.Context, kind string, a *metadata.ExplainPermissions) (json.RawMessage, error) {
	return w.data(ctx, kind, &metadata.Rows{Body: a.Body})
}

// overlay is what the request has done so far, nil for nothing.
func (w *work) overlay() (*snapshot.Change, error) {
	return w.overlayOf(w.current)
}

// overlayOf is what leads from base to a state that isn't committed, nil for nothing.
func (w *work) overlayOf(s *State) (*snapshot.Change, error) {
	if s == w.base {
		return nil, nil //nolint:nilnil // nothing is no fault
	}
	next := *s.Snapshot
	next.Version = w.base.Version + 1
	return snapshot.Diff(w.base.Snapshot, &next, time.Now())
}
