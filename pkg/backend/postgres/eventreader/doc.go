// Package eventreader makes the events of triggers from the log of a database, by logical replication, for
// those triggers that are installed so (package eventlog).
//
// It reads with a slot that stays when no client reads, and writes the events of each transaction, the place of
// its commit, and nothing else, in one transaction: whatever dies, a change has its event once. Then it
// confirms the place to the server, which may drop its log up to there. Triggers that begin or end are rows
// of a table that is read in the same log, so each change meets the triggers of its time.
//
// What it holds in memory doesn't grow with the transactions that it reads.
package eventreader
