package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/rawsql"
	"queryengine/pkg/catalog"
)

// RunSQL implements backend.Source.
func (s *Server) RunSQL(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
	on := rawsql.Source{
		Pool: s.primary,
		Introspect: func(ctx context.Context, pg *pgconn.PgConn, enums []catalog.Name) (*catalog.Source, error) {
			return s.introspect(ctx, pg, enums, nil)
		},
	}
	if s.log != nil {
		on.ChangeEventTriggers = s.log.Change
	}
	return on.Run(ctx, r)
}
