package metadatadb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"queryengine/pkg/lifecycle"
)

const (
	// attempt bounds one question whether the database is there.
	attempt = 2 * time.Second
	// retry is the pause between two of them.
	retry = 500 * time.Millisecond
	// notice is how often a start repeats what it waits for.
	notice = 5 * time.Second
)

// UnreachableError is a database that can't be used: which, why, and what to do. Its text holds
// neither a user's password nor the address as it was configured.
type UnreachableError struct {
	// Place is host:port/database.
	Place string
	// Reason is why, Advice what to do about it; Advice may be empty.
	Reason, Advice string
}

func (e *UnreachableError) Error() string {
	text := "the metadata database at " + e.Place + " can't be used: " + e.Reason
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Ping is nil when the database answers, else an *UnreachableError.
func Ping(ctx context.Context, pool *pgxpool.Pool) error {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	_, err := pool.Exec(ctx, "SELECT 1")
	if err == nil {
		return nil
	}
	return explain(&pool.Config().ConnConfig.Config, err)
}

// Await waits until the database answers, but not longer than patience. It logs the problem at once,
// when it changes, and every few seconds. A wrong password or a missing database is waited for, too: it
// may still be being set up. The error is the last problem that was found before the wait ended: an
// attempt that its end cut off says nothing about the database.
func Await(ctx context.Context, pool *pgxpool.Pool, patience time.Duration, logger *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var problem error
	var last string
	var said time.Time
	for {
		err := Ping(ctx, pool)
		if err == nil {
			return nil
		}
		if problem == nil || ctx.Err() == nil {
			problem = err
		}
		var fault *UnreachableError
		if errors.As(err, &fault) && ctx.Err() == nil && (fault.Reason != last || time.Since(said) >= notice) {
			last, said = fault.Reason, time.Now()
			logger.WarnContext(ctx, "waiting for the metadata database",
				"database", fault.Place, "reason", fault.Reason, "advice", fault.Advice)
		}
		if !lifecycle.Sleep(ctx, retry) {
			return problem
		}
	}
}

// explain explains why a connection or a statement failed.
func explain(c *pgconn.Config, err error) *UnreachableError {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) && connect.Config != nil {
		c = connect.Config // an address from a file may have changed
	}
	e := &UnreachableError{Place: place(c)}
	var refused *pgconn.PgError
	var dns *net.DNSError
	switch {
	case errors.As(err, &refused):
		e.Reason = fmt.Sprintf("%s (%s)", refused.Message, refused.Code)
		switch refused.Code {
		case "28P01":
			e.Advice = "correct the user or the password in --metadata-database-url or --database-url"
		case "28000":
			e.Advice = "correct the user in --metadata-database-url or --database-url, or let it in with pg_hba.conf"
		case "3D000":
			e.Advice = "create the database, or correct its name in --metadata-database-url or --database-url"
		case "53300":
			e.Advice = "raise max_connections of the server, or lower the pools' sizes"
		}
	case errors.As(err, &dns):
		e.Reason = fmt.Sprintf("the host name %q can't be resolved", dns.Name)
		e.Advice = "correct the host in --metadata-database-url or --database-url"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Reason = "connection refused"
		e.Advice = "start PostgreSQL there, or correct the host and port in --metadata-database-url or --database-url"
	case needsTLS(c) && strings.Contains(err.Error(), "server refused TLS connection"):
		e.Reason = "the server has no TLS"
		e.Advice = "set up TLS there, or correct sslmode in --metadata-database-url or --database-url"
	case errors.Is(err, context.DeadlineExceeded):
		e.Reason = "no answer"
		e.Advice = "see whether a firewall is in between, and whether the host and port are right"
	default:
		e.Reason = WithoutAddress(err)
	}
	return e
}

// place is host:port/database. A directory of a socket has no port to show.
func place(c *pgconn.Config) string {
	if strings.HasPrefix(c.Host, "/") {
		return c.Host + " (database " + c.Database + ")"
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
}

// needsTLS reports whether there is no second attempt without TLS, whose error counts.
func needsTLS(c *pgconn.Config) bool {
	return c.TLSConfig != nil && !slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.TLSConfig == nil })
}
