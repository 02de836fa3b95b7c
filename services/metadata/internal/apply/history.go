package apply

import (
	"context"
	"encoding/json"

	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/services/metadata/internal/store"
)

// versionsLimit bounds one answer of list_metadata_versions.
const versionsLimit = 1000

// listVersionsStep is list_metadata_versions.
type listVersionsStep struct {
	// Limit is how many are listed, 100 by default; Before leaves out that version and all
	// after it.
	Limit  *int  `json:"limit"`
	Before int64 `json:"before"`
}

func (*listVersionsStep) modifies() bool  { return false }
func (*listVersionsStep) adminOnly() bool { return true }

// diffVersionsStep is diff_metadata_versions.
type diffVersionsStep struct {
	From int64 `json:"from" meta:"required"`
	// To is the version in force by default.
	To *int64 `json:"to"`
}

func (*diffVersionsStep) modifies() bool  { return false }
func (*diffVersionsStep) adminOnly() bool { return true }

// rollbackStep is rollback_metadata.
type rollbackStep struct {
	Version           int64 `json:"version" meta:"required"`
	AllowInconsistent bool  `json:"allow_inconsistent_metadata"`
	DryRun            bool  `json:"dry_run"`
}

func (*rollbackStep) modifies() bool  { return true }
func (*rollbackStep) adminOnly() bool { return true }

func (w *work) listVersions(ctx context.Context, s *listVersionsStep) (json.RawMessage, error) {
	limit := 100
	if s.Limit != nil {
		limit = min(max(*s.Limit, 0), versionsLimit)
	}
	entries, err := w.Store.Versions(ctx, s.Before, limit)
	if err != nil {
		return nil, err
	}
	return metadata.Encode(struct {
		Current  int64         `json:"resource_version"`
		Versions []store.Entry `json:"versions"`
	}{w.current.Version, append([]store.Entry{}, entries...)})
}

func (w *work) diffVersions(ctx context.Context, s *diffVersionsStep) (json.RawMessage, error) {
	to := w.base.Version
	if s.To != nil {
		to = *s.To
	}
	before, err := w.Store.DocumentAt(ctx, w.base.Snapshot, s.From)
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
	}{s.From, to, changes})
}

// rollback makes a new version with the document of an older one.
func (w *work) rollback(ctx context.Context, s *rollbackStep) (json.RawMessage, error) {
	doc, err := w.Store.DocumentAt(ctx, w.base.Snapshot, s.Version)
	if err != nil {
		return nil, err
	}
	return w.adopt(ctx, "", metadata.Restore(doc, w.current.Document, s.AllowInconsistent))
}
