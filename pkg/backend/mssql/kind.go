package mssql

import (
	"encoding/json"
	"fmt"
	"regexp"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Kind is SQL Server as a kind of sources. Connection strings may name variables of env; the server
// shows connections under the name of the application.
func Kind(env metadata.Env, application string) *backend.Kind {
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
			o, err := Configure(c, env, application)
			if err != nil {
				return nil, err
			}
			return Open(o), nil
		},
	}
}

// changesSchema matches what may change an object that metadata refers to. A match in a string or
// comment counts.
var changesSchema = regexp.MustCompile(`(?i)\b(?:alter|drop|sp_rename)\b`)
