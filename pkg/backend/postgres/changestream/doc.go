// Package changestream reads the changes of some tables that a role may see from the log of a database, and stores
// them elsewhere: first the rows as they are, then each change of them, in the order of the commits.
//
// What a role sees of a row is decided and written by the database, from the row's image in the log, so a
// reader gets the JSON that a query gets. A change is what it is for the role: an update that takes a row
// out of its rows is a delete. Where that can't be decided everything begins again with the rows as they
// are, and nothing is guessed.
//
// The database keeps no record of what was stored: each message has a Place, and the Sink knows the last one.
// The slot is confirmed after that. What it holds in memory doesn't grow with tables or transactions.
package changestream
