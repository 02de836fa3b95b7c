package resolve

import (
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// Relationship is a relationship whose target is tracked.
type Relationship struct {
	Name  string
	Array bool
	// Target is the other table.
	Target *Table
	// Join pairs columns of this table (Outer) with columns of Target (Inner).
	Join []ir.JoinPair
	// Nullable says that the field of an object relationship may be null by its type.
	Nullable bool
	// Unique says that at most one row of Target matches, by one of its keys.
	Unique bool
	// AfterParent says that a nested insert writes the related row after this one.
	AfterParent bool
	Meta        *metadata.Relationship
}
