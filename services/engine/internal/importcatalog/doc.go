// Package importcatalog reads what another engine of this kind keeps in the schema hdb_catalog of its
// metadata database, and copies scheduled events into ours.
//
// It changes nothing of the other engine's. Rows keep their ids, and rows that are there already
// are left as they are, so that a second run takes only what is new. Columns that a version of the
// other engine doesn't have are NULL.
package importcatalog
