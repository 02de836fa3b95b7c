// Package project is a directory with the metadata, migrations and seeds of an engine, in
// the layout that command-line tools of this field share: metadata/version.yaml,
// metadata/databases/..., migrations/<source>/<version>_<name>/up.sql, seeds/<source>/*.sql.
//
// It turns such a directory into a metadata document and back. A document that is written
// and read again is the same one; files that would not change are not touched. It talks to
// no server.
package project
