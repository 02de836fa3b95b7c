package metadata

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// Table is one tracked table or view. catalog.Name encodes as {"name","schema"}.
type Table struct {
	Table               catalog.Name                    `json:"table" meta:"required"`
	IsEnum              bool                            `json:"is_enum,omitempty"`
	Configuration       *TableConfiguration             `json:"configuration,omitempty"`
	ObjectRelationships []*Relationship                 `json:"object_relationships,omitempty"`
	ArrayRelationships  []*Relationship                 `json:"array_relationships,omitempty"`
	ComputedFields      []*ComputedField                `json:"computed_fields,omitempty"`
	RemoteRelationships []*RemoteRelationship           `json:"remote_relationships,omitempty"`
	InsertPermissions   []*Permission[InsertPermission] `json:"insert_permissions,omitempty"`
	SelectPermissions   []*Permission[SelectPermission] `json:"select_permissions,omitempty"`
	UpdatePermissions   []*Permission[UpdatePermission] `json:"update_permissions,omitempty"`
	DeletePermissions   []*Permission[DeletePermission] `json:"delete_permissions,omitempty"`
	EventTriggers       []json.RawMessage               `json:"event_triggers,omitempty"`
	ApolloFederation    json.RawMessage                 `json:"apollo_federation_config,omitempty"`
	LogicalModel        string                          `json:"logical_model,omitempty"`
}

func (t *Table) check() error {
	t.Configuration = t.Configuration.normalised()
	t.ApolloFederation = omitEmpty(t.ApolloFederation)
	if err := checkApolloFederation(t.ApolloFederation); err != nil {
		return err
	}
	if err := t.normaliseEventTriggers(); err != nil {
		return err
	}
	for i, r := range t.ArrayRelationships {
		if err := r.Using.checkArray(); err != nil {
			return apierror.At(err, "array_relationships", i, "using")
		}
	}
	byName := func(a, b *Relationship) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(t.ObjectRelationships, byName)
	slices.SortFunc(t.ArrayRelationships, byName)
	slices.SortFunc(t.ComputedFields, func(a, b *ComputedField) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(t.RemoteRelationships, func(a, b *RemoteRelationship) int { return strings.Compare(a.Name, b.Name) })
	sortByRole(t.InsertPermissions)
	sortByRole(t.SelectPermissions)
	sortByRole(t.UpdatePermissions)
	sortByRole(t.DeletePermissions)
	return t.checkDuplicates()
}

func (t *Table) checkDuplicates() error {
	relationship := func(r *Relationship) string { return r.Name }
	for _, list := range []struct{ things, names string }{
		{"object relationships", duplicates(t.ObjectRelationships, relationship)},
		{"array relationships", duplicates(t.ArrayRelationships, relationship)},
		{"computed fields", duplicates(t.ComputedFields, func(f *ComputedField) string { return f.Name })},
		{"remote relationships", duplicates(t.RemoteRelationships, remoteRelationshipName)},
		{"insert permissions", duplicates(t.InsertPermissions, roleOf)},
		{"select permissions", duplicates(t.SelectPermissions, roleOf)},
		{"update permissions", duplicates(t.UpdatePermissions, roleOf)},
		{"delete permissions", duplicates(t.DeletePermissions, roleOf)},
	} {
		if list.names != "" {
			return duplicateError(list.things, list.names)
		}
	}
	return nil
}

// TrackTable are the arguments of track_table.
type TrackTable struct {
	Source           string              `json:"source" meta:"default=default"`
	Table            catalog.Name        `json:"table" meta:"required"`
	IsEnum           bool                `json:"is_enum"`
	Configuration    *TableConfiguration `json:"configuration"`
	ApolloFederation json.RawMessage     `json:"apollo_federation_config"`
	LogicalModel     string              `json:"logical_model"`
}

// UnmarshalJSON also reads the old form, which is only the table's name.
func (a *TrackTable) UnmarshalJSON(raw []byte) error {
	if name, ok := bareName(raw, "table"); ok {
		a.Source = DefaultSource
		return decode(name, &a.Table)
	}
	type fields TrackTable
	if err := decode(raw, (*fields)(a)); err != nil {
		return err
	}
	return checkApolloFederation(omitEmpty(a.ApolloFederation))
}

// Apply tracks the table.
func (a *TrackTable) Apply(v View) (*Result, error) {
	source, err := v.usableSource(a.Source)
	if err != nil {
		return nil, err
	}
	if source.Table(a.Table) != nil {
		return nil, apierror.Newf(apierror.AlreadyTracked, "view/table already tracked: %q", source.Display(a.Table))
	}
	if source.Function(a.Table) != nil {
		return nil, apierror.Newf(apierror.NotSupported, "function with name %q already exists", source.Display(a.Table))
	}
	if v.Schema.IsRemoteField(a.Table.Name) {
		return nil, apierror.Newf(apierror.RemoteSchemaConflicts, "node %s already exists in current graphql schema", a.Table.Name)
	}
	table := &Table{
		Table:            a.Table,
		IsEnum:           a.IsEnum,
		Configuration:    a.Configuration.normalised(),
		ApolloFederation: omitEmpty(a.ApolloFederation),
		LogicalModel:     a.LogicalModel,
	}
	return &Result{
		Document:   v.Document.withTable(source, table),
		Objects:    []ObjectID{tableID(a.Source, a.Table)},
		Introspect: Introspection{Tables: []SourceTable{{a.Source, a.Table}}},
		Reply:      replyOf(source.unusedOfTable(table)),
	}, nil
}

// UntrackTable are the arguments of untrack_table.
type UntrackTable struct {
	Source  string       `json:"source" meta:"default=default"`
	Table   catalog.Name `json:"table" meta:"required"`
	Cascade bool         `json:"cascade"`
}

// Apply forgets the table with all that is defined on it.
func (a *UntrackTable) Apply(v View) (*Result, error) {
	source, err := v.usableSource(a.Source)
	if err != nil {
		return nil, err
	}
	if source.Table(a.Table) == nil {
		return nil, apierror.Newf(apierror.AlreadyUntracked, "view/table already untracked: %q", source.Display(a.Table))
	}
	id := tableID(a.Source, a.Table)
	doc, err := v.drop(v.Document, a.Cascade, id)
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc.withoutTable(a.Source, a.Table), Verdict: VerdictAny}, nil
}

// SetTableCustomization are the arguments of set_table_customization.
type SetTableCustomization struct {
	Source        string              `json:"source" meta:"default=default"`
	Table         catalog.Name        `json:"table" meta:"required"`
	Configuration *TableConfiguration `json:"configuration" meta:"required"`
}

// Apply replaces the whole configuration of the table.
func (a *SetTableCustomization) Apply(v View) (*Result, error) {
	return v.changeTable(a.Source, a.Table, func(t *Table) error {
		t.Configuration = a.Configuration.normalised()
		return nil
	})
}

// SetTableCustomFields are the arguments of the old set_table_custom_fields.
type SetTableCustomFields struct {
	Source            string                     `json:"source" meta:"default=default"`
	Table             catalog.Name               `json:"table" meta:"required"`
	CustomRootFields  map[string]CustomRootField `json:"custom_root_fields"`
	CustomColumnNames map[string]string          `json:"custom_column_names"`
}

// Apply replaces the names of columns and root fields, and drops the rest of the
// configuration.
func (a *SetTableCustomFields) Apply(v View) (*Result, error) {
	return v.changeTable(a.Source, a.Table, func(t *Table) error {
		c := &TableConfiguration{CustomRootFields: a.CustomRootFields, CustomColumnNames: a.CustomColumnNames}
		if err := c.check(); err != nil {
			return err
		}
		t.Configuration = c.normalised()
		return nil
	})
}

// SetTableIsEnum are the arguments of set_table_is_enum.
type SetTableIsEnum struct {
	Source string       `json:"source" meta:"default=default"`
	Table  catalog.Name `json:"table" meta:"required"`
	IsEnum bool         `json:"is_enum" meta:"required"`
}

// Apply makes the table an enum, or an ordinary table again.
func (a *SetTableIsEnum) Apply(v View) (*Result, error) {
	r, err := v.changeTable(a.Source, a.Table, func(t *Table) error {
		t.IsEnum = a.IsEnum
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Introspect.Tables = []SourceTable{{a.Source, a.Table}}
	return r, nil
}

// SetApolloFederation are the arguments of set_apollo_federation_config.
type SetApolloFederation struct {
	Source           string          `json:"source" meta:"default=default"`
	Table            catalog.Name    `json:"table" meta:"required"`
	ApolloFederation json.RawMessage `json:"apollo_federation_config"`
}

func (a *SetApolloFederation) check() error {
	return checkApolloFederation(omitEmpty(a.ApolloFederation))
}

// Apply sets the configuration, or removes it when none is given.
func (a *SetApolloFederation) Apply(v View) (*Result, error) {
	return v.changeTable(a.Source, a.Table, func(t *Table) error {
		t.ApolloFederation = omitEmpty(a.ApolloFederation)
		return nil
	})
}

func tableID(source string, table catalog.Name) ObjectID {
	return ObjectID{Kind: ObjectTable, Source: source, Table: table}
}

// bareName distinguishes arguments that are only a name, as a text or as {"schema","name"}, from those
// that have the name under key.
func bareName(raw json.RawMessage, key string) (json.RawMessage, bool) {
	switch JSONType(raw) {
	case "String":
		return raw, true
	case "Object":
		fields, err := object(raw)
		if err != nil || fields[key] != nil || fields["name"] == nil {
			return nil, false
		}
		return raw, true
	}
	return nil, false
}
