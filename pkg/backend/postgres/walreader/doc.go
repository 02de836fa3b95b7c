// Package walreader tells which tables of a server have changed, from the server's own log.
//
// A Stream is a connection by logical replication with a temporary slot: when it ends, by whatever
// cause, the server drops the slot and keeps no log for it. The name of the slot is the lock by which
// one process of several reads. A Publication says of which tables changes are sent. A Feed joins the
// two: it reports a change when the change is visible to every statement that begins from then on,
// which is a little later than when it is in the log.
//
// What is read is gone: a Feed promises to report all changes while it listens, and nothing of those
// before and after.
package walreader
