package postgres

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

//go:embed introspection/describe.sql
var describeSQL string

// DescribeTable implements backend.TableDescriber.
func (s *Server) DescribeTable(ctx context.Context, table catalog.Name) (*catalog.Details, error) {
	found := &catalog.Details{}
	err := s.primary.InSnapshot(ctx, func(pg *pgconn.PgConn) error {
		sql := forVersion(describeSQL, versionNumber(pg.ParameterStatus("server_version")))
		args := [][]byte{[]byte(table.Schema), []byte(table.Name)}
		rows := pg.ExecParams(ctx, sql, args, nil, nil, nil)
		var problem error
		for rows.NextRow() {
			problem = json.Unmarshal(rows.Values()[0], found)
		}
		if _, err := rows.Close(); err != nil {
			return wire.InternalError(ctx, err, wire.Executed{SQL: sql, Args: args})
		}
		return problem
	})
	return found, err
}
