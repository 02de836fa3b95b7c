package sqltext

import (
	"strings"

	"queryengine/pkg/ir/rewrite"
)

// Scope is a row that expressions are computed from.
type Scope struct {
	// Alias names the relation that the row is of.
	Alias string
	// Root is the row that the "$" of a rule means; nil is this one.
	Root *Scope
	// Marker, when set, is NULL where there is no row: the relation was joined, and a
	// function of the row must not be called without one.
	Marker string
	// Known is what is certain of the row.
	Known rewrite.Known
	// Columns, when set, collects the names of the columns that are read.
	Columns map[string]bool
	// Written reports whether the row is a written one, for which conditions are tested one row at a time.
	Written bool
	// Applied, when set, collects what stands behind the relation, where rows of it are aggregated: a dialect whose
	// aggregates take no sub-selects joins values of each row there.
	Applied *[]string
	// Own is what the dialect keeps of the row.
	Own any
}

func (s *Scope) root() *Scope {
	if s.Root != nil {
		return s.Root
	}
	return s
}

// certain is what is known of the row; nil where there is no row.
func (s *Scope) certain() *rewrite.Known {
	if s == nil {
		return nil
	}
	return &s.Known
}

// Nested is the scope of another relation, inside an expression on s.
func (s *Scope) Nested(alias string) *Scope { return &Scope{Alias: alias, Root: s.root()} }

// Aggregated has the rows of the scope aggregated; see Applied.
func (s *Scope) Aggregated() *Scope {
	s.Applied = &[]string{}
	return s
}

// applied is the text of what Applied has collected.
func (s *Scope) applied() string { return strings.Join(*s.Applied, "") }

// AsWritten is the row as one of those that a statement has written.
func (s *Scope) AsWritten() *Scope {
	own := *s
	own.Written = true
	return &own
}

// AtRoot is the row as the root of a rule that begins at it.
func (s *Scope) AtRoot() *Scope {
	own := *s
	own.Root = nil
	return &own
}
