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
)

// Config is what the settings say to the gateway.
type Config struct {
	// Host is the address to listen on, "*" for all IPv4 addresses; Port 0 takes any.
	Host string
	Port int
	// TLS are the files of a TLS listener, empty for one without TLS.
	TLS listen.Files
	// StrictTransport is how long browsers are told to come back by TLS, 0 to tell nothing.
	StrictTransport time.Duration
	// Timeout is how long a client may take to send a request, and to take its answer.
	Timeout time.Duration
	// RequestTimeout is how long a query may take, 0 for without end.
	RequestTimeout time.Duration
	// CacheSize is how many bytes of answers executors cache, 0 for none.
	CacheSize int64
	// StopTimeout is how long Stop waits for requests in hand.
	StopTimeout    time.Duration
	MaxHeaderSize  int
	MaxRequestSize int
	// Concurrency is how many requests may wait for executors at once, 0 for no bound.
	Concurrency int

	// WebSocketInitTimeout is how long a WebSocket may wait for its first message,
	// WebSocketKeepAlive the time between keep-alive messages.
	WebSocketInitTimeout time.Duration
	WebSocketKeepAlive   time.Duration
	WebSocketCompression bool
	// WebSocketInitSize is the most bytes of a message before a WebSocket is initialised.
	WebSocketInitSize int
	// SubscriptionsPerConnection and SubscriptionsPerSession are how many may run at once, 0 for
	// no bound.
	SubscriptionsPerConnection, SubscriptionsPerSession int
	WebSocketReadCookie                                 bool

	// CloseWebSockets ends WebSockets when the metadata changes.
	CloseWebSockets bool

	// Console serves the page of a console, with the files of the directory ConsoleAssets.
	Console       bool
	ConsoleAssets string

	CORSDomains []string
	DisableCORS bool

	// AdminSecrets are all valid; none lets everybody take any role.
	AdminSecrets     []config.Secret
	UnauthorizedRole string
	// JWTSecret is a token configuration, JWTSecrets a list that takes its place; empty for
	// none. EnableEC accepts elliptic-curve keys.
	JWTSecret, JWTSecrets config.Secret
	JWTEnableEC           bool
	// AuthHook is the URL of the authentication webhook, empty for none.
	AuthHook                string
	AuthHookPost            bool
	AuthHookSendRequestBody bool
	// MetricsSecret is asked of those who read /v1/metrics.
	MetricsSecret config.Secret

	EnabledAPIs         []string
	EnableRelay         bool
	Federation          bool
	DevMode             bool
	AdminInternalErrors bool
	Preserve401Errors   bool
	StrictOverHTTP      bool

	// DetailedMetrics tells operations apart in metrics, TraceDocuments puts their text into traces.
	DetailedMetrics, TraceDocuments bool

	// Logging says what the lines about requests show.
	Logging api.LogSettings

	// The rest is only shown to admins.
	InferFunctionPermissions bool
	RemoteSchemaPermissions  bool
	ExperimentalFeatures     []string
	DefaultNamingConvention  string
	EnableAllowlist          bool
	// UnlimitedData lets data operations go without API limits.
	UnlimitedData    bool
	LiveQueries      api.LiveQueryOptions
	StreamingQueries api.LiveQueryOptions
}

// ReadConfig takes the gateway's settings from the table.
func ReadConfig(v *config.Values) Config {
	c := Config{
		Host: config.ServerHost.Get(v),
		Port: config.ServerPort.Get(v),
		TLS: listen.Files{
			Certificate: config.TLSCertificate.Get(v), Key: config.TLSKey.Get(v), ClientCA: config.TLSClientCA.Get(v),
		},
		StrictTransport:            config.StrictTransportMaxAge.Get(v),
		Timeout:                    config.ServerTimeout.Get(v),
		RequestTimeout:             config.RequestTimeout.Get(v),
		CacheSize:                  int64(config.MaxCacheSize.Get(v)) * 1_000_000,
		StopTimeout:                config.GracefulShutdownTimeout.Get(v),
		MaxHeaderSize:              config.MaxTotalHeaderLength.Get(v),
		Concurrency:                config.GatewayConcurrency.Get(v),
		MaxRequestSize:             config.MaxRequestSize.Get(v),
		WebSocketInitTimeout:       config.WebSocketInitTimeout.Get(v),
		WebSocketInitSize:          config.WebSocketInitSize.Get(v),
		WebSocketKeepAlive:         config.WebSocketKeepAlive.Get(v),
		WebSocketCompression:       config.WebSocketCompression.Get(v),
		WebSocketReadCookie:        config.WebSocketReadCookie.Get(v),
		SubscriptionsPerConnection: config.SubscriptionsPerConnection.Get(v),
		SubscriptionsPerSession:    config.SubscriptionsPerSession.Get(v),
		CloseWebSockets:            config.CloseWebSocketsOnMetadataChange.Get(v),
		CORSDomains:                config.CORSDomain.Get(v),
		DisableCORS:                config.DisableCORS.Get(v),
		UnauthorizedRole:           config.UnauthorizedRole.Get(v),
		JWTSecret:                  config.JWTSecret.Get(v),
		JWTSecrets:                 config.JWTSecrets.Get(v),
		JWTEnableEC:                config.JWTEnableEC.Get(v),
		AuthHook:                   config.AuthHook.Get(v),
		AuthHookPost:               config.AuthHookMode.Get(v) == http.MethodPost,
		AuthHookSendRequestBody:    config.AuthHookSendRequestBody.Get(v),
		MetricsSecret:              config.MetricsSecret.Get(v),
		EnabledAPIs:                config.EnabledAPIs.Get(v),
		EnableRelay:                config.EnableRelay.Get(v),
		Federation:                 config.ApolloFederation(v),
		DevMode:                    config.DevMode.Get(v),
		AdminInternalErrors:        config.AdminInternalErrors.Get(v),
		Preserve401Errors:          config.Preserve401Errors.Get(v),
		StrictOverHTTP:             config.StrictGraphQLOverHTTP.Get(v),
		DetailedMetrics:            config.MetricsHighCardinality.Get(v),
		TraceDocuments:             config.TraceDocuments.Get(v),
		Logging: api.LogSettings{
			QueryOnlyOnError: config.HTTPLogQueryOnlyOnError.Get(v),
			MetadataBodies:   config.MetadataQueryLogging.Get(v),
			Masked:           querylog.NewMask(config.LogMaskedVariables.Get(v)),
		},
		Console:                  config.EnableConsole.Get(v),
		ConsoleAssets:            config.ConsoleAssetsDir.Get(v),
		RemoteSchemaPermissions:  config.EnableRemoteSchemaPermissions.Get(v),
		InferFunctionPermissions: config.InferFunctionPermissions.Get(v),
		ExperimentalFeatures:     config.FeaturesInEffect(v),
		DefaultNamingConvention:  config.DefaultNamingConvention.Get(v),
		EnableAllowlist:          config.EnableAllowlist.Get(v),
		UnlimitedData:            slices.Contains(config.UnguardedDataOperations.Get(v), config.GuardAPILimits),
		LiveQueries: api.LiveQueryOptions{
			BatchSize: config.LiveQueryBatch.Get(v), RefetchDelay: config.LiveQueryInterval.Get(v).Seconds(),
		},
		StreamingQueries: api.LiveQueryOptions{
			BatchSize: config.StreamBatch.Get(v), RefetchDelay: config.StreamInterval.Get(v).Seconds(),
		},
	}
	several := config.AdminSecrets.Get(v)
	switch {
	case len(several) > 0:
		c.AdminSecrets = several
	case config.AdminSecret.IsSet(v):
		c.AdminSecrets = []config.Secret{config.AdminSecret.Get(v)}
	case config.AccessKey.IsSet(v):
		c.AdminSecrets = []config.Secret{config.AccessKey.Get(v)}
	}
	return c
}

// Check tells all that is wrong with the gateway's settings, without a start.
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
