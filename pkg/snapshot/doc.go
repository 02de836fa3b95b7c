// Package snapshot is the state that all services share: the metadata document, what
// introspection found in its sources, and the inconsistent objects, at one resource
// version.
//
// A Change is the difference of two snapshots, in the format of the public metadata
// stream. Diff makes it by comparing pointers, Apply puts it on top of the snapshot it
// builds on; both cost in proportion to the change. A Follower keeps the newest snapshot
// of a process: it starts from the store of snapshots, follows the stream, and starts over
// whenever the two don't fit.
//
// Snapshots and everything they hold are immutable and safe for concurrent use.
package snapshot
