package apply

import (
	"context"
	"net/http"
	"time"

	"queryengine/pkg/metadata"
)

// checkTimeout bounds the check of queries. A request doesn't fail for want of an executor.
const checkTimeout = 5 * time.Second

// checkQueries refuses queries that don't suit the schema. Executors know the schema; while
// none answers, queries are accepted as they are.
func (w *work) checkQueries(ctx context.Context, c metadata.QueryAdder) error {
	collection, queries := c.AddedQueries()
	if len(queries) == 0 {
		return nil
	}
	documents := make([]string, len(queries))
	for i, q := range queries {
		documents[i] = q.Query
	}
	overlay, err := w.overlay()
	if err != nil {
		return err
	}
	checking, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	problems, err := w.Data.Check(checking, documents, w.base.Version, overlay)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.Logger.WarnContext(ctx, "queries were not checked against the schema", "collection", collection, "error", err)
		return nil
	}
	var invalid []metadata.Inconsistency
	for i, problem := range problems {
		if problem != "" {
			invalid = append(invalid, metadata.InvalidQuery(collection, queries[i], problem))
		}
	}
	return refusal(http.StatusInternalServerError, "cannot continue due to newly found inconsistent metadata", invalid)
}
