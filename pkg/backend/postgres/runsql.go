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
	return s.texts().Run(ctx, r)
}

// RehearseSQL implements backend.SQLRehearser.
func (s *Server) RehearseSQL(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
	return s.texts().Rehearse(ctx, r)
}

// texts is what texts of clients run on.
func (s *Server) texts() *rawsql.Source {
	on := &rawsql.Source{
		Pool: s.primary.Pool,
		Introspect: func(ctx context.Context, pg *pgconn.PgConn, enums []catalog.Name) (*catalog.Source, error) {
			return s.introspect(ctx, pg, enums, nil)
		},
	}
	if s.log != nil {
		on.ChangeEventTriggers = s.log.Change
	}
	return on
}
