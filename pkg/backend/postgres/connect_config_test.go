package postgres

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
)

func environment(values map[string]string) Env {
	return func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}
}

func TestResolveURL(t *testing.T) {
	t.Parallel()
	env := environment(map[string]string{"URL": "postgres://a:b@c/d", "HOST": "db", "EMPTY": ""})
	for name, c := range map[string]struct {
		given, want string
		code        apierror.Code
		message     string
	}{
		"text":              {given: `"postgres://x/y"`, want: "postgres://x/y"},
		"template":          {given: `"postgres://{{HOST}}/{{EMPTY}}{{URL}}"`, want: "postgres://db/postgres://a:b@c/d"},
		"open braces":       {given: `"postgres://{{HOST}}/{{URL"`, want: "postgres://db/{{URL"},
		"missing variables": {given: `"{{A}}{{HOST}}{{B }}"`, code: apierror.Unexpected, message: "Value for environment variables not found: A, B "},
		"variable":          {given: `{"from_env": "URL"}`, want: "postgres://a:b@c/d"},
		"missing variable":  {given: `{"from_env": "NONE"}`, code: apierror.NotFound, message: "environment variable 'NONE' not set"},
		"parameters": {
			given: `{"connection_parameters": {"host": "db", "port": 5433, "username": "me", "password": "p@ss/?", "database": "shop one"}}`,
			want:  "postgresql://me:p%40ss%2F%3F@db:5433/shop%20one",
		},
		"parameters without a password": {
			given: `{"connection_parameters": {"host": "::1", "port": 1, "username": "me", "database": "d"}}`,
			want:  "postgresql://me@[::1]:1/d",
		},
		"parameters without a port": {
			given: `{"connection_parameters": {"host": "db", "username": "me", "database": "d"}}`,
			code:  apierror.ParseFailed, message: `key "port" not found`,
		},
		"no form": {
			given: `{}`, code: apierror.ParseFailed,
			message: "database_url: expected a string, or an object with one of from_env, connection_parameters or dynamic_from_file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ResolveURL(ConnectionInfo{DatabaseURL: json.RawMessage(c.given)}, env)
			if c.message == "" {
				require.NoError(t, err)
				require.Equal(t, c.want, got)
				return
			}
			requireError(t, err, c.code, c.message)
		})
	}
}

func requireError(t *testing.T, err error, code apierror.Code, message string) {
	t.Helper()
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code)
	require.Equal(t, message, e.Message)
}

func TestResolveURLFromFile(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	allowed, outside := filepath.Join(dir, "allowed"), filepath.Join(dir, "outside")
	require.NoError(t, os.Mkdir(allowed, 0o700))
	file := filepath.Join(allowed, "url")
	require.NoError(t, os.WriteFile(file, []byte("postgres://one/x\n"), 0o600))
	require.NoError(t, os.WriteFile(outside, []byte("postgres://two/x"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(allowed, "link")))
	info := func(path string) ConnectionInfo {
		b, err := json.Marshal(map[string]string{"dynamic_from_file": path})
		require.NoError(t, err)
		return ConnectionInfo{DatabaseURL: b}
	}
	env := environment(map[string]string{secretsPrefix: allowed})

	got, err := ResolveURL(info(file), env)
	require.NoError(t, err)
	require.Equal(t, "postgres://one/x", got)

	const refused = "The supplied dynamic_from_file file path, when canonicalized, does not match the allowed prefix" +
		" set by your administrator via the ENGINE_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX environment variable"
	for _, path := range []string{outside, filepath.Join(allowed, "link"), allowed + "/../outside"} {
		_, err = ResolveURL(info(path), env)
		requireError(t, err, apierror.PermissionError, refused)
	}
	_, err = ResolveURL(info(file), environment(nil))
	requireError(t, err, apierror.PermissionError, "dynamic_from_file file path requires that the"+
		" ENGINE_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX environment variable be set and non-empty")
	_, err = ResolveURL(info(file), environment(map[string]string{secretsPrefix: ""}))
	requireError(t, err, apierror.PermissionError, "dynamic_from_file file path requires that the"+
		" ENGINE_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX environment variable be non-empty")

	// A source asks again for each connection.
	o, err := Configure(Configuration{ConnectionInfo: info(file)}, env, "")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte("postgres://three/x"), 0o600))
	got, err = o.Primary.URL()
	require.NoError(t, err)
	require.Equal(t, "postgres://three/x", got)
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	env := environment(map[string]string{"CA": "roots", "KEY": "key"})
	number, always := func(n int) *int { return &n }, true
	o, err := Configure(Configuration{
		ConnectionInfo: ConnectionInfo{DatabaseURL: json.RawMessage(`"postgres://a/b"`), IsolationLevel: "serializable"},
		ReadReplicas: []ConnectionInfo{{
			DatabaseURL:           json.RawMessage(`"postgres://c/d"`),
			UsePreparedStatements: &always,
			PoolSettings: &PoolSettings{
				ConnectionLifetime: number(0), IdleTimeout: number(5), MaxConnections: number(7),
				PoolTimeout: number(3), Retries: number(0),
			},
			SSLConfiguration: json.RawMessage(`{"sslmode": "verify-full", "sslrootcert": {"from_env": "CA"},
				"sslkey": {"from_env": "KEY"}, "sslpassword": "secret"}`),
		}},
	}, env, "name")
	require.NoError(t, err)
	require.Equal(t, "name", o.ApplicationName)

	o.Primary.URL = nil
	require.Equal(t, schedule.Endpoint{Endpoint: wire.Endpoint{
		MaxConnections: 50, IdleTimeout: 180 * time.Second, Lifetime: 600 * time.Second, PoolTimeout: 10 * time.Second, Retries: 1, Isolation: wire.Serializable,
	}}, o.Primary)
	o.Replicas[0].URL = nil
	require.Equal(t, []schedule.Endpoint{{Endpoint: wire.Endpoint{
		MaxConnections: 7, IdleTimeout: 5 * time.Second, PoolTimeout: 3 * time.Second, Prepare: wire.PrepareAlways,
		TLS: &wire.TLS{Mode: "verify-full", RootCert: "roots", Key: "key", Password: "secret"},
	}}}, o.Replicas)
}

func TestConfigureRefusesTLS(t *testing.T) {
	t.Parallel()
	for given, message := range map[string]string{
		`{"sslmode": "sometimes"}`:                                    "unrecognized sslmode: sometimes",
		`{"sslmode": "require", "sslrootcert": {"from_env": "NONE"}}`: "environment variable 'NONE' not set",
		`[]`: "ssl_configuration is not understood",
	} {
		_, err := Configure(Configuration{ConnectionInfo: ConnectionInfo{
			DatabaseURL: json.RawMessage(`"postgres://a/b"`), SSLConfiguration: json.RawMessage(given),
		}}, environment(nil), "")
		require.ErrorContains(t, err, message)
	}
}
