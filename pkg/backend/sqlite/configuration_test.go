package sqlite

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/metadata"
)

// added is the source that sqlite_add_source makes of a configuration.
func added(t *testing.T, env metadata.Env, configuration string) (*metadata.Source, error) {
	t.Helper()
	kinds := backend.NewKinds(Kind(env)).Metadata()
	doc, err := metadata.Parse(json.RawMessage(`{"version": 3, "sources": [{"name": "s", "kind": "sqlite", "tables": [], "configuration": `+
		configuration+`}]}`), metadata.Empty(), kinds)
	if err != nil {
		return nil, err
	}
	return doc.Source("s"), nil
}

func environment(values map[string]string) metadata.Env {
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	env := environment(map[string]string{"LIBRARY": "/var/lib/library.db"})
	s, err := added(t, env, `{"connection_info": {"database_url": {"from_env": "LIBRARY"}, "read_only": true,
		"pool_settings": {"max_connections": 3, "pool_timeout": 4, "busy_timeout": 250}}}`)
	require.NoError(t, err)
	var c Configuration
	require.NoError(t, json.Unmarshal(s.Configuration, &c))
	o, err := Configure(c, env)
	require.NoError(t, err)
	require.Equal(t, Options{
		Path: "/var/lib/library.db", ReadOnly: true, Readers: 3, PoolTimeout: 4 * time.Second, BusyTimeout: 250 * time.Millisecond,
	}, o)
	require.Equal(t, 3, c.Connections())

	for configuration, want := range map[string]string{
		`{}`:                      `$.sources[0].configuration: key "connection_info" not found`,
		`{"connection_info": {}}`: `$.sources[0].configuration.connection_info: key "database_url" not found`,
		`{"connection_info": {"database_url": 7}}`:                                                     `$.sources[0].configuration.connection_info.database_url: parsing UrlConf failed`,
		`{"connection_info": {"database_url": "a", "read_only": true, "create": true}}`:                `$.sources[0].configuration.connection_info.create: `,
		`{"connection_info": {"database_url": "a", "pool_settings": {"max_connections": 0}}}`:          `.pool_settings.max_connections: Only expecting a value between 1 and 1000`,
		`{"connection_info": {"database_url": "a", "pool_settings": {"busy_timeout": -1}}}`:            `.pool_settings.busy_timeout: Only expecting`,
		`{"connection_info": {"database_url": "a", "pool_settings": {"pool_timeout": 1000000000000}}}`: `.pool_settings.pool_timeout: `,
	} {
		_, err := added(t, env, configuration)
		require.ErrorContains(t, err, want, configuration)
	}
}

// A path is that of one file, below the directory that the administrator allows.
func TestPaths(t *testing.T) {
	t.Parallel()
	allowed, elsewhere := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(allowed, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "a.db"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "a.db"), filepath.Join(allowed, "b.db")))
	env := environment(map[string]string{pathPrefix: allowed})
	for path, code := range map[string]apierror.Code{
		"":                                     apierror.ParseFailed,
		":memory:":                             apierror.ParseFailed,
		"file:a.db?mode=memory":                apierror.ParseFailed,
		"a\x00b":                               apierror.ParseFailed,
		filepath.Join(elsewhere, "a.db"):       apierror.PermissionError,
		allowed + "/../a.db":                   apierror.PermissionError,
		allowed + "x.db":                       apierror.PermissionError,
		filepath.Join(allowed, "link", "a.db"): apierror.PermissionError,
		filepath.Join(allowed, "b.db"):         apierror.PermissionError,
		filepath.Join(allowed, "no", "a.db"):   apierror.SQLiteError,
	} {
		_, err := allowedPath(path, env)
		var e *apierror.Error
		require.ErrorAs(t, err, &e, path)
		require.Equal(t, code, e.Code, path)
	}
	full, err := allowedPath(filepath.Join(allowed, "new.db"), env)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(allowed, "new.db"), full)
	full, err = allowedPath("/tmp/x.db", environment(nil))
	require.NoError(t, err)
	require.Equal(t, "/tmp/x.db", full)
}
