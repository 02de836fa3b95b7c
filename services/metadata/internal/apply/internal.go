package apply

import (
	"context"
	"maps"
	"time"

	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// AddSource adds a source at the start. One that can't be reached is added too: it is
// inconsistent until it is reloaded. One that another process has added meanwhile is left
// as it is.
func (e *Engine) AddSource(ctx context.Context, a *metadata.AddSource) error {
	return e.internally(ctx, func(v metadata.View) (*metadata.Result, error) {
		if v.Document.Source(a.Name) != nil {
			return &metadata.Result{Document: v.Document}, nil
		}
		return a.Apply(v)
	})
}

// Reintrospect reads all catalogs again, and commits when something is not as it was: the
// sources may have changed while no metadata service was running.
func (e *Engine) Reintrospect(ctx context.Context) {
	err := e.internally(ctx, func(v metadata.View) (*metadata.Result, error) {
		return &metadata.Result{Document: v.Document, Introspect: metadata.Introspection{All: true, AllRemotes: true}}, nil
	})
	if err != nil && ctx.Err() == nil {
		e.Logger.WarnContext(ctx, "sources could not be introspected again", "error", err)
	}
	e.installMissing(ctx)
}

// startPatience bounds calls to remote schemas that no client waits for: while they take, the
// metadata can't be changed.
const startPatience = 5 * time.Second

// startOperation is what the engine's own changes are called in the history.
const startOperation = "start"

func (e *Engine) internally(ctx context.Context, change func(metadata.View) (*metadata.Result, error)) error {
	admin := Request{Session: &session.Session{Role: session.Admin}, operation: startOperation, patience: startPatience}
	_, err := e.modify(ctx, admin, internalStep{change}, nil)
	return err
}

// internalStep is a change that no client asked for. No inconsistency refuses it, and it
// makes a version only when it changes something.
type internalStep struct {
	apply func(metadata.View) (*metadata.Result, error)
}

func (internalStep) modifies() bool  { return true }
func (internalStep) adminOnly() bool { return true }

// internal runs an internalStep.
func (w *work) internal(ctx context.Context, s internalStep) error {
	r, err := s.apply(w.current.view(metadata.DefaultKind))
	if err != nil {
		return err
	}
	next, err := w.build(ctx, r.Document, r.Introspect)
	if err != nil {
		return err
	}
	w.unchanged = next.Document == w.current.Document &&
		maps.Equal(next.Catalogs, w.current.Catalogs) && maps.Equal(next.SourceErrors, w.current.SourceErrors) &&
		next.answers().Same(w.current.answers()) && equalInconsistent(next.Inconsistent, w.base.Inconsistent)
	w.current = next
	return nil
}
