package mssql

import (
	"database/sql"
	"encoding/json"
	"testing"
	"time"

	"github.com/microsoft/go-mssqldb/msdsn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

func environment(values map[string]string) metadata.Env {
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

// configured reads a configuration as metadata does, for the parts that no add_source command decodes.
func configured(t *testing.T, text string, env map[string]string) (Options, error) {
	t.Helper()
	var c Configuration
	if err := metadata.DecodeSetting(json.RawMessage(text), &c); err != nil {
		return Options{}, err
	}
	return Configure(c, environment(env), "query-engine")
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	env := map[string]string{"SHOP": "Server=tcp:db.example,1444;User Id=clerk;Password=\"se;cret\";Initial Catalog=shop;Encrypt=strict"}
	o, err := configured(t, `{"connection_info": {"connection_string": {"from_env": "SHOP"}, "isolation_level": "snapshot",
		"pool_settings": {"max_connections": 7, "total_max_connections": 3, "idle_timeout": 60, "pool_timeout": 2}},
		"read_replicas": [{"database_url": "sqlserver://reader:pass@replica.example:1500?database=shop", "pool_settings": {"enable": false}}]}`, env)
	require.NoError(t, err)
	p := o.Primary
	require.Equal(t, []any{"db.example", uint64(1444), "clerk", "se;cret", "shop", "query-engine"},
		[]any{p.config.Host, p.config.Port, p.config.User, p.config.Password, p.config.Database, p.config.AppName})
	require.Equal(t, []any{3, time.Minute, 2 * time.Second, sql.LevelSnapshot}, []any{p.Connections, p.IdleTimeout, p.PoolTimeout, p.Isolation})
	require.Len(t, o.Replicas, 1)
	r := o.Replicas[0]
	require.Equal(t, []any{"replica.example", uint64(1500), "reader", "shop", true},
		[]any{r.config.Host, r.config.Port, r.config.User, r.config.Database, r.config.ReadOnlyIntent})
	require.Equal(t, []any{50, time.Duration(0), sql.LevelReadCommitted}, []any{r.Connections, r.IdleTimeout, r.Isolation})
}

func TestFormsOfConnectionStrings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]any{
		`DRIVER={ODBC Driver 18 for SQL Server};SERVER=db.example,1444;Uid=sa;Pwd={a;}}b"c};Encrypt=optional`: {"db.example", uint64(1444), "sa", `a;}b"c`},
		`Driver={ODBC Driver 17 for SQL Server}; Server=db.example ; Database=shop ; Uid=sa ; Pwd=x`:          {"db.example", uint64(0), "sa", "x"},
		`server=db.example;user id=sa;password=x;port=1500;app name=shop`:                                     {"db.example", uint64(1500), "sa", "x"},
		`odbc:server=db.example;uid=sa;pwd={x}`:                                                               {"db.example", uint64(0), "sa", "x"},
		`sqlserver://sa:a%3Bb@db.example:1433?database=shop`:                                                  {"db.example", uint64(1433), "sa", "a;b"},
		`mssql://sa:x@db.example`: {"db.example", uint64(0), "sa", "x"},
	} {
		c, err := parseConnection(text)
		require.NoError(t, err, text)
		require.Equal(t, want, []any{c.Host, c.Port, c.User, c.Password}, text)
		require.Zero(t, c.LogFlags, "statements and rows are not written to the output of the process")
	}
}

func TestEncryptionByDefault(t *testing.T) {
	t.Parallel()
	type want struct {
		encryption msdsn.Encryption
		unchecked  bool
	}
	for text, want := range map[string]want{
		"Server=db.example;UID=sa;PWD=x":                                                  {msdsn.EncryptionRequired, false},
		"Driver={ODBC Driver 18 for SQL Server};Server=db.example;UID=sa;PWD=x":           {msdsn.EncryptionRequired, false},
		"Server=db.example;UID=sa;PWD=x;TrustServerCertificate=yes":                       {msdsn.EncryptionRequired, true},
		"sqlserver://sa:x@db.example":                                                     {msdsn.EncryptionRequired, false},
		"sqlserver://sa:x@db.example?database=shop":                                       {msdsn.EncryptionRequired, false},
		"Driver={ODBC Driver 17 for SQL Server};Server=db.example;UID=sa;PWD=x":           {msdsn.EncryptionOff, true},
		"Driver={SQL Server};Server=db.example;UID=sa;PWD=x":                              {msdsn.EncryptionOff, true},
		"Driver=FreeTDS;Server=db.example;UID=sa;PWD=x":                                   {msdsn.EncryptionOff, true},
		"Server=db.example;UID=sa;PWD=x;Encrypt=optional;Authentication=SqlPassword":      {msdsn.EncryptionOff, true},
		"sqlserver://sa:x@db.example?database=shop&encrypt=true&trustservercertificate=1": {msdsn.EncryptionRequired, true},
	} {
		c, err := parseConnection(text)
		require.NoError(t, err, text)
		require.Equal(t, want.encryption, c.Encryption, text)
		require.Equal(t, want.unchecked, c.TLSConfig.InsecureSkipVerify, text)
	}
}

func TestConnectionStringsThatCantBeUsed(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		"":                                     "it names no server",
		"db.example":                           "expected key=value pairs",
		"Server=db.example;Pwd={open":          "a quoted value has no end",
		"Server=db.example;Encrypt=perhaps":    "the driver does not understand it",
		"sqlserver://sa:secret@db.example:x/y": "the driver does not understand it",
		"Server=db.example;UID=u;PWD=secret;Authentication=ActiveDirectoryServicePrincipal": `"authentication" asks for a sign-in that isn't supported`,
		"sqlserver://u:secret@db.example?fedauth=ActiveDirectoryPassword":                   `"fedauth" asks for a sign-in that isn't supported`,
		"Server=db.example;Trusted_Connection=yes":                                          `"trusted_connection" asks for a sign-in that isn't supported`,
	} {
		_, err := parseConnection(text)
		require.Error(t, err, text)
		require.ErrorContains(t, err, why, text)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		`{"connection_info": {"isolation_level": "snapshot"}}`:                                               {"$.connection_info", `key "connection_string" not found`},
		`{"connection_info": {"connection_string": 7}}`:                                                      {"$.connection_info.connection_string", "expected String or an object with from_env, but encountered Number"},
		`{"connection_info": {"connection_string": "a", "database_url": "b"}}`:                               {"$.connection_info.database_url", "expected connection_string or database_url, not both"},
		`{"connection_info": {"connection_string": "a", "isolation_level": "chaos"}}`:                        {"$.connection_info.isolation_level", "Only expecting read-uncommitted / read-committed / repeatable-read / serializable / snapshot"},
		`{"connection_info": {"connection_string": "a", "pool_settings": {"max_connections": 0}}}`:           {"$.connection_info.pool_settings.max_connections", "Only expecting a value between 1 and 10000"},
		`{"connection_info": {"connection_string": "a"}, "read_replicas": []}`:                               {"$.read_replicas", "parsing NonEmpty failed, unexpected empty list"},
		`{"connection_info": {"connection_string": {"from_env": "NOWHERE"}}}`:                                {"$", "environment variable 'NOWHERE' not set"},
		`{"connection_info": {"connection_string": {"from_file": "x"}}}`:                                     {"$", "connection_string: expected a text, or an object with from_env"},
		`{"connection_info": {"connection_string": "server=a", "pool_settings": {"idle_timeout": 9999999}}}`: {"$.connection_info.pool_settings.idle_timeout", "Only expecting a value between 0 and 86400"},
	} {
		_, err := configured(t, text, nil)
		var e *apierror.Error
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, want, [2]string{e.Path, e.Message}, text)
	}
}
