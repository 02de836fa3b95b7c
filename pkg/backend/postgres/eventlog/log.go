// Package eventlog keeps the log of events of a source, in the source itself: its tables, the triggers
// and functions that write the changes of rows to it, and what delivers them: taking events under
// leases, recording what became of them, waking processes that wait for events, and cleaning up.
package eventlog

import (
	"sync/atomic"

	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

// Log is the log of events of one source.
type Log struct {
	pool  *wire.Pool
	types Types
	// takings counts the takings of events, which serve new ones first in turns.
	takings atomic.Uint64
}

// Types is what the log has to know of the types of columns.
type Types interface {
	// Shown is the SQL by which a value is shown in an event, "" where it is shown as it is. With
	// stringify, numbers that clients may not read exactly are texts.
	Shown(value string, t catalog.Type, stringify bool) string
	// HasEquality reports whether values are compared as the database does it. Others are compared by
	// their texts.
	HasEquality(t catalog.Type) bool
	// MayFail reports whether a value may have no JSON that an event can hold.
	MayFail(t catalog.Type) bool
}

// New is the log in the database that a pool leads to.
func New(pool *wire.Pool, types Types) *Log { return &Log{pool: pool, types: types} }
