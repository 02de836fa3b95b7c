package mssql

import (
	"bytes"
	"encoding/json"
	"fmt"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// Configuration configures how a source is reached.
type Configuration struct {
	ConnectionInfo ConnectionInfo `json:"connection_info" meta:"required"`
	// ReadReplicas answer queries, in turn.
	ReadReplicas []ConnectionInfo `json:"read_replicas,omitempty"`
}

// ConnectionInfo is a server and its options.
type ConnectionInfo struct {
	// ConnectionString is a text or {"from_env": NAME}, as given.
	ConnectionString json.RawMessage `json:"connection_string,omitempty"`
	// DatabaseURL is another name of ConnectionString.
	DatabaseURL    json.RawMessage `json:"database_url,omitempty"`
	PoolSettings   *PoolSettings   `json:"pool_settings,omitempty"`
	IsolationLevel string          `json:"isolation_level" meta:"default=read-committed"`
}

// PoolSettings bound the connections of a source; nil fields take the defaults.
type PoolSettings struct {
	// Enable is false for connections that are closed after each use.
	Enable         *bool `json:"enable,omitempty"`
	MaxConnections *int  `json:"max_connections,omitempty"`
	// TotalMaxConnections takes the place of MaxConnections.
	TotalMaxConnections *int `json:"total_max_connections,omitempty"`
	IdleTimeout         *int `json:"idle_timeout,omitempty"` // s
	PoolTimeout         *int `json:"pool_timeout,omitempty"` // s
}

// The bounds of settings.
const (
	maxConnections = 10000
	maxSeconds     = 24 * 60 * 60
)

// Check implements metadata.Checker.
func (c *ConnectionInfo) Check() error {
	key, raw := "connection_string", c.ConnectionString
	switch {
	case len(raw) == 0 && len(c.DatabaseURL) == 0:
		return apierror.New(apierror.ParseFailed, `key "connection_string" not found`)
	case len(raw) == 0:
		key, raw = "database_url", c.DatabaseURL
	case len(c.DatabaseURL) > 0:
		return apierror.At(apierror.New(apierror.ParseFailed, "expected connection_string or database_url, not both"), "database_url")
	}
	if got := metadata.JSONType(raw); got != "String" && got != "Object" {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "expected String or an object with from_env, but encountered %s", got), key)
	}
	if _, known := isolationLevels[c.IsolationLevel]; !known {
		return apierror.At(apierror.New(apierror.ParseFailed,
			"Only expecting read-uncommitted / read-committed / repeatable-read / serializable / snapshot"), "isolation_level")
	}
	return nil
}

// Check implements metadata.Checker.
func (s *PoolSettings) Check() error {
	for _, setting := range []struct {
		key         string
		value       *int
		least, most int
	}{
		{"max_connections", s.MaxConnections, 1, maxConnections},
		{"total_max_connections", s.TotalMaxConnections, 1, maxConnections},
		{"idle_timeout", s.IdleTimeout, 0, maxSeconds},
		{"pool_timeout", s.PoolTimeout, 1, maxSeconds},
	} {
		if v := setting.value; v != nil && (*v < setting.least || *v > setting.most) {
			return apierror.At(apierror.Newf(apierror.ParseFailed,
				"Only expecting a value between %d and %d", setting.least, setting.most), setting.key)
		}
	}
	return nil
}

// connections is the greatest number of connections, 0 for the default.
func (s *PoolSettings) connections() int {
	switch {
	case s == nil:
		return 0
	case s.TotalMaxConnections != nil:
		return *s.TotalMaxConnections
	case s.MaxConnections != nil:
		return *s.MaxConnections
	}
	return 0
}

// Check implements metadata.Checker.
func (c *Configuration) Check() error {
	if c.ReadReplicas != nil && len(c.ReadReplicas) == 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "parsing NonEmpty failed, unexpected empty list"), "read_replicas")
	}
	return nil
}

// Unused implements metadata.Configuration.
func (c *Configuration) Unused() []metadata.UnusedKey { return nil }

// Connections implements metadata.Configuration.
func (c *Configuration) Connections() int { return c.ConnectionInfo.PoolSettings.connections() }

// Unsupported implements metadata.Configuration.
func (c *Configuration) Unsupported() string { return "" }

// connectionString is the text that says how a server is reached.
func (c *ConnectionInfo) connectionString(env metadata.Env) (string, error) {
	key, raw := "connection_string", bytes.TrimSpace(c.ConnectionString)
	if len(raw) == 0 {
		key, raw = "database_url", bytes.TrimSpace(c.DatabaseURL)
	}
	if metadata.JSONType(raw) == "String" {
		var template string
		if err := json.Unmarshal(raw, &template); err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		return metadata.Expand(template, env)
	}
	var u struct {
		FromEnv string `json:"from_env"`
	}
	if err := json.Unmarshal(raw, &u); err != nil || u.FromEnv == "" {
		return "", apierror.Newf(apierror.ParseFailed, "%s: expected a text, or an object with from_env", key)
	}
	return metadata.Variable(u.FromEnv, env)
}
