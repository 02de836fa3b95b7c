package postgres

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
)

// exercised is PostgreSQL as backendtest has to know it.
var exercised = backendtest.Fixture{
	Dialect: New(),
	SQL: backendtest.SQL{
		Types: map[backendtest.Type]string{
			backendtest.Serial:    "serial",
			backendtest.Integer:   "int",
			backendtest.Big:       "bigint",
			backendtest.Decimal:   "numeric(6,2)",
			backendtest.Float:     "float8",
			backendtest.Boolean:   "boolean",
			backendtest.Text:      "text",
			backendtest.Date:      "date",
			backendtest.Timestamp: "timestamptz",
			backendtest.UUID:      "uuid",
			backendtest.Document:  "jsonb",
			backendtest.Mood:      "mood",
		},
		Before:  "CREATE SCHEMA archive; CREATE TYPE mood AS ENUM ('calm', 'loud');\n",
		After:   "ANALYZE;\n",
		Default: "public", Other: "archive",
		Quote:   quote.Name,
		Literal: func(_ backendtest.Type, text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" },
	},
}

// TestExercise runs the tests that every kind of database has to pass, for each flavor. The server is
// PostgreSQL for all of them: what they refuse is held by tests of their own.
func TestExercise(t *testing.T) {
	t.Parallel()
	for _, f := range []*flavor{postgres, citus, cockroach} {
		t.Run(f.dialect.kind, func(t *testing.T) {
			t.Parallel()
			of := exercised
			of.Dialect = f.dialect
			of.Open = func(t testing.TB) backendtest.Database {
				t.Helper()
				x := newFixture(t, "", nil)
				source, err := f.open(Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return x.url, nil }, MaxConnections: 4}}})
				require.NoError(t, err)
				t.Cleanup(source.Close)
				return backendtest.Database{Source: source, Exec: x.exec}
			}
			backendtest.Exercise(t, of)
		})
	}
}
