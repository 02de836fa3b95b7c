package postgres

import (
	"context"

	"queryengine/pkg/backend"
)

// flavor is a database that speaks PostgreSQL's protocol and its SQL.
type flavor struct {
	// name is the kind in metadata.
	name string
	// dialect is the only one: dialects of one flavor are equal.
	dialect *Dialect
	// open opens a source of the flavor.
	open func(Options) (backend.Source, error)
}

func flavorOf(name string, open func(Options) (backend.Source, error)) *flavor {
	return &flavor{name: name, dialect: &Dialect{kind: name}, open: open}
}

// The flavors. Citus and CockroachDB have no row triggers that an event log could be made of.
var (
	postgres  = flavorOf("postgres", func(o Options) (backend.Source, error) { return Open(context.Background(), o) })
	citus     = flavorOf("citus", openCitus)
	cockroach = flavorOf("cockroach", func(o Options) (backend.Source, error) { return openServer(o) })
)

func openCitus(o Options) (backend.Source, error) {
	s, err := openServer(o)
	if err != nil {
		return nil, err
	}
	s.distributed = true
	return s, nil
}
