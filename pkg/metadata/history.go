package metadata

import "encoding/json"

// Versions of the document and the state that clients keep next to it lie outside of the document. The
// arguments of their operations are read here; the service runs them.

// ListMetadataVersions are the arguments of list_metadata_versions.
type ListMetadataVersions struct {
	// Limit is how many are listed, 100 by default; Before leaves out that version and all
	// after it.
	Limit  *int  `json:"limit"`
	Before int64 `json:"before"`
	// Search has words; versions that were made by, with or of all of them are listed.
	Search string `json:"search"`
}

// DiffMetadataVersions are the arguments of diff_metadata_versions.
type DiffMetadataVersions struct {
	From int64 `json:"from" meta:"required"`
	// To is the current version by default.
	To *int64 `json:"to"`
}

// RollbackMetadata are the arguments of rollback_metadata.
type RollbackMetadata struct {
	Version           int64 `json:"version" meta:"required"`
	AllowInconsistent bool  `json:"allow_inconsistent_metadata"`
	DryRun            bool  `json:"dry_run"`
}

// AsksDryRun reports whether nothing is to be changed.
func (a *RollbackMetadata) AsksDryRun() bool { return a.DryRun }

// GetCatalogState are the arguments of get_catalog_state, which looks at none.
type GetCatalogState struct{}

func (*GetCatalogState) decode(json.RawMessage) error { return nil }

// SetCatalogState are the arguments of set_catalog_state.
type SetCatalogState struct {
	Type  string          `json:"type" meta:"required"`
	State json.RawMessage `json:"state" meta:"required"`
	// Previous is the state that State was made from: with another one in its place, nothing is changed. Without it, any is replaced.
	Previous json.RawMessage `json:"previous"`
}
