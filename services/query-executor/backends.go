package queryexecutor

import (
	"context"
	"os"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/sources"
)

// Backend is a kind of source: its dialect, and how one is opened.
type Backend struct {
	Dialect backend.Dialect
	Open    sources.Open
}

// Backends are the kinds of sources by their names in metadata.
func Backends() map[string]Backend {
	return map[string]Backend{
		"postgres": {Dialect: postgres.New(), Open: openPostgres},
	}
}

func openPostgres(c metadata.SourceConfiguration) (backend.Source, error) {
	o, err := postgres.Configure(c, os.LookupEnv, serviceName)
	if err != nil {
		return nil, err
	}
	// Opening connects to nothing, so there is nothing to cancel.
	return postgres.Open(context.Background(), o)
}
