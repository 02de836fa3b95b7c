package sqlite

import (
	"encoding/json"
	"fmt"
	"regexp"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// kindName is the kind in metadata.
const kindName = "sqlite"

// mainSchema is the name that SQLite has for the file that was opened. Names of the catalog have no schema.
const mainSchema = "main"

// Kind is SQLite as a kind of sources. Paths may name variables of env.
func Kind(env metadata.Env) *backend.Kind {
	known := *metadata.KindNamed(kindName)
	known.Configuration = func() metadata.Configuration { return &Configuration{} }
	known.ChangesSchema = changesSchema.MatchString
	return &backend.Kind{
		Kind:    &known,
		Dialect: func(*catalog.Source, json.RawMessage) (backend.Dialect, error) { return New(), nil },
		Open: func(s *metadata.Source) (backend.Source, error) {
			var c Configuration
			if err := json.Unmarshal(s.Configuration, &c); err != nil {
				return nil, fmt.Errorf("the configuration of source %s: %w", s.Name, err)
			}
			o, err := Configure(c, env)
			if err != nil {
				return nil, err
			}
			return Open(o), nil
		},
	}
}

// changesSchema matches what may change an object that metadata refers to. A match in a string or
// comment counts.
var changesSchema = regexp.MustCompile(`(?i)\b(?:alter|drop)\b`)
