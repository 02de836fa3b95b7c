package ir

import "queryengine/pkg/catalog"

// Connection reads a page of rows. OrderBy is a total order, so that the place of a row can be given by
// its values: its cursor.
type Connection struct {
	// Rows are the rows of all pages; Limit, Offset and MaxRows are not set.
	Rows
	// Keys describe for each item of OrderBy how its value is found in a cursor.
	Keys []CursorKey
	// Split leaves rows on one side of a cursor out; nil takes all.
	Split *Split
	// Size is how many rows the page has at most, -1 for all.
	Size int
	// Last takes them from the end of the rows.
	Last   bool
	Fields []ConnectionField
	// Seal, when set, hides what cursors hold.
	Seal Sealer
}

// CursorKey is a value of a cursor.
type CursorKey struct {
	// Path leads to it through the objects of the cursor.
	Path []string
	Type catalog.Type
	// NotNull reports whether the value is never NULL.
	NotNull bool
}

// Split is a place among the rows.
type Split struct {
	// After takes the rows behind the place, else those before it.
	After bool
	// Values are the cursor's, one for each item of OrderBy; nil is NULL.
	Values []Value
}

// ConnectionField is one key of a connection.
type ConnectionField struct {
	Alias string
	Value ConnectionValue
}

// ConnectionValue is what a key of a connection holds: a Typename, Edges or PageInfoFields.
type ConnectionValue interface {
	Part
	connectionValue()
}

// Edges are the keys of each item of a page.
type Edges []EdgeField

// PageInfoFields are the keys of the information about a page.
type PageInfoFields []PageInfoField

func (Typename) connectionValue()       {}
func (Edges) connectionValue()          {}
func (PageInfoFields) connectionValue() {}

// EdgeField is one key of an item of a page.
type EdgeField struct {
	Alias string
	Value EdgeValue
}

// EdgeValue is what a key of an item of a page holds: a Typename, an EdgeCursor or a Node.
type EdgeValue interface {
	Part
	edgeValue()
}

// EdgeCursor is the cursor of an item.
type EdgeCursor struct{}

// Node is the row of an item.
type Node []Field

func (Typename) edgeValue()   {}
func (EdgeCursor) edgeValue() {}
func (Node) edgeValue()       {}

// PageInfoField is one key of the information about a page.
type PageInfoField struct {
	Alias string
	Value PageInfoValue
}

// PageInfoValue is what a key of the information about a page holds: a Typename or a PageInfo.
type PageInfoValue interface {
	Part
	pageInfoValue()
}

func (Typename) pageInfoValue() {}
func (PageInfo) pageInfoValue() {}

// PageInfo is something that is known of a page.
type PageInfo string

// What is known of a page.
const (
	StartCursor     PageInfo = "startCursor"
	EndCursor       PageInfo = "endCursor"
	HasNextPage     PageInfo = "hasNextPage"
	HasPreviousPage PageInfo = "hasPreviousPage"
)

func (*Connection) root() {}

// NodeID is the global id of a row: of its table and of the values of its primary key.
type NodeID struct {
	Table catalog.Name
	Key   []Column
	// Seal, when set, hides what the id holds.
	Seal Sealer
}

// Sealer encrypts the texts of global ids or cursors. It is safe for concurrent use.
type Sealer interface {
	// Seal appends the encrypted text to dst. Equal texts are encrypted alike.
	Seal(dst, text []byte) []byte
	// Name differs for keys that encrypt differently.
	Name() string
}
