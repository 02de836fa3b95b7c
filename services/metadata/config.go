package metadata

import (
	"encoding/json"
	"os"
	"slices"
	"time"

	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/config"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/service"
)

// Config are the settings of the service.
type Config struct {
	// MetadataURL is the database that holds the metadata.
	MetadataURL string
	// DefaultSource is added as source "default" when metadata has none; nil for none.
	DefaultSource json.RawMessage
	// Connections of the pool of the metadata database.
	Connections int
	// History is how many versions are kept, HistoryAge how long; all and forever for 0.
	History    int
	HistoryAge time.Duration
	// Maintenance refuses changes of the metadata.
	Maintenance bool
	// Replicas of the metadata stream.
	Replicas int
	// CacheSize is how many bytes of answers executors cache, 0 for none.
	CacheSize int64
	// SeenTimeout bounds how long an answer waits until every gateway has seen a change, 10
	// seconds by default.
	SeenTimeout time.Duration
	// Recheck is how soon sources and remote schemas that could not be read are tried again, 5
	// seconds by default; the pause doubles up to 30 seconds while they can't.
	Recheck time.Duration

	InferFunctionPermissions bool
	// RemoteSchemaPermissions hides remote schemas from roles without a permission.
	RemoteSchemaPermissions bool
	// Egress restricts calls to remote schemas.
	Egress                  egress.Config
	DefaultNamingConvention string
	// OpenRole is the role of requests without credentials, "" for none.
	OpenRole         string
	NamingConvention bool
	// HideStreamFields and HideUpdateManyFields leave out these root fields of tables.
	HideStreamFields, HideUpdateManyFields bool
	// DisableNativeQueryValidation tracks native queries without asking the database.
	DisableNativeQueryValidation bool
	// StringifyNumeric shows numbers in events as text that may lose digits.
	StringifyNumeric bool
}

// ReadConfig takes the service's settings from the table; env is os.LookupEnv.
func ReadConfig(v *config.Values, env func(string) (string, bool)) (Config, error) {
	source, features := config.DatabaseURL.Get(v).Reveal(), config.ExperimentalFeatures.Get(v)
	c := Config{
		MetadataURL:              config.MetadataURL(v),
		Connections:              4,
		History:                  config.MetadataHistory.Get(v),
		Maintenance:              config.MaintenanceMode.Get(v),
		HistoryAge:               time.Duration(config.MetadataHistoryAge.Get(v)) * 24 * time.Hour,
		Replicas:                 config.NATSReplicas.Get(v),
		CacheSize:                int64(config.MaxCacheSize.Get(v)) * 1_000_000,
		RemoteSchemaPermissions:  config.EnableRemoteSchemaPermissions.Get(v),
		Egress:                   egress.ReadConfig(v, service.UserAgent()),
		InferFunctionPermissions: config.InferFunctionPermissions.Get(v),
		DefaultNamingConvention:  config.DefaultNamingConvention.Get(v),
		OpenRole:                 config.UnauthorizedRole.Get(v),
		NamingConvention:         slices.Contains(features, "naming_convention"),
		HideStreamFields:         slices.Contains(features, "hide_stream_fields"),
		HideUpdateManyFields:     slices.Contains(features, "hide_update_many_fields"),

		DisableNativeQueryValidation: config.DisableNativeQueryValidation.Get(v),
		StringifyNumeric:             config.StringifyNumericTypes.Get(v),
	}
	if source != "" {
		info, err := defaultSource(v, source, env)
		if err != nil {
			return c, err
		}
		c.DefaultSource = info
	}
	return c, c.Validate()
}

// Check reports all faults of the service's settings, without a start.
func Check(v *config.Values) error {
	_, err := ReadConfig(v, os.LookupEnv)
	return err
}

// Validate reports what is missing.
func (c Config) Validate() error {
	return config.NeedMetadataURL(c.MetadataURL)
}

// defaultSource describes the source of the setting database-url. When the address is that
// of the variable, metadata names the variable, so that the address isn't stored.
func defaultSource(v *config.Values, source string, env func(string) (string, bool)) (json.RawMessage, error) {
	name := config.DatabaseURL.Spec().Env()
	var url any = source
	if text, ok := env(name); ok && text == source {
		url = map[string]string{"from_env": name}
	}
	raw, err := metadata.Encode(url)
	if err != nil {
		return nil, err
	}
	seconds := func(d time.Duration) *int {
		n := int(d / time.Second)
		return &n
	}
	connections, retries := config.Connections.Get(v), 1
	pool := &postgres.PoolSettings{
		ConnectionLifetime: seconds(config.ConnectionLifetime.Get(v)),
		IdleTimeout:        seconds(config.IdleTimeout.Get(v)),
		MaxConnections:     &connections,
		Retries:            &retries,
	}
	if config.PoolTimeout.IsSet(v) {
		pool.PoolTimeout = seconds(config.PoolTimeout.Get(v))
	}
	info := postgres.ConnectionInfo{
		DatabaseURL:    raw,
		IsolationLevel: config.TxIsolation.Get(v),
		PoolSettings:   pool,
	}
	if config.UsePreparedStatements.IsSet(v) {
		prepare := config.UsePreparedStatements.Get(v)
		info.UsePreparedStatements = &prepare
	}
	return metadata.Encode(postgres.Configuration{ConnectionInfo: info})
}
