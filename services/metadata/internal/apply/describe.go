package apply

import (
	"context"
	"encoding/json"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// describeTable describes a table as it is now.
func (w *work) describeTable(ctx context.Context, kind string, a *metadata.DescribeTable) (json.RawMessage, error) {
	v := w.current.view(kind)
	v.Qualify(a)
	v, err := w.explore(ctx, v, a)
	if err != nil {
		return nil, err
	}
	_, source, err := w.sourceOf(a.Source, kind)
	if err != nil {
		return nil, err
	}
	defer source.Release()
	var details *catalog.Details
	if describer, can := source.Source.(backend.TableDescriber); can {
		if details, err = describer.DescribeTable(ctx, a.Table); err != nil {
			return nil, err
		}
	}
	return a.Describe(v, details)
}
