package config

import (
	"slices"
	"strings"
	"time"
)

var (
	all      = []Service{Gateway, Metadata, QueryExecutor, EventDelivery, Scheduler}
	queriers = []Service{Metadata, QueryExecutor}
	// planners have tables in the metadata database.
	planners = []Service{Metadata, EventDelivery, Scheduler}
	callers  = []Service{Metadata, QueryExecutor, EventDelivery}
)

const (
	seconds      = "integer, seconds"
	milliseconds = "integer, milliseconds"
	megabytes    = "integer, MB"
	boolean      = "boolean"
	number       = "integer"
)

// Listener.
var (
	ServerPort = define(Spec{
		Flag: "server-port", Default: "8080", Values: number, Group: GroupListener, Services: []Service{Gateway},
		Help: "port that clients connect to",
	}, parsePort)
	ServerHost = define(Spec{
		Flag: "server-host", Default: "*", Group: GroupListener, Services: []Service{Gateway},
		Help: "address to listen on; * is all IPv4 addresses",
	}, parseNonEmpty)
	TLSCertificate = define(Spec{
		Flag: "tls-certificate", Values: "path of a PEM file", Group: GroupListener, Services: []Service{Gateway},
		Help: "certificate, with its chain, that clients connect to by TLS; needs tls-key; the files are read again when they change",
	}, parsePath)
	TLSKey = define(Spec{
		Flag: "tls-key", Values: "path of a PEM file", Group: GroupListener, Services: []Service{Gateway},
		Help: "key of the certificate",
	}, parsePath)
	TLSClientCA = define(Spec{
		Flag: "tls-client-ca", Values: "path of a PEM file", Group: GroupListener, Services: []Service{Gateway},
		Help: "authorities of client certificates; with it, clients need one for everything but /healthz",
	}, parsePath)
	StrictTransportMaxAge = define(Spec{
		Flag: "hsts-max-age", Default: "31536000", Values: seconds + "; 0 is not at all", Group: GroupListener, Services: []Service{Gateway},
		Help: "how long browsers are told to come back by TLS only, in answers over TLS",
	}, parseDuration(time.Second))
	ServerTimeout = define(Spec{
		Flag: "server-timeout", Default: "30", Values: seconds, Group: GroupListener, Services: []Service{Gateway},
		Help: "a client that takes longer to send its request is disconnected",
	}, parseDuration(time.Second))
	MaxTotalHeaderLength = define(Spec{
		Flag: "max-total-header-length", Default: "1048576", Values: "integer, bytes", Group: GroupListener, Services: []Service{Gateway},
		Help: "size of all headers of a request; a larger one is answered with 431",
	}, parsePositive)
	MaxRequestSize = define(Spec{
		Flag: "max-request-size", Default: "33554432", Values: "integer, bytes", Group: GroupListener, Services: []Service{Gateway},
		Help: "size of a request body; a larger one is answered with 413",
	}, parsePositive)
	CORSDomain = define(Spec{
		Flag: "cors-domain", Default: "*", Values: "list of scheme://host[:port]", Group: GroupListener, Services: []Service{Gateway},
		Help: "origins that browsers may call from; the left-most label of a host may be *",
	}, parseList)
	DisableCORS = define(Spec{
		Flag: "disable-cors", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway},
		Help: "send no CORS headers",
	}, parseBool)
	EnableConsole = define(Spec{
		Flag: "enable-console", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway},
		Help: "serve the page of a console at /console; / leads there",
	}, parseBool)
	ConsoleAssetsDir = define(Spec{
		Flag: "console-assets-dir", Values: "path", Group: GroupListener, Services: []Service{Gateway},
		Help: "directory of the console's files, served at /console/assets: main.js, main.css and what they load",
	}, parseText)
	WebSocketReadCookie = define(Spec{
		Flag: "ws-read-cookie", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway},
		Help: "let cookies of a WebSocket's upgrade count although CORS is disabled",
	}, parseBool)
	WebSocketInitTimeout = define(Spec{
		Flag: "websocket-connection-init-timeout", Default: "3", Values: seconds, Group: GroupListener, Services: []Service{Gateway},
		Help: "how long a WebSocket may wait with its first message",
	}, durationOf(time.Second, nonNegative("WebSocket Connection Timeout must not be negative")))
	WebSocketKeepAlive = define(Spec{
		Flag: "websocket-keepalive", Default: "5", Values: seconds + "; 0 is never", Group: GroupListener, Services: []Service{Gateway},
		Help: "how often a WebSocket gets a keep-alive message",
	}, parseDuration(time.Second))
	WebSocketCompression = define(Spec{
		Flag: "websocket-compression", Variable: "CONNECTION_COMPRESSION", Default: "false", Values: boolean, Switch: true, Group: GroupListener, Services: []Service{Gateway},
		Help: "compress messages of WebSockets",
	}, parseBool)
	StatusPort = define(Spec{
		Flag: "status-port", Default: "0", Values: number, Group: GroupListener, Services: []Service{Metadata, QueryExecutor, EventDelivery, Scheduler},
		Help: "port of /healthz and /metrics of a service that is not the gateway; 0 is none",
	}, parsePort)
)

// Databases.
var (
	DatabaseURL = define(Spec{
		Flag: "database-url", Secret: true, Values: "PostgreSQL URL", Group: GroupDatabases, Services: all[1:],
		Help: "becomes the source default when metadata has no source yet; also the metadata database when no other is given",
	}, parseSecret)
	MetadataDatabaseURL = define(Spec{
		Flag: "metadata-database-url", Secret: true, Values: "PostgreSQL URL", Group: GroupDatabases, Services: planners,
		Help: "database that holds the metadata",
	}, parseSecret)
	Connections = define(Spec{
		Flag: "connections", Short: "c", Variable: "PG_CONNECTIONS", Default: "50", Values: number, Group: GroupDatabases, Services: queriers,
		Help: "connections of each process to a source that doesn't say so itself",
	}, parsePositive)
	IdleTimeout = define(Spec{
		Flag: "timeout", Variable: "PG_TIMEOUT", Default: "180", Values: seconds, Group: GroupDatabases, Services: queriers,
		Help: "an idle connection is closed after this time",
	}, parseDuration(time.Second))
	ConnectionLifetime = define(Spec{
		Flag: "conn-lifetime", Variable: "PG_CONN_LIFETIME", Default: "600", Values: seconds + "; 0 is without end", Group: GroupDatabases, Services: queriers,
		Help: "a connection is closed after this time",
	}, parseDuration(time.Second))
	PoolTimeout = define(Spec{
		Flag: "pool-timeout", Variable: "PG_POOL_TIMEOUT", Values: seconds + "; none is without end", Group: GroupDatabases, Services: queriers,
		Help: "how long a request waits for a free connection",
	}, parseDuration(time.Second))
	UsePreparedStatements = define(Spec{
		Flag: "use-prepared-statements", Default: "true", Values: boolean, Group: GroupDatabases, Services: queriers,
		Help: "prepare statements on connections; off for poolers that mix sessions",
	}, parseBool)
	TxIsolation = define(Spec{
		Flag: "tx-iso", Short: "i", Variable: "TX_ISOLATION", Default: "read-committed", Values: "read-committed, repeatable-read or serializable", Group: GroupDatabases, Services: queriers,
		Help: "isolation level of the source default when it is added",
	},
		oneOf("Only expecting read-committed / repeatable-read / serializable", "read-committed", "repeatable-read", "serializable"))
)

// Bus.
var (
	NATSURL = define(Spec{
		Flag: "nats-url", Secret: true, Values: "list of NATS URLs", Group: GroupBus, Services: all,
		Help: "NATS servers; engine without it runs its own inside its process",
	}, parseSecret)
	NATSCredentials = define(Spec{
		Flag: "nats-credentials", Values: "path", Group: GroupBus, Services: all,
		Help: "file with the credentials of a NATS user",
	}, parseText)
	NATSReplicas = define(Spec{
		Flag: "nats-replicas", Default: "1", Values: number, Group: GroupBus, Services: planners,
		Help: "copies of each stream; 3 in a cluster",
	}, parsePositive)
	NATSPort = define(Spec{
		Flag: "nats-port", Default: "0", Values: number, Group: GroupBus,
		Help: "port at which the NATS server inside engine listens on 127.0.0.1; 0 is none",
	}, parsePort)
	DataDir = define(Spec{
		Flag: "data-dir", Default: ".data", Values: "path", Group: GroupBus,
		Help: "directory for the NATS server inside engine, and for engine dev's database",
	}, parseNonEmpty)
	RunServices = define(Spec{
		Flag: "services", Default: "gateway,metadata,query-executor,event-delivery,scheduler", Values: "list of services", Group: GroupBus,
		Help: "the services that engine runs in its process",
	},
		listOf("Only expecting list of comma separated services gateway,metadata,query-executor,event-delivery,scheduler",
			string(Gateway), string(Metadata), string(QueryExecutor), string(EventDelivery), string(Scheduler)))
)

// Access.
var (
	AdminSecret = define(Spec{
		Flag: "admin-secret", Secret: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "secret of the role admin; without it everybody may take any role",
	}, parseNonEmptySecret)
	AdminSecrets = define(Spec{
		Flag: "admin-secrets", Secret: true, Values: "JSON array of texts", Group: GroupAccess, Services: []Service{Gateway},
		Help: "several admin secrets, all valid, to change one without a gap",
	}, parseSecrets)
	AccessKey = define(Spec{
		Flag: "access-key", Secret: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "deprecated name of admin-secret",
	}, parseNonEmptySecret)
	MetricsSecret = define(Spec{
		Flag: "metrics-secret", Secret: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "bearer token of /v1/metrics, when the API metrics is enabled",
	}, parseNonEmptySecret)
	Preserve401Errors = define(Spec{
		Flag: "preserve-401-errors", Variable: "PRESERVE_401_ERRORS", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "keep status 401 on the GraphQL endpoints, which otherwise answer 200",
	}, parseBool)
	StrictGraphQLOverHTTP = define(Spec{
		Flag: "strict-graphql-over-http", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "follow the GraphQL over HTTP specification where the wire format differs: its media type and statuses, queries by GET",
	}, parseBool)
	UnauthorizedRole = define(Spec{
		Flag: "unauthorized-role", Group: GroupAccess, Services: []Service{Gateway},
		Help: "role of requests without credentials",
	}, parseNonEmpty)
	JWTSecret = define(Spec{
		Flag: "jwt-secret", Secret: true, Values: "JSON object", Group: GroupAccess, Services: []Service{Gateway},
		Help: "how JSON Web Tokens are verified; needs an admin secret",
	}, parseSecret)
	JWTSecrets = define(Spec{
		Flag: "jwt-secrets", Secret: true, Values: "JSON array of objects", Group: GroupAccess, Services: []Service{Gateway},
		Help: "several token configurations, in place of jwt-secret",
	}, parseSecret)
	JWTEnableEC = define(Spec{
		Flag: "jwt-enable-ec", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "accept elliptic-curve keys for tokens",
	}, parseBool)
	AuthHook = define(Spec{
		Flag: "auth-hook", Values: "URL", Group: GroupAccess, Services: []Service{Gateway},
		Help: "webhook that says who a caller is; needs an admin secret",
	}, parseText)
	AuthHookMode = define(Spec{
		Flag: "auth-hook-mode", OldVariable: "AUTH_HOOK_TYPE", Default: "GET", Values: "GET or POST", Group: GroupAccess, Services: []Service{Gateway},
		Help: "how the webhook is asked",
	}, oneOf("Only expecting GET / POST", "GET", "POST"))
	AuthHookSendRequestBody = define(Spec{
		Flag: "auth-hook-send-request-body", Default: "true", Values: boolean, Group: GroupAccess, Services: []Service{Gateway},
		Help: "in POST mode, show the webhook the GraphQL request",
	}, parseBool)
	EnabledAPIs = define(Spec{
		Flag: "enabled-apis", Default: "metadata,graphql,pgdump,config", Values: "list of APIs", Group: GroupAccess, Services: []Service{Gateway},
		Help: "APIs that the gateway serves",
	},
		listOf("Only expecting list of comma separated API types metadata,graphql,pgdump,developer,config,metrics",
			"metadata", "graphql", "pgdump", "developer", "config", "metrics"))
	EnableAllowlist = define(Spec{
		Flag: "enable-allowlist", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway, QueryExecutor},
		Help: "let other roles than admin run listed queries only",
	}, parseBool)
	DevMode = define(Spec{
		Flag: "dev-mode", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway, QueryExecutor},
		Help: "show the internal part of errors to every role",
	}, parseBool)
	AdminInternalErrors = define(Spec{
		Flag: "admin-internal-errors", Default: "true", Values: boolean, Group: GroupAccess, Services: []Service{Gateway, QueryExecutor},
		Help: "show the internal part of errors to the role admin",
	}, parseBool)
)

// experimentalFeatures are the names that may be listed; effects are said in the help.
var experimentalFeatures = []string{
	"inherited_roles", "streaming_subscriptions", "naming_convention", "optimize_permission_filters", "apollo_federation",
	"hide_update_many_fields", "hide_aggregation_predicates", "hide_stream_fields", "group_by_aggregations",
	"bigquery_string_numeric_input", "disable_postgres_arrays", "no_null_unbound_variable_default",
	"remove_empty_subscription_responses",
}

// Schema.
var (
	StringifyNumericTypes = define(Spec{
		Flag: "stringify-numeric-types", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{Metadata, QueryExecutor},
		Help: "answer bigint, numeric, double precision and money as strings",
	}, parseBool)
	InferFunctionPermissions = define(Spec{
		Flag: "infer-function-permissions", Default: "true", Values: boolean, Group: GroupSchema, Services: []Service{Metadata, QueryExecutor, Gateway},
		Help: "a role that may select from a table may call the query functions that return its rows",
	}, parseBool)
	RemoteSchemaSkipNulls = define(Spec{
		Flag: "remote-schema-skip-nulls", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "leave null arguments to remote schemas out",
	}, parseBool)
	RemoteSchemaPrioritizeData = define(Spec{
		Flag: "remote-schema-prioritize-data", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "deliver the data of a remote answer that has errors, and drop the errors",
	}, parseBool)
	EnableRemoteSchemaPermissions = define(Spec{
		Flag: "enable-remote-schema-permissions", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{Metadata, QueryExecutor, Gateway},
		Help: "restrict roles to permitted parts of remote schemas",
	}, parseBool)
	DisableNativeQueryValidation = define(Spec{
		Flag: "disable-native-query-validation", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{Metadata},
		Help: "don't ask the database about native queries when they are tracked",
	}, parseBool)
	EnableRelay = define(Spec{
		Flag: "enable-relay", Default: "true", Values: boolean, Group: GroupSchema, Services: []Service{Gateway},
		Help: "serve /v1beta1/relay",
	}, parseBool)
	EnableApolloFederation = define(Spec{
		Flag: "enable-apollo-federation", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{Gateway, QueryExecutor},
		Help: "serve the fields of Apollo Federation; so does the feature apollo_federation",
	}, parseBool)
	BooleanNullCollapse = define(Spec{
		Flag: "v1-boolean-null-collapse", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "a comparison with an explicit null is true",
	}, parseBool)
	NullInNonNullableVariables = define(Spec{
		Flag: "null-in-nonnullable-variables", Variable: "BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES", Default: "false", Values: boolean, Switch: true, Group: GroupSchema, Services: []Service{QueryExecutor},
		Help: "accept null for variables of non-null types",
	}, parseBool)
	ExperimentalFeatures = define(Spec{
		Flag: "experimental-features", Values: "list of features", Group: GroupSchema, Services: []Service{Metadata, QueryExecutor, Gateway},
		Help: "features to switch on",
	},
		listOf("Only expecting list of comma separated experimental features, options are:"+strings.Join(experimentalFeatures, ","), experimentalFeatures...))
	DefaultNamingConvention = define(Spec{
		Flag: "default-naming-convention", Default: "engine-default", Values: "engine-default or graphql-default", Group: GroupSchema, Services: []Service{Metadata, QueryExecutor, Gateway},
		Help: "naming of sources that don't say it; needs the feature naming_convention",
	},
		oneOf(`naming_convention can either be "engine-default" or "graphql-default"`, "engine-default", "graphql-default"))
)

// ApolloFederation says whether Apollo Federation is served, by either of the two settings.
func ApolloFederation(v *Values) bool {
	return EnableApolloFederation.Get(v) || slices.Contains(ExperimentalFeatures.Get(v), "apollo_federation")
}

// Limits.
var (
	QueryConcurrency = define(Spec{
		Flag: "query-concurrency", Default: "256", Values: number, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "requests that one executor works on at once; one more is told that it is busy",
	}, parsePositive)
	PlanCacheSize = define(Spec{
		Flag: "plan-cache-size", Default: "4096", Values: number, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "plans that one executor keeps",
	}, parseNonNegative)
	MaxCacheSize = define(Spec{
		Flag: "max-cache-size", Default: "64", Values: megabytes + "; 0 is no cache", Group: GroupLimits, Services: []Service{QueryExecutor, Gateway},
		Help: "answers of queries with @cached that are kept, in the memory of NATS",
	}, parseNonNegative)
	CacheMaxEntryTTL = define(Spec{
		Flag: "query-cache-max-ttl", Variable: "CACHE_MAX_ENTRY_TTL", Default: "3600", Values: seconds, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "how long a cached answer is kept at most",
	}, parseDuration(time.Second))
	CacheMaxEntrySize = define(Spec{
		Flag: "cache-max-entry-size", Default: "16", Values: megabytes, Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "answers that are larger are not cached; an executor holds them back whole",
	}, parsePositive)
	CacheBucketSize = define(Spec{
		Flag: "cache-bucket-size", Default: "1000000000", Values: "bytes", Group: GroupLimits, Services: []Service{QueryExecutor},
		Help: "how much an executor may cache at once; 10 MB are added per second",
	}, parsePositive)
	RequestTimeout = define(Spec{
		Flag: "request-timeout", Default: "120", Values: seconds + "; 0 is without end", Group: GroupLimits, Services: []Service{Gateway},
		Help: "a request that takes longer is cancelled, also in the database",
	}, parseDuration(time.Second))
)

// Outgoing calls: addresses of webhooks, action handlers and remote schemas in metadata.
var (
	EgressRefuse = define(Spec{
		Flag: "egress-refuse", Default: "link-local,metadata", Values: "list of loopback, private, link-local, metadata, and networks", Group: GroupEgress, Services: callers,
		Help: "networks that addresses in metadata can't lead to; metadata is where clouds tell a machine its secrets; the empty list refuses nothing",
	}, parseNetworks)
	EgressProxy = define(Spec{
		Flag: "egress-proxy", Secret: true, Values: "URL or environment", Group: GroupEgress, Services: callers,
		Help: "proxy of outgoing calls, none by default; environment takes it from HTTP_PROXY, HTTPS_PROXY and NO_PROXY; egress-refuse then is about the address of the proxy",
	}, parseSecret)
	EgressConnectTimeout = define(Spec{
		Flag: "egress-connect-timeout", Default: "10", Values: seconds, Group: GroupEgress, Services: callers,
		Help: "how long a connection of an outgoing call may take",
	}, durationOf(time.Second, parsePositive))
	EgressMaxRedirects = define(Spec{
		Flag: "egress-max-redirects", Default: "10", Values: number, Group: GroupEgress, Services: callers,
		Help: "redirects that an outgoing call follows; 0 takes a redirect for the answer",
	}, parseNonNegative)
	EgressMaxResponse = define(Spec{
		Flag: "egress-max-response-size", Default: "33554432", Values: "integer, bytes", Group: GroupEgress, Services: callers,
		Help: "size of the answer to an outgoing call; a larger one is an error",
	}, parsePositive)
	EgressConnections = define(Spec{
		Flag: "egress-connections", Default: "100", Values: number, Group: GroupEgress, Services: callers,
		Help: "connections of each process to one host; further calls wait",
	}, parsePositive)
	ConfiguredHeaderPrecedence = define(Spec{
		Flag: "configured-header-precedence", Default: "false", Values: boolean, Switch: true, Group: GroupEgress, Services: callers,
		Help: "let the headers of definitions win over those of the client",
	}, parseBool)
)

// Events.
var (
	EventsHTTPPoolSize = define(Spec{
		Flag: "events-http-pool-size", Default: "100", Values: number, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "webhooks that one process calls at once",
	}, parsePositive)
	EventsFetchInterval = define(Spec{
		Flag: "events-fetch-interval", Default: "1000", Values: milliseconds, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "how often events of tables are looked for where the database doesn't say that there are some; 0 for never",
	}, parseDuration(time.Millisecond))
	EventsFetchBatchSize = define(Spec{
		Flag: "events-fetch-batch-size", Default: "100", Values: number, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "events of tables that are fetched at once; 0 for none",
	}, parseNonNegative)
	AsyncActionsFetchInterval = define(Spec{
		Flag: "async-actions-fetch-interval", Default: "1000", Values: milliseconds, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "how often calls of asynchronous actions are looked for that were left behind; 0 to call none",
	}, parseDuration(time.Millisecond))
	AsyncActionsFetchBatchSize = define(Spec{
		Flag: "async-actions-fetch-batch-size", Default: "10", Values: number, Group: GroupEvents, Services: []Service{EventDelivery},
		Help: "calls of asynchronous actions that are fetched at once; 0 to call none",
	}, parseNonNegative)
	DisableEventing = define(Spec{
		Flag: "disable-eventing", Default: "false", Values: boolean, Switch: true, Group: GroupEvents, Services: []Service{EventDelivery, Scheduler},
		Help: "deliver no events",
	}, parseBool)
)

// Operation.
var (
	LogLevel = define(Spec{
		Flag: "log-level", Default: "info", Values: "debug, info, warn or error", Group: GroupOperation, Services: all,
		Help: "least level of log lines",
	},
		oneOf("Valid log levels: debug, info, warn or error", "debug", "info", "warn", "error"))
	EnabledLogTypes = define(Spec{
		Flag: "enabled-log-types", Default: "startup,http-log,webhook-log,websocket-log,jwk-refresh-log", Values: "list of log types", Group: GroupOperation, Services: all,
		Help: "kinds of log lines to write",
	}, listOf(logTypesMessage(), logTypes...))
	GracefulShutdownTimeout = define(Spec{
		Flag: "graceful-shutdown-timeout", Default: "60", Values: seconds, Group: GroupOperation, Services: all,
		Help: "how long a stop waits for what is in hand",
	}, parseDuration(time.Second))
	OTLPEndpoint = define(Spec{
		Flag: "otlp-endpoint", Values: "URL", Group: GroupOperation, Services: all,
		Help: "OTLP/HTTP address that traces are sent to; none is off",
	}, parseText)
	MetadataHistory = define(Spec{
		Flag: "metadata-history", Default: "10000", Values: number, Group: GroupOperation, Services: []Service{Metadata},
		Help: "versions of the metadata that are kept",
	}, parsePositive)
	MaintenanceMode = define(Spec{
		Flag: "enable-maintenance-mode", Default: "false", Values: boolean, Switch: true, Group: GroupOperation, Services: []Service{Metadata},
		Help: "refuse changes of the metadata",
	}, parseBool)
	MetadataHistoryAge = define(Spec{
		Flag: "metadata-history-days", Default: "90", Values: number, Group: GroupOperation, Services: []Service{Metadata},
		Help: "days for which versions of the metadata are kept",
	}, parsePositive)
)

// table lists every setting in the order of the help.
var table = append(effective, withoutEffect...)

var effective = []row{
	ServerPort, ServerHost, TLSCertificate, TLSKey, TLSClientCA, StrictTransportMaxAge, ServerTimeout, MaxTotalHeaderLength, MaxRequestSize, CORSDomain, DisableCORS,
	EnableConsole, ConsoleAssetsDir, WebSocketReadCookie, WebSocketInitTimeout, WebSocketKeepAlive, WebSocketCompression, StatusPort,
	DatabaseURL, databaseHost, databasePort, databaseUser, databasePassword, databaseName, databaseOptions,
	MetadataDatabaseURL, Connections, IdleTimeout, ConnectionLifetime, PoolTimeout, UsePreparedStatements, TxIsolation,
	NATSURL, NATSCredentials, NATSReplicas, NATSPort, DataDir, RunServices,
	AdminSecret, AdminSecrets, AccessKey, MetricsSecret, Preserve401Errors, StrictGraphQLOverHTTP, UnauthorizedRole, JWTSecret, JWTSecrets, JWTEnableEC, AuthHook, AuthHookMode, AuthHookSendRequestBody,
	EnabledAPIs, DevMode, AdminInternalErrors,
	StringifyNumericTypes, InferFunctionPermissions, EnableRemoteSchemaPermissions, RemoteSchemaSkipNulls, RemoteSchemaPrioritizeData, DisableNativeQueryValidation, EnableRelay, EnableApolloFederation, BooleanNullCollapse, NullInNonNullableVariables, ExperimentalFeatures, DefaultNamingConvention,
	QueryConcurrency, PlanCacheSize, MaxCacheSize, CacheMaxEntryTTL, CacheMaxEntrySize, CacheBucketSize, RequestTimeout,
	EgressRefuse, EgressProxy, EgressConnectTimeout, EgressMaxRedirects, EgressMaxResponse, EgressConnections, ConfiguredHeaderPrecedence,
	LiveQueryInterval, LiveQueryBatch, StreamInterval, StreamBatch, CloseWebSocketsOnMetadataChange,
	EventsHTTPPoolSize, EventsFetchInterval, EventsFetchBatchSize, AsyncActionsFetchInterval, AsyncActionsFetchBatchSize,
	DisableEventing,
	LogLevel, MetricsHighCardinality, EnabledLogTypes, HTTPLogQueryOnlyOnError, MetadataQueryLogging, LogMaskedVariables, TriggersErrorLogLevel,
	GracefulShutdownTimeout, OTLPEndpoint, TraceDocuments, MetadataHistory, MetadataHistoryAge, MaintenanceMode,
}

// Table is every setting in the order of the help.
func Table() []*Spec {
	specs := make([]*Spec, len(table))
	for i, r := range table {
		specs[i] = r.Spec()
	}
	return specs
}
