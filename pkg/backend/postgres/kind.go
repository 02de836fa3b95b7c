package postgres

import (
	"encoding/json"
	"fmt"
	"regexp"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Kinds are PostgreSQL, Citus and CockroachDB as kinds of sources. Addresses may name variables of
// env; the connections of a source carry the name of the application.
func Kinds(env Env, application string) []*backend.Kind {
	return []*backend.Kind{postgres.kind(env, application), citus.kind(env, application), cockroach.kind(env, application)}
}

func (f *flavor) kind(env Env, application string) *backend.Kind {
	known := *metadata.KindNamed(f.dialect.kind)
	known.Configuration = func() metadata.Configuration { return &Configuration{other: f != postgres} }
	known.ChangesSchema = func(sql string) bool {
		return touchesMetadata.MatchString(sql) || f.places != nil && f.places.MatchString(sql)
	}
	own := *f.dialect
	own.ownEquality = true
	settled := &settled{known: map[settledKey]*Dialect{}}
	return &backend.Kind{
		Kind: &known,
		Dialect: func(c *catalog.Source, configuration json.RawMessage) (backend.Dialect, error) {
			d := f.dialect
			if c != nil && c.Extensions[extensionEquality] != "" {
				d = &own
			}
			return settled.with(d, configuration), nil
		},
		Open: func(s *metadata.Source) (backend.Source, error) {
			var c Configuration
			if err := json.Unmarshal(s.Configuration, &c); err != nil {
				return nil, fmt.Errorf("the configuration of source %s: %w", s.Name, err)
			}
			if info := &c.ConnectionInfo; info.SerializationRetries == nil {
				info.SerializationRetries = &f.retries
			}
			o, err := Configure(c, env, application)
			if err != nil {
				return nil, err
			}
			// Opening connects to nothing.
			return f.open(o)
		},
	}
}

// touchesMetadata matches what may change an object that metadata refers to. A match in a
// string or comment counts.
var touchesMetadata = regexp.MustCompile(`(?i)\b(?:alter|drop|replace|create\s+function|comment\s+on)\b`)
