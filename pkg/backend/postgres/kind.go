package postgres

import (
	"context"
	"regexp"

	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

// Kind is PostgreSQL as a kind of sources. Addresses may name variables of env; the connections
// of a source carry the name of the application.
func Kind(env Env, application string) *backend.Kind {
	known := *metadata.KindNamed(kindName)
	known.ChangesSchema = touchesMetadata.MatchString
	return &backend.Kind{
		Kind:    &known,
		Dialect: New(),
		Open: func(s *metadata.Source) (backend.Source, error) {
			o, err := Configure(s.Configuration, env, application)
			if err != nil {
				return nil, err
			}
			// Opening connects to nothing, so there is nothing to cancel.
			return Open(context.Background(), o)
		},
	}
}

// kindName is the kind in metadata.
const kindName = "postgres"

// touchesMetadata matches what may change an object that metadata refers to. A match in a
// string or comment counts.
var touchesMetadata = regexp.MustCompile(`(?i)\b(?:alter|drop|replace|create\s+function|comment\s+on)\b`)
