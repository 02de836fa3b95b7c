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

// SetCatalogState replaces one state, "cli" or "console": any state when previous is nil, else that one only.
func (s *Store) SetCatalogState(ctx context.Context, kind string, state, previous json.RawMessage) error {
	var column string
	switch kind {
	case "cli", "console":
		column = kind + "_state"
	default:
		return apierror.At(apierror.Newf(apierror.ParseFailed, "expected cli or console, but found %s", kind), "type")
	}
	var expected *string
	if previous != nil && string(previous) != "null" {
		text := string(previous)
		expected = &text
	}
	tag, err := s.pool.Exec(ctx, `UPDATE engine_catalog.engine_version SET `+column+` = $1::jsonb WHERE $2::jsonb IS NULL OR `+column+` = $2::jsonb`,
		string(state), expected)
	if err == nil && tag.RowsAffected() == 0 {
		return apierror.At(apierror.Newf(apierror.Conflict, "another client has changed this state"), "previous")
	}
	return failure(err)
}
