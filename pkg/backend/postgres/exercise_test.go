package postgres

import (
	"strings"
	"testing"

	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/postgres/quote"
)

// exercised is PostgreSQL as backendtest has to know it.
var exercised = backendtest.Fixture{
	Dialect: New(),
	Open: func(t testing.TB) backendtest.Database {
		t.Helper()
		f := newFixture(t, "", nil)
		return backendtest.Database{Source: f.source, Exec: f.exec}
	},
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

// TestExercise runs the tests that every kind of database has to pass.
func TestExercise(t *testing.T) {
	t.Parallel()
	backendtest.Exercise(t, exercised)
}
