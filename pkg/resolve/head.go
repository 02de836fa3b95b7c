package resolve

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/metadata"
)

// head is what all objects of a source share: dialect and names. It stays the same as long
// as nothing of it changed.
type head struct {
	source         string
	dialect        backend.Dialect
	defaultSchema  string
	customization  *metadata.Customization
	convention     Convention
	inferFunctions bool
	hideComments   bool
	// mapsArguments is metadata.MappedArguments of the source's kind.
	mapsArguments bool
}

func newHead(m *metadata.Source, d backend.Dialect, o Options) *head {
	h := &head{
		source:         m.Name,
		dialect:        d,
		customization:  m.Customization,
		convention:     ConventionEngine,
		inferFunctions: o.InferFunctionPermissions,
		hideComments:   o.HideDatabaseComments,
	}
	if kind := o.Kinds[m.Kind]; kind != nil {
		h.defaultSchema, h.mapsArguments = kind.DefaultSchema, kind.Can(metadata.MappedArguments)
	}
	if !o.NamingConventionEnabled {
		return h
	}
	chosen := o.DefaultNamingConvention
	if m.Customization != nil && m.Customization.NamingConvention != "" {
		chosen = m.Customization.NamingConvention
	}
	if Convention(chosen) == ConventionGraphQL {
		h.convention = ConventionGraphQL
	}
	return h
}

// comment is what the database says of an object, nil for nothing, or where that is hidden.
func (h *head) comment(ofDatabase *string) *string {
	if h.hideComments {
		return nil
	}
	return ofDatabase
}

// wrapRoot puts the source's prefix and suffix around the name of a root field.
func (h *head) wrapRoot(name string) string {
	if h.customization == nil || h.customization.RootFields == nil {
		return name
	}
	prefix, suffix := h.customization.RootFields.Prefix, h.customization.RootFields.Suffix
	if h.convention == ConventionGraphQL {
		if prefix != "" {
			name = gqlname.Upper(name)
		}
		suffix = gqlname.Upper(suffix)
	}
	return prefix + name + suffix
}

// wrapType puts the source's prefix and suffix around the name of a type.
func (h *head) wrapType(name string) string {
	if h.customization == nil || h.customization.TypeNames == nil {
		return name
	}
	return h.customization.TypeNames.Prefix + name + h.customization.TypeNames.Suffix
}

// rowType is the type of the rows of a table.
func (h *head) rowType(table identifier) string { return h.wrapType(h.plainRowType(table)) }

// plainRowType is rowType without the source's prefix and suffix.
func (h *head) plainRowType(table identifier) string {
	name := h.convention.field("", table, "")
	if h.convention == ConventionGraphQL && !table.custom {
		name = gqlname.Upper(name)
	}
	return name
}

// namespace is the field that holds the source's root fields, "" for none.
func (h *head) namespace() string {
	if h.customization == nil || h.customization.RootFields == nil {
		return ""
	}
	return h.customization.RootFields.Namespace
}
