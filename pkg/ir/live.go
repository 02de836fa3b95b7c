package ir

// Live is what a subscription asks of a source: again and again, and for many subscribers at
// once.
type Live struct {
	// Roots are the contents of the root fields.
	Roots []Root
	// Cursor is set for a streaming subscription. Roots is then one *Select, ordered by the
	// cursor's column, of the rows past the cursor.
	Cursor *Cursor
}

// Cursor is the position of a streaming subscription.
type Cursor struct {
	Column string
	// Variable is the Index of the Variable that the column is compared with.
	Variable int
	// Key is the primary key of the table, empty for none.
	Key []Column
}
