package resolve

// Version is the same value in all versions of a schema in which the table itself, its
// definition and its names did not change, and no other. It can be compared, and keeps
// nothing of the table in memory. What the table refers to may have changed.
func (t *Table) Version() any { return t.base.version }
