// Package store keeps the metadata in PostgreSQL, in the schema engine_catalog: each
// object of the document and of the catalogs as a row, the resource version, and the
// changes that led to it, which are outbox and history.
//
// A change is written with a compare-and-swap on the version, in one transaction with its
// row in the outbox: either all of it is there, or nothing. Several processes may use one
// database. Errors are apierrors; only Conflict is the fault of a request.
package store
