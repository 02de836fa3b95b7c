package answer

import (
	"slices"

	"queryengine/pkg/ir"
)

// CursorField is one key of a cursor: a value, or an object of such.
type CursorField struct {
	Name   string
	Key    int // of the value, in ir.Connection.Keys
	Fields []CursorField
}

// CursorFields groups the values of a cursor by their paths; of those with the same path there is
// the first one.
func CursorFields(keys []ir.CursorKey) []CursorField {
	var tree []CursorField
	for i, k := range keys {
		level := &tree
		for j, name := range k.Path {
			at := slices.IndexFunc(*level, func(f CursorField) bool { return f.Name == name })
			if at < 0 {
				at = len(*level)
				*level = append(*level, CursorField{Name: name, Key: i})
			}
			if j < len(k.Path)-1 {
				level = &(*level)[at].Fields
			}
		}
	}
	return tree
}
