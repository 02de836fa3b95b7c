package snapshot

import (
	"encoding/json"
	"fmt"
	"time"

	"queryengine/pkg/catalog"
)

// Change leads from the snapshot at version Base to the one at Version. Its JSON is the
// message of the public metadata stream.
type Change struct {
	StreamID string    `json:"stream_id"`
	Version  int64     `json:"version"`
	Base     int64     `json:"base"`
	At       time.Time `json:"at"`
	// Objects are the objects that changed; each is named at most once.
	Objects []Object `json:"objects"`
	// Reference reports whether Objects is empty because there are too many: the snapshot of
	// this version is in the store of snapshots.
	Reference bool `json:"reference,omitempty"`
}

// DecodeChange reads a message of the stream.
func DecodeChange(data []byte) (*Change, error) {
	c := &Change{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("decode the change: %w", err)
	}
	return c, nil
}

// AsReference is the message that stands for c when it is too large: it names the version
// only.
func (c *Change) AsReference() ([]byte, error) {
	r := *c
	r.Objects, r.Reference = []Object{}, true
	return json.Marshal(&r)
}

// Op is what happened to an object.
type Op string

// The operations.
const (
	OpSet    Op = "set"
	OpRemove Op = "remove"
)

// Object is one object that was set or removed.
type Object struct {
	Kind Kind `json:"kind"`
	// Source is the source it belongs to, empty for what belongs to none.
	Source string `json:"source,omitempty"`
	// Name is its name in its kind and source, empty where there is only one; Schema is
	// the schema of tables and functions.
	Schema string `json:"schema,omitempty"`
	Name   string `json:"name,omitempty"`
	Op     Op     `json:"op"`
	// Value is the whole object, for OpSet.
	Value json.RawMessage `json:"value,omitempty"`
}

// Key names an object; it is comparable.
type Key struct {
	Kind                 Kind
	Source, Schema, Name string
}

// Key names the object.
func (o Object) Key() Key { return Key{o.Kind, o.Source, o.Schema, o.Name} }

func (o Object) qualified() catalog.Name { return catalog.Name{Schema: o.Schema, Name: o.Name} }

// Kind is the kind of an object.
type Kind string

// The kinds of objects: those of the metadata document under the names that the API has
// for them, then those of the catalogs, and the verdicts on both.
const (
	KindSource        Kind = "source" // without its tables and functions
	KindTable         Kind = "table"
	KindFunction      Kind = "function"
	KindRemoteSchema  Kind = "remote_schema"
	KindCollection    Kind = "query_collection"
	KindAllowlist     Kind = "allowlist_entry"
	KindAction        Kind = "action"
	KindCustomTypes   Kind = "custom_types"
	KindCronTrigger   Kind = "cron_trigger"
	KindRESTEndpoint  Kind = "rest_endpoint"
	KindAPILimits     Kind = "api_limits"
	KindMetricsConfig Kind = "metrics_config"
	KindInheritedRole Kind = "inherited_role"
	KindIntrospection Kind = "graphql_schema_introspection"
	KindDocumentRules Kind = "document_rules"
	KindNetwork       Kind = "network"
	KindBackends      Kind = "backend_configs"
	KindOpenTelemetry Kind = "opentelemetry"

	KindCatalog         Kind = "catalog" // server version and extensions
	KindCatalogTable    Kind = "catalog_table"
	KindCatalogFunction Kind = "catalog_function" // all overloads of one name
	KindCatalogEnum     Kind = "catalog_enum"     // values of an enum table

	KindRemoteIntrospection Kind = "remote_schema_introspection" // what a remote schema answered to introspection
	KindRemoteError         Kind = "remote_schema_error"

	KindSourceError  Kind = "source_error"
	KindInconsistent Kind = "inconsistent_objects"
)
