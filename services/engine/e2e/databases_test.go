package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/freeport"
)

// TestWrongPasswordIsToldAndWaitedFor: the fault is logged at once, and the start goes on when it is
// fixed.
func TestWrongPasswordIsToldAndWaitedFor(t *testing.T) {
	t.Parallel()
	server := dbtest.URL(t)
	role := "late_" + freeport.Text(t)
	drop := func() { executeAlone(t, server, "DROP ROLE IF EXISTS "+role) }
	t.Cleanup(drop) // after the database is dropped, which comes first
	drop()
	owner := dbtest.URL(t)
	u, err := url.Parse(owner)
	require.NoError(t, err)
	execute(t, owner, fmt.Sprintf("CREATE ROLE %[1]s LOGIN PASSWORD 'first'; ALTER DATABASE %[2]s OWNER TO %[1]s",
		role, pgx.Identifier{strings.TrimPrefix(u.Path, "/")}.Sanitize()))
	u.User = url.UserPassword(role, "second")
	if conn, err := pgx.Connect(t.Context(), u.String()); err == nil {
		_ = conn.Close(t.Context())
		t.Skip("this PostgreSQL asks for no password")
	}
	p := launchServe(t, u.String(), "ENGINE_GRAPHQL_ADMIN_SECRET="+secret)
	l := p.awaitLine("unstructured", func(l logLine) bool { return l.Detail["message"] == "waiting for the metadata database" })
	require.Equal(t, "warn", l.Level)
	require.Equal(t, fmt.Sprintf("password authentication failed for user %q (28P01)", role), l.Detail["reason"])
	require.Equal(t, "correct the user or the password in --metadata-database-url or --database-url", l.Detail["advice"])
	require.NotContains(t, l.raw, "second", "the password")

	execute(t, owner, "ALTER ROLE "+role+" PASSWORD 'second'")
	p.awaitReady()
}

// TestUnreachableSourceStopsNothingElse: an engine starts without one of its databases, reports which
// one is missing, answers about the others, and includes the database by itself when it comes up.
func TestUnreachableSourceStopsNothingElse(t *testing.T) {
	t.Parallel()
	asAdmin := map[string]string{"X-Engine-Admin-Secret": secret}
	here, away := dbtest.URL(t), dbtest.URL(t)
	execute(t, here, `CREATE TABLE near (id int PRIMARY KEY); INSERT INTO near VALUES (1)`)
	execute(t, away, `CREATE TABLE far (id int PRIMARY KEY); INSERT INTO far VALUES (2)`)
	late := newLateDatabase(t, away)
	// The source default is the one that is away.
	p := launchServe(t, late.url, "ENGINE_GRAPHQL_METADATA_DATABASE_URL="+here, "ENGINE_GRAPHQL_ADMIN_SECRET="+secret)
	p.awaitReady()
	inconsistent := func() string {
		a := p.post("/v1/metadata", asAdmin, map[string]any{"type": "get_inconsistent_metadata", "args": map[string]any{}})
		require.Equal(t, http.StatusOK, a.status, a.text())
		return a.text()
	}
	require.Contains(t, inconsistent(), `"name":"source default"`)

	change := func(kind string, args map[string]any) {
		t.Helper()
		a := p.post("/v1/metadata", asAdmin, map[string]any{"type": kind, "args": args})
		require.Equal(t, http.StatusOK, a.status, a.text())
	}
	change("pg_add_source", map[string]any{"name": "here", "configuration": map[string]any{"connection_info": map[string]any{"database_url": here}}})
	change("pg_track_table", map[string]any{"source": "here", "table": "near"})
	require.JSONEq(t, `{"data":{"near":[{"id":1}]}}`, p.query(asAdmin, `{ near { id } }`).text())

	late.open()
	eventually(t, startLimit, func() bool { return strings.Contains(inconsistent(), `"is_consistent":true`) }, inconsistent)
	change("pg_track_table", map[string]any{"source": "default", "table": "far"})
	require.JSONEq(t, `{"data":{"near":[{"id":1}],"far":[{"id":2}]}}`, p.query(asAdmin, `{ near { id } far { id } }`).text())
}

// lateDatabase is the address of a database that refuses connections until it is opened.
type lateDatabase struct {
	t           *testing.T
	url         string // of the database, by this address
	address, to string
}

func newLateDatabase(t *testing.T, database string) *lateDatabase {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	d := &lateDatabase{t: t, address: "127.0.0.1:" + freeport.Text(t), to: u.Host}
	u.Host = d.address
	d.url = u.String()
	return d
}

// open lets connections through until the end of the test.
func (d *lateDatabase) open() {
	d.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(d.t.Context(), "tcp", d.address)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go d.pass(in)
		}
	}()
}

func (d *lateDatabase) pass(in net.Conn) {
	defer in.Close()
	out, err := (&net.Dialer{}).DialContext(d.t.Context(), "tcp", d.to)
	if err != nil {
		return
	}
	defer out.Close()
	go func() {
		_, _ = io.Copy(out, in) // either end may close it
		_ = out.Close()
	}()
	_, _ = io.Copy(in, out)
}
