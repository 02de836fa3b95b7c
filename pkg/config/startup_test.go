package config_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
)

// configuration is the configuration that a service logs, and its JSON.
func configuration(t *testing.T, service config.Service, env map[string]string) (object map[string]any, text string) {
	t.Helper()
	v, err := config.Load(service, nil, environment(env), io.Discard)
	require.NoError(t, err)
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("", "info", v.ServerConfiguration())
	var line struct{ Info map[string]any }
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	return line.Info, out.String()
}

func TestServerConfiguration(t *testing.T) {
	t.Parallel()
	info, text := configuration(t, config.Engine, map[string]string{
		"ENGINE_GRAPHQL_ADMIN_SECRET": "hush", "ENGINE_GRAPHQL_DATABASE_URL": "postgres://u:hush@h/d",
		"ENGINE_GRAPHQL_JWT_SECRET": `{"type":"HS256","key":"hush-hush-hush-hush-hush-hush-hush","issuer":"me"}`,
	})
	require.NotContains(t, text, "hush")
	for key, want := range map[string]any{
		"port": 8080.0, "server_host": "*", "transaction_isolation": "read-committed", "admin_secret_set": true,
		"auth_hook": nil, "auth_hook_mode": "GET", "jwt_secret": []any{map[string]any{"type": "HS256", "issuer": "me"}},
		"unauth_role": nil, "cors_config": map[string]any{"disabled": false, "allowed_origins": []any{"*"}},
		"enable_telemetry": false, "use_prepared_statements": true, "log_level": "info",
		"enabled_apis":       []any{"metadata", "graphql", "pgdump", "config"},
		"live_query_options": map[string]any{"batch_size": 100.0, "refetch_delay": 1.0},
		"enabled_log_types":  []any{"startup", "http-log", "webhook-log", "websocket-log", "jwk-refresh-log"},
	} {
		require.Equal(t, want, info[key], key)
	}
	require.Equal(t, "8080", info["settings"].(map[string]any)["server_port"]) //nolint:forcetypeassert // a wrong type fails the test

	for given, shown := range map[string]string{"true": "true", "false": "false"} {
		info, _ = configuration(t, config.Gateway, map[string]string{"ENGINE_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE": given})
		require.Equal(t, shown, info["settings"].(map[string]any)["close_websockets_on_metadata_change"]) //nolint:forcetypeassert // a wrong type fails the test
		require.NotContains(t, info["settings"], "disable_close_websockets_on_metadata_change")
	}

	info, _ = configuration(t, config.Scheduler, nil)
	require.NotContains(t, info, "port", "the scheduler has none")
	require.Contains(t, info, "graceful_shutdown_timeout")
}
