package store

import (
	"context"
	"encoding/json"

	"queryengine/pkg/apierror"
)

// CatalogState is what tools keep in the metadata database.
type CatalogState struct {
	ID      string          `json:"id"`
	CLI     json.RawMessage `json:"cli_state"`
	Console json.RawMessage `json:"console_state"`
}

// CatalogState reads the states.
func (s *Store) CatalogState(ctx context.Context) (CatalogState, error) {
	var c CatalogState
	err := s.pool.QueryRow(ctx, `SELECT engine_uuid::text, cli_state, console_state FROM engine_catalog.engine_version`).
		Scan(&c.ID, &c.CLI, &c.Console)
	return c, failure(err)
}

// SetCatalogState replaces one state: "cli" or "console".
func (s *Store) SetCatalogState(ctx context.Context, kind string, state json.RawMessage) error {
	var sql string
	switch kind {
	case "cli":
		sql = `UPDATE engine_catalog.engine_version SET cli_state = $1::jsonb`
	case "console":
		sql = `UPDATE engine_catalog.engine_version SET console_state = $1::jsonb`
	default:
		return apierror.At(apierror.Newf(apierror.ParseFailed, "expected cli or console, but found %s", kind), "type")
	}
	_, err := s.pool.Exec(ctx, sql, string(state))
	return failure(err)
}
