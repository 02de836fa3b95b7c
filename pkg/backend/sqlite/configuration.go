package sqlite

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// Configuration configures how a source is reached.
type Configuration struct {
	ConnectionInfo ConnectionInfo `json:"connection_info" meta:"required"`
}

// ConnectionInfo is a file and its options.
type ConnectionInfo struct {
	// DatabaseURL is the path of the file, or {"from_env": NAME}, as given.
	DatabaseURL json.RawMessage `json:"database_url" meta:"required"`
	// ReadOnly opens the file without the right to write.
	ReadOnly bool `json:"read_only,omitempty"`
	// Create makes the file when it is missing.
	Create       bool          `json:"create,omitempty"`
	PoolSettings *PoolSettings `json:"pool_settings,omitempty"`
}

// PoolSettings bound the connections of a source; nil fields take the defaults.
type PoolSettings struct {
	// MaxConnections is the number of connections that read. One more writes.
	MaxConnections *int `json:"max_connections,omitempty"`
	PoolTimeout    *int `json:"pool_timeout,omitempty"` // s
	// BusyTimeout is how long a statement waits for other processes that write.
	BusyTimeout *int `json:"busy_timeout,omitempty"` // ms
}

// The bounds of settings.
const (
	maxReaders     = 1000
	maxPoolTimeout = 3600           // s
	maxBusyTimeout = 10 * 60 * 1000 // ms
	defaultReaders = 8
)

// defaultPoolTimeout is how long a statement waits for a connection.
const defaultPoolTimeout = 10 * time.Second

// Check implements metadata.Checker.
func (c *ConnectionInfo) Check() error {
	if got := metadata.JSONType(c.DatabaseURL); got != "String" && got != "Object" {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "parsing UrlConf failed, expected String, but encountered %s", got), "database_url")
	}
	if c.ReadOnly && c.Create {
		return apierror.At(apierror.New(apierror.ParseFailed, "a file that is opened read_only can't be created"), "create")
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
		{"max_connections", s.MaxConnections, 1, maxReaders},
		{"pool_timeout", s.PoolTimeout, 1, maxPoolTimeout},
		{"busy_timeout", s.BusyTimeout, 0, maxBusyTimeout},
	} {
		if v := setting.value; v != nil && (*v < setting.least || *v > setting.most) {
			return apierror.At(apierror.Newf(apierror.ParseFailed,
				"Only expecting a value between %d and %d", setting.least, setting.most), setting.key)
		}
	}
	return nil
}

// Check implements metadata.Checker.
func (c *Configuration) Check() error { return nil }

// Unused implements metadata.Configuration.
func (c *Configuration) Unused() []metadata.UnusedKey { return nil }

// Connections implements metadata.Configuration.
func (c *Configuration) Connections() int {
	if s := c.ConnectionInfo.PoolSettings; s != nil && s.MaxConnections != nil {
		return *s.MaxConnections
	}
	return 0
}

// Unsupported implements metadata.Configuration.
func (c *Configuration) Unsupported() string { return "" }

// Options are how a file is opened.
type Options struct {
	Path             string
	ReadOnly, Create bool
	// Readers is the number of connections that read.
	Readers int
	// PoolTimeout is how long a statement waits for a connection, BusyTimeout how long it waits for other
	// processes that write.
	PoolTimeout, BusyTimeout time.Duration
	// Poll is how often the file is requested the changes of other processes; 0 for the default.
	Poll time.Duration
}

// Configure turns the configuration of a source into the options to open it with.
func Configure(c Configuration, env metadata.Env) (Options, error) {
	info := c.ConnectionInfo
	o := Options{
		ReadOnly: info.ReadOnly, Create: info.Create,
		Readers: defaultReaders, PoolTimeout: defaultPoolTimeout, BusyTimeout: defaultBusyTimeout,
	}
	if s := info.PoolSettings; s != nil {
		if s.MaxConnections != nil {
			o.Readers = *s.MaxConnections
		}
		if s.PoolTimeout != nil {
			o.PoolTimeout = time.Duration(*s.PoolTimeout) * time.Second
		}
		if s.BusyTimeout != nil {
			o.BusyTimeout = time.Duration(*s.BusyTimeout) * time.Millisecond
		}
	}
	path, err := address(info.DatabaseURL, env)
	if err != nil {
		return o, err
	}
	o.Path, err = allowedPath(path, env)
	return o, err
}

// address is the path as metadata gives it.
func address(raw json.RawMessage, env metadata.Env) (string, error) {
	raw = bytes.TrimSpace(raw)
	if metadata.JSONType(raw) == "String" {
		var template string
		if err := json.Unmarshal(raw, &template); err != nil {
			return "", err
		}
		return metadata.Expand(template, env)
	}
	var u struct {
		FromEnv string `json:"from_env"`
	}
	if err := json.Unmarshal(raw, &u); err != nil || u.FromEnv == "" {
		return "", apierror.New(apierror.ParseFailed, "database_url: expected the path of a file, or an object with from_env")
	}
	return metadata.Variable(u.FromEnv, env)
}

// pathPrefix is the variable with the directory in which the files of sources must be.
const pathPrefix = "ENGINE_GRAPHQL_SQLITE_ALLOWED_PATH_PREFIX"

// allowedPath is the full path of a file that the server may open. Links are followed before the prefix
// is looked at.
func allowedPath(path string, env metadata.Env) (string, error) {
	if path == "" || strings.HasPrefix(path, ":") || strings.HasPrefix(path, "file:") || strings.ContainsRune(path, 0) {
		return "", apierror.New(apierror.ParseFailed, "database_url: expected the path of a file")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", openError(err)
	}
	prefix, set := env(pathPrefix)
	if !set || prefix == "" {
		return full, nil
	}
	// A file that is to be made has no links yet, but its directory may.
	directory, err := filepath.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return "", openError(err)
	}
	full = filepath.Join(directory, filepath.Base(full))
	if target, err := filepath.EvalSymlinks(full); err == nil {
		full = target
	}
	if full != prefix && !strings.HasPrefix(full, strings.TrimSuffix(prefix, "/")+"/") {
		return "", apierror.New(apierror.PermissionError, "the file is not below the directory that "+pathPrefix+" allows")
	}
	return full, nil
}
