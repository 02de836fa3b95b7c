package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/session"
)

// RemoteRelationship leads from a table to a table of another source, or to a field of a
// remote schema.
type RemoteRelationship struct {
	Name       string                       `json:"name" meta:"required,nonempty"`
	Definition RemoteRelationshipDefinition `json:"definition" meta:"required"`
}

// RemoteRelationshipDefinition holds exactly one of ToSource and ToRemoteSchema.
type RemoteRelationshipDefinition struct {
	ToSource       *ToSource
	ToRemoteSchema *ToRemoteSchema
}

// ToSource leads to the rows of a table, of this source or another one.
type ToSource struct {
	Source           string       `json:"source" meta:"required,nonempty"`
	Table            catalog.Name `json:"table" meta:"required"`
	RelationshipType string       `json:"relationship_type" meta:"required"`
	// FieldMapping maps fields of this side to columns of the other.
	FieldMapping map[string]string `json:"field_mapping" meta:"required"`
}

// The values of ToSource.RelationshipType.
const (
	ObjectRelationship = "object"
	ArrayRelationship  = "array"
)

func (s *ToSource) check() error {
	if t := s.RelationshipType; t != ObjectRelationship && t != ArrayRelationship {
		return apierror.At(apierror.New(apierror.ParseFailed, "expected one of 'object', 'array'"), "relationship_type")
	}
	return nil
}

// ToRemoteSchema leads to a field of a remote schema.
type ToRemoteSchema struct {
	RemoteSchema string
	// LHSFields are the fields of this side that RemoteField may refer to.
	LHSFields   []string
	RemoteField RemoteField
	// Flat reports whether the definition was given in the old form, in which it is exported.
	Flat bool
}

// Its two forms on the wire.
type (
	strictToRemoteSchema struct {
		RemoteSchema string      `json:"remote_schema" meta:"required,nonempty"`
		LHSFields    []string    `json:"lhs_fields" meta:"required"`
		RemoteField  RemoteField `json:"remote_field" meta:"required"`
	}
	flatToRemoteSchema struct {
		RemoteSchema string      `json:"remote_schema" meta:"required,nonempty"`
		EngineFields []string    `json:"engine_fields" meta:"required"`
		RemoteField  RemoteField `json:"remote_field" meta:"required"`
	}
)

// MarshalJSON writes the form that the definition was given in.
func (d RemoteRelationshipDefinition) MarshalJSON() ([]byte, error) {
	r := d.ToRemoteSchema
	switch {
	case r == nil:
		return Encode(struct {
			ToSource *ToSource `json:"to_source"`
		}{d.ToSource})
	case r.Flat:
		return Encode(flatToRemoteSchema{r.RemoteSchema, r.LHSFields, r.RemoteField})
	}
	return Encode(struct {
		ToRemoteSchema strictToRemoteSchema `json:"to_remote_schema"`
	}{strictToRemoteSchema{r.RemoteSchema, r.LHSFields, r.RemoteField}})
}

// UnmarshalJSON reads both forms.
func (d *RemoteRelationshipDefinition) UnmarshalJSON(raw []byte) error {
	*d = RemoteRelationshipDefinition{}
	fields, err := object(raw)
	if err != nil {
		return err
	}
	if fields["remote_schema"] != nil {
		var flat flatToRemoteSchema
		if vendor := session.Vendor(); vendor != "" && fields["engine_fields"] == nil && fields[vendor+"_fields"] != nil {
			fields["engine_fields"] = fields[vendor+"_fields"]
			delete(fields, vendor+"_fields")
			if raw, err = Encode(fields); err != nil {
				return err
			}
		}
		err = decode(raw, &flat)
		d.ToRemoteSchema = &ToRemoteSchema{flat.RemoteSchema, flat.EngineFields, flat.RemoteField, true}
		return err
	}
	source, remote := fields["to_source"], fields["to_remote_schema"]
	switch {
	case isNull(source) == isNull(remote):
		return apierror.New(apierror.ParseFailed,
			"remote relationship definition (strict format) expects exactly one of: to_source, to_remote_schema")
	case isNull(remote):
		return apierror.At(decode(source, &d.ToSource), "to_source")
	}
	var strict strictToRemoteSchema
	err = decode(remote, &strict)
	d.ToRemoteSchema = &ToRemoteSchema{strict.RemoteSchema, strict.LHSFields, strict.RemoteField, false}
	return apierror.At(err, "to_remote_schema")
}

// CreateRemoteRelationship are the arguments of create_remote_relationship.
type CreateRemoteRelationship struct {
	Source       string
	Table        catalog.Name
	Relationship RemoteRelationship
}

// UnmarshalJSON reads the definition, or the old form whose keys stand in its place.
func (a *CreateRemoteRelationship) UnmarshalJSON(raw []byte) error {
	var given struct {
		Source       string          `json:"source" meta:"default=default"`
		Table        catalog.Name    `json:"table" meta:"required"`
		Name         string          `json:"name" meta:"required,nonempty"`
		RemoteSchema json.RawMessage `json:"remote_schema"`
		Definition   json.RawMessage `json:"definition"`
	}
	if err := decode(raw, &given); err != nil {
		return err
	}
	a.Source, a.Table, a.Relationship.Name = given.Source, given.Table, given.Name
	switch {
	case isNull(given.RemoteSchema) == isNull(given.Definition):
		return apierror.New(apierror.ParseFailed,
			"create_remote_relationship expects exactly one of: remote_schema, definition")
	case isNull(given.Definition):
		return decode(raw, &a.Relationship.Definition)
	}
	return apierror.At(decode(given.Definition, &a.Relationship.Definition), "definition")
}

// Apply adds the relationship; one of the same name is replaced.
func (a *CreateRemoteRelationship) Apply(v View) (*Result, error) {
	r, err := v.changeTable(a.Source, a.Table, func(t *Table) error {
		relationship := a.Relationship
		t.RemoteRelationships = inserted(t.RemoteRelationships, &relationship, remoteRelationshipName)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Objects = []ObjectID{remoteRelationshipID(a.Source, a.Table, a.Relationship.Name)}
	return r, nil
}

// UpdateRemoteRelationship are the arguments of update_remote_relationship.
type UpdateRemoteRelationship struct{ CreateRemoteRelationship }

// Apply replaces the definition of the relationship.
func (a *UpdateRemoteRelationship) Apply(v View) (*Result, error) {
	if err := v.checkRemoteRelationship(a.Source, a.Table, a.Relationship.Name); err != nil {
		return nil, err
	}
	return a.CreateRemoteRelationship.Apply(v)
}

// DeleteRemoteRelationship are the arguments of delete_remote_relationship.
type DeleteRemoteRelationship struct {
	Source string       `json:"source" meta:"default=default"`
	Table  catalog.Name `json:"table" meta:"required"`
	Name   string       `json:"name" meta:"required,nonempty"`
}

// Apply removes the relationship.
func (a *DeleteRemoteRelationship) Apply(v View) (*Result, error) {
	if err := v.checkRemoteRelationship(a.Source, a.Table, a.Name); err != nil {
		return nil, err
	}
	id := remoteRelationshipID(a.Source, a.Table, a.Name)
	return &Result{Document: v.Document.Without(id), Objects: []ObjectID{id}}, nil
}

// checkRemoteRelationship refuses a name that stands for no remote relationship.
func (v View) checkRemoteRelationship(source string, table catalog.Name, name string) error {
	_, t, err := v.table(source, table)
	if err != nil {
		return err
	}
	if find(t.RemoteRelationships, remoteRelationshipName, name) == nil {
		return v.wrongField(source, t, name, "remote relationship")
	}
	return nil
}

func remoteRelationshipID(source string, table catalog.Name, name string) ObjectID {
	return ObjectID{Kind: ObjectRemoteRelationship, Source: source, Table: table, Name: name}
}

func remoteRelationshipName(r *RemoteRelationship) string { return r.Name }
