package sqlite

import (
	"strings"
	"testing"

	"queryengine/pkg/backend/backendtest"
)

// exercised is SQLite as backendtest has to know it. It has no schemas, so that what is Elsewhere is
// next to the other tables.
var exercised = backendtest.Fixture{
	Dialect: New(),
	Open: func(t testing.TB) backendtest.Database {
		t.Helper()
		f := newFixture(t, "", nil)
		return backendtest.Database{Source: f.source, Exec: f.exec}
	},
	SQL: backendtest.SQL{
		Types: map[backendtest.Type]string{
			backendtest.Serial:    "INTEGER",
			backendtest.Integer:   "INT",
			backendtest.Big:       "BIGINT",
			backendtest.Decimal:   "DECIMAL(6,2)",
			backendtest.Float:     "REAL",
			backendtest.Boolean:   "BOOLEAN",
			backendtest.Text:      "TEXT",
			backendtest.Date:      "DATE",
			backendtest.Timestamp: "TIMESTAMPTZ",
			backendtest.UUID:      "UUID",
			backendtest.Document:  "JSON",
			backendtest.Mood:      "TEXT",
		},
		Quote:   quoteName,
		Literal: spelt,
	},
	Except: map[string]string{
		"introspection/defaults":        "only a primary key of one INTEGER column is counted up",
		"queries/stringified":           "a decimal has no zeros at its end: its value is kept, not its digits",
		"queries/aggregate_stringified": "a decimal has no zeros at its end: its value is kept, not its digits",
	},
}

// spelt is a value as SQLite keeps it.
func spelt(of backendtest.Type, text string) string {
	switch of {
	case backendtest.Boolean:
		return map[string]string{"true": "1", "false": "0"}[text]
	case backendtest.Timestamp:
		text = strings.TrimSuffix(strings.Replace(text, "T", " ", 1), "Z")
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// TestExercise runs the tests that every kind of database has to pass.
func TestExercise(t *testing.T) {
	t.Parallel()
	backendtest.Exercise(t, exercised)
}
