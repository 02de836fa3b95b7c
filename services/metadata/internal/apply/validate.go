package apply

import (
	"context"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// validate has the databases look at native queries of next.
func (w *work) validate(ctx context.Context, next *State, queries []metadata.ObjectID) error {
	if w.SkipNativeQueries {
		return nil
	}
	for _, id := range queries {
		source := next.Schema.Source(id.Source)
		if source == nil {
			continue
		}
		query := source.NativeQuery(id.Name)
		if query == nil {
			continue // it is inconsistent, which the verdict lets through
		}
		if err := w.validateQuery(ctx, source.Meta, query.Statement()); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) validateQuery(ctx context.Context, m *metadata.Source, q ir.NativeQuery) error {
	source, err := w.Sources.Use(m)
	if err != nil {
		return err
	}
	defer source.Release()
	if v, ok := source.Source.(backend.QueryValidator); ok {
		return v.ValidateNativeQuery(ctx, q)
	}
	return nil
}
