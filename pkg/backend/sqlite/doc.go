// Package sqlite is the backend of SQLite: database files that the process opens itself.
//
// SQLite runs in the process, so a statement costs no round trip, and a transaction that writes keeps all
// others out. A source therefore has one connection that writes and several that read, each with its own
// snapshot (write-ahead log). What a statement compares is converted in Go before it is bound: a wrong
// value is refused before the database sees it, and the text needs no casts. Lists are bound as one JSON
// array. Rows are read cell by cell and become JSON by an answer.Shape, related rows as JSON that the
// database aggregates.
//
// Statements of clients can't leave the file: connections refuse to attach other databases and to load
// extensions, whatever the text of a run_sql says.
package sqlite
