package bigquery_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/bigquery"
	"queryengine/pkg/backend/bigquery/bigquerytest"
	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// fixture is BigQuery as backendtest has to know it, with the types of PostgreSQL.
func fixture() backendtest.Fixture {
	f := backendtest.Fixture{
		Dialect: bigquery.Dialect{},
		SQL: backendtest.SQL{
			Types: map[backendtest.Type]string{
				backendtest.Serial: "bigint", backendtest.Integer: "bigint", backendtest.Big: "bigint", backendtest.Decimal: "numeric(6,2)", backendtest.Float: "float8",
				backendtest.Boolean: "boolean", backendtest.Text: `text COLLATE "C"`, backendtest.Date: "date", backendtest.Timestamp: "timestamptz", backendtest.UUID: "text",
				backendtest.Document: "jsonb", backendtest.Mood: "text",
			},
			Before:  "CREATE SCHEMA shop; CREATE SCHEMA archive;\n",
			Default: "shop", Other: "archive",
			Quote:   func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` },
			Literal: func(_ backendtest.Type, text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" },
		},
		NumbersAsTexts: true,
		Except:         map[string]string{},
	}
	except := func(reason string, names ...string) {
		for _, name := range names {
			f.Except["queries/"+name] = reason
		}
	}
	except("times in UTC end with Z", "by_key", "array_relationships")
	except("there are no connections", "connection_all", "connection_numbers_as_numbers", "connection_first", "connection_last_before", "connection_after_keys",
		"connection_after_null", "connection_before_null", "connection_distinct", "connection_by_relationship", "connection_nested", "connection_joins_what_it_keeps")
	return f
}

// TestAnswersOnPostgreSQL compares answers with the answers of all kinds. Statements and results go over the
// REST API; a server of the tests runs them on PostgreSQL.
func TestAnswersOnPostgreSQL(t *testing.T) {
	t.Parallel()
	f := fixture()
	f.Open = func(t testing.TB) backendtest.Database {
		t.Helper()
		url := dbtest.URL(t)
		server := bigquerytest.New(t, url)
		raw, err := json.Marshal(map[string]any{"project_id": bigquerytest.Project, "datasets": []string{"shop", "archive"}, "endpoint": server.URL, "retry_limit": 0})
		require.NoError(t, err)
		var c bigquery.Configuration
		require.NoError(t, json.Unmarshal(raw, &c))
		o, err := bigquery.Configure(c, func(string) (string, bool) { return "", false })
		require.NoError(t, err)
		source := bigquery.Open(o)
		t.Cleanup(source.Close)
		return backendtest.Database{Source: source, Exec: func(t testing.TB, statements string) {
			t.Helper()
			conn, err := pgconn.Connect(t.Context(), url)
			require.NoError(t, err)
			_, err = conn.Exec(t.Context(), statements).ReadAll()
			require.NoError(t, err)
			require.NoError(t, conn.Close(t.Context()))
		}}
	}
	backendtest.ExerciseDialect(t, f)
}
