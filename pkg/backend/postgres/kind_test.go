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
}
