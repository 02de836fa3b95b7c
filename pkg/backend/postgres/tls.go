package postgres

import (
	"github.com/jackc/pgx/v5/pgconn"
)

// TLS overrides what the address says of encryption.
type TLS struct {
	Mode string // disable, allow, prefer, require, verify-ca, verify-full
}

// config parses an address.
func (t *TLS) config(address string) (*pgconn.Config, error) {
	return pgconn.ParseConfig(address)
}
