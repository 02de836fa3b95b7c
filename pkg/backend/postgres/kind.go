package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Kind is PostgreSQL as a kind of sources. Addresses may name variables of env; the connections
// of a source carry the name of the application.
func Kind(env Env, application string) *backend.Kind {
	known := *metadata.KindNamed(kindName)
	known.Configuration = func() metadata.Configuration { return &Configuration{} }
	known.ChangesSchema = touchesMetadata.MatchString
	return &backend.Kind{
		Kind:    &known,
		Dialect: func(*catalog.Source) (backend.Dialect, error) { return New(), nil },
		Open: func(s *metadata.Source) (backend.Source, error) {
			var c Configuration
			if err := json.Unmarshal(s.Configuration, &c); err != nil {
				return nil, fmt.Errorf("the configuration of source %s: %w", s.Name, err)
			}
			o, err := Configure(c, env, application)
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
