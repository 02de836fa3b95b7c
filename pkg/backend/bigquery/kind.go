package bigquery

import (
	"encoding/json"
	"fmt"
	"strconv"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Kind is BigQuery as a kind of sources. Configurations may name variables of env.
func Kind(env metadata.Env) *backend.Kind {
	known := *metadata.KindNamed(kindName)
	known.Configuration = func() metadata.Configuration { return &Configuration{} }
	return &backend.Kind{
		Kind: &known,
		Dialect: func(c *catalog.Source, _ json.RawMessage) (backend.Dialect, error) {
			// A catalog that can't say has no bound.
			limit, _ := strconv.Atoi(c.Extensions[extensionLimit])
			return Dialect{Limit: limit}, nil
		},
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
