// Package pgoutput decodes what PostgreSQL's output plugin pgoutput sends: the committed changes of
// published tables, in the order of their commits.
//
// It knows version 1 of the protocol with values as text, which has no message of a transaction that
// isn't committed: a transaction is sent between its Begin and its Commit once it is committed. There
// is no I/O here; package walreader has the connection.
package pgoutput
