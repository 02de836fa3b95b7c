package apply

import (
	"context"
	"encoding/json"
	"strings"

	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/store"
)

// historyBodies are the operations on what is stored next to the document.
var historyBodies = []served{
	serve((*work).listVersions),
	serve((*work).diffVersions),
	serve((*work).rollback),
	serve((*work).catalogState),
	serve((*work).setCatalogState),
}

// versionsLimit bounds one answer of list_metadata_versions.
const versionsLimit = 1000

func (w *work) listVersions(ctx context.Context, _ string, a *metadata.ListMetadataVersions) (json.RawMessage, error) {
	limit := 100
	if a.Limit != nil {
		limit = min(max(*a.Limit, 0), versionsLimit)
	}
	entries, err := w.Store.Versions(ctx, a.Before, limit, strings.Fields(strings.ToLower(a.Search)))
	if err != nil {
		return nil, err
	}
	return metadata.Encode(struct {
		Current  int64         `json:"resource_version"`
		Versions []store.Entry `json:"versions"`
	}{w.current.Version, append([]store.Entry{}, entries...)})
}

func (w *work) diffVersions(ctx context.Context, _ string, a *metadata.DiffMetadataVersions) (json.RawMessage, error) {
	to := w.base.Version
	if a.To != nil {
		to = *a.To
	}
	before, err := w.Store.DocumentAt(ctx, w.base.Snapshot, a.From)
	if err != nil {
		return nil, err
	}
	after, err := w.Store.DocumentAt(ctx, w.base.Snapshot, to)
	if err != nil {
		return nil, err
	}
	changes, err := snapshot.Compare(before, after)
	if err != nil {
		return nil, err
	}
	return metadata.Encode(struct {
		From    int64                 `json:"from"`
		To      int64                 `json:"to"`
		Changes []snapshot.Difference `json:"changes"`
	}{a.From, to, changes})
}

// rollback makes a new version with the document of an older one.
func (w *work) rollback(ctx context.Context, _ string, a *metadata.RollbackMetadata) (json.RawMessage, error) {
	doc, err := w.Store.DocumentAt(ctx, w.base.Snapshot, a.Version)
	if err != nil {
		return nil, err
	}
	return w.adopt(ctx, "", metadata.Restore(doc, w.current.Document, a.AllowInconsistent))
}

func (w *work) catalogState(ctx context.Context, _ string, _ *metadata.GetCatalogState) (json.RawMessage, error) {
	state, err := w.Store.CatalogState(ctx)
	if err != nil {
		return nil, err
	}
	return metadata.Encode(state)
}

func (w *work) setCatalogState(ctx context.Context, _ string, a *metadata.SetCatalogState) (json.RawMessage, error) {
	return success, w.Store.SetCatalogState(ctx, a.Type, a.State, a.Previous)
}
