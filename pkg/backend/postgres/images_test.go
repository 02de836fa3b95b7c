package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
)

// TestExerciseOnImages is TestExercise on the databases themselves. Their images are large and come from elsewhere,
// so it is requested by a variable: make test-images.
func TestExerciseOnImages(t *testing.T) {
	if os.Getenv("ENGINE_TEST_IMAGES") == "" {
		t.Skip("ENGINE_TEST_IMAGES is not set: see make test-images")
	}
	for _, c := range []struct {
		flavor *flavor
		image  dbtest.Image
		// setup is done in each new database.
		setup string
	}{
		{
			citus, dbtest.Image{
				Name: "citusdata/citus:12.1", Port: "5432/tcp", Env: map[string]string{"POSTGRES_HOST_AUTH_METHOD": "trust"},
				Ready: "database system is ready to accept connections", Times: 2, // the first server only sets up
				URL: url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres"},
			}, "CREATE EXTENSION citus",
		},
		{
			cockroach, dbtest.Image{
				Name: "cockroachdb/cockroach:v24.3.0", Port: "26257/tcp", Cmd: []string{"start-single-node", "--insecure"},
				Ready: "node startup completed", Times: 1,
				URL: url.URL{Scheme: "postgres", User: url.User("root"), Path: "/defaultdb", RawQuery: "sslmode=disable"},
			}, "SET CLUSTER SETTING sql.defaults.serial_normalization = 'sql_sequence'",
		},
	} {
		t.Run(c.flavor.dialect.kind, func(t *testing.T) {
			address, err := url.Parse(dbtest.ImageURL(t, c.image))
			require.NoError(t, err)
			var made atomic.Int64
			fixture := exercised
			fixture.Dialect = c.flavor.dialect
			fixture.Open = func(t testing.TB) backendtest.Database {
				t.Helper()
				name := "exercise_" + strconv.FormatInt(made.Add(1), 10)
				execOn(t, address.String(), "CREATE DATABASE "+name)
				own := *address
				own.Path = "/" + name
				execOn(t, own.String(), c.setup)
				source, err := c.flavor.open(Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return own.String(), nil }, MaxConnections: 4}}})
				require.NoError(t, err)
				t.Cleanup(source.Close)
				return backendtest.Database{Source: source, Exec: func(t testing.TB, sql string) { execOn(t, own.String(), sql) }}
			}
			backendtest.Exercise(t, fixture)
		})
	}
}

// TestExerciseByAddress is TestExercise on the servers that variables name: Citus with its tables in several layouts, and CockroachDB.
func TestExerciseByAddress(t *testing.T) {
	t.Parallel()
	t.Run("cockroach", func(t *testing.T) {
		t.Parallel()
		address, err := url.Parse(addressOf(t, "ENGINE_TEST_COCKROACH_URL"))
		require.NoError(t, err)
		var made atomic.Int64
		of := exercised
		of.Dialect = cockroach.dialect
		of.Open = func(t testing.TB) backendtest.Database {
			t.Helper()
			own := *address
			own.Path = fmt.Sprintf("/exercise_%d_%d", time.Now().UnixNano(), made.Add(1))
			execOn(t, address.String(), "CREATE DATABASE "+own.Path[1:])
			return cockroach.database(t, own.String())
		}
		backendtest.Exercise(t, of)
	})
	for _, layout := range citusLayouts {
		t.Run("citus/"+layout.name, func(t *testing.T) {
			t.Parallel()
			addressOf(t, dbtest.CitusVariable)
			of := exercised
			of.Dialect, of.Place, of.Except = citus.dialect, layout.place, layout.except
			// To make a database on all nodes takes longer than a test, so they use those of tests before.
			free := []string{dbtest.CitusURL(t, "")}
			of.Server, of.Layout = dbtest.CitusVersion(t, free[0]), layout.name
			of.Open = func(test testing.TB) backendtest.Database {
				test.Helper()
				if len(free) == 0 {
					free = append(free, dbtest.CitusURL(t, ""))
				}
				own := free[len(free)-1]
				free = free[:len(free)-1]
				test.Cleanup(func() { free = append(free, own) })
				emptyCitus(test, own)
				return citus.database(test, own)
			}
			backendtest.Exercise(t, of)
		})
	}
}

// emptyCitus drops what a test has made.
func emptyCitus(t testing.TB, address string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // what it ran is done
	rows, err := conn.Query(t.Context(), `SELECT 'DROP TABLE IF EXISTS ' || c.oid::regclass || ' CASCADE' FROM pg_class c
		WHERE c.relkind IN ('r', 'p') AND c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'archive'))
			AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`)
	require.NoError(t, err)
	drops, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, drop := range append(drops, "DROP SCHEMA IF EXISTS archive CASCADE", "DROP TYPE IF EXISTS mood CASCADE") {
		_, err := conn.Exec(t.Context(), drop)
		require.NoError(t, err, drop)
	}
}

// addressOf is the address that a variable has; it skips the test without one.
func addressOf(t testing.TB, variable string) string {
	t.Helper()
	address := os.Getenv(variable)
	if address == "" {
		t.Skip(variable + " is not set")
	}
	return address
}

// database opens a source of the flavor at an address.
func (f *flavor) database(t testing.TB, address string) backendtest.Database {
	t.Helper()
	source, err := f.open(Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{
		URL: func() (string, error) { return address, nil }, MaxConnections: 4, SerializationRetries: f.retries,
	}}})
	require.NoError(t, err)
	t.Cleanup(source.Close)
	return backendtest.Database{Source: source, Exec: func(t testing.TB, sql string) { execOn(t, address, sql) }}
}

// citusLayouts are ways to place the tables of backendtest. Those of a tenant, in which related rows are on one node, are played by the
// executor's TestCitusLayouts.
var citusLayouts = []struct {
	name   string
	place  func([]backendtest.Table) string
	except map[string]string
}{
	{"local", nil, nil},
	{"reference", func(tables []backendtest.Table) string {
		return placed(tables, func(backendtest.Table) bool { return true })
	}, nil},
	{"mixed", func(tables []backendtest.Table) string {
		referred := map[string]bool{}
		for _, t := range tables {
			for _, c := range t.Columns {
				referred[c.References] = true
			}
		}
		return placed(tables, func(t backendtest.Table) bool { return referred[t.Name] })
	}, mixedExceptions},
}

// mixedExceptions are what Citus can't do where tables that others refer to are reference tables, and the others are distributed by their
// first column.
var mixedExceptions = func() map[string]string {
	const apart, list = "complex joins are only supported when all distributed tables are co-located and joined on their distribution columns",
		"correlated subqueries are not supported when the FROM clause contains a reference table"
	all := map[string]string{"introspection": "the layout can't be made of its tables: a foreign key of a distributed table to one that isn't colocated"}
	for name, reason := range map[string]string{
		"by_keys": "the engine asks for each key", "where_root_of_rule": apart, "where_aggregate": apart, "object_relationship_without_key": apart,
		"array_relationships": list, "array_relationship_of_object": apart, "order_by_aggregate": apart, "order_by_count_of_related": apart,
		"offset_with_lists": list, "aggregate_relationship": apart, "connection_nested": list,
	} {
		all["queries/"+name], all["live/queries/"+name] = reason, reason
	}
	return all
}()

// placed makes reference tables of some, and distributes the others by their first column.
func placed(tables []backendtest.Table, reference func(backendtest.Table) bool) string {
	var first, then strings.Builder
	for _, t := range tables {
		schema := exercised.SQL.Default
		if t.Elsewhere {
			schema = exercised.SQL.Other
		}
		name := quote.Literal(quote.Qualified(catalog.Name{Schema: schema, Name: t.Name}))
		if reference(t) {
			first.WriteString("SELECT create_reference_table(" + name + ");\n")
		} else {
			then.WriteString("SELECT create_distributed_table(" + name + ", " + quote.Literal(t.Columns[0].Name) + ");\n")
		}
	}
	return first.String() + then.String()
}

// execOn runs a text on a connection of its own.
func execOn(t testing.TB, address, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context())                         //nolint:errcheck // what it ran is done
	for statement := range strings.SplitSeq(sql, ";\n") { // Citus takes some only one by one
		for range 10 { // databases of one Citus are filled at the same time, and its deadlocks are distributed
			_, err = conn.Exec(t.Context(), statement)
			if pg := (*pgconn.PgError)(nil); !errors.As(err, &pg) || pg.Code != "40P01" {
				break
			}
		}
		require.NoError(t, err, statement)
	}
}
