package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// Relationship is an object or array relationship of a table.
type Relationship struct {
	Name    string            `json:"name" meta:"required,nonempty"`
	Using   RelationshipUsing `json:"using" meta:"required"`
	Comment *string           `json:"comment,omitempty"`
}

// RelationshipUsing is one of: a foreign key of this table (Columns), a foreign key of
// another table that points here (Remote), a manual mapping (Manual). Its JSON forms are
// those of the wire format.
type RelationshipUsing struct {
	Columns []string
	Remote  *RemoteForeignKey
	Manual  *ManualConfiguration
}

// RemoteForeignKey names the foreign key of another table.
type RemoteForeignKey struct {
	Table   catalog.Name
	Columns []string
}

// ManualConfiguration maps columns of this table to columns of the other.
type ManualConfiguration struct {
	ColumnMapping  map[string]string `json:"column_mapping" meta:"required"`
	InsertionOrder *string           `json:"insertion_order"`
	RemoteTable    catalog.Name      `json:"remote_table" meta:"required"`
}

func (m *ManualConfiguration) check() error {
	if o := m.InsertionOrder; o != nil && *o != "before_parent" && *o != "after_parent" {
		return apierror.At(apierror.New(apierror.ParseFailed,
			"insertion_order should be one of 'before_parent', 'after_parent'"), "insertion_order")
	}
	return nil
}

// MarshalJSON writes the form of the wire format; one column becomes a text.
func (u RelationshipUsing) MarshalJSON() ([]byte, error) {
	type keys struct {
		ForeignKey any                  `json:"foreign_key_constraint_on,omitempty"`
		Manual     *ManualConfiguration `json:"manual_configuration,omitempty"`
	}
	switch {
	case u.Manual != nil:
		return Encode(keys{Manual: u.Manual})
	case u.Remote != nil:
		remote := struct {
			Column  string       `json:"column,omitempty"`
			Columns []string     `json:"columns,omitempty"`
			Table   catalog.Name `json:"table"`
		}{Table: u.Remote.Table}
		if len(u.Remote.Columns) == 1 {
			remote.Column = u.Remote.Columns[0]
		} else {
			remote.Columns = u.Remote.Columns
		}
		return Encode(keys{ForeignKey: remote})
	case len(u.Columns) == 1:
		return Encode(keys{ForeignKey: u.Columns[0]})
	}
	return Encode(keys{ForeignKey: u.Columns})
}

// UnmarshalJSON reads all forms of the wire format.
func (u *RelationshipUsing) UnmarshalJSON(raw []byte) error {
	*u = RelationshipUsing{}
	if JSONType(raw) != "Object" {
		return apierror.New(apierror.ParseFailed, "using should be an object")
	}
	fields, err := object(raw)
	if err != nil {
		return err
	}
	foreignKey, manual := fields["foreign_key_constraint_on"], fields["manual_configuration"]
	switch {
	case foreignKey == nil && manual == nil:
		return apierror.New(apierror.ParseFailed,
			"atleast one of foreign_key_constraint_on/manual_configuration should be present")
	case foreignKey != nil && manual != nil:
		return apierror.New(apierror.ParseFailed,
			"only one of foreign_key_constraint_on/manual_configuration should be present")
	case manual != nil:
		u.Manual = &ManualConfiguration{}
		return apierror.At(decode(manual, u.Manual), "manual_configuration")
	}
	return apierror.At(u.decodeForeignKey(foreignKey), "foreign_key_constraint_on")
}

// foreignKeyKeys name a foreign key of another table.
type foreignKeyKeys struct {
	Table   catalog.Name `json:"table" meta:"required"`
	Column  *string      `json:"column"`
	Columns *columnNames `json:"columns"`
}

func (u *RelationshipUsing) decodeForeignKey(raw json.RawMessage) error {
	switch JSONType(raw) {
	case "String", "Array":
		return decode(raw, (*columnNames)(&u.Columns))
	}
	var key foreignKeyKeys
	if err := decode(raw, &key); err != nil {
		return err
	}
	if (key.Column == nil) == (key.Columns == nil) {
		return apierror.New(apierror.ParseFailed, "expected exactly one of 'column' or 'columns'")
	}
	u.Remote = &RemoteForeignKey{Table: key.Table}
	if key.Column != nil {
		u.Remote.Columns = []string{*key.Column}
	} else {
		u.Remote.Columns = *key.Columns
	}
	return nil
}

// columnNames is a list of columns, or the name of one.
type columnNames []string

// UnmarshalJSON reads both forms.
func (c *columnNames) UnmarshalJSON(raw []byte) error {
	if JSONType(raw) == "String" {
		*c = make(columnNames, 1)
		return decode(raw, &(*c)[0])
	}
	return decode(raw, (*[]string)(c))
}

// checkArray refuses the forms that only an object relationship has.
func (u *RelationshipUsing) checkArray() error {
	if u.Columns != nil {
		return apierror.At(apierror.New(apierror.ParseFailed, "Expecting object { table, columns }."),
			"foreign_key_constraint_on")
	}
	return nil
}

// CreateRelationship are the arguments of create_object_relationship.
type CreateRelationship struct {
	Source string       `json:"source" meta:"default=default"`
	Table  catalog.Name `json:"table" meta:"required"`
	Relationship
}

// Apply adds the object relationship.
func (a *CreateRelationship) Apply(v View) (*Result, error) { return a.apply(v, false) }

func (a *CreateRelationship) apply(v View, array bool) (*Result, error) {
	r, err := v.changeTable(a.Source, a.Table, func(t *Table) error {
		if v.hasField(a.Source, t, a.Name) {
			return fieldExists(v.display(a.Source, a.Table), a.Name)
		}
		relationship := a.Relationship
		list := t.relationships(array)
		*list = inserted(*list, &relationship, relationshipName)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Objects = []ObjectID{relationshipID(a.Source, a.Table, array, a.Name)}
	return r, nil
}

// fieldExists refuses a field whose name the table already has.
func fieldExists(table, name string) error {
	return apierror.Newf(apierror.AlreadyExists, "field with name %q already exists in table %q", name, table)
}

// CreateArrayRelationship are the arguments of create_array_relationship.
type CreateArrayRelationship struct{ CreateRelationship }

func (a *CreateArrayRelationship) check() error {
	return apierror.At(a.Using.checkArray(), "using")
}

// Apply adds the array relationship.
func (a *CreateArrayRelationship) Apply(v View) (*Result, error) { return a.apply(v, true) }

// DropRelationship are the arguments of drop_relationship.
type DropRelationship struct {
	Source       string       `json:"source" meta:"default=default"`
	Table        catalog.Name `json:"table" meta:"required"`
	Relationship string       `json:"relationship" meta:"required,nonempty"`
	Cascade      bool         `json:"cascade"`
}

// Apply removes the relationship, with cascade the permissions that use it too.
func (a *DropRelationship) Apply(v View) (*Result, error) {
	_, array, err := v.relationship(a.Source, a.Table, a.Relationship)
	if err != nil {
		return nil, err
	}
	id := relationshipID(a.Source, a.Table, array, a.Relationship)
	if a.Cascade {
		for _, d := range v.Schema.Dependents(id) {
			if !d.isPermission() && d.Kind != ObjectFunctionPermission {
				return nil, apierror.New(apierror.Unexpected, "unexpected dependency of relationship: "+v.Schema.Describe(d))
			}
		}
	}
	doc, err := v.drop(v.Document, a.Cascade, id)
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc.Without(id), Verdict: VerdictAny}, nil
}

// SetRelationshipComment are the arguments of set_relationship_comment.
type SetRelationshipComment struct {
	Source       string       `json:"source" meta:"default=default"`
	Table        catalog.Name `json:"table" meta:"required"`
	Relationship string       `json:"relationship" meta:"required,nonempty,alias=name"`
	Comment      *string      `json:"comment"`
}

// Apply sets the comment, or removes it when none is given.
func (a *SetRelationshipComment) Apply(v View) (*Result, error) {
	old, array, err := v.relationship(a.Source, a.Table, a.Relationship)
	if err != nil {
		return nil, err
	}
	return v.changeTable(a.Source, a.Table, func(t *Table) error {
		n := *old
		n.Comment = a.Comment
		list := t.relationships(array)
		*list = inserted(*list, &n, relationshipName)
		return nil
	})
}

// RenameRelationship are the arguments of rename_relationship.
type RenameRelationship struct {
	Source  string       `json:"source" meta:"default=default"`
	Table   catalog.Name `json:"table" meta:"required"`
	Name    string       `json:"name" meta:"required,nonempty"`
	NewName string       `json:"new_name" meta:"required,nonempty"`
}

// Apply renames the relationship and follows it through the permissions of the source.
func (a *RenameRelationship) Apply(v View) (*Result, error) {
	_, array, err := v.relationship(a.Source, a.Table, a.Name)
	if err != nil {
		return nil, err
	}
	source := v.Document.Source(a.Source)
	if v.hasField(a.Source, source.Table(a.Table), a.NewName) {
		return nil, apierror.Newf(apierror.AlreadyExists,
			"cannot rename relationship %q to %q in table %q as a column/relationship with the name already exists",
			a.Name, a.NewName, source.Display(a.Table))
	}
	id := relationshipID(a.Source, a.Table, array, a.Name)
	doc, err := v.Schema.RenameRelationship(id, a.NewName)
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc, Verdict: VerdictAny}, nil
}

func relationshipID(source string, table catalog.Name, array bool, name string) ObjectID {
	kind := ObjectObjectRelation
	if array {
		kind = ObjectArrayRelation
	}
	return ObjectID{Kind: kind, Source: source, Table: table, Name: name}
}

func relationshipName(r *Relationship) string { return r.Name }

// relationships is the list of the one kind or the other.
func (t *Table) relationships(array bool) *[]*Relationship {
	if array {
		return &t.ArrayRelationships
	}
	return &t.ObjectRelationships
}
