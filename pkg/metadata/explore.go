package metadata

import (
	"encoding/json"
	"net/http"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
)

// Fresh is a Query about the present content of the databases.
type Fresh interface {
	Query
	Exploration
}

// Exploration is about the present content of the databases: the parts that it names are introspected
// before it is answered, and the current catalogs stay as they are.
type Exploration interface {
	// Introspect names the parts; its error refuses the request.
	Introspect(v View) (Introspection, error)
	// Failed words the reason why they couldn't be read.
	Failed(v View, reason string) error
}

// sourceFailure is the error of a source that can't be read.
func (v View) sourceFailure(reason string) error {
	return apierror.New(KindNamed(v.kind()).Failure, reason).WithStatus(http.StatusBadRequest)
}

// GetSourceTables are the arguments of get_source_tables.
type GetSourceTables struct {
	Source string `json:"source" meta:"required"`
}

// Introspect asks for the whole source.
func (a *GetSourceTables) Introspect(v View) (Introspection, error) {
	_, err := v.source(a.Source)
	return Introspection{Sources: []string{a.Source}}, err
}

// Failed words why the source couldn't be read.
func (a *GetSourceTables) Failed(v View, reason string) error {
	return v.sourceFailure("failed to fetch source tables: " + reason)
}

// Answer lists the tables and views that may be tracked.
func (a *GetSourceTables) Answer(v View) (json.RawMessage, error) {
	names := []catalog.Name{}
	for name, t := range v.Catalogs[a.Source].Tables {
		if !t.Unlisted {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, catalog.Name.Compare)
	return Encode(names)
}

// GetTableInfo are the arguments of pg_get_table_info.
type GetTableInfo struct {
	Source string       `json:"source" meta:"required"`
	Table  catalog.Name `json:"table" meta:"required"`
}

// Introspect asks for the table.
func (a *GetTableInfo) Introspect(v View) (Introspection, error) {
	_, err := v.usableSource(a.Source)
	return Introspection{Tables: []SourceTable{{a.Source, a.Table}}}, err
}

// Failed words why the source couldn't be read.
func (a *GetTableInfo) Failed(v View, reason string) error { return v.sourceFailure(reason) }

// tableInfo is the information about a table.
type tableInfo struct {
	Name        catalog.Name          `json:"name"`
	Type        string                `json:"type"`
	Columns     []columnInfo          `json:"columns"`
	PrimaryKey  []string              `json:"primary_key,omitempty"`
	ForeignKeys map[string]foreignKey `json:"foreign_keys,omitempty"`
	Description *string               `json:"description,omitempty"`
	Insertable  bool                  `json:"insertable"`
	Updatable   bool                  `json:"updatable"`
	Deletable   bool                  `json:"deletable"`
}

type columnInfo struct {
	Name        string     `json:"name"`
	Type        string     `json:"type"`
	Nullable    bool       `json:"nullable"`
	Description *string    `json:"description,omitempty"`
	Insertable  bool       `json:"insertable"`
	Updatable   bool       `json:"updatable"`
	Generated   *generated `json:"value_generated,omitempty"`
}

// generated is where a value comes from when none is given.
type generated struct {
	Type string `json:"type"`
}

type foreignKey struct {
	Table   catalog.Name      `json:"foreign_table"`
	Columns map[string]string `json:"column_mapping"`
}

// Answer describes the table as it is now.
func (a *GetTableInfo) Answer(v View) (json.RawMessage, error) {
	t := v.Catalogs[a.Source].Tables[a.Table]
	if t == nil {
		return nil, apierror.Newf(apierror.NotExists, "table %q does not exist in source: %s", v.display(a.Source, a.Table), a.Source)
	}
	info := tableInfo{
		Name: t.Name, Type: "table", Columns: []columnInfo{}, Description: t.Comment,
		Insertable: t.Insertable, Updatable: t.Updatable, Deletable: t.Deletable,
	}
	if t.Kind == catalog.KindView || t.Kind == catalog.KindMaterializedView {
		info.Type = "view"
	}
	if t.PrimaryKey != nil {
		info.PrimaryKey = t.PrimaryKey.Columns
	}
	for _, c := range t.Columns {
		info.Columns = append(info.Columns, columnInfo{
			Name: c.Name, Type: v.Schema.TypeName(a.Source, c.Type), Nullable: c.Nullable, Description: c.Comment,
			Insertable: t.Insertable && c.Mutable(), Updatable: t.Updatable && c.Mutable(), Generated: generatedBy(c),
		})
	}
	for _, k := range t.ForeignKeys {
		if info.ForeignKeys == nil {
			info.ForeignKeys = map[string]foreignKey{}
		}
		info.ForeignKeys[k.Name] = foreignKey{k.Target, mapping(k)}
	}
	return Encode(info)
}

func generatedBy(c *catalog.Column) *generated {
	switch {
	case c.Identity != "":
		return &generated{"auto_increment"}
	case c.Default, c.Generated:
		return &generated{"default_value"}
	}
	return nil
}

// mapping is a foreign key as column to referenced column.
func mapping(k catalog.ForeignKey) map[string]string {
	m := make(map[string]string, len(k.Columns))
	for i, c := range k.Columns {
		m[c] = k.TargetColumns[i]
	}
	return m
}

// GetAgentTableInfo are the arguments of get_table_info, which only sources of data
// connectors answer.
type GetAgentTableInfo struct {
	Source string          `json:"source" meta:"required"`
	Table  json.RawMessage `json:"table" meta:"required"`
}

// Answer refuses the sources that there are.
func (a *GetAgentTableInfo) Answer(v View) (json.RawMessage, error) {
	s := v.Document.Source(a.Source)
	if s == nil {
		return nil, apierror.Newf(dataConnectorError, "Source '%s' not found", a.Source)
	}
	return nil, apierror.Newf(apierror.Unexpected, "Schema fetching is not supported for '%s'", s.Kind)
}

// dataConnectorError is the code of faults that concern the kinds of data connectors.
const dataConnectorError apierror.Code = "data-connector-error"

// GetSourceTrackables are the arguments of get_source_trackables.
type GetSourceTrackables struct {
	Source string `json:"source" meta:"required"`
}

// Answer refuses: only data connectors list functions besides tables.
func (a *GetSourceTrackables) Answer(v View) (json.RawMessage, error) {
	s, err := v.source(a.Source)
	if err != nil {
		return nil, err
	}
	return nil, apierror.Newf(apierror.Unexpected, "listAllTrackables not supported by %s", KindNamed(s.Kind).Display)
}

// GetSourceKindCapabilities are the arguments of get_source_kind_capabilities.
type GetSourceKindCapabilities struct {
	Name string `json:"name" meta:"required,nonempty"`
}

// Answer refuses: only data connectors describe their capabilities.
func (a *GetSourceKindCapabilities) Answer(View) (json.RawMessage, error) {
	if KindNamed(a.Name) != nil {
		return nil, apierror.Newf(dataConnectorError, "%s does not support Capabilities", a.Name)
	}
	return nil, apierror.Newf(dataConnectorError, "Source Kind %s was not found", a.Name)
}

// ConnectionTemplate chooses a member of the connection set for each request.
type ConnectionTemplate struct {
	Version  int    `json:"version,omitempty"`
	Template string `json:"template" meta:"required,nonempty"`
}

// TestConnectionTemplate are the arguments of test_connection_template.
type TestConnectionTemplate struct {
	Source   string              `json:"source_name" meta:"default=default"`
	Context  json.RawMessage     `json:"request_context" meta:"required"`
	Template *ConnectionTemplate `json:"connection_template"`
}

// Answer refuses: requests are not routed by templates.
func (a *TestConnectionTemplate) Answer(View) (json.RawMessage, error) {
	return nil, apierror.New(apierror.NotSupported, "connection templates are not supported")
}
