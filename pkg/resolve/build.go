package resolve

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Build resolves doc. catalogs holds the catalog of each source that could be
// introspected, sourceErrors the reason for each of the others. prev, which may be nil, is
// the schema of the version before, made with the same options: what did not change since
// is taken over.
func Build(doc *metadata.Document, catalogs map[string]*catalog.Source, sourceErrors map[string]string, prev *Schema, o Options) *Schema {
	return &Schema{Document: doc}
}
