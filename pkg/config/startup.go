package config

import (
	"encoding/json"
	"log/slog"
)

// ServerConfiguration is what the service runs with, for the line of the kind
// server_configuration: the settings that this line has always had, under their names there,
// and all of them under settings.
func (v *Values) ServerConfiguration() slog.Value {
	var attrs []slog.Attr
	add := func(key string, s row, value any) {
		if s.Spec().ReadBy(v.service) {
			attrs = append(attrs, slog.Any(key, value))
		}
	}
	add("port", ServerPort, ServerPort.Get(v))
	add("server_host", ServerHost, ServerHost.Get(v))
	add("transaction_isolation", TxIsolation, TxIsolation.Get(v))
	add("admin_secret_set", AdminSecret, AdminSecret.IsSet(v) || AdminSecrets.IsSet(v) || AccessKey.IsSet(v))
	add("auth_hook", AuthHook, nullable(AuthHook.Get(v)))
	add("auth_hook_mode", AuthHookMode, AuthHookMode.Get(v))
	add("jwt_secret", JWTSecret, v.tokens())
	add("unauth_role", UnauthorizedRole, nullable(UnauthorizedRole.Get(v)))
	add("cors_config", CORSDomain, map[string]any{"disabled": DisableCORS.Get(v), "allowed_origins": CORSDomain.Get(v)})
	add("enable_console", EnableConsole, EnableConsole.Get(v))
	add("console_assets_dir", ConsoleAssetsDir, nullable(ConsoleAssetsDir.Get(v)))
	add("enable_telemetry", ServerPort, false)
	add("use_prepared_statements", UsePreparedStatements, UsePreparedStatements.Get(v))
	add("stringify_numeric_types", StringifyNumericTypes, StringifyNumericTypes.Get(v))
	add("enabled_apis", EnabledAPIs, EnabledAPIs.Get(v))
	add("live_query_options", LiveQueryBatch, multiplexing{LiveQueryBatch.Get(v), LiveQueryInterval.Get(v).Seconds()})
	add("streaming_query_options", StreamBatch, multiplexing{StreamBatch.Get(v), StreamInterval.Get(v).Seconds()})
	add("enable_allowlist", EnableAllowlist, EnableAllowlist.Get(v))
	add("enabled_log_types", EnabledLogTypes, EnabledLogTypes.Get(v))
	add("log_level", LogLevel, LogLevel.Get(v))
	add("remote_schema_permissions", EnableRemoteSchemaPermissions, EnableRemoteSchemaPermissions.Get(v))
	add("infer_function_permissions", InferFunctionPermissions, InferFunctionPermissions.Get(v))
	add("events_http_pool_size", EventsHTTPPoolSize, EventsHTTPPoolSize.Get(v))
	add("events_fetch_interval", EventsFetchInterval, EventsFetchInterval.Get(v).Seconds())
	add("graceful_shutdown_timeout", GracefulShutdownTimeout, GracefulShutdownTimeout.Get(v).Seconds())
	add("websocket_keep_alive", WebSocketKeepAlive, WebSocketKeepAlive.Get(v).Seconds())
	add("experimental_features", ExperimentalFeatures, ExperimentalFeatures.Get(v))
	return slog.GroupValue(append(attrs, slog.Any("settings", v))...)
}

// multiplexing is how subscriptions are polled, as it is shown.
type multiplexing struct {
	BatchSize    int     `json:"batch_size"`
	RefetchDelay float64 `json:"refetch_delay"`
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// tokens are the token configurations without keys and addresses.
func (v *Values) tokens() []map[string]any {
	var list []map[string]any
	if err := json.Unmarshal([]byte(JWTSecrets.Get(v).Reveal()), &list); err != nil || len(list) == 0 {
		list = make([]map[string]any, 1)
		if err := json.Unmarshal([]byte(JWTSecret.Get(v).Reveal()), &list[0]); err != nil {
			return nil
		}
	}
	shown := make([]map[string]any, len(list))
	for i, token := range list {
		shown[i] = map[string]any{}
		for _, key := range []string{
			"type", "header", "claims_namespace", "claims_namespace_path", "claims_format", "audience", "issuer", "require_issuer", "allowed_skew",
		} {
			if value, ok := token[key]; ok {
				shown[i][key] = value
			}
		}
	}
	return shown
}
