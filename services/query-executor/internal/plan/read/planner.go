// Package read plans what is read of sources: rows, aggregates, functions, native queries, streams,
// and the conditions, orders and arguments of all of them.
//
// It merges in what the role may see. Fields of rows that Relay and remote schemas have their own
// planners for are planned by those, through RelayFields and RemoteFields.
package read

import (
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Planner plans what is read of sources.
type Planner struct {
	*walk.Walker
	Relay  RelayFields
	Remote RemoteFields
}

// RelayFields plans the fields of rows that Relay asks for.
type RelayFields interface {
	Connection(r Relation, s *walk.Selected, inputs []schema.Input, c *Call) (*ir.Connection, error)
	NodeID(t *schema.Table, s *walk.Selected) (ir.Field, error)
}

// RemoteFields plans the fields of rows that remote schemas answer.
type RemoteFields interface {
	JoinField(m *schema.RemoteJoin, f *schema.Field, s *walk.Selected) error
}
