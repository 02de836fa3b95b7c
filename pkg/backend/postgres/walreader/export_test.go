package walreader

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// CheckEvery sets how often it is checked that what is watched is what it was.
func (f *Feed) CheckEvery(d time.Duration) { f.checkEvery = d }

// Check checks it once.
func (f *Feed) Check(ctx context.Context, pg *pgconn.PgConn, server string) error {
	return f.check(ctx, pg, server)
}

// ServerOf names the server of a connection.
var ServerOf = serverOf
