// Package rawsql runs SQL texts that users have written, as they are: in one transaction, statement by
// statement without one, or in a read-only transaction that the text can't leave. It cuts a text into
// its statements where it has to send them one by one.
package rawsql
