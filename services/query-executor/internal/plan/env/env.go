// Package env is what an operation is planned with: the role, the settings, and what kind of
// operation it is. It doesn't change while the operation is planned.
package env

import (
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/schema"
)

// Options are the server settings that change plans.
type Options struct {
	// NullCollapse makes a null operand switch its operator off.
	NullCollapse bool
	// DropUnset takes a variable without a value and without a default as not given,
	// rather than as null.
	DropUnset bool
	// NoIntrospection refuses __schema and __type.
	NoIntrospection bool
	// RemoteSkipNulls leaves nulls out of requests to remote schemas.
	RemoteSkipNulls bool
	// FilterReturning leaves rows out of what mutations return that the role may not select.
	FilterReturning bool
	// ChecksSeeWrites has conditions of checks on the written table see it as it was written.
	ChecksSeeWrites bool
	Limits          Limits
	// Budget is that of the request, nil for the one of an empty request.
	Budget *budget.Budget
}

// Env is what an operation is planned with. It doesn't change.
type Env struct {
	Role    *schema.Role
	Options Options
	// Operation is its name, "" for none.
	Operation string
	// Mutates is set for a mutation, Subscribes for a subscription.
	Mutates, Subscribes bool
}
