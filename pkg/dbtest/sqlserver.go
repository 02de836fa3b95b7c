package dbtest

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/microsoft/go-mssqldb" // the driver
	"github.com/stretchr/testify/require"
)

// SQLServerVariable names a SQL Server, or a server of its protocol: sqlserver://user:password@host:port.
const SQLServerVariable = "ENGINE_TEST_SQL_SERVER_URL"

// Babelfish is how SQLServerVersion begins for a Babelfish.
const Babelfish = "Babelfish "

var (
	sqlServerDatabases atomic.Int64
	// sqlServerWide is held while something of the whole server changes: Babelfish changes its catalog for one at a time, and
	// fails for others.
	sqlServerWide sync.Mutex
)

// SQLServerURL is SQLServerDatabase on the server that SQLServerVariable names; it skips the test without one.
func SQLServerURL(t testing.TB) string {
	t.Helper()
	server := os.Getenv(SQLServerVariable)
	if server == "" {
		t.Skip(SQLServerVariable + " is not set")
	}
	return SQLServerDatabase(t, server)
}

// SQLServerDatabase makes a database for a test and returns its address.
func SQLServerDatabase(t testing.TB, server string) string {
	t.Helper()
	sqlServerWide.Lock()
	defer sqlServerWide.Unlock()
	name := "test_" + strconv.Itoa(os.Getpid()) + "_" + strconv.FormatInt(sqlServerDatabases.Add(1), 10)
	drop := "ALTER DATABASE " + name + " SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE " + name
	if strings.HasPrefix(SQLServerVersion(t, server), Babelfish) {
		// It has no such options, and refuses some clauses unless a setting says to ignore them.
		drop = "DROP DATABASE " + name
		for _, clause := range []string{"for_replication", "rowversion"} {
			OnSQLServer(t, server, "EXEC sp_babelfish_configure 'babelfishpg_tsql.escape_hatch_"+clause+"', 'ignore', 'server'")
		}
	}
	OnSQLServer(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() {
		sqlServerWide.Lock()
		defer sqlServerWide.Unlock()
		OnSQLServer(t, server, drop)
	})
	own, err := url.Parse(server)
	require.NoError(t, err)
	query := own.Query()
	query.Set("database", name)
	own.RawQuery = query.Encode()
	return own.String()
}

// SQLServerVersion names a server.
func SQLServerVersion(t testing.TB, address string) (version string) {
	t.Helper()
	onSQLServer(t, address, func(ctx context.Context, db *sql.DB) error {
		var babelfish sql.NullString
		err := db.QueryRowContext(ctx, "SELECT CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)), CAST(SERVERPROPERTY('BabelfishVersion') AS nvarchar(128))").
			Scan(&version, &babelfish)
		if version = "SQL Server " + version; babelfish.Valid {
			version = Babelfish + babelfish.String
		}
		return err
	})
	return version
}

// OnSQLServer runs a batch.
func OnSQLServer(t testing.TB, address, text string) {
	t.Helper()
	onSQLServer(t, address, func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, text)
		return err
	})
}

func onSQLServer(t testing.TB, address string, f func(context.Context, *sql.DB) error) {
	t.Helper()
	db, err := sql.Open("sqlserver", address)
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // what it ran is done
	require.NoError(t, f(context.WithoutCancel(t.Context()), db))
}
