package apply

import (
	"context"
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/store"
)

// isDryRun reports whether a request only asks what it would change: next to its type, or in the
// arguments of operations that have a place for it there.
func isDryRun(api metadata.API, e *metadata.Envelope, s step) bool {
	o, ok := s.(operationStep)
	if api != metadata.APIMetadata {
		return ok && isRunSQL(o) && o.AsksDryRun()
	}
	return e.DryRun || ok && o.AsksDryRun()
}

// isRunSQL reports whether a step is a run_sql, the only one that is tried at /v1/query and /v2/query.
func isRunSQL(o operationStep) bool {
	_, ok := o.Args.(*metadata.RunSQL)
	return ok
}

// rehearsal is the answer of a dry run.
type rehearsal struct {
	DryRun  bool                  `json:"dry_run"`
	Version int64                 `json:"resource_version"`
	Changes []snapshot.Difference `json:"changes"`
	// Consistent and Inconsistent are about the metadata as it would be.
	Consistent   bool                     `json:"is_consistent"`
	Inconsistent []metadata.Inconsistency `json:"inconsistent_objects"`
	// Undelivered are the events of triggers that would be gone.
	Undelivered []undeliveredEvents `json:"undelivered_events,omitempty"`
	// Refused is the error that the request would be answered with because of them, or of maintenance mode.
	Refused *refusedAnswer `json:"refused,omitempty"`
	// Answer is what the request would be answered with otherwise.
	Answer json.RawMessage `json:"answer"`
}

type refusedAnswer struct {
	Error string        `json:"error"`
	Path  string        `json:"path"`
	Code  apierror.Code `json:"code"`
}

// dryRun works a request off and throws away what it comes to.
func (e *Engine) dryRun(ctx context.Context, r Request, s step, version *int64) (*Answer, error) {
	if !onlyCounts(s) {
		select {
		case <-e.writing:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		defer func() { e.writing <- struct{}{} }()
	}
	base, err := e.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	if version != nil && *version != base.Version {
		return nil, store.Conflict(*version)
	}
	w := e.newWork(r, base)
	w.dry = true
	defer w.end(ctx)
	body, err := w.run(ctx, s)
	if err != nil {
		return nil, err
	}
	report := rehearsal{
		DryRun: true, Version: base.Version, Answer: body,
		Consistent: len(w.current.Inconsistent) == 0, Inconsistent: append([]metadata.Inconsistency{}, w.current.Inconsistent...),
	}
	if report.Changes, err = snapshot.Compare(base.Document, w.current.Document); err != nil {
		return nil, err
	}
	report.Undelivered = w.undelivered(ctx)
	if e.Maintenance && s.modifies() {
		w.refused = errMaintenance()
	}
	if w.refused != nil {
		e := apierror.From(w.refused)
		report.Refused = &refusedAnswer{e.Message, e.Path, e.Code}
	}
	answer, err := metadata.Encode(report)
	if err != nil {
		return nil, err
	}
	return &Answer{Body: answer, State: base}, nil
}

// onlyCounts reports whether a step, when it is tried, doesn't build on the current metadata, but counts events. That can take
// long, and other requests don't wait for it.
func onlyCounts(s step) bool {
	o, ok := s.(operationStep)
	if ok {
		_, ok = o.Args.(*metadata.CleanupEventLogs)
	}
	return ok
}
