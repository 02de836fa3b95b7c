// Package metadatadb opens the metadata database for the services that have tables in it:
// metadata, scheduler and event-delivery.
//
// The address may be in a file, which is read for each new connection, so that a password
// can change while the services run. No error repeats the address: it holds a password.
package metadatadb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// fileScheme marks an address that is in a file.
const fileScheme = "dynamic-from-file://"

// errAddress doesn't have the cause, which repeats the password.
var errAddress = errors.New("the address of the metadata database in --metadata-database-url or --database-url is not valid: expected " +
	"postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %20 for a space in the password, %2F for / and so on")

// Config is a pool on the database. It makes no connection before it is used.
type Config struct {
	// URL is a PostgreSQL address, or dynamic-from-file:///path.
	URL string
	// Application is how the connections show themselves to operators.
	Application string
	// MaxConnections of the pool, at least 4.
	MaxConnections int
	// LockTimeout bounds the wait for a lock of another process, as PostgreSQL spells it.
	LockTimeout string
}

// Open prepares a pool, which the caller closes.
func Open(c Config) (*pgxpool.Pool, error) {
	address, err := resolve(c.URL)
	if err != nil {
		return nil, err
	}
	pc, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errAddress
	}
	pc.MaxConns = int32(max(c.MaxConnections, 4)) //nolint:gosec // small
	pc.ConnConfig.RuntimeParams["application_name"] = c.Application
	pc.ConnConfig.RuntimeParams["lock_timeout"] = c.LockTimeout
	if strings.HasPrefix(c.URL, fileScheme) {
		pc.BeforeConnect = func(_ context.Context, cc *pgx.ConnConfig) error { return refresh(cc, c.URL) }
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), pc)
	if err != nil {
		return nil, fmt.Errorf("metadata database: %w", err)
	}
	return pool, nil
}

// resolve returns the address itself.
func resolve(url string) (string, error) {
	path, inFile := strings.CutPrefix(url, fileScheme)
	if !inFile {
		return url, nil
	}
	address, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("address of the metadata database: %w", err)
	}
	return strings.TrimSpace(string(address)), nil
}

// refresh applies the current content of the file.
func refresh(cc *pgx.ConnConfig, url string) error {
	address, err := resolve(url)
	if err != nil {
		return err
	}
	fresh, err := pgx.ParseConfig(address)
	if err != nil {
		return errAddress
	}
	cc.Host, cc.Port, cc.User, cc.Password, cc.Database = fresh.Host, fresh.Port, fresh.User, fresh.Password, fresh.Database
	cc.TLSConfig, cc.Fallbacks = fresh.TLSConfig, fresh.Fallbacks
	return nil
}

// Unstorable reports whether the database refused values that a client has given: texts with NUL or in
// no valid encoding, names too long for an index, numbers out of range, JSON nested too deep. reason is
// the database's description.
func Unstorable(err error) (reason string, ok bool) {
	var sql *pgconn.PgError
	if errors.As(err, &sql) && (strings.HasPrefix(sql.Code, "22") || strings.HasPrefix(sql.Code, "54")) {
		return sql.Message, true
	}
	return "", false
}

// WithoutAddress is the cause of a fault in words that don't hold the address.
func WithoutAddress(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
