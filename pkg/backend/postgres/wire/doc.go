// Package wire speaks to PostgreSQL servers: it opens connections and keeps them in pools, runs
// statements on them, prepared and in as few round trips as possible, whatever pooler is in between,
// and turns the errors of servers into those of the engine. What the
// statements say, and what becomes of their rows, is up to its callers.
//
// The driver is used at the level of pgconn, which leaves rows as the bytes that the server sent.
package wire
