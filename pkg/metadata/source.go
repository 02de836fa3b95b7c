package metadata

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/session"
)

// Source is one database.
type Source struct {
	Name             string              `json:"name" meta:"required,nonempty"`
	Kind             string              `json:"kind" meta:"default=postgres"`
	Tables           []*Table            `json:"tables" meta:"required"`
	Functions        []*Function         `json:"functions,omitempty"`
	NativeQueries    []*NativeQuery      `json:"native_queries,omitempty"`
	StoredProcedures []*StoredProcedure  `json:"stored_procedures,omitempty"`
	LogicalModels    []*LogicalModel     `json:"logical_models,omitempty"`
	PublishedChanges []*PublishedChanges `json:"published_changes,omitempty"`
	// Configuration describes how the source is reached, in the form of its kind.
	Configuration json.RawMessage `json:"configuration" meta:"required"`
	QueryTags     json.RawMessage `json:"query_tags,omitempty"`
	Customization *Customization  `json:"customization,omitempty"`
	HealthCheck   json.RawMessage `json:"health_check,omitempty"`
	// Foreign is the whole source as it was given when its kind is not one of this engine's.
	// The other fields but Name and Kind are empty then.
	Foreign json.RawMessage `json:"-"`
}

// Table returns the tracked table of that name, or nil.
func (s *Source) Table(name catalog.Name) *Table {
	if i, ok := slices.BinarySearchFunc(s.Tables, name, func(t *Table, n catalog.Name) int {
		return catalog.Name.Compare(t.Table, n)
	}); ok {
		return s.Tables[i]
	}
	return nil
}

// Function returns the tracked function of that name, or nil.
func (s *Source) Function(name catalog.Name) *Function {
	for _, f := range s.Functions {
		if f.Function == name {
			return f
		}
	}
	return nil
}

func (s *Source) check() error {
	if k := KindNamed(s.Kind); k != nil {
		s.Kind = k.Name
	}
	var err error
	if s.QueryTags, err = canonicalSetting(s.QueryTags, &QueryTags{}); err != nil {
		return apierror.At(err, "query_tags")
	}
	if s.HealthCheck, err = canonicalHealthCheck(s.HealthCheck); err != nil {
		return apierror.At(err, "health_check")
	}
	s.Customization = s.Customization.normalised()
	s.qualify()
	slices.SortFunc(s.Tables, func(a, b *Table) int { return catalog.Name.Compare(a.Table, b.Table) })
	slices.SortFunc(s.Functions, func(a, b *Function) int { return catalog.Name.Compare(a.Function, b.Function) })
	if d := duplicates(s.Tables, func(t *Table) string { return s.Display(t.Table) }); d != "" {
		return duplicateError("tables", d)
	}
	if d := duplicates(s.Functions, func(f *Function) string { return s.Display(f.Function) }); d != "" {
		return duplicateError("functions", d)
	}
	if err := s.checkPublished(); err != nil {
		return err
	}
	return s.checkModels()
}

// Customization changes the names that a source brings into the schema, and adds what only some clients know.
type Customization struct {
	RootFields       *RootFieldsCustomization `json:"root_fields,omitempty"`
	TypeNames        *Affixes                 `json:"type_names,omitempty"`
	NamingConvention string                   `json:"naming_convention,omitempty"`
	// JSONPaths adds conditions on the parts of JSON values to the schema, orders by them, and updates of them.
	JSONPaths bool `json:"json_paths,omitempty"`
	// Groups adds root fields that group the rows of tables.
	Groups bool `json:"groups,omitempty"`
}

func (c *Customization) check() error {
	if c.NamingConvention == "" {
		return nil
	}
	if vendor := session.Vendor(); vendor != "" && c.NamingConvention == vendor+"-default" {
		c.NamingConvention = "engine-default"
	}
	return apierror.At(checkWord(c.NamingConvention, "engine-default", "graphql-default"), "naming_convention")
}

// normalised leaves out what customises nothing.
func (c *Customization) normalised() *Customization {
	if c == nil {
		return nil
	}
	n := *c
	if n.RootFields != nil && *n.RootFields == (RootFieldsCustomization{}) {
		n.RootFields = nil
	}
	if n.TypeNames != nil && *n.TypeNames == (Affixes{}) {
		n.TypeNames = nil
	}
	if n == (Customization{}) {
		return nil
	}
	return &n
}

// RootFieldsCustomization wraps root fields.
type RootFieldsCustomization struct {
	Namespace string `json:"namespace,omitempty"`
	Prefix    string `json:"prefix,omitempty"`
	Suffix    string `json:"suffix,omitempty"`
}

// Affixes wrap type names.
type Affixes struct {
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`
}

// AddSource are the arguments of add_source.
type AddSource struct {
	Name                 string          `json:"name" meta:"required,nonempty"`
	Configuration        json.RawMessage `json:"configuration" meta:"required"`
	ReplaceConfiguration bool            `json:"replace_configuration"`
	Customization        *Customization  `json:"customization"`
	HealthCheck          json.RawMessage `json:"health_check" meta:"nullable"`
	// noHealthCheck takes away the one that there is.
	noHealthCheck bool
}

func (a *AddSource) ofKind(k *Kind) (err error) {
	a.Configuration, err = k.configuration(a.Configuration)
	return apierror.At(err, "configuration")
}

func (a *AddSource) check() (err error) {
	a.noHealthCheck = len(a.HealthCheck) > 0 && isNull(a.HealthCheck)
	a.HealthCheck, err = canonicalHealthCheck(a.HealthCheck)
	return apierror.At(err, "health_check")
}

// Apply adds the source; with replace_configuration it replaces the configuration of one
// that exists and keeps its tables.
func (a *AddSource) Apply(v View) (*Result, error) {
	source := &Source{Kind: v.kind(), Tables: []*Table{}, HealthCheck: a.HealthCheck}
	if old := v.Document.Source(a.Name); old != nil {
		if !a.ReplaceConfiguration {
			return nil, apierror.Newf(apierror.AlreadyExists, "source with name %q already exists", a.Name)
		}
		*source = *old
		source.setHealthCheck(a.HealthCheck, a.noHealthCheck)
	}
	source.Name = a.Name
	source.Configuration = a.Configuration
	source.Customization = a.Customization.normalised()
	if err := source.checkConvention(); err != nil {
		return nil, err
	}
	return &Result{
		Document:   v.Document.withSource(source),
		Objects:    []ObjectID{sourceID(a.Name)},
		Introspect: Introspection{Sources: []string{a.Name}},
		Reply:      v.configurationReply(source),
	}, nil
}

// setHealthCheck replaces the health check by a given one, or takes it away.
func (s *Source) setHealthCheck(given json.RawMessage, none bool) {
	if given != nil || none {
		s.HealthCheck = given
	}
}

// checkConvention refuses a convention of names that a kind hasn't got.
func (s *Source) checkConvention() error {
	if k := KindNamed(s.Kind); s.Customization == nil || s.Customization.NamingConvention != "graphql-default" || k == nil || k.Can(Conventions) {
		return nil
	}
	return apierror.New(apierror.NotSupported, "sources other than postgres do not support graphql-default as naming convention yet")
}

// UpdateSource are the arguments of update_source; only given values are replaced.
type UpdateSource struct {
	Name          string          `json:"name" meta:"required,nonempty"`
	Configuration json.RawMessage `json:"configuration"`
	Customization *Customization  `json:"customization"`
	HealthCheck   json.RawMessage `json:"health_check" meta:"nullable"`
	noHealthCheck bool
}

func (a *UpdateSource) ofKind(k *Kind) (err error) {
	if a.Configuration != nil {
		a.Configuration, err = k.configuration(a.Configuration)
	}
	return apierror.At(err, "configuration")
}

func (a *UpdateSource) check() (err error) {
	a.noHealthCheck = len(a.HealthCheck) > 0 && isNull(a.HealthCheck)
	a.HealthCheck, err = canonicalHealthCheck(a.HealthCheck)
	return apierror.At(err, "health_check")
}

// Apply replaces the given parts of the source.
func (a *UpdateSource) Apply(v View) (*Result, error) {
	old, err := v.source(a.Name)
	if err != nil {
		return nil, err
	}
	source := *old
	r := &Result{Objects: []ObjectID{sourceID(a.Name)}}
	if a.Configuration != nil {
		source.Configuration = a.Configuration
		r.Introspect.Sources = []string{a.Name}
		r.Reply = v.configurationReply(&source)
	}
	if a.Customization != nil {
		source.Customization = a.Customization.normalised()
		if err := source.checkConvention(); err != nil {
			return nil, err
		}
	}
	source.setHealthCheck(a.HealthCheck, a.noHealthCheck)
	r.Document = v.Document.withSource(&source)
	return r, nil
}

// RenameSource are the arguments of rename_source.
type RenameSource struct {
	Name    string `json:"name" meta:"required,nonempty"`
	NewName string `json:"new_name" meta:"required,nonempty"`
}

// Apply renames the source. Remote relationships that point to it are not rewritten.
func (a *RenameSource) Apply(v View) (*Result, error) {
	old := v.Document.Source(a.Name)
	if old == nil {
		return nil, apierror.Newf(apierror.NotExists, "Could not find source with name %q", a.Name)
	}
	if old.IsForeign() {
		return nil, apierror.Newf(apierror.NotSupported, "sources of kind %s are not supported", old.Kind)
	}
	if v.Document.Source(a.NewName) != nil {
		return nil, apierror.Newf(apierror.AlreadyExists, "Source with name %q already exists", a.NewName)
	}
	source := *old
	source.Name = a.NewName
	return &Result{
		Document:   v.Document.withoutSource(a.Name).withSource(&source),
		Objects:    []ObjectID{sourceID(a.NewName)},
		Introspect: Introspection{Sources: []string{a.NewName}},
	}, nil
}

// DropSource are the arguments of drop_source.
type DropSource struct {
	Name    string `json:"name" meta:"required,nonempty"`
	Cascade bool   `json:"cascade"`
}

// Apply removes the source, with all that is defined in it.
func (a *DropSource) Apply(v View) (*Result, error) {
	lookup := v.source
	if a.Cascade {
		lookup = v.usableSource
	}
	if _, err := lookup(a.Name); err != nil {
		return nil, err
	}
	id := sourceID(a.Name)
	doc, err := v.drop(v.Document, a.Cascade, id)
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc.withoutSource(a.Name), Objects: []ObjectID{id}}, nil
}

func sourceID(name string) ObjectID { return ObjectID{Kind: ObjectSource, Source: name} }
