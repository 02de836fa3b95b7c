package metadata

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
)

// NativeQuery is a root field that a statement of the document answers.
type NativeQuery struct {
	RootField string `json:"root_field_name" meta:"required,nonempty"`
	// Code is the statement, with {{name}} where an argument's value stands.
	Code                string                         `json:"code" meta:"required"`
	Arguments           map[string]NativeQueryArgument `json:"arguments,omitempty"`
	Returns             NativeQueryReturns             `json:"returns" meta:"required"`
	ObjectRelationships []*NativeQueryRelationship     `json:"object_relationships,omitempty"`
	ArrayRelationships  []*NativeQueryRelationship     `json:"array_relationships,omitempty"`
	Description         *string                        `json:"description,omitempty"`
}

func (q *NativeQuery) check() error {
	if !gqlname.Valid(q.RootField) {
		return apierror.At(nameError(q.RootField), "root_field_name")
	}
	for _, name := range sortedKeys(q.Arguments) {
		if !gqlname.Valid(name) {
			return apierror.At(nameError(name), "arguments")
		}
	}
	parts, err := q.Parts()
	if err != nil {
		return apierror.At(err, "code")
	}
	if undeclared := q.undeclared(parts); len(undeclared) > 0 {
		return apierror.New(apierror.ValidationFailed,
			"The following columns are used in the query, but are not declared as arguments: "+strings.Join(undeclared, ", "))
	}
	byName := func(a, b *NativeQueryRelationship) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(q.ObjectRelationships, byName)
	slices.SortFunc(q.ArrayRelationships, byName)
	name := func(r *NativeQueryRelationship) string { return r.Name }
	if d := duplicates(append(slices.Clone(q.ObjectRelationships), q.ArrayRelationships...), name); d != "" {
		return duplicateError("relationships", d)
	}
	return nil
}

// undeclared are the names in the code that are no arguments, sorted.
func (q *NativeQuery) undeclared(parts []CodePart) []string {
	var names []string
	for _, p := range parts {
		if _, declared := q.Arguments[p.Argument]; p.Argument != "" && !declared {
			names = append(names, p.Argument)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CodePart is a piece of a native query's code: text, or the place of an argument.
type CodePart struct {
	Text     string
	Argument string
}

// Parts cuts the code at its placeholders.
func (q *NativeQuery) Parts() ([]CodePart, error) {
	var parts []CodePart
	rest := q.Code
	for {
		text, after, found := strings.Cut(rest, "{{")
		if text != "" {
			parts = append(parts, CodePart{Text: text})
		}
		if !found {
			return parts, nil
		}
		name, next, closed := strings.Cut(after, "}}")
		if !closed {
			return nil, apierror.New(apierror.ParseFailed, "Found '{{' without a matching closing '}}'")
		}
		name = strings.TrimSpace(name)
		if !gqlname.Valid(name) {
			return nil, apierror.Newf(apierror.ParseFailed, "%q between '{{' and '}}' is not the name of an argument", name)
		}
		parts = append(parts, CodePart{Argument: name})
		rest = next
	}
}

// NativeQueryArgument is an argument that the client gives.
type NativeQueryArgument struct {
	// Type is the name of a scalar of the database.
	Type        string  `json:"type" meta:"required,nonempty"`
	Nullable    bool    `json:"nullable"`
	Description *string `json:"description,omitempty"`
}

// NativeQueryReturns is what rows a native query has: those of a tracked logical model, or of
// one that it defines itself.
type NativeQueryReturns struct {
	Model  string
	Inline *InlineModel
}

// InlineModel is a logical model without a name of its own.
type InlineModel struct {
	Fields            []LogicalModelField             `json:"fields" meta:"required"`
	SelectPermissions []*Permission[SelectPermission] `json:"select_permissions,omitempty"`
}

func (m *InlineModel) check() error {
	sortByRole(m.SelectPermissions)
	return firstError(checkModelFields(m.Fields), checkModelPermissions(m.SelectPermissions))
}

// MarshalJSON writes the name, or the model itself.
func (r NativeQueryReturns) MarshalJSON() ([]byte, error) {
	if r.Inline != nil {
		return Encode(r.Inline)
	}
	return Encode(r.Model)
}

// UnmarshalJSON reads both forms.
func (r *NativeQueryReturns) UnmarshalJSON(raw []byte) error {
	*r = NativeQueryReturns{}
	if JSONType(raw) == "String" {
		return decode(raw, &r.Model)
	}
	return decode(raw, &r.Inline)
}

// InlineModelName is what the model is called that the native query of that root field
// defines itself.
func InlineModelName(rootField string) string { return "inner_logical_model_" + rootField }

// NativeQueryRelationship leads from the rows of a native query to those of a table or of
// another native query.
type NativeQueryRelationship struct {
	Name  string             `json:"name" meta:"required,nonempty"`
	Using NativeQueryMapping `json:"using" meta:"required"`
}

// NativeQueryMapping pairs the columns of both sides. Exactly one of RemoteTable and
// RemoteNativeQuery is set.
type NativeQueryMapping struct {
	ColumnMapping     map[string]string `json:"column_mapping" meta:"required"`
	RemoteTable       *catalog.Name     `json:"remote_table,omitempty"`
	RemoteNativeQuery string            `json:"remote_native_query,omitempty"`
	InsertionOrder    *string           `json:"insertion_order"`
}

func (m *NativeQueryMapping) check() error {
	if (m.RemoteTable == nil) == (m.RemoteNativeQuery == "") {
		return apierror.New(apierror.ParseFailed, "expected exactly one of 'remote_table' or 'remote_native_query'")
	}
	return nil
}

// TrackNativeQuery are the arguments of track_native_query.
type TrackNativeQuery struct {
	Source string `json:"source" meta:"required"`
	NativeQuery
}

func (a *TrackNativeQuery) check() error { return a.NativeQuery.check() }

// Apply adds the native query; its statement is checked against the database.
func (a *TrackNativeQuery) Apply(v View) (*Result, error) {
	source, err := v.trackingSource(a.Source)
	if err != nil {
		return nil, err
	}
	if source.NativeQuery(a.RootField) != nil {
		return nil, apierror.Newf(apierror.AlreadyTracked, "Native query '%s' is already tracked.", a.RootField)
	}
	if !v.Atomic && a.Returns.Inline == nil && source.LogicalModel(a.Returns.Model) == nil {
		return nil, apierror.Newf(apierror.NotFound, "The logical model %s could not be found", a.Returns.Model)
	}
	query := a.NativeQuery
	id := nativeQueryID(a.Source, a.RootField)
	return &Result{
		Document: v.Document.withNativeQuery(source, &query),
		Objects:  []ObjectID{id},
		Validate: []ObjectID{id},
	}, nil
}

// UntrackNativeQuery are the arguments of untrack_native_query.
type UntrackNativeQuery struct {
	Source    string `json:"source" meta:"required"`
	RootField string `json:"root_field_name" meta:"required,nonempty"`
}

// Apply forgets the native query.
func (a *UntrackNativeQuery) Apply(v View) (*Result, error) {
	source := v.sourceOfKind(a.Source)
	if source == nil || source.NativeQuery(a.RootField) == nil {
		return nil, nativeQueryNotFound(a.RootField, a.Source)
	}
	id := nativeQueryID(a.Source, a.RootField)
	return &Result{Document: v.Document.Without(id), Objects: []ObjectID{id}}, nil
}

// GetNativeQuery are the arguments of get_native_query.
type GetNativeQuery struct {
	Source string `json:"source" meta:"required"`
}

// Answer lists the native queries of the source.
func (a *GetNativeQuery) Answer(v View) (json.RawMessage, error) {
	source, err := v.listedSource(a.Source)
	if err != nil {
		return nil, err
	}
	return Encode(append([]*NativeQuery{}, source.NativeQueries...))
}

// NativeQuery returns the native query of that root field, or nil.
func (s *Source) NativeQuery(rootField string) *NativeQuery {
	return find(s.NativeQueries, nativeQueryName, rootField)
}

// withNativeQuery puts q instead of the native query of its root field in s.
func (d *Document) withNativeQuery(s *Source, q *NativeQuery) *Document {
	n := *s
	n.NativeQueries = inserted(s.NativeQueries, q, nativeQueryName)
	return d.withSource(&n)
}

// ShareModels replaces the native queries, procedures, logical models and published changes of s that equal those of old by
// these, so that what did not change is the same by its pointer.
func (s *Source) ShareModels(old *Source) {
	s.NativeQueries = share(s.NativeQueries, old.NativeQueries, nativeQueryName)
	s.StoredProcedures = share(s.StoredProcedures, old.StoredProcedures, storedProcedureKey)
	s.LogicalModels = share(s.LogicalModels, old.LogicalModels, logicalModelName)
	s.PublishedChanges = share(s.PublishedChanges, old.PublishedChanges, publishedName)
}

// checkModels brings native queries, procedures and logical models into the order of the export.
func (s *Source) checkModels() error {
	slices.SortFunc(s.NativeQueries, func(a, b *NativeQuery) int { return strings.Compare(a.RootField, b.RootField) })
	sortLogicalModels(s.LogicalModels)
	if d := duplicates(s.NativeQueries, nativeQueryName); d != "" {
		return duplicateError("native queries", d)
	}
	if d := duplicates(s.LogicalModels, logicalModelName); d != "" {
		return duplicateError("logical models", d)
	}
	return s.checkProcedures()
}

func nativeQueryNotFound(rootField, source string) error {
	return apierror.Newf(apierror.NotFound, "Native query %q not found in source %q.", rootField, source)
}

func nativeQueryName(q *NativeQuery) string { return q.RootField }

func nativeQueryID(source, rootField string) ObjectID {
	return ObjectID{Kind: ObjectNativeQuery, Source: source, Name: rootField}
}
