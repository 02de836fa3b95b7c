package metadata

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// ComputedField is a field whose value a function of the row gives.
type ComputedField struct {
	Name       string                  `json:"name" meta:"required,nonempty"`
	Definition ComputedFieldDefinition `json:"definition" meta:"required"`
	Comment    *string                 `json:"comment,omitempty"`
}

// ComputedFieldDefinition names the function.
type ComputedFieldDefinition struct {
	Function        catalog.Name `json:"function" meta:"required"`
	TableArgument   string       `json:"table_argument,omitempty"`
	SessionArgument string       `json:"session_argument,omitempty"`
	// ReturnTable is the tracked table whose rows a function returns, where the database doesn't tell: see
	// MappedArguments. Without one, the rows have the fields that the function declares.
	ReturnTable *catalog.Name `json:"return_table,omitempty"`
	// ArgumentMapping gives arguments the values of columns of the row: see MappedArguments.
	ArgumentMapping map[string]string `json:"argument_mapping,omitempty"`
}

// AddComputedField are the arguments of add_computed_field.
type AddComputedField struct {
	Source string       `json:"source" meta:"default=default"`
	Table  catalog.Name `json:"table" meta:"required"`
	ComputedField
}

// Apply adds the field. A computed field of the same name stays as it is, and the request is
// refused.
func (a *AddComputedField) Apply(v View) (*Result, error) {
	if _, _, err := v.table(a.Source, a.Table); err != nil {
		return nil, apierror.At(err, "table")
	}
	r, err := v.changeTable(a.Source, a.Table, func(t *Table) error {
		if find(t.ComputedFields, computedFieldName, a.Name) != nil {
			return fieldExists(v.display(a.Source, a.Table), a.Name)
		}
		field := a.ComputedField
		t.ComputedFields = inserted(t.ComputedFields, &field, computedFieldName)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Objects = []ObjectID{computedFieldID(a.Source, a.Table, a.Name)}
	r.Introspect.Functions = []SourceTable{{a.Source, a.Definition.Function}}
	return r, nil
}

// DropComputedField are the arguments of drop_computed_field.
type DropComputedField struct {
	Source  string       `json:"source" meta:"default=default"`
	Table   catalog.Name `json:"table" meta:"required"`
	Name    string       `json:"name" meta:"required,nonempty"`
	Cascade bool         `json:"cascade"`
}

// Apply removes the field, with cascade the permissions that use it too.
func (a *DropComputedField) Apply(v View) (*Result, error) {
	_, table, err := v.table(a.Source, a.Table)
	if err != nil {
		return nil, apierror.At(err, "table")
	}
	if find(table.ComputedFields, computedFieldName, a.Name) == nil {
		return nil, apierror.At(v.wrongField(a.Source, table, a.Name, "computed field"), "name")
	}
	id := computedFieldID(a.Source, a.Table, a.Name)
	doc, err := v.drop(v.Document, a.Cascade, id)
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc.Without(id), Verdict: VerdictAny}, nil
}

func computedFieldID(source string, table catalog.Name, name string) ObjectID {
	return ObjectID{Kind: ObjectComputedField, Source: source, Table: table, Name: name}
}

func computedFieldName(f *ComputedField) string { return f.Name }
