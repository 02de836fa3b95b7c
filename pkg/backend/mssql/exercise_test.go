package mssql

import (
	"crypto/rand"
	"maps"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/mssql/mssqltest"
	"queryengine/pkg/dbtest"
)

// exercised is SQL Server as backendtest has to know it. Texts have a binary collation: backendtest takes different
// ones for different.
var exercised = backendtest.Fixture{
	Dialect: New(),
	SQL: backendtest.SQL{
		Types: map[backendtest.Type]string{
			backendtest.Serial: "INT IDENTITY(1, 1)", backendtest.Integer: "INT", backendtest.Big: "BIGINT", backendtest.Decimal: "DECIMAL(6, 2)",
			backendtest.Float: "FLOAT", backendtest.Boolean: "BIT", backendtest.Text: "NVARCHAR(400) COLLATE Latin1_General_100_BIN2",
			backendtest.Date: "DATE", backendtest.Timestamp: "DATETIMEOFFSET", backendtest.UUID: "UNIQUEIDENTIFIER",
			backendtest.Document: "NVARCHAR(MAX)", backendtest.Mood: "NVARCHAR(10)",
		},
		Before:  "EXEC(N'CREATE SCHEMA archive');\n",
		Default: "dbo", Other: "archive",
		Quote: func(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" },
		Literal: func(of backendtest.Type, text string) string {
			if of == backendtest.Boolean {
				return map[string]string{"true": "1", "false": "0"}[text]
			}
			literal := "N'" + strings.ReplaceAll(text, "'", "''") + "'"
			if of == backendtest.Timestamp {
				return "CAST(" + literal + " AS datetimeoffset)"
			}
			return literal
		},
	},
	Except: map[string]string{
		"types/well-known": noDocuments, "types/document": noDocuments, "types/uuid/values": "letters of a uniqueidentifier are large",
		"types/timestamp/values": inUTC, "queries/by_key": inUTC, "queries/array_relationships": inUTC,
		"introspection/enum tables": "there are no enum tables", "queries/stringified": "numbers are never texts",
		"queries/distinct_on": noDistinctOn, "queries/distinct_on_redacted": noDistinctOn,
		"queries/aggregate": counts, "queries/aggregate_stringified": counts, "queries/aggregate_of_nothing": counts,
		"mutations/insert violations": "547 is the number of foreign keys and of checks",
	},
}

// Why SQL Server can't pass some tests.
const (
	noDocuments   = "there is no type of documents"
	inUTC         = "times in UTC end with Z"
	noDistinctOn  = "there is no distinct_on"
	counts        = "counts are of one column"
	noConnections = "there are no connections"
)

func init() {
	for _, name := range []string{"distinct_on", "distinct_on_redacted", "aggregate", "aggregate_stringified", "aggregate_of_nothing"} {
		exercised.Except["live/queries/"+name] = exercised.Except["queries/"+name]
	}
	for _, name := range []string{
		"all", "numbers_as_numbers", "first", "last_before", "after_keys", "after_null", "before_null", "distinct", "by_relationship", "joins_what_it_keeps",
	} {
		exercised.Except["queries/connection_"+name], exercised.Except["live/queries/connection_"+name] = noConnections, noConnections
	}
}

// open opens a source by its connection string.
func open(t testing.TB, connection string) backendtest.Database {
	t.Helper()
	o, err := Configure(Configuration{ConnectionInfo: ConnectionInfo{ConnectionString: quoted(connection)}}, environment(nil), "the test")
	require.NoError(t, err)
	source := Open(o)
	t.Cleanup(source.Close)
	return backendtest.Database{Source: source, Exec: func(t testing.TB, statements string) {
		t.Helper()
		_, err := source.RunSQL(t.Context(), backend.RawSQL{SQL: statements})
		require.NoError(t, err)
	}}
}

// TestExercise runs the tests that every kind of database has to pass, through the driver and the protocol, on a
// server that runs the statements on PostgreSQL.
func TestExercise(t *testing.T) {
	t.Parallel()
	f := exercised
	f.Open = func(t testing.TB) backendtest.Database {
		t.Helper()
		return open(t, mssqltest.New(t, dbtest.URL(t)).ConnectionString())
	}
	backendtest.Exercise(t, f)
}

// TestExerciseOnSQLServer is TestExercise on SQL Server itself, with make test-images: on a server that is there, or on
// one that a container of an image starts. No image of it can be named here for all, since its vendor's registry isn't
// the default one.
func TestExerciseOnSQLServer(t *testing.T) {
	if os.Getenv("ENGINE_TEST_IMAGES")+os.Getenv(dbtest.SQLServerVariable) == "" {
		t.Skip("ENGINE_TEST_IMAGES is not set: see make test-images")
	}
	server := os.Getenv(dbtest.SQLServerVariable)
	if image := os.Getenv("ENGINE_TEST_SQL_SERVER_IMAGE"); server == "" && image != "" {
		password := rand.Text() + "a1!" // what its rules ask for
		server = dbtest.ImageURL(t, dbtest.Image{
			Name: image, Port: "1433/tcp", Env: map[string]string{"ACCEPT_EULA": "Y", "MSSQL_SA_PASSWORD": password},
			Ready: "Recovery is complete.", Times: 1, URL: url.URL{Scheme: "sqlserver", User: url.UserPassword("sa", password), RawQuery: "encrypt=disable"},
		})
	}
	if server == "" {
		t.Skip("not tried on SQL Server: ENGINE_TEST_SQL_SERVER_URL names no server (sqlserver://user:password@host:port), and ENGINE_TEST_SQL_SERVER_IMAGE no image")
	}
	f := exercised
	f.Server, f.Layout = dbtest.SQLServerVersion(t, server), "local"
	if strings.HasPrefix(f.Server, dbtest.Babelfish) {
		f.Except = maps.Clone(f.Except)
		maps.Copy(f.Except, babelfishLacks)
	}
	f.Open = func(t testing.TB) backendtest.Database {
		t.Helper()
		return open(t, dbtest.SQLServerDatabase(t, server))
	}
	backendtest.Exercise(t, f)
}

// babelfishLacks are the tests that need what Babelfish doesn't have of T-SQL, with its reasons.
var babelfishLacks = map[string]string{
	"types/integer/wrong values": noNumber, "types/big/wrong values": noNumber, "types/decimal/wrong values": noNumber, "types/float/wrong values": noNumber,
	"types/boolean/wrong values": noNumber, "types/date/wrong values": noNumber, "types/timestamp/wrong values": noNumber, "types/uuid/wrong values": noNumber,
	"errors/session variable of a wrong type": noNumber, "errors/explain": "there is no SHOWPLAN",
	"mutations/insert defaults": "DEFAULT VALUES with OUTPUT is refused", "mutations/upsert": "OUTPUT has no columns of other tables than the written one",
	"live/queries/by_keys": escaped, "live/queries/lookup": escaped, "live/cohorts": noNumber, "live/stream": "TOP WITH TIES is refused",
	"events/operations": noUpdatable, "events/columns": noUpdatable, "events/rollback": noUpdatable, "events/delivery": noUpdatable,
	"events/installed": "names of triggers have small letters", "events/history": "OUTPUT has no expressions with columns of INSERTED",
}

const (
	noNumber    = "errors of values have the number 33557097, as all errors that Babelfish has no number for"
	noUpdatable = "an UPDATE can't name a common table expression: events are written, and can't be taken"
	escaped     = "texts of OPENJSON ... WITH stay escaped"
)
