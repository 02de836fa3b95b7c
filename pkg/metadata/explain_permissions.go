package metadata

import (
	"encoding/json"

	"queryengine/pkg/catalog"
)

// ExplainPermissions are the arguments of explain_permissions: what a role with session variables may do with the row of a primary key,
// and by which rules.
type ExplainPermissions struct {
	Source  string            `json:"source" meta:"default=default"`
	Table   catalog.Name      `json:"table" meta:"required"`
	Role    string            `json:"role" meta:"required,nonempty"`
	Session map[string]string `json:"session"`
	Key     json.RawMessage   `json:"key" meta:"required"`
	// Body is the whole request, which an executor reads and runs.
	Body json.RawMessage `json:"-"`
}

func (a *ExplainPermissions) configure(_ API, e *Envelope) { a.Body = e.body }
