package apply

import (
	"context"

	"queryengine/pkg/backend"
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
		open, err := w.Sources.Get(ctx, source.Meta)
		if err != nil {
			return err
		}
		if v, ok := open.(backend.QueryValidator); ok {
			if err := v.ValidateNativeQuery(ctx, query.Statement()); err != nil {
				return err
			}
		}
	}
	return nil
}
