package postgres

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
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
