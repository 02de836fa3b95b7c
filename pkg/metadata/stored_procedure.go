package metadata

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
)

// StoredProcedure is a root field that a procedure of the database answers.
type StoredProcedure struct {
	StoredProcedure catalog.Name                 `json:"stored_procedure" meta:"required"`
	Configuration   StoredProcedureConfiguration `json:"configuration" meta:"required"`
	// Arguments are parameters of the procedure, by their names without @.
	Arguments map[string]NativeQueryArgument `json:"arguments,omitempty"`
	// Returns is the logical model of the rows.
	Returns     string  `json:"returns" meta:"required,nonempty"`
	Description *string `json:"description,omitempty"`
}

// StoredProcedureConfiguration says how a procedure is offered.
type StoredProcedureConfiguration struct {
	ExposedAs string `json:"exposed_as" meta:"required"`
	// CustomName is the name of the root field, "" for one that is made of the procedure's name.
	CustomName string `json:"custom_name,omitempty"`
}

func (c *StoredProcedureConfiguration) check() error {
	if c.CustomName != "" && !gqlname.Valid(c.CustomName) {
		return apierror.At(nameError(c.CustomName), "custom_name")
	}
	return apierror.At(checkWord(c.ExposedAs, "query"), "exposed_as")
}

func (p *StoredProcedure) check() error {
	for _, name := range sortedKeys(p.Arguments) {
		if !gqlname.Valid(name) {
			return apierror.At(nameError(name), "arguments")
		}
	}
	return nil
}

// AsNativeQuery is the procedure in the form of a native query: its root field, arguments and rows. Its code is
// empty. The name of the root field, before customization, has the schema in front where that isn't the default
// one.
func (p *StoredProcedure) AsNativeQuery(s *Source) *NativeQuery {
	field := p.Configuration.CustomName
	if field == "" {
		field = p.StoredProcedure.Name
		if p.StoredProcedure.Schema != defaultSchema(s.Kind) {
			field = p.StoredProcedure.Schema + "_" + field
		}
	}
	return &NativeQuery{RootField: field, Arguments: p.Arguments, Returns: NativeQueryReturns{Model: p.Returns}, Description: p.Description}
}

// StoredProcedure returns the tracked procedure of that name, or nil.
func (s *Source) StoredProcedure(name catalog.Name) *StoredProcedure {
	return find(s.StoredProcedures, storedProcedureKey, procedureKey(name))
}

// TrackStoredProcedure are the arguments of track_stored_procedure.
type TrackStoredProcedure struct {
	Source string `json:"source" meta:"required"`
	StoredProcedure
}

func (a *TrackStoredProcedure) check() error { return a.StoredProcedure.check() }

// Apply adds the procedure, which is looked up in the database.
func (a *TrackStoredProcedure) Apply(v View) (*Result, error) {
	source, err := v.trackingSource(a.Source)
	if err != nil {
		return nil, err
	}
	name := a.StoredProcedure.StoredProcedure
	if source.StoredProcedure(name) != nil {
		return nil, apierror.Newf(apierror.AlreadyTracked, "Stored procedure '%s' is already tracked.", source.Display(name))
	}
	if !v.Atomic && source.LogicalModel(a.Returns) == nil {
		return nil, apierror.Newf(apierror.NotFound, "The logical model %s could not be found", a.Returns)
	}
	n, procedure := *source, a.StoredProcedure
	n.StoredProcedures = inserted(source.StoredProcedures, &procedure, storedProcedureKey)
	return &Result{
		Document: v.Document.withSource(&n), Objects: []ObjectID{storedProcedureID(a.Source, name)},
		Introspect: Introspection{Functions: []SourceTable{{Source: a.Source, Name: name}}},
	}, nil
}

// UntrackStoredProcedure are the arguments of untrack_stored_procedure.
type UntrackStoredProcedure struct {
	Source          string       `json:"source" meta:"required"`
	StoredProcedure catalog.Name `json:"stored_procedure" meta:"required"`
}

// Apply forgets the procedure.
func (a *UntrackStoredProcedure) Apply(v View) (*Result, error) {
	source := v.sourceOfKind(a.Source)
	if source == nil || source.StoredProcedure(a.StoredProcedure) == nil {
		return nil, apierror.Newf(apierror.NotFound, "Stored Procedure %q not found in source %q.",
			v.display(a.Source, a.StoredProcedure), a.Source)
	}
	id := storedProcedureID(a.Source, a.StoredProcedure)
	return &Result{Document: v.Document.Without(id), Objects: []ObjectID{id}}, nil
}

// GetStoredProcedure are the arguments of get_stored_procedure.
type GetStoredProcedure struct {
	Source string `json:"source" meta:"required"`
}

// Answer lists the tracked procedures of the source.
func (a *GetStoredProcedure) Answer(v View) (json.RawMessage, error) {
	source, err := v.listedSource(a.Source)
	if err != nil {
		return nil, err
	}
	return Encode(append([]*StoredProcedure{}, source.StoredProcedures...))
}

// checkProcedures brings the procedures into the order of the export.
func (s *Source) checkProcedures() error {
	slices.SortFunc(s.StoredProcedures, func(a, b *StoredProcedure) int {
		return strings.Compare(storedProcedureKey(a), storedProcedureKey(b))
	})
	if d := duplicates(s.StoredProcedures, func(p *StoredProcedure) string { return s.Display(p.StoredProcedure) }); d != "" {
		return duplicateError("stored procedures", d)
	}
	return nil
}

func storedProcedureKey(p *StoredProcedure) string { return procedureKey(p.StoredProcedure) }

// procedureKey sorts like the names.
func procedureKey(name catalog.Name) string { return name.Schema + "\x00" + name.Name }

func storedProcedureID(source string, name catalog.Name) ObjectID {
	return ObjectID{Kind: ObjectStoredProcedure, Source: source, Table: name}
}
