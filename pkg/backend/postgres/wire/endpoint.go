package wire

import "time"

// Isolation is the level at which transactions of a source run.
type Isolation string

// The levels, as metadata spells them.
const (
	ReadCommitted  Isolation = "read-committed"
	RepeatableRead Isolation = "repeatable-read"
	Serializable   Isolation = "serializable"
)

// SQL is the level as SQL spells it.
func (i Isolation) SQL() string {
	switch i {
	case RepeatableRead:
		return "REPEATABLE READ"
	case Serializable:
		return "SERIALIZABLE"
	}
	return "READ COMMITTED"
}

// Endpoint is one server of a source and the bounds of its pool. Zero values are the
// defaults, except where said.
type Endpoint struct {
	// URL gives the address; it is requested each new connection, so that a rotated secret
	// is picked up.
	URL func() (string, error)
	TLS *TLS
	// MaxConnections is 50 when it isn't given.
	MaxConnections int
	// IdleTimeout closes a connection that was idle for that long; 3 minutes.
	IdleTimeout time.Duration
	// Lifetime closes a connection of that age when it is returned; 0 is unlimited.
	Lifetime time.Duration
	// PoolTimeout is how long to wait for a free connection; 0 is as long as the caller does.
	PoolTimeout time.Duration
	// Retries is how often a failed attempt to connect is repeated.
	Retries   int
	Isolation Isolation
	// SerializationRetries is how often a transaction is done again that could not be
	// serialised with others.
	SerializationRetries int
	Prepare              Prepare
	Plans                Plans
	// Distributed is set by the backend where tables have parts on several nodes, as with Citus.
	Distributed bool
}

// Prepare is whether connections keep statements prepared.
type Prepare uint8

const (
	// PrepareUnlessPooled does so until a pooler turns out to mix sessions.
	PrepareUnlessPooled Prepare = iota
	// PrepareAlways does so whatever is in between.
	PrepareAlways
	// PrepareNever has each statement parsed by each run.
	PrepareNever
)

// Plans is how prepared statements are planned: the server's setting plan_cache_mode.
type Plans uint8

// How prepared statements are planned.
const (
	// PlansAuto has the server compare the costs that it expects.
	PlansAuto Plans = iota
	// PlansGeneric makes one plan for all parameters, PlansCustom one for the parameters of each run.
	PlansGeneric
	PlansCustom
)

// setting is the value of settingPlanMode for the sessions of a source, empty for the server's default.
func (p Plans) setting() string {
	switch p {
	case PlansGeneric:
		return "force_generic_plan"
	case PlansCustom:
		return "force_custom_plan"
	}
	return ""
}
