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
	StoredProcedures []json.RawMessage   `json:"stored_procedures,omitempty"`
	LogicalModels    []*LogicalModel     `json:"logical_models,omitempty"`
	Configuration    SourceConfiguration `json:"configuration" meta:"required"`
	QueryTags        json.RawMessage     `json:"query_tags,omitempty"`
	Customization    *Customization      `json:"customization,omitempty"`
	HealthCheck      json.RawMessage     `json:"health_check,omitempty"`
	// Foreign is the whole source as it was given when its kind is not one of this engine's.
	// The other fields but Name and Kind are empty then.
	Foreign json.RawMessage `json:"-"`
}

// Table returns the tracked table of that name, or nil.
func (s *Source) Table(name catalog.Name) *Table {
	if i, ok := slices.BinarySearchFunc(s.Tables, name, func(t *Table, n catalog.Name) int {
		return compareNames(t.Table, n)
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
	s.StoredProcedures = sortedBy(s.StoredProcedures, "stored_procedure")
	slices.SortFunc(s.Tables, func(a, b *Table) int { return compareNames(a.Table, b.Table) })
	slices.SortFunc(s.Functions, func(a, b *Function) int { return compareNames(a.Function, b.Function) })
	if d := duplicates(s.Tables, func(t *Table) string { return t.Table.String() }); d != "" {
		return duplicateError("tables", d)
	}
	if d := duplicates(s.Functions, func(f *Function) string { return f.Function.String() }); d != "" {
		return duplicateError("functions", d)
	}
	return s.checkModels()
}

// SourceConfiguration configures how a PostgreSQL source is reached.
type SourceConfiguration struct {
	ConnectionInfo   ConnectionInfo      `json:"connection_info" meta:"required"`
	ReadReplicas     []ConnectionInfo    `json:"read_replicas,omitempty"`
	ExtensionsSchema string              `json:"extensions_schema,omitempty"`
	ConnectionSet    []ConnectionMember  `json:"connection_set,omitempty"`
	Template         *ConnectionTemplate `json:"connection_template,omitempty"`
	// ChangeFeed is how executors learn that tables have changed; empty for not at all.
	ChangeFeed string `json:"change_feed,omitempty"`
}

// RoutesRequests reports whether connections are to be chosen for each request, which this
// engine doesn't do: such a source can't be used, as its primary would answer for all others.
func (c *SourceConfiguration) RoutesRequests() bool {
	return c.Template != nil || len(c.ConnectionSet) > 0
}

// ChangeFeedNotify has statement triggers send notifications.
const ChangeFeedNotify = "notify"

func (c *SourceConfiguration) checkChangeFeed() error {
	if c.ChangeFeed != "" && c.ChangeFeed != ChangeFeedNotify {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "Only expecting %q", ChangeFeedNotify), "change_feed")
	}
	return nil
}

// ConnectionInfo is one address and its options.
type ConnectionInfo struct {
	// DatabaseURL is a text, {"from_env": NAME}, {"connection_parameters": {...}} or
	// {"dynamic_from_file": PATH}, as given.
	DatabaseURL    json.RawMessage `json:"database_url" meta:"required"`
	IsolationLevel string          `json:"isolation_level" meta:"default=read-committed"`
	PoolSettings   *PoolSettings   `json:"pool_settings,omitempty"`
	// SerializationRetries is how often a transaction is done again that could not be
	// serialised with others.
	SerializationRetries int             `json:"serialization_retries,omitempty"`
	SSLConfiguration     json.RawMessage `json:"ssl_configuration,omitempty"`
	// UsePreparedStatements is nil where nothing is set: they are used unless a pooler mixes sessions.
	UsePreparedStatements *bool `json:"use_prepared_statements,omitempty"`
}

func (c *ConnectionInfo) check() error {
	switch c.IsolationLevel {
	case "read-committed", "repeatable-read", "serializable":
	default:
		return apierror.At(apierror.New(apierror.ParseFailed,
			"Only expecting read-committed / repeatable-read / serializable"), "isolation_level")
	}
	if c.SerializationRetries < 0 || c.SerializationRetries > maxSerializationRetries {
		return apierror.At(apierror.Newf(apierror.ParseFailed,
			"Only expecting a value between 0 and %d", maxSerializationRetries), "serialization_retries")
	}
	if got := JSONType(c.DatabaseURL); got != "String" && got != "Object" {
		return apierror.At(typeMismatch("UrlConf", "String", got), "database_url")
	}
	if _, err := canonicalSetting(c.SSLConfiguration, &SSLConfiguration{}); err != nil {
		return apierror.At(err, "ssl_configuration")
	}
	return nil
}

// maxSerializationRetries bounds the time that a request can take by doing its work again.
const maxSerializationRetries = 100

// PoolSettings bound the pool of a source; nil fields take the server's defaults.
type PoolSettings struct {
	ConnectionLifetime  *int `json:"connection_lifetime,omitempty"` // s
	IdleTimeout         *int `json:"idle_timeout,omitempty"`        // s
	MaxConnections      *int `json:"max_connections,omitempty"`
	PoolTimeout         *int `json:"pool_timeout,omitempty"` // s
	Retries             *int `json:"retries,omitempty"`
	TotalMaxConnections *int `json:"total_max_connections,omitempty"`
}

// Customization changes the names that a source brings into the schema.
type Customization struct {
	RootFields       *RootFieldsCustomization `json:"root_fields,omitempty"`
	TypeNames        *Affixes                 `json:"type_names,omitempty"`
	NamingConvention string                   `json:"naming_convention,omitempty"`
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
	Name                 string              `json:"name" meta:"required,nonempty"`
	Configuration        SourceConfiguration `json:"configuration" meta:"required"`
	ReplaceConfiguration bool                `json:"replace_configuration"`
	Customization        *Customization      `json:"customization"`
	HealthCheck          json.RawMessage     `json:"health_check"`
}

func (a *AddSource) check() (err error) {
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
	}
	source.Name = a.Name
	source.Configuration = a.Configuration
	source.Customization = a.Customization.normalised()
	return &Result{
		Document:   v.Document.withSource(source),
		Objects:    []ObjectID{sourceID(a.Name)},
		Introspect: Introspection{Sources: []string{a.Name}},
		Reply:      a.Configuration.reply(a.Name),
	}, nil
}

// reply warns of settings without effect; nil when there are none.
func (c *SourceConfiguration) reply(source string) func(View) (json.RawMessage, error) {
	warnings := c.unusedParts(source)
	if len(warnings) == 0 {
		return nil
	}
	return func(View) (json.RawMessage, error) { return SuccessWith(warnings) }
}

// UpdateSource are the arguments of update_source; only given values are replaced.
type UpdateSource struct {
	Name          string               `json:"name" meta:"required,nonempty"`
	Configuration *SourceConfiguration `json:"configuration"`
	Customization *Customization       `json:"customization"`
	HealthCheck   json.RawMessage      `json:"health_check"`
}

func (a *UpdateSource) check() (err error) {
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
		source.Configuration = *a.Configuration
		r.Introspect.Sources = []string{a.Name}
		r.Reply = a.Configuration.reply(a.Name)
	}
	if a.Customization != nil {
		source.Customization = a.Customization.normalised()
	}
	if a.HealthCheck != nil {
		source.HealthCheck = a.HealthCheck
	}
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
