package resolve

import (
	"slices"
	"strings"
	"sync/atomic"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/extension"
	"queryengine/pkg/metadata"
)

// Options are the server settings that change what a document means.
type Options struct {
	// Kinds are the kinds of sources that there are backends for.
	Kinds backend.Kinds
	// InferFunctionPermissions exposes query functions to every role that may select from
	// the return table.
	InferFunctionPermissions bool
	// DefaultNamingConvention is for sources without one of their own, "" for ConventionEngine. Without
	// NamingConventionEnabled every source has ConventionEngine.
	DefaultNamingConvention string
	NamingConventionEnabled bool
	// HideStreamFields and HideUpdateManyFields leave out these root fields of tables.
	HideStreamFields     bool
	HideUpdateManyFields bool
	// HideDatabaseComments leaves the comments of the database out of descriptions.
	HideDatabaseComments bool
	// RemoteSchemaPermissions hides remote schemas from roles without a permission on them.
	RemoteSchemaPermissions bool
	// OpenRole is the role of requests without credentials, "" for none.
	OpenRole string
	// Env is os.LookupEnv, for what depends on the variables of the metadata service; with
	// nil that isn't checked.
	Env func(string) (string, bool)
	// Code is the code of this build, for what names some; it is only looked at where Env is given.
	Code *extension.Set
}

// Schema is one document resolved against the catalog of each source.
type Schema struct {
	Document *metadata.Document
	// Sources are the consistent ones, by name.
	Sources []*Source
	// Remotes are the consistent remote schemas, by name.
	Remotes []*Remote
	// Roles are the inherited roles.
	Roles map[string]*Role

	catalogs     map[string]*catalog.Source
	sourceErrors map[string]string
	options      Options
	// remoteProblems is why remote schemas can't be used.
	remoteProblems []metadata.Inconsistency
	roles          *roleSet

	actions    *actionSet
	endpoints  atomic.Pointer[endpointCheck]
	typeNames  atomic.Pointer[typeNames]
	roots      atomic.Pointer[rootCheck]
	rootsKnown bool       // the version before had no conflicts of root fields
	renamed    []claimant // whose root fields are new since
}

// Source is one source with its tracked tables and functions.
type Source struct {
	Name    string
	Kind    string
	Meta    *metadata.Source
	Catalog *catalog.Source
	Dialect backend.Dialect
	// Tables and Functions are the consistent ones, in the order of the document.
	Tables    []*Table
	Functions []*Function
	// NativeQueries are the consistent ones, in the order of the document.
	NativeQueries []*NativeQuery
	// Convention is the naming convention in effect.
	Convention Convention
	// Namespace is the field that holds the root fields of the source, "" for none.
	Namespace string
	// QueryTags are the comments of statements for the source.
	QueryTags metadata.QueryTags

	head   *head
	roles  *roleSet
	remote []*Table // those that have remote relationships
	env    metadata.Env
	code   *extension.Set
	tables map[catalog.Name]*Table // the consistent ones
	bases  map[catalog.Name]*base  // all
	// models are the rows of the tracked logical models, as far as they can be used;
	// modelProblems is why the others, and native queries, can't.
	models        map[string]*Table
	modelProblems []metadata.Inconsistency
}

// Source returns the consistent source of that name, or nil.
func (s *Schema) Source(name string) *Source {
	i, found := slices.BinarySearchFunc(s.Sources, name, func(s *Source, name string) int { return strings.Compare(s.Name, name) })
	if !found {
		return nil
	}
	return s.Sources[i]
}

// Kinds are the kinds of sources that there are backends for.
func (s *Schema) Kinds() metadata.Kinds { return s.options.Kinds.Metadata() }

// Table returns the tracked table of that name, or nil.
func (s *Source) Table(name catalog.Name) *Table { return s.tables[name] }

// JSONPaths reports whether the schema has conditions on parts of JSON values, orders by them, and updates of them.
func (s *Source) JSONPaths() bool {
	c := s.Meta.Customization
	return c != nil && c.JSONPaths && s.Dialect.Tables().JSONKinds != nil
}

// Groups reports whether the schema has root fields that group rows.
func (s *Source) Groups() bool {
	c := s.Meta.Customization
	return c != nil && c.Groups && s.Dialect.Tables().Groups
}

// IsColumn reports whether the table has a column of that name in the database.
func (s *Schema) IsColumn(source string, table catalog.Name, name string) bool {
	src := s.Source(source)
	return src != nil && src.Table(table) != nil && src.Table(table).Column(name) != nil
}

// TypeName is a type's name in words of the source's kind: integer, not int4.
func (s *Schema) TypeName(source string, t catalog.Type) string {
	name := t.Name
	if src := s.Source(source); src != nil {
		name = src.Dialect.Scalar(t).SQL
	}
	if t.IsArray() {
		name += "[]"
	}
	return name
}

// Schema answers the operations of the metadata API.
var _ metadata.Schema = (*Schema)(nil)
