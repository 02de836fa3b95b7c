package queryexecutor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	planenv "queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/schema"
)

// operatorTypes are the types of the columns of a table, and a value of each.
var operatorTypes = []struct{ sql, value string }{
	{"int2", "1"},
	{"int4", "1"},
	{"int8", "1"},
	{"float4", "1.5"},
	{"float8", "1.5"},
	{"numeric", "1.50"},
	{"money", "1"},
	{"bool", "true"},
	{"text", `"a"`},
	{"varchar(9)", `"a"`},
	{"char(3)", `"a"`},
	{"citext", `"a"`},
	{`"char"`, `"a"`},
	{"name", `"a"`},
	{"date", `"2024-03-09"`},
	{"timestamp", `"2024-03-09T10:00:00"`},
	{"timestamptz", `"2024-03-09T10:00:00Z"`},
	{"time", `"10:00:00"`},
	{"timetz", `"10:00:00Z"`},
	{"interval", `"1 day"`},
	{"uuid", `"6f6f3d5e-2f39-4b0a-9d5e-1d8a2ad0f6a0"`},
	{"jsonb", `{a: [1]}`},
	{"bytea", `"\\x01"`},
	{"inet", `"10.0.0.1"`},
	{"cidr", `"10.0.0.0/8"`},
	{"macaddr", `"08:00:2b:01:02:03"`},
	{"bit(2)", `"01"`},
	{"varbit", `"01"`},
	{"tsvector", `"a b"`},
	{"int4range", `"[1,3)"`},
	{"tstzrange", `"[2024-01-01,)"`},
	{"ltree", `"a.b"`},
	{"mood", `"sad"`},
	{"positive", "1"},
	{"text[]", `["a", "b"]`},
	{"int4[]", `[1, 2]`},
	{"float8[]", `[1.5]`},
	{"timestamptz[]", `["2024-03-09T10:00:00Z"]`},
	{"mood[]", `["sad"]`},
	{"positive[]", `[1]`},
	{"word[]", `["a"]`},
	{"uuid[]", `["6f6f3d5e-2f39-4b0a-9d5e-1d8a2ad0f6a0"]`},
	{"citext[]", `["a"]`},
	{"jsonb[]", `["1"]`},
}

// operatorValues are operands whose type isn't that of the column, by operator.
var operatorValues = map[string]string{
	"_is_null": "false", "_has_key": `"a"`, "_has_keys_any": `["a"]`, "_has_keys_all": `["a"]`,
	"_matches": `"a.*"`, "_matches_any": `["a.*"]`, "_matches_fulltext": `"a & b"`, "_cast": `{String: {_like: "%a%"}}`,
}

// TestOperators uses every operator that the schema offers for a type, the database
// must know it.
func TestOperators(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	columns := make([]string, len(operatorTypes))
	for i, c := range operatorTypes {
		columns[i] = fmt.Sprintf("c%d %s", i, c.sql)
	}
	_, err = conn.Exec(t.Context(), `CREATE EXTENSION citext; CREATE EXTENSION ltree; CREATE TYPE mood AS ENUM ('sad', 'glad');
		CREATE DOMAIN positive AS int CHECK (value > 0); CREATE DOMAIN word AS text;
		CREATE TABLE things (id int PRIMARY KEY, `+strings.Join(columns, ", ")+`)`)
	require.NoError(t, err)
	env := func(string) (string, bool) { return url, true }
	e, err := newExecutor(Config{PlanCacheSize: 10, Limits: planenv.DefaultLimits}, Deps{
		Kinds: kind.All(env, serviceName), Env: env, Logger: telemetry.Discard(),
	})
	require.NoError(t, err)
	defer e.sources.Close()
	e.apply(snapshotOf(t, []byte(`{"version": 3, "sources": [{"name": "default", "kind": "postgres",
		"configuration": {"connection_info": {"database_url": {"from_env": "DATABASE"}}},
		"tables": [{"table": {"schema": "public", "name": "things"}}]}]}`), env))
	args := e.state.Load().role(session.Admin, schema.Options{}).Query().Field("things").Args()
	where := schema.FindInput(args, "where").Type.Named
	used := 0
	for i, c := range operatorTypes {
		for _, op := range where.Input(fmt.Sprintf("c%d", i)).Type.Named.Inputs() {
			value := c.value
			if _, list := op.Type.Item(); list && (op.Name == "_in" || op.Name == "_nin" || strings.HasSuffix(op.Name, "_any")) {
				value = "[" + value + "]"
			}
			if own, ok := operatorValues[op.Name]; ok {
				value = own
			}
			text := fmt.Sprintf(`{ things(where: {c%d: {%s: %s}}) { id } }`, i, op.Name, value)
			got, internal := ask(t, e, &request{text: text, session: &session.Session{Role: session.Admin}})
			assert.Equal(t, `{"data":{"things":[]}}`, string(got), "%s %s %s: %s", c.sql, op.Name, value, internal)
			used++
		}
	}
	require.Greater(t, used, 9*len(operatorTypes))
}
