package queryexecutor

import (
	"context"

	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/services/query-executor/internal/dataop"
	"queryengine/services/query-executor/internal/plan/validate"
	"queryengine/services/query-executor/internal/share"
)

// admission is what data operations have to pass.
func (e *Executor) admission() dataop.Admission { return e.state.Load() }

// validateData asks a webhook about what a data operation writes.
func (e *Executor) validateData(ctx context.Context, s *session.Session, clientHeaders map[string]string, in validate.Input) error {
	return e.validator.For(clientHeaders).Validate(ctx, s, in)
}

// source is an open source with a place for the request, and the function that ends its use.
func (e *Executor) source(name string) (backend.Source, func(), error) {
	place, err := e.places.Take(share.Source, name)
	if err != nil {
		return nil, nil, err
	}
	use, err := e.sources.Named(name)
	if err != nil {
		place.Leave()
		return nil, nil, err
	}
	return use.Source, func() { use.Release(); place.Leave() }, nil
}

// metadataAt is the metadata at a version or later, and the schema of it.
func (e *Executor) metadataAt(ctx context.Context, version int64) (*snapshot.Snapshot, *resolve.Schema, error) {
	s, err := e.stateAt(ctx, version)
	if err != nil {
		return nil, nil, err
	}
	return s.snapshot, s.schema, nil
}
