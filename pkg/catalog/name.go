package catalog

import (
	"encoding/json"

	"queryengine/pkg/apierror"
)

// nameFields are the keys of a name.
type nameFields struct {
	Schema *string `json:"schema"`
	// Dataset is the name that BigQuery has for a schema.
	Dataset *string `json:"dataset"`
	Name    *string `json:"name"`
}

// Shape has the keys of the object that a name may be.
func (n *Name) Shape() any { return nameFields{} }

// UnmarshalJSON reads {"schema","name"}, where the schema may be missing or be called "dataset", or a bare name. Which schema is
// meant then depends on the kind of the database: see In.
func (n *Name) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*n = Name{}
		return json.Unmarshal(raw, &n.Name)
	}
	var fields nameFields
	if err := json.Unmarshal(raw, &fields); err != nil {
		return apierror.New(apierror.ParseFailed, "parsing QualifiedObject failed, expected a name or an object with the keys \"schema\" and \"name\"")
	}
	if fields.Name == nil {
		return apierror.New(apierror.ParseFailed, `key "name" not found`)
	}
	*n = Name{Name: *fields.Name}
	switch {
	case fields.Schema != nil:
		n.Schema = *fields.Schema
	case fields.Dataset != nil:
		n.Schema = *fields.Dataset
	}
	return nil
}
