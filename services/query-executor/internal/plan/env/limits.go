package env

// Limits bound the shape of one operation, and what it asks of a source. How much of anything it
// may ask for is in its budget.
type Limits struct {
	// Depth is how deep selection sets may nest.
	Depth int
	// InputDepth is how deep input values may nest.
	InputDepth int
	// Relations is how many related rows one statement may look at, and RelationDepth how
	// deep conditions on related rows may nest: the time in which a database plans a
	// statement grows faster than both.
	Relations, RelationDepth int
}

// DefaultLimits let through whatever a person or a code generator would write.
var DefaultLimits = Limits{Depth: 100, InputDepth: 200, Relations: 500, RelationDepth: 25}
