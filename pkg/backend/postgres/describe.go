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

//go:embed introspection/triggers.sql
var triggersSQL string

//go:embed introspection/estimate.sql
var estimateSQL string

// DescribeTable implements backend.TableDescriber.
func (s *Server) DescribeTable(ctx context.Context, table catalog.Name) (*catalog.Details, error) {
	found := &catalog.Details{}
	err := s.primary.InSnapshot(ctx, func(pg *pgconn.PgConn) error {
		sql := forVersion(describeSQL, versionNumber(pg.ParameterStatus("server_version")))
		if err := describePart(ctx, pg, sql, table, found); err != nil || s.noTriggers {
			return err
		}
		if err := describePart(ctx, pg, triggersSQL, table, &found.Triggers); err != nil {
			return err
		}
		return describePart(ctx, pg, estimateSQL, table, &found.Rows)
	})
	return found, err
}

// describePart reads the JSON of the only row into part; a table that doesn't exist may have none.
func describePart(ctx context.Context, pg *pgconn.PgConn, sql string, table catalog.Name, part any) error {
	args := [][]byte{[]byte(table.Schema), []byte(table.Name)}
	rows := pg.ExecParams(ctx, sql, args, nil, nil, nil)
	var problem error
	for rows.NextRow() {
		problem = json.Unmarshal(rows.Values()[0], part)
	}
	if _, err := rows.Close(); err != nil {
		return wire.InternalError(ctx, err, wire.Executed{SQL: sql, Args: args})
	}
	return problem
}
