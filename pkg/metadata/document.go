// Package metadata is the user's document: sources, tables, relationships, permissions and
// everything else that the metadata API changes. One file per object kind holds its type,
// the argument types of its operations, and their Apply.
//
// Apply is pure: from a document and arguments to a new document that shares every
// unchanged object with the old one by pointer, so that the difference of two documents is
// found by comparing pointers. Database work is returned as data, never done here.
package metadata

import "encoding/json"

// Document is the whole of the metadata, version 3. Documents and all objects in them are
// immutable once they are part of a document. Lists are kept in the order of the export.
type Document struct {
	Version          int                `json:"version"`
	Sources          []*Source          `json:"sources"`
	RemoteSchemas    []*RemoteSchema    `json:"remote_schemas,omitempty"`
	QueryCollections []*QueryCollection `json:"query_collections,omitempty"`
	Allowlist        []*AllowlistEntry  `json:"allowlist,omitempty"`
	Actions          []json.RawMessage  `json:"actions,omitempty"`
	CustomTypes      json.RawMessage    `json:"custom_types,omitempty"`
	CronTriggers     []json.RawMessage  `json:"cron_triggers,omitempty"`
	RESTEndpoints    []*RESTEndpoint    `json:"rest_endpoints,omitempty"`
	APILimits        json.RawMessage    `json:"api_limits,omitempty"`
	MetricsConfig    json.RawMessage    `json:"metrics_config,omitempty"`
	InheritedRoles   []*InheritedRole   `json:"inherited_roles,omitempty"`
	Introspection    json.RawMessage    `json:"graphql_schema_introspection,omitempty"`
	DocumentRules    json.RawMessage    `json:"document_rules,omitempty"`
	Network          json.RawMessage    `json:"network,omitempty"`
	BackendConfigs   json.RawMessage    `json:"backend_configs,omitempty"`
	OpenTelemetry    json.RawMessage    `json:"opentelemetry,omitempty"`
}

// Empty is the document of a new metadata database.
func Empty() *Document { return &Document{Version: 3, Sources: []*Source{}} }

// Source returns the source of that name, or nil.
func (d *Document) Source(name string) *Source {
	for _, s := range d.Sources {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Inconsistency is one inconsistent object, as the API reports it.
type Inconsistency struct {
	ID         ObjectID        `json:"-"`
	Definition any             `json:"definition,omitempty"`
	Name       string          `json:"name,omitempty"`
	Reason     string          `json:"reason"`
	Type       string          `json:"type,omitempty"`
	Message    json.RawMessage `json:"message,omitempty"`
	// Objects take the place of ID, Definition, Name and Type when several objects
	// conflict with each other.
	Objects []InconsistentObject `json:"objects,omitempty"`
	// Conflicts take the place of ID, Definition, Name and Type when endpoints have paths
	// that can't be distinguished.
	Conflicts []ConflictingEndpoint `json:"conflicts,omitempty"`
	// Refusal, when set, refuses every change that leads to it, with this text: the schema as
	// a whole couldn't be built.
	Refusal string `json:"-"`
	// Invalid, when set, refuses a change that brings the object with its own Reason.
	Invalid bool `json:"-"`
	// Unsupported, when set, is what a change is refused with that names the object: its database
	// can't do that.
	Unsupported string `json:"-"`
	// Path is what is wrong in the arguments of the operation that makes the object, relative to them
	// ("$.permission.filter.title"); empty when that isn't known.
	Path string `json:"-"`
	// Entity takes the place of Definition for a permission that couldn't be inherited.
	// Such an inconsistency has no ID: it informs, refuses nothing but what must be consistent
	// as a whole, and can't be dropped.
	Entity any `json:"entity,omitempty"`
}

// InconsistentObject is one of several objects that conflict with each other.
type InconsistentObject struct {
	ID         ObjectID `json:"-"`
	Definition any      `json:"definition"`
	Name       string   `json:"name"`
	Type       string   `json:"type"`
}

// ConflictingEndpoint is one of several endpoints whose paths can't be distinguished, with the
// text of its query.
type ConflictingEndpoint struct {
	Comment    *string `json:"comment"`
	Definition struct {
		Query string `json:"query"`
	} `json:"definition"`
	Methods []string `json:"methods"`
	Name    string   `json:"name"`
	URL     string   `json:"url"`
}

// IDs are the objects that can't be used; none for an inconsistency that only informs.
func (i Inconsistency) IDs() []ObjectID {
	if len(i.Conflicts) > 0 {
		ids := make([]ObjectID, len(i.Conflicts))
		for n, c := range i.Conflicts {
			ids[n] = ObjectID{Kind: ObjectRESTEndpoint, Name: c.Name}
		}
		return ids
	}
	if len(i.Objects) == 0 {
		if i.ID == (ObjectID{}) {
			return nil
		}
		return []ObjectID{i.ID}
	}
	ids := make([]ObjectID, len(i.Objects))
	for n, o := range i.Objects {
		ids[n] = o.ID
	}
	return ids
}
