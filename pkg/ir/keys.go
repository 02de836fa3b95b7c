package ir

// Keys are rows that the caller supplies, in an order of their own: what another source, or a
// service, knows of rows that are to be joined to them.
type Keys struct {
	// Index is the ir.Variable that holds them, as a JSON list of objects: the value of each
	// column under its name. It is in the JSON form of any type that has a text form which
	// the column's type reads, too.
	Index   int
	Columns []Column
	// Ordinal is the name of one more column: it counts the rows.
	Ordinal string
}

func (Keys) from() {}
