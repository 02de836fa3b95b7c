package resolve

import (
	"sort"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Options are the server settings that change what a document means.
type Options struct {
	// Dialects by source kind ("postgres").
	Dialects map[string]backend.Dialect
	// InferFunctionPermissions exposes query functions to every role that may select from
	// the return table.
	InferFunctionPermissions bool
	// DefaultNamingConvention is that of sources without one of their own, "" for
	// ConventionEngine. Without NamingConventionEnabled every source has ConventionEngine.
	DefaultNamingConvention string
	NamingConventionEnabled bool
}

// Schema is one document resolved against the catalogs of its sources.
type Schema struct {
	Document *metadata.Document
	// Sources are the consistent ones, by name.
	Sources []*Source
	// Roles are the inherited roles.
	Roles map[string]*Role
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
	// Convention is the naming convention in force.
	Convention Convention

	schema *Schema
	tables map[catalog.Name]*Table
}

// Source returns the consistent source of that name, or nil.
func (s *Schema) Source(name string) *Source {
	i := sort.Search(len(s.Sources), func(i int) bool { return s.Sources[i].Name >= name })
	if i < len(s.Sources) && s.Sources[i].Name == name {
		return s.Sources[i]
	}
	return nil
}

// Table returns the tracked table of that name, or nil.
func (s *Source) Table(name catalog.Name) *Table { return s.tables[name] }

// Schema is the schema that the source is part of.
func (s *Source) Schema() *Schema { return s.schema }
