package gateway

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"queryengine/pkg/config"
	"queryengine/pkg/querylog"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/api"
	"queryengine/services/gateway/internal/listen"
	"queryengine/services/gateway/internal/websocket"
)

// Config is the gateway's configuration.
type Config struct {
	api.Settings

	// Host is the address to listen on, "*" for all IPv4 addresses; Port 0 takes any.
	Host          string
	Port          int
	MaxHeaderSize int
	// StopTimeout is how long Stop waits for requests that run.
	StopTimeout time.Duration
	// CacheSize is how many bytes of answers executors cache, 0 for none.
	CacheSize int64
	// CloseWebSockets ends WebSockets when the metadata changes.
	CloseWebSockets bool
	// DetailedMetrics tells operations apart in metrics.
	DetailedMetrics bool

	CORSDomains []string
	DisableCORS bool

	// AdminSecrets are all valid; without any, every caller may take any role.
	AdminSecrets     []config.Secret
	DisableSecret    bool
	UnauthorizedRole string
	// JWTSecret is a token configuration, JWTSecrets a list that takes its place; empty for
	// none. EnableEC accepts elliptic-curve keys.
	JWTSecret, JWTSecrets config.Secret
	JWTEnableEC           bool
	// AuthHookPost has the webhook asked by POST, AuthHookSendRequestBody with the request.
	AuthHookPost            bool
	AuthHookSendRequestBody bool
	// MetricsSecret is required to read /v1/metrics.
	MetricsSecret config.Secret
}

// ReadConfig takes the gateway's settings from the table.
func ReadConfig(v *config.Values) Config {
	return Config{
		Settings:                readSettings(v),
		Host:                    config.ServerHost.Get(v),
		Port:                    config.ServerPort.Get(v),
		MaxHeaderSize:           config.MaxTotalHeaderLength.Get(v),
		StopTimeout:             config.GracefulShutdownTimeout.Get(v),
		CacheSize:               int64(config.MaxCacheSize.Get(v)) * 1_000_000,
		CloseWebSockets:         config.CloseWebSocketsOnMetadataChange.Get(v),
		DetailedMetrics:         config.MetricsHighCardinality.Get(v),
		CORSDomains:             config.CORSDomain.Get(v),
		DisableCORS:             config.DisableCORS.Get(v),
		AdminSecrets:            adminSecrets(v),
		DisableSecret:           config.DisableAdminSecret.Get(v),
		UnauthorizedRole:        config.UnauthorizedRole.Get(v),
		JWTSecret:               config.JWTSecret.Get(v),
		JWTSecrets:              config.JWTSecrets.Get(v),
		JWTEnableEC:             config.JWTEnableEC.Get(v),
		AuthHookPost:            config.AuthHookMode.Get(v) == http.MethodPost,
		AuthHookSendRequestBody: config.AuthHookSendRequestBody.Get(v),
		MetricsSecret:           config.MetricsSecret.Get(v),
	}
}

// readSettings takes those of the API.
func readSettings(v *config.Values) api.Settings {
	return api.Settings{
		Enabled:             enabledAPIs(v),
		Federation:          config.ApolloFederation(v),
		Relay:               config.EnableRelay.Get(v),
		DevMode:             config.DevMode.Get(v),
		AdminInternalErrors: config.AdminInternalErrors.Get(v),
		Preserve401:         config.Preserve401Errors.Get(v),
		StrictOverHTTP:      config.StrictGraphQLOverHTTP.Get(v),
		TLS: listen.Files{
			Certificate: config.TLSCertificate.Get(v),
			Key:         config.TLSKey.Get(v),
			ClientCA:    config.TLSClientCA.Get(v),
		},
		StrictTransport: config.StrictTransportMaxAge.Get(v),
		Console:         config.EnableConsole.Get(v),
		ConsoleAssets:   config.ConsoleAssetsDir.Get(v),
		Concurrency:     config.GatewayConcurrency.Get(v),
		MaxRequestSize:  config.MaxRequestSize.Get(v),
		Timeout:         config.ServerTimeout.Get(v),
		RequestTimeout:  config.RequestTimeout.Get(v),
		TraceDocuments:  config.TraceDocuments.Get(v),
		WebSocket: websocket.Config{
			InitTimeout:      config.WebSocketInitTimeout.Get(v),
			KeepAlive:        config.WebSocketKeepAlive.Get(v),
			Compression:      config.WebSocketCompression.Get(v),
			MaxInit:          int64(config.WebSocketInitSize.Get(v)),
			MaxSubscriptions: config.SubscriptionsPerConnection.Get(v),
		},
		WebSocketReadCookie:     config.WebSocketReadCookie.Get(v),
		SubscriptionsPerSession: config.SubscriptionsPerSession.Get(v),
		PersistedTTL:            persistedTTL(v),
		MCP: api.MCP{
			Enabled: config.EnableMCP.Get(v), Admin: config.MCPAllowAdmin.Get(v), Discovery: config.MCPDiscovery.Get(v),
			AnswerSize: config.MCPAnswerSize.Get(v) << 10, Rows: config.MCPRows.Get(v), TimeLimit: config.MCPTimeLimit.Get(v),
		},
		UnlimitedData: slices.Contains(config.UnguardedDataOperations.Get(v), config.GuardAPILimits),
		Logging: api.LogSettings{
			QueryOnlyOnError: config.HTTPLogQueryOnlyOnError.Get(v),
			MetadataBodies:   config.MetadataQueryLogging.Get(v),
			Masked:           querylog.NewMask(config.LogMaskedVariables.Get(v)),
		},
		AuthHook:                 config.AuthHook.Get(v),
		EnableAllowlist:          config.EnableAllowlist.Get(v),
		InferFunctionPermissions: config.InferFunctionPermissions.Get(v),
		RemoteSchemaPermissions:  config.EnableRemoteSchemaPermissions.Get(v),
		ExperimentalFeatures:     config.FeaturesInEffect(v),
		DefaultNamingConvention:  config.DefaultNamingConvention.Get(v),
		LiveQueries: api.LiveQueryOptions{
			BatchSize: config.LiveQueryBatch.Get(v), RefetchDelay: config.LiveQueryInterval.Get(v).Seconds(),
		},
		StreamingQueries: api.LiveQueryOptions{
			BatchSize: config.StreamBatch.Get(v), RefetchDelay: config.StreamInterval.Get(v).Seconds(),
		},
	}
}

// persistedTTL is how long documents of clients are kept. A webhook that is shown requests has to see their documents, so none are.
func persistedTTL(v *config.Values) time.Duration {
	shown := config.AuthHook.Get(v) != "" && config.AuthHookMode.Get(v) == http.MethodPost && config.AuthHookSendRequestBody.Get(v)
	if !config.EnablePersistedQueries.Get(v) || shown {
		return 0
	}
	return time.Duration(config.PersistedQueriesTTL.Get(v)) * time.Second
}

func enabledAPIs(v *config.Values) map[api.Group]bool {
	enabled := map[api.Group]bool{}
	for _, name := range config.EnabledAPIs.Get(v) {
		enabled[api.Group(name)] = true
	}
	return enabled
}

func adminSecrets(v *config.Values) []config.Secret {
	several := config.AdminSecrets.Get(v)
	switch {
	case len(several) > 0:
		return several
	case config.AdminSecret.IsSet(v):
		return []config.Secret{config.AdminSecret.Get(v)}
	case config.AccessKey.IsSet(v):
		return []config.Secret{config.AccessKey.Get(v)}
	}
	return nil
}

// Check reports all faults of the gateway's settings, without a start.
func Check(v *config.Values) error {
	c := ReadConfig(v)
	_, err := newGuards(c, Deps{Logger: telemetry.Discard()})
	return errors.Join(c.Validate(), err)
}

// Validate checks what the table of settings can't check line by line.
func (c *Config) Validate() error {
	if c.MaxRequestSize <= 0 || c.MaxHeaderSize <= 0 {
		return errors.New("the size limits of requests must be positive")
	}
	return c.TLS.Validate()
}
