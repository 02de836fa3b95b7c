// Package kind lists the kinds of sources that the programs know. A new backend is one line
// here.
package kind

import (
	"context"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/metadata"
)

// Kind is one kind of source.
type Kind struct {
	Dialect backend.Dialect
	// Open opens a source; it makes no connection yet.
	Open func(metadata.SourceConfiguration) (backend.Source, error)
}

// Kinds are kinds of sources by their names in metadata.
type Kinds map[string]Kind

// All are all kinds. Addresses may name variables of env (os.LookupEnv); the connections of
// a source carry the name of the application where the database shows it.
func All(env func(string) (string, bool), application string) Kinds {
	return Kinds{
		"postgres": {Dialect: postgres.New(), Open: func(c metadata.SourceConfiguration) (backend.Source, error) {
			o, err := postgres.Configure(c, env, application)
			if err != nil {
				return nil, err
			}
			// Opening connects to nothing, so there is nothing to cancel.
			return postgres.Open(context.Background(), o)
		}},
	}
}

// Dialects are the dialects by kind.
func (k Kinds) Dialects() map[string]backend.Dialect {
	dialects := make(map[string]backend.Dialect, len(k))
	for name, kind := range k {
		dialects[name] = kind.Dialect
	}
	return dialects
}

// Measured is Open with the connections of sources measured.
func (k Kinds) Measured(m *backend.PoolMetrics) func(context.Context, *metadata.Source) (backend.Source, error) {
	return func(ctx context.Context, s *metadata.Source) (backend.Source, error) {
		source, err := k.Open(ctx, s)
		if measurable, ok := source.(backend.Measurable); ok && err == nil {
			measurable.Measure(m, s.Name)
		}
		return source, err
	}
}

// Open opens a source by its kind.
func (k Kinds) Open(_ context.Context, s *metadata.Source) (backend.Source, error) {
	kind, ok := k[s.Kind]
	if !ok {
		return nil, apierror.Newf(apierror.NotSupported, "sources of kind %q are not supported", s.Kind)
	}
	return kind.Open(s.Configuration)
}
