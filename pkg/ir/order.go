package ir

import "queryengine/pkg/catalog"

// InsertOrder is the question whether it can make a difference in which order rows are inserted
// into several tables: each row with those that belong to it, or all rows of a table at once and
// then those of the next. The order of the rows of one table is the same.
type InsertOrder struct {
	// Tables are the tables that are written, each once.
	Tables []catalog.Name
	// Reads are other tables that conditions on written rows look into.
	Reads []catalog.Name
	// Links are how rows of one table refer to those of another one that is written before.
	Links []InsertLink
}

// InsertLink makes rows of From take the columns Outer from the columns Inner of a row of To.
type InsertLink struct {
	From, To catalog.Name
	Columns  []JoinPair
	// Key reports whether it has to be a foreign key, because a condition follows it.
	Key bool
}
