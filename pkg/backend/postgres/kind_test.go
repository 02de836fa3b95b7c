package postgres

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

func TestChangesSchema(t *testing.T) {
	t.Parallel()
	kind := postgres.kind(os.LookupEnv, "test")
	for sql, want := range map[string]bool{
		"ALTER TABLE a ADD b int":                    true,
		"drop view v":                                true,
		"CREATE OR REPLACE VIEW v AS SELECT 1":       true,
		"create\n\tfunction f() returns int":         true,
		"COMMENT  ON TABLE a IS 'x'":                 true,
		"SELECT 'please drop it'":                    true,
		"CREATE TABLE a (id int)":                    false,
		"INSERT INTO a VALUES (1)":                   false,
		"SELECT alterable, droppable FROM malicious": false,
		"SELECT comment, replaced FROM a":            false,
		"":                                           false,
	} {
		require.Equal(t, want, kind.ChangesSchema(sql), sql)
	}
	// Statements that place tables.
	for _, sql := range []string{
		"SELECT create_distributed_table('a', 'id')", "SELECT create_distributed_table_concurrently('a', 'id')", "select CREATE_REFERENCE_TABLE('a')",
		"SELECT undistribute_table('a')", "SELECT citus_add_local_table_to_metadata('a')", "SELECT citus_schema_distribute('a')",
		"SELECT citus_schema_undistribute('a')", "SELECT alter_distributed_table('a', colocate_with => 'b')",
	} {
		require.True(t, citus.kind(os.LookupEnv, "test").ChangesSchema(sql), sql)
		require.False(t, kind.ChangesSchema(sql), sql)
	}
	require.False(t, citus.kind(os.LookupEnv, "test").ChangesSchema("SELECT citus_version()"))
}

// TestRetriesOfKinds holds that a source says how often conflicts are retried, also never, and that its kind decides where it doesn't.
func TestRetriesOfKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flavor  *flavor
		setting string
		want    int
	}{
		{postgres, ``, 0},
		{postgres, `, "serialization_retries": 5`, 5},
		{cockroach, ``, 10},
		{cockroach, `, "serialization_retries": 0`, 0},
		{cockroach, `, "serialization_retries": 3`, 3},
	} {
		source, err := c.flavor.kind(os.LookupEnv, "test").Open(&metadata.Source{
			Configuration: []byte(`{"connection_info": {"database_url": "postgres://localhost/none"` + c.setting + `}}`),
		})
		require.NoError(t, err)
		t.Cleanup(source.Close)
		server, ok := source.(*Server)
		if !ok {
			server = source.(*Source).Server
		}
		require.Equal(t, c.want, server.primary.Endpoint.SerializationRetries, c.setting)
	}
}
