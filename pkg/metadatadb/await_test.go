package metadatadb_test

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/logtest"
	"queryengine/pkg/metadatadb"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func pool(t *testing.T, address string) *pgxpool.Pool {
	t.Helper()
	p, err := metadatadb.Open(metadatadb.Config{URL: address, Application: "test", LockTimeout: "1s"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func TestUnreachableDatabaseIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	there, err := url.Parse(dbtest.URL(t))
	require.NoError(t, err)
	absent := *there
	absent.Path = "/not_there"
	encrypted, stranger := *there, *there
	encrypted.RawQuery = "sslmode=require"
	stranger.User = url.UserPassword("stranger", "topsecret")
	for name, c := range map[string]struct{ address, place, reason, advice string }{
		"connection refused": {"postgres://u:topsecret@127.0.0.1:1/none", "127.0.0.1:1/none", "connection refused", "start PostgreSQL there"},
		"unknown host":       {"postgres://u:topsecret@nowhere.invalid:5432/none", "nowhere.invalid:5432/none", "can't be resolved", "correct the host"},
		"no TLS":             {encrypted.String(), there.Host, "the server has no TLS", "correct sslmode"},
		"unknown user":       {stranger.String(), there.Host, "(28P01)", "correct the user or the password"},
		"missing database":   {absent.String(), "not_there", "(3D000)", "create the database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log logtest.Buffer
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			db := pool(t, c.address)
			go func() {
				done <- metadatadb.Await(ctx, db, time.Hour, slog.New(slog.NewTextHandler(&log, nil)))
			}()
			require.Eventually(t, func() bool { return strings.Contains(log.String(), c.reason) }, time.Minute, 10*time.Millisecond)
			cancel()
			err := <-done
			var fault *metadatadb.UnreachableError
			require.ErrorAs(t, err, &fault)
			require.Contains(t, log.String(), "waiting for the metadata database")
			require.Contains(t, log.String(), c.place)
			require.Contains(t, log.String(), c.advice)
			require.NotContains(t, log.String()+err.Error(), "topsecret")
		})
	}
}

func TestAwaitTakesADatabaseThatComesLater(t *testing.T) {
	t.Parallel()
	there, err := url.Parse(dbtest.URL(t))
	require.NoError(t, err)
	later := *there
	name := strings.TrimPrefix(there.Path, "/") + "_later"
	later.Path = "/" + name
	var log logtest.Buffer
	done := make(chan error, 1)
	db := pool(t, later.String())
	go func() {
		done <- metadatadb.Await(t.Context(), db, time.Minute, slog.New(slog.NewTextHandler(&log, nil)))
	}()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "(3D000)") }, time.Minute, 10*time.Millisecond)
	owner := pool(t, there.String())
	_, err = owner.Exec(t.Context(), `CREATE DATABASE "`+name+`"`)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = owner.Exec(context.Background(), `DROP DATABASE "`+name+`" WITH (FORCE)`) })
	require.NoError(t, <-done)
}

func TestAwaitEndsWithTheReason(t *testing.T) {
	t.Parallel()
	err := metadatadb.Await(t.Context(), pool(t, "postgres://u:topsecret@127.0.0.1:1/none"), time.Millisecond, slog.New(slog.DiscardHandler))
	var fault *metadatadb.UnreachableError
	require.ErrorAs(t, err, &fault)
	require.Contains(t, err.Error(), "the metadata database at 127.0.0.1:1/none can't be used")
}

func TestAwaitEndsWithTheLastProblemThatWasFound(t *testing.T) {
	t.Parallel()
	// A port of an address that no other test uses refuses first, and is silent afterwards.
	silent, err := net.Listen("tcp", "127.83.11.7:0")
	require.NoError(t, err)
	address := silent.Addr().String()
	require.NoError(t, silent.Close())
	var log logtest.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	db, done := pool(t, "postgres://u@"+address+"/none"), make(chan error, 1)
	go func() {
		done <- metadatadb.Await(ctx, db, time.Hour, slog.New(slog.NewTextHandler(&log, nil)))
	}()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "connection refused") }, time.Minute, 10*time.Millisecond)
	silent, err = net.Listen("tcp", address)
	require.NoError(t, err)
	defer silent.Close() //nolint:errcheck // nothing was written
	conn, err := silent.Accept()
	require.NoError(t, err)
	defer conn.Close() //nolint:errcheck // nothing was written
	cancel()
	require.ErrorContains(t, <-done, "connection refused")
}

// TestAddressesThatAreNotValid don't come back: they hold a password.
func TestAddressesThatAreNotValid(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://u:a topsecret@127.0.0.1:1/none", "postgres://u:top/secret@127.0.0.1:1/none", "postgres://u:topsecret%@127.0.0.1:1/none",
		"mysql://u:topsecret@127.0.0.1:1/none", "postgres://u:topsecret@127.0.0.1:1/none?sslmode=topsecret",
	} {
		_, err := metadatadb.Open(metadatadb.Config{URL: address})
		require.ErrorContains(t, err, "in --metadata-database-url or --database-url is not valid: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE")
		require.NotContains(t, err.Error(), "secret")
	}
}

// TestServersWithoutTLSMayHaveAnotherFault: where the address doesn't ask for TLS, the second attempt counts.
func TestServersWithoutTLSMayHaveAnotherFault(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close() //nolint:errcheck // nothing was written
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 8)) // the request for TLS
			_, _ = conn.Write([]byte{'N'})
			_ = conn.Close()
		}
	}()
	for mode, want := range map[string]bool{"prefer": false, "require": true} {
		err := metadatadb.Ping(t.Context(), pool(t, "postgres://u:p@"+listener.Addr().String()+"/none?sslmode="+mode))
		require.Error(t, err)
		require.Equal(t, want, strings.Contains(err.Error(), "the server has no TLS"), err.Error())
	}
}
