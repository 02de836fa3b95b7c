package config

import (
	"strings"
	"time"
)

// The guards of GraphQL operations that data operations can be let go without.
const (
	GuardAllowlist     = "allow-list"
	GuardAPILimits     = "api-limits"
	GuardRootFields    = "root-fields"
	GuardAggregations  = "aggregations"
	GuardBackendOnly   = "backend-only"
	GuardValidateInput = "validate-input"
)

var dataGuards = []string{GuardAllowlist, GuardAPILimits, GuardRootFields, GuardAggregations, GuardBackendOnly, GuardValidateInput}

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
	DisableAdminSecret = define(Spec{
		Flag: "disable-admin-secret", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "accept no admin secret, also where one is set: only tokens, or the webhook, which don't need one then",
	}, parseBool)
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
	VendorNames = define(Spec{
		Flag: "vendor-names", Values: "word", Group: GroupAccess, Services: all(),
		Help: "engine whose names are taken and given next to the engine's own: for hasura, X-Hasura-* headers, x-hasura-* claims and session variables, " +
			"hasura.user in SQL, and HASURA_GRAPHQL_* settings; the same in all services",
	}, parseVendor)
	UnauthorizedRole = define(Spec{
		Flag: "unauthorized-role", Group: GroupAccess, Services: []Service{Gateway, Metadata},
		Help: "role of requests without credentials; metadata, which warns of its permissions, needs it for that only",
	}, parseNonEmpty)
	EnableMCP = define(Spec{
		Flag: "enable-mcp", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "serve assistants at /mcp, by the Model Context Protocol, with the rights of their tokens",
	}, parseBool)
	MCPAllowAdmin = define(Spec{
		Flag: "mcp-allow-admin", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "let callers with an admin secret, and the role admin, use /mcp",
	}, parseBool)
	MCPDiscovery = defineList(Spec{
		Flag: "mcp-discovery", Default: "search_schema,describe_type,run_query,resources,prompts", Values: "list of tools, resources and prompts", Group: GroupAccess, Services: []Service{Gateway},
		Help: "what /mcp offers next to stored documents; explain shows SQL, and the rules of permissions in it",
	}, "Only expecting list of comma separated search_schema,describe_type,run_query,explain,resources,prompts",
		"search_schema", "describe_type", "run_query", "explain", "resources", "prompts")
	MCPAnswerSize = define(Spec{
		Flag: "mcp-answer-size", Default: "100", Values: "kilobytes", Group: GroupAccess, Services: []Service{Gateway},
		Help: "the largest answer that an assistant gets; longer ones are cut off",
	}, parsePositive)
	MCPRows = define(Spec{
		Flag: "mcp-rows", Default: "1000", Values: "number of rows", Group: GroupAccess, Services: []Service{Gateway},
		Help: "the most rows that run_query answers with, nested ones included; further ones are cut off",
	}, parsePositive)
	MCPTimeLimit = define(Spec{
		Flag: "mcp-time-limit", Default: "30", Values: seconds, Group: GroupAccess, Services: []Service{Gateway},
		Help: "how long a tool may take",
	}, parseDuration(time.Second))
	JWTSecret = define(Spec{
		Flag: "jwt-secret", Secret: true, Values: "JSON object", Group: GroupAccess, Services: []Service{Gateway},
		Help: "how JSON Web Tokens are verified; needs an admin secret",
	}, parseSecret)
	JWTSecrets = define(Spec{
		Flag: "jwt-secrets", Secret: true, Values: "JSON array of objects", Group: GroupAccess, Services: []Service{Gateway},
		Help: "several token configurations, instead of jwt-secret",
	}, parseSecret)
	JWTEnableEC = define(Spec{
		Flag: "jwt-enable-ec", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "accept elliptic-curve keys for tokens",
	}, parseBool)
	AuthHook = define(Spec{
		Flag: "auth-hook", Values: "URL", Group: GroupAccess, Services: []Service{Gateway},
		Help: "webhook that authenticates callers; needs an admin secret",
	}, parseText)
	AuthHookMode = defineChoice(Spec{
		Flag: "auth-hook-mode", OldVariable: "AUTH_HOOK_TYPE", Default: "GET", Values: "GET or POST", Group: GroupAccess, Services: []Service{Gateway},
		Help: "how the webhook is called",
	}, "Only expecting GET / POST", "GET", "POST")
	AuthHookSendRequestBody = define(Spec{
		Flag: "auth-hook-send-request-body", Default: "true", Values: boolean, Group: GroupAccess, Services: []Service{Gateway},
		Help: "in POST mode, send the GraphQL request to the webhook",
	}, parseBool)
	EnabledAPIs = defineList(Spec{
		Flag: "enabled-apis", Default: "metadata,graphql,pgdump,config", Values: "list of APIs", Group: GroupAccess, Services: []Service{Gateway},
		Help: "APIs that the gateway serves",
	},
		"Only expecting list of comma separated API types metadata,graphql,pgdump,developer,config,metrics",
		"metadata", "graphql", "pgdump", "developer", "config", "metrics")
	EnableAllowlist = define(Spec{
		Flag: "enable-allowlist", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway, QueryExecutor},
		Help: "let other roles than admin run listed queries only",
	}, parseBool)
	EnablePersistedQueries = define(Spec{
		Flag: "enable-persisted-queries", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{Gateway},
		Help: "keep documents that clients send with their hash, for requests that have the hash alone; of roles that may run any document",
	}, parseBool)
	PersistedQueriesTTL = define(Spec{
		Flag: "persisted-queries-ttl", Default: "5", Values: seconds, Group: GroupAccess, Services: []Service{Gateway},
		Help: "how long such a document is kept after its last use",
	}, parseNonNegative)
	UnguardedDataOperations = defineList(Spec{
		Flag: "unguarded-data-operations", Values: "list of guards", Group: GroupAccess, Services: []Service{Gateway, QueryExecutor},
		Help: "what select, insert, update, delete and count of /v1/query go without, of what other roles than admin are held to in GraphQL: " + strings.Join(dataGuards, ", "),
	}, "Only expecting list of comma separated guards of data operations, options are:"+strings.Join(dataGuards, ","), dataGuards...)
	NullChecksPass = define(Spec{
		Flag: "null-checks-pass", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{QueryExecutor},
		Help: "let rows be written for which the check of a permission is NULL, neither true nor false",
	}, parseBool)
	FilterReturning = define(Spec{
		Flag: "filter-returning", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{QueryExecutor},
		Help: "leave rows out of returning that the role may not select",
	}, parseBool)
	ChecksSeeWrites = define(Spec{
		Flag: "checks-see-writes", Default: "false", Values: boolean, Switch: true, Group: GroupAccess, Services: []Service{QueryExecutor},
		Help: "let conditions of checks on other rows of the written table see it as it was written, instead of as it was before the statement",
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
