package postgres

import (
	"context"
	"regexp"

	"queryengine/pkg/backend"
)

// flavor is a database that speaks PostgreSQL's protocol and its SQL.
type flavor struct {
	// dialect is the one of databases in which users have defined no equality of built-in types.
	dialect *Dialect
	// retries is how often a transaction is done again that could not be serialised with others, unless the source says how often.
	retries int
	// open opens a source of the flavor.
	open func(Options) (backend.Source, error)
	// places matches what may change which nodes tables are on; nil where there is no such thing.
	places *regexp.Regexp
}

// The flavors. Citus and CockroachDB have no row triggers that an event log could be made of.
//
// Citus sends a query to the nodes when all of it can be answered there. Rows that a sub-select has cut off
// are brought to the coordinator first, and sub-selects that refer to these are refused; so are the names of
// constraints, which differ between the parts of a table.
var (
	postgres = &flavor{
		dialect: &Dialect{kind: "postgres", shares: true},
		open:    func(o Options) (backend.Source, error) { return Open(context.Background(), o) },
	}
	citus = &flavor{
		dialect: &Dialect{kind: "citus", flat: true, columnTargets: true},
		open:    func(o Options) (backend.Source, error) { return openServer(o, Server{distributed: true}) },
		places: regexp.MustCompile(`(?i)\b(?:create_(?:distributed|reference)_table|undistribute_table|alter_distributed_table|` +
			`update_distributed_table_colocation|citus_(?:add|remove)_local_table|citus_schema_|remove_local_tables)`),
	}
	cockroach = &flavor{
		dialect: &Dialect{kind: "cockroach", columnTargets: true, plain: true},
		retries: 10, // it is serializable by default, and asks clients to repeat transactions that conflict
		open:    func(o Options) (backend.Source, error) { return openServer(o, Server{noTriggers: true}) },
	}
)
