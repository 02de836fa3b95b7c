package metadata

import (
	"context"
	"encoding/json"
	"testing"

	"queryengine/services/metadata/internal/apply"
)

// failing is an executor whose operations on rows meet something unforeseen.
type failing struct{ apply.Data }

func (failing) Execute(context.Context, apply.DataOperation) (json.RawMessage, error) {
	panic("unforeseen")
}

// TestPanicEndsItsClaim holds that a fault in one request doesn't keep later ones from changing anything.
func TestPanicEndsItsClaim(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	data := i.engine.Data
	i.engine.Data = failing{data}
	i.fails(t, v2query, `{"type":"bulk","args":[{"type":"run_sql","args":{"sql":"CREATE VIEW one AS SELECT 1 AS n; ALTER VIEW one RENAME TO two"}},
		{"type":"select","args":{"table":"two","columns":["n"]}}]}`, "unexpected", "$", "internal error")
	i.engine.Data = data
	i.ok(t, `{"type":"create_query_collection","args":{"name":"c","definition":{"queries":[]}}}`)
}
