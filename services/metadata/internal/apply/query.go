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
	v, err := w.explore(ctx, v, fresh)
	if err != nil {
		return nil, err
	}
	return q.Answer(v)
}

// explore is the view with the catalogs as they are now, as far as an exploration asks for them.
func (w *work) explore(ctx context.Context, v metadata.View, e metadata.Exploration) (metadata.View, error) {
	what, err := e.Introspect(v)
	if err != nil {
		return v, err
	}
	asked := w.current.catalogs()
	asked.Errors = nil
	found := sources.Introspect(ctx, w.Sources, v.Document, asked, what)
	if err := ctx.Err(); err != nil {
		return v, err
	}
	for _, text := range found.Errors {
		reason, _ := sources.Reason(text)
		return v, e.Failed(v, reason)
	}
	v.Catalogs = found.BySource
	return v, nil
}
