package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
)

func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	env := environment(map[string]string{
		"ENGINE_GRAPHQL_SERVER_PORT":  "9000",
		"ENGINE_GRAPHQL_SERVER_HOST":  "127.0.0.1",
		"ENGINE_GRAPHQL_CORS_DOMAIN":  " http://a.test , http://b.test",
		"ENGINE_GRAPHQL_ENABLE_RELAY": "No",
	})
	v, err := config.Load(config.Gateway, []string{"--server-port", "9001", "--dev-mode", "--admin-internal-errors=false"}, env, io.Discard)
	require.NoError(t, err)
	require.Equal(t, 9001, config.ServerPort.Get(v), "a flag wins over a variable")
	require.Equal(t, "127.0.0.1", config.ServerHost.Get(v), "a variable wins over the default")
	require.Equal(t, 30*time.Second, config.ServerTimeout.Get(v))
	require.Equal(t, []string{"http://a.test", "http://b.test"}, config.CORSDomain.Get(v))
	require.False(t, config.EnableRelay.Get(v))
	require.True(t, config.DevMode.Get(v), "a switch takes no value")
	require.False(t, config.AdminInternalErrors.Get(v))
	require.True(t, config.ServerPort.IsSet(v))
	require.False(t, config.ServerTimeout.IsSet(v))
}

func TestEmptyListOfSecretsStopsTheStart(t *testing.T) {
	t.Parallel()
	for _, list := range []string{`[]`, ` [ ] `, `null`} {
		_, err := config.Load(config.Engine, nil, environment(map[string]string{"ENGINE_GRAPHQL_ADMIN_SECRETS": list}), io.Discard)
		require.EqualError(t, err, "ENGINE_GRAPHQL_ADMIN_SECRETS: empty list not allowed")
	}
}

func TestWrongVariableStopsTheStart(t *testing.T) {
	t.Parallel()
	for variable, c := range map[string]struct{ value, message string }{
		"SERVER_PORT":                         {"70000", "Only expecting a value between 0 and 65535"},
		"SERVER_HOST":                         {"", "empty string not allowed"},
		"ADMIN_SECRET":                        {"", "empty string not allowed"},
		"ENABLED_LOG_TYPES":                   {"startup,all", `Valid list of comma-separated log types: ["startup","http-log","webhook-log","websocket-log","jwk-refresh-log","query-log","execution-log","livequery-poller-log","action-handler-log","data-connector-log","validate-input-log"]`},
		"LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE": {"-1", "batch size should be a non negative integer"},
		"CONNECTIONS":                         {"x", ""}, // not a variable of ours: ignored
		"PG_CONNECTIONS":                      {"0", "Only expecting a positive integer"},
		"SERVER_TIMEOUT":                      {"-1", "Only expecting a non negative numeric"},
		"PLAN_CACHE_SIZE":                     {"many", "Expecting Int value"},
		"DEV_MODE":                            {"maybe", ` Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive`},
		"TX_ISOLATION":                        {"chaos", "Only expecting read-committed / repeatable-read / serializable"},
		"ENABLED_APIS":                        {"graphql,admin", "Only expecting list of comma separated API types metadata,graphql,pgdump,developer,config,metrics"},
		"ADMIN_SECRETS":                       {`["a",""]`, "expecting a JSON array of texts that are not empty"},
		"TLS_KEY":                             {"-----BEGIN PRIVATE KEY-----\nx", "expecting the path of a file, not what it holds"},
		"LOG_LEVEL":                           {"loud", "Valid log levels: debug, info, warn or error"},
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(config.Engine, nil, environment(map[string]string{"ENGINE_GRAPHQL_" + variable: c.value}), io.Discard)
			if c.message == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, "ENGINE_GRAPHQL_"+variable+": "+strings.TrimSpace(c.message))
		})
	}
}

// TestAllThatIsWrongIsTold: a configuration with several faults reports them all at once.
func TestAllThatIsWrongIsTold(t *testing.T) {
	t.Parallel()
	_, err := config.Load(config.Engine, []string{"--host", "h", "--nats-port=x", "--log-level", "loud"},
		environment(map[string]string{
			"ENGINE_GRAPHQL_SERVER_PORT": "70000", "ENGINE_GRAPHQL_ADMIN_SECRET": "", "ENGINE_GRAPHQL_WS_READ_COOKIE": "true",
			"ENGINE_GRAPHQL_JWT_SECRET_FILE": "/nowhere/key",
		}), io.Discard)
	require.ElementsMatch(t, []string{
		"ENGINE_GRAPHQL_SERVER_PORT: Only expecting a value between 0 and 65535",
		"ENGINE_GRAPHQL_ADMIN_SECRET: empty string not allowed",
		"ENGINE_GRAPHQL_JWT_SECRET_FILE: open /nowhere/key: no such file or directory",
		"option --nats-port: Only expecting a value between 0 and 65535",
		"option --log-level: Valid log levels: debug, info, warn or error",
		"--ws-read-cookie (ENGINE_GRAPHQL_WS_READ_COOKIE): can only be used when CORS is disabled",
		"options --host, --user and --dbname belong together",
	}, strings.Split(err.Error(), "\n"))
}

func TestWrongFlags(t *testing.T) {
	t.Parallel()
	for arg, message := range map[string]string{
		"--no-such-flag":    `unknown argument "--no-such-flag"`,
		"server-port":       `unknown argument "server-port"; did you mean "--server-port"?`,
		"--server-port":     "option --server-port needs a value",
		"--server-port=abc": "option --server-port: Only expecting a value between 0 and 65535",
		"--nats-port=1":     `unknown argument "--nats-port"; did you mean "--status-port"?`, // only engine has it
	} {
		_, err := config.Load(config.Gateway, []string{arg}, environment(nil), io.Discard)
		var usage *config.UsageError
		require.ErrorAs(t, err, &usage, arg)
		require.Equal(t, message, usage.Message)
	}
}

func TestShortFlagsAndOldNames(t *testing.T) {
	t.Parallel()
	v, err := config.Load(config.Engine, []string{"-c", "7", "-i=serializable"}, environment(map[string]string{"ENGINE_GRAPHQL_AUTH_HOOK_TYPE": "post"}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, 7, config.Connections.Get(v))
	require.Equal(t, "serializable", config.TxIsolation.Get(v))
	require.Equal(t, "POST", config.AuthHookMode.Get(v))
}

func TestDatabaseFromItsParts(t *testing.T) {
	t.Parallel()
	v, err := config.Load(config.Metadata, []string{"--host", "::1", "-u", "o'brien", "--password", "p@ss/word", "-d", "my shop", "-o", "-c search_path=a"}, environment(nil), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "postgresql://o%27brien:p%40ss%2Fword@[::1]:5432/my%20shop?options=-c+search_path%3Da", config.DatabaseURL.Get(v).Reveal())
	require.True(t, config.DatabaseURL.IsSet(v))
	require.Empty(t, config.DatabaseURL.FromVariable(v))

	v, err = config.Load(config.Metadata, []string{"--host", "h", "-u", "u", "-d", "d"}, environment(map[string]string{"ENGINE_GRAPHQL_DATABASE_URL": "postgres://x"}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "postgres://x", config.DatabaseURL.Get(v).Reveal(), "the URL wins")
	require.Equal(t, "ENGINE_GRAPHQL_DATABASE_URL", config.DatabaseURL.FromVariable(v))

	_, err = config.Load(config.Metadata, []string{"--host", "h"}, environment(nil), io.Discard)
	require.EqualError(t, err, "options --host, --user and --dbname belong together")
}

func TestCookiesNeedDisabledCORS(t *testing.T) {
	t.Parallel()
	_, err := config.Load(config.Gateway, []string{"--ws-read-cookie"}, environment(nil), io.Discard)
	require.ErrorContains(t, err, "can only be used when CORS is disabled")
	_, err = config.Load(config.Gateway, []string{"--ws-read-cookie", "--disable-cors"}, environment(nil), io.Discard)
	require.NoError(t, err)
}

func TestSettingsWithoutEffectAreNamed(t *testing.T) {
	t.Parallel()
	v, err := config.Load(config.Engine, []string{"--enable-telemetry", "true"}, environment(map[string]string{"ENGINE_GRAPHQL_METADATA_DEFAULTS": "{}"}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, []string{"enable-telemetry", "metadata-defaults"}, v.WithoutEffect())
}

var update = flag.Bool("update", false, "rewrite the golden files")

// TestDump holds the configuration that a service logs.
func TestFeaturesInEffect(t *testing.T) {
	t.Parallel()
	v, err := config.Load(config.Gateway, []string{"--experimental-features", "group_by_aggregations,naming_convention"}, environment(nil), io.Discard)
	require.NoError(t, err)
	require.Equal(t, []string{"naming_convention"}, config.FeaturesInEffect(v))
}

func TestDump(t *testing.T) {
	t.Parallel()
	for _, service := range []config.Service{config.Gateway, config.Metadata, config.QueryExecutor, config.EventDelivery, config.Scheduler, config.Engine} {
		v, err := config.Load(service, nil, environment(map[string]string{
			"ENGINE_GRAPHQL_ADMIN_SECRET": "hush", "ENGINE_GRAPHQL_DATABASE_URL": "postgres://u:hush@h/d", "ENGINE_GRAPHQL_NATS_URL": "nats://hush@n",
			"ENGINE_GRAPHQL_LOG_LEVEL": "warn",
		}), io.Discard)
		require.NoError(t, err)
		var got strings.Builder
		for _, a := range v.LogValue().Group() {
			fmt.Fprintf(&got, "%s = %s\n", a.Key, a.Value)
		}
		require.NotContains(t, got.String(), "hush")
		path := filepath.Join("testdata", "dump", string(service)+".txt")
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o600))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got.String(), service)
	}
}

func TestValuesFromFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte("from a file\n"), 0o600))
	v, err := config.Load(config.Gateway, nil, environment(map[string]string{"ENGINE_GRAPHQL_ADMIN_SECRET_FILE": path}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "from a file", config.AdminSecret.Get(v).Reveal())

	_, err = config.Load(config.Gateway, nil, environment(map[string]string{"ENGINE_GRAPHQL_ADMIN_SECRET_FILE": path + "x"}), io.Discard)
	require.ErrorContains(t, err, "ENGINE_GRAPHQL_ADMIN_SECRET_FILE")
}

func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	s := config.Secret("hush")
	encoded, err := json.Marshal(map[string]any{"s": s})
	require.NoError(t, err)
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%#v", s), fmt.Sprintf("%v", struct{ S config.Secret }{s}), string(encoded), s.LogValue().String()} {
		require.NotContains(t, text, "hush")
		require.Contains(t, text, "***")
	}
}

func TestTableIsSound(t *testing.T) {
	t.Parallel()
	flags, variables := map[string]bool{}, map[string]bool{}
	for _, s := range config.Table() {
		require.False(t, flags[s.Flag], "flag %s is defined twice", s.Flag)
		require.False(t, variables[s.Variable], "variable %s is defined twice", s.Variable)
		flags[s.Flag] = true
		variables[s.Variable] = !s.FlagOnly
		require.NotEmpty(t, s.Help, s.Flag)
		require.NotEmpty(t, s.Group, s.Flag)
		require.False(t, s.Secret && s.Default != "", "secret %s has a default", s.Flag)
	}
	v, err := config.Load(config.Engine, nil, environment(nil), io.Discard)
	require.NoError(t, err)
	require.Len(t, config.RunServices.Get(v), 5)
}

func TestHelpNamesWhatTheServiceReads(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	_, err := config.Load(config.Scheduler, []string{"--help"}, environment(nil), &out)
	require.ErrorIs(t, err, config.ErrHelp)
	require.Contains(t, out.String(), "--metadata-database-url")
	require.NotContains(t, out.String(), "--server-port")
}

// TestDocumentation fails when docs/configuration.md is older than the table: run make generate.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	config.WriteMarkdown(&want)
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got), "docs/configuration.md is stale: run make generate")
}
