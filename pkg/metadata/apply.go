package metadata

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// DefaultSource is the source that commands mean when they name none.
const DefaultSource = "default"

// Command is the arguments of an operation that changes the document.
type Command interface {
	Apply(v View) (*Result, error)
}

// Query is the arguments of an operation that only reads.
type Query interface {
	Answer(v View) (json.RawMessage, error)
}

// View is what an operation may look at.
type View struct {
	Version  int64
	Document *Document
	Catalogs map[string]*catalog.Source
	// Remotes is what remote schemas answered to introspection, by their names.
	Remotes      map[string]json.RawMessage
	Inconsistent []Inconsistency
	// Kinds are the kinds of sources that there are backends for.
	Kinds Kinds
	// Kind is the kind of sources that the command's prefix asks for, "" for none.
	Kind string
	// Atomic reports whether later operations may add what this one refers to.
	Atomic bool
	// Leaving are the tables that the same request untracks: what depends on others from there goes with them.
	Leaving map[SourceTable]bool
	// Schema answers questions about document and catalogs together.
	Schema Schema
}

// Schema knows how the objects of a document hang together.
type Schema interface {
	// Dependents are the objects that need one of ids, directly or by another object, in
	// the order of their descriptions; what goes together with its table isn't among them.
	Dependents(ids ...ObjectID) []ObjectID
	// Describe is the text of an object in dependency errors.
	Describe(id ObjectID) string
	// RenameRelationship returns the document with the relationship renamed, in its table
	// and wherever a permission walks through it.
	RenameRelationship(id ObjectID, name string) (*Document, error)
	// IsColumn reports whether the table has a column of that name in the database. A field of
	// the GraphQL name of a column is found out as inconsistent.
	IsColumn(source string, table catalog.Name, name string) bool
	// FunctionRefusal is why a function of db, a newer catalog of the source, can't be tracked as it is,
	// "" when it can.
	FunctionRefusal(source string, db *catalog.Source, function catalog.Name) string
	// EnumRefusal is why a table can't be an enum, whatever rows it has; "" when it can be one.
	EnumRefusal(source string, t *catalog.Table) string
	// HasRemotePermissions reports whether permissions hide remote schemas from roles.
	HasRemotePermissions() bool
	// OpenRole is the role of requests without credentials, "" for none.
	OpenRole() string
	// CheckRemotePermission refuses the document of a permission that doesn't fit the remote
	// schema.
	CheckRemotePermission(remote, document string) error
	// IsRemoteField reports whether a remote schema has a root field of that name for queries.
	IsRemoteField(name string) bool
	// TypeName is a type's name in words of the source's kind: integer, not int4.
	TypeName(source string, t catalog.Type) string
}

// Result is what a Command wants done.
type Result struct {
	Document *Document
	// Verdict decides which new inconsistencies refuse the request.
	Verdict Verdict
	// Objects are those that the request names: when one of them is inconsistent
	// afterwards, its reason is the answer (VerdictNamed).
	Objects []ObjectID
	// Introspect names what the catalogs have to be read again.
	Introspect Introspection
	// ClearActions are actions whose stored calls are to be forgotten.
	ClearActions []string
	// Validate are native queries whose statements the database has to accept.
	Validate []ObjectID
	// Reply makes the body from the state after the change; nil for {"message":"success"}.
	Reply func(after View) (json.RawMessage, error)
}

// Introspection names parts of the sources.
type Introspection struct {
	// All sources, or the listed ones, as a whole.
	All     bool
	Sources []string
	// Tables and Functions alone, as far as their source isn't asked for as a whole.
	Tables    []SourceTable
	Functions []SourceTable
	// AllRemotes are all remote schemas, Remotes the listed ones.
	AllRemotes bool     `json:",omitempty"`
	Remotes    []string `json:",omitempty"`
	// Required reports whether the request fails when one of Remotes can't be queried.
	Required bool `json:",omitempty"`
}

// SourceTable is a table or function of a source.
type SourceTable struct {
	Source string
	Name   catalog.Name
}

// Verdict is a rule about inconsistencies.
type Verdict int

// The verdicts.
const (
	// VerdictNamed refuses new inconsistencies: with the reasons of the named objects,
	// else with "cannot continue due to new inconsistent metadata".
	VerdictNamed Verdict = iota
	// VerdictAny refuses new inconsistencies as a fault: "cannot continue due to newly
	// found inconsistent metadata".
	VerdictAny
	// VerdictConsistent refuses all inconsistencies, old ones too.
	VerdictConsistent
	// VerdictNew refuses new inconsistencies and doesn't look for the named object.
	VerdictNew
	// VerdictNone refuses nothing.
	VerdictNone
)

// kind is the kind of source that the command is for.
func (v View) kind() string {
	if v.Kind == "" {
		return DefaultKind
	}
	return v.Kind
}

func (v View) source(name string) (*Source, error) {
	s := v.Document.Source(name)
	if s == nil {
		return nil, apierror.Newf(apierror.NotExists, "source with name %q does not exist", name)
	}
	if v.Kind != "" && s.Kind != v.Kind {
		return nil, apierror.Newf(apierror.NotExists,
			"source with name %q has backend type %s which does not match the expected type %s", name, s.Kind, v.Kind)
	}
	return s, nil
}

// usableSource is source for commands that look into the database.
func (v View) usableSource(name string) (*Source, error) {
	s, err := v.source(name)
	if err == nil && v.Catalogs[name] == nil {
		err = apierror.Newf(apierror.Unexpected, "source with name %q is inconsistent", name).WithStatus(http.StatusBadRequest)
	}
	return s, err
}

func (v View) table(source string, name catalog.Name) (*Source, *Table, error) {
	s, err := v.usableSource(source)
	if err != nil {
		return nil, nil, err
	}
	t := s.Table(name)
	if t == nil {
		return nil, nil, apierror.Newf(apierror.NotExists, "table %q does not exist in source: %s", s.Display(name), source)
	}
	return s, t, nil
}

// changeTable applies change to a copy of the table.
func (v View) changeTable(source string, name catalog.Name, change func(*Table) error) (*Result, error) {
	s, t, err := v.table(source, name)
	if err != nil {
		return nil, err
	}
	n := *t
	if err := change(&n); err != nil {
		return nil, err
	}
	return &Result{Document: v.Document.withTable(s, &n), Objects: []ObjectID{tableID(source, name)}}, nil
}

// relationship finds a relationship of either kind.
func (v View) relationship(source string, table catalog.Name, name string) (r *Relationship, array bool, err error) {
	_, t, err := v.table(source, table)
	if err != nil {
		return nil, false, err
	}
	if r := find(t.ObjectRelationships, relationshipName, name); r != nil {
		return r, false, nil
	}
	if r := find(t.ArrayRelationships, relationshipName, name); r != nil {
		return r, true, nil
	}
	return nil, false, v.wrongField(source, t, name, "relationship")
}

// hasField reports whether the table has a field, or a column, of that name.
func (v View) hasField(source string, t *Table, name string) bool {
	return t.field(name) != "" || v.Schema.IsColumn(source, t.Table, name)
}

// field describes the field of that name; "" when t defines none.
func (t *Table) field(name string) string {
	switch {
	case find(t.ObjectRelationships, relationshipName, name) != nil, find(t.ArrayRelationships, relationshipName, name) != nil:
		return "relationship"
	case find(t.ComputedFields, computedFieldName, name) != nil:
		return "computed field"
	case find(t.RemoteRelationships, remoteRelationshipName, name) != nil:
		return "remote relationship"
	}
	return ""
}

// wrongField is the error for a name that should have been a field of the wanted kind.
func (v View) wrongField(source string, t *Table, name, wanted string) error {
	found := t.field(name)
	if found == "" && v.Schema.IsColumn(source, t.Table, name) {
		found = "column"
		if wanted == "relationship" {
			found = v.kind() + " column"
		}
	}
	switch {
	case found != "":
		return apierror.Newf(apierror.UnexpectedPayload, "expecting a %s; but, %q is a %s; ", wanted, name, found)
	case wanted == "computed field":
		return apierror.Newf(apierror.NotExists, "computed field %q does not exist", name)
	}
	return apierror.Newf(apierror.NotExists, "%q does not exist", name)
}

// drop returns doc without the objects that depend on ids, which the caller removes
// itself. Without cascade there must be none.
func (v View) drop(doc *Document, cascade bool, ids ...ObjectID) (*Document, error) {
	dependents := slices.DeleteFunc(v.Schema.Dependents(ids...), func(id ObjectID) bool { return v.Leaving[SourceTable{id.Source, id.Table}] })
	if len(dependents) == 0 {
		return doc, nil
	}
	if !cascade {
		return nil, DependencyError(v.Schema, dependents)
	}
	return doc.Without(dependents...), nil
}

// DependencyError reports that the dependents forbid the request.
func DependencyError(s Schema, dependents []ObjectID) error {
	texts := make([]string, len(dependents))
	for i, d := range dependents {
		texts[i] = s.Describe(d)
	}
	return apierror.New(apierror.DependencyError,
		"cannot drop due to the following dependent objects: "+strings.Join(texts, ", "))
}

func (id ObjectID) isPermission() bool {
	switch id.Kind {
	case ObjectInsertPermission, ObjectSelectPermission, ObjectUpdatePermission, ObjectDeletePermission:
		return true
	}
	return false
}
