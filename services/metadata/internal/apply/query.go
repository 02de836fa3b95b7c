package apply

import (
	"context"
	"encoding/json"

	"queryengine/pkg/metadata"
	"queryengine/services/metadata/internal/sources"
)

// query answers requests that only read. Some of them ask the databases; those results are not kept.
func (w *work) query(ctx context.Context, kind string, q metadata.Query) (json.RawMessage, error) {
	v := w.current.view(kind)
	fresh, ok := q.(metadata.Fresh)
	if !ok {
		return metadata.Answer(q, v)
	}
	v.Qualify(q)
	what, err := fresh.Introspect(v)
	if err != nil {
		return nil, err
	}
	asked := w.current.catalogs()
	asked.Errors = nil
	found := sources.Introspect(ctx, w.Sources, v.Document, asked, what)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, text := range found.Errors {
		reason, _ := sources.Reason(text)
		return nil, fresh.Failed(v, reason)
	}
	v.Catalogs = found.BySource
	return q.Answer(v)
}
