package snapshot

import (
	"errors"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// ErrGap says that a change builds on another version, or on another metadata database,
// than the snapshot it was applied to.
var ErrGap = errors.New("the change does not build on this snapshot")

// ErrTooLarge says that a change doesn't hold its objects, because they are too many: the
// snapshot of its version has to be taken instead.
var ErrTooLarge = errors.New("the change is only a reference to a snapshot")

// Snapshot is the state at one resource version.
type Snapshot struct {
	// StreamID is the identity of the metadata database that Version counts in.
	StreamID string
	Version  int64
	Document *metadata.Document
	// Catalogs holds what introspection found, by source. A source that could never be
	// reached has none.
	Catalogs map[string]*catalog.Source
	// SourceErrors says why the last introspection of a source failed.
	SourceErrors map[string]string
	// Inconsistent holds the inconsistent objects, in the order that the API reports them.
	Inconsistent []metadata.Inconsistency
}
