package metadata

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/session"
)

// unknownLimit bounds how many unknown keys are named.
const unknownLimit = 100

// Shaped are types that have the keys of another type: they decode themselves, or hold parts as JSON.
type Shaped interface{ Shape() any }

// typedSettings are the types behind keys that documents hold as JSON.
var typedSettings = map[string]reflect.Type{
	"api_limits":                   reflect.TypeFor[APILimits](),
	"metrics_config":               reflect.TypeFor[MetricsConfig](),
	"document_rules":               reflect.TypeFor[DocumentRules](),
	"network":                      reflect.TypeFor[Network](),
	"opentelemetry":                reflect.TypeFor[OpenTelemetry](),
	"graphql_schema_introspection": reflect.TypeFor[GraphQLIntrospection](),
	"apollo_federation_config":     reflect.TypeFor[Federation](),
	"query_tags":                   reflect.TypeFor[QueryTags](),
	"health_check":                 reflect.TypeFor[HealthCheck](),
	"validate_input":               reflect.TypeFor[ValidateInput](),
}

// typedLists are the types of the elements behind keys that documents hold as lists of JSON.
var typedLists = map[string]reflect.Type{
	"event_triggers": reflect.TypeFor[[]EventTrigger](),
	"cron_triggers":  reflect.TypeFor[[]CronTrigger](),
}

// unknownKeys warns of the keys of a document, or of the arguments of an operation of a kind, that mean nothing here: a typing
// error, or a part that this version doesn't have. Objects that are kept as given are not looked into.
func unknownKeys(raw json.RawMessage, t reflect.Type, kinds Kinds, kind string, path ...any) []Warning {
	w := &keyWalker{kinds: kinds, kind: kind, path: path}
	w.walk(raw, t)
	if len(w.found) <= unknownLimit {
		return w.found
	}
	more := len(w.found) - unknownLimit
	return append(w.found[:unknownLimit:unknownLimit], unknownKey("$", fmt.Sprintf("%d more unknown keys are ignored", more)))
}

func unknownKey(path, message string) Warning {
	return Warning{Message: message, Type: "metadata", Name: path, Code: "unknown-key"}
}

// keyWalker compares a document with the types that it is read into.
type keyWalker struct {
	kinds Kinds
	kind  string // of the operation whose arguments are compared
	path  []any
	found []Warning
}

var decodesItself = reflect.TypeFor[json.Unmarshaler]()

func (w *keyWalker) walk(raw json.RawMessage, t reflect.Type) {
	t = shapeOf(t)
	switch {
	case t == rawMessageType, t == reflect.TypeFor[sourceFields]() && foreignSource(raw):
	case t.Kind() == reflect.Slice && JSONType(raw) == "Array":
		items, err := array(raw)
		if err != nil {
			return
		}
		for i, item := range items {
			if hasKeys(shapeOf(t.Elem())) {
				w.into(i, item, t.Elem())
			}
		}
	case t.Kind() == reflect.Slice && JSONType(raw) == "Object": // Definition
		w.walk(raw, t.Elem())
	case t.Kind() == reflect.Map && JSONType(raw) == "Object" && hasKeys(shapeOf(t.Elem())):
		var few [fewMembers]member
		fields, err := members(few[:0], raw)
		if err != nil {
			return
		}
		for _, m := range sorted(fields) {
			w.into(string(m.key), m.value, t.Elem())
		}
	case t.Kind() == reflect.Struct && JSONType(raw) == "Object":
		if b, ok := reflect.New(t).Interface().(nameable); ok {
			if _, is := bareName(raw, b.nameKey()); is {
				t = shapeOf(reflect.TypeFor[catalog.Name]())
			}
		}
		w.object(raw, t)
	}
}

// hasKeys reports whether values of a type can have keys in them.
func hasKeys(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct:
		return t != rawMessageType
	}
	return false
}

// shapes are the types that values of a type are compared with.
var shapes sync.Map

// shapeOf is the type without pointers, or the one whose keys it has.
func shapeOf(t reflect.Type) reflect.Type {
	if known, ok := shapes.Load(t); ok {
		return known.(reflect.Type)
	}
	shape := t
	for shape.Kind() == reflect.Pointer {
		shape = shape.Elem()
	}
	if s, ok := reflect.New(shape).Interface().(Shaped); ok {
		shape = reflect.TypeOf(s.Shape())
	}
	shapes.Store(t, shape)
	return shape
}

func (w *keyWalker) into(step any, raw json.RawMessage, t reflect.Type) {
	w.path = append(w.path, step)
	w.walk(raw, t)
	w.path = w.path[:len(w.path)-1]
}

func (w *keyWalker) object(raw json.RawMessage, t reflect.Type) {
	known := fieldsOf(t)
	if len(known) == 0 && reflect.PointerTo(t).Implements(decodesItself) {
		return
	}
	var few [fewMembers]member
	fields, err := members(few[:0], raw)
	if err != nil {
		return
	}
	vendor := session.Vendor()
	for _, m := range sorted(fields) {
		key := string(m.key)
		i := slices.IndexFunc(known, func(f structField) bool { return f.key == key || f.alias == key })
		switch {
		case i >= 0:
			field := known[i].typ
			if setting, typed := typedSettings[key]; typed && field == rawMessageType {
				field = setting
			}
			if list, typed := typedLists[key]; typed && field == reflect.TypeFor[[]json.RawMessage]() {
				field = list
			}
			if key == "configuration" {
				field = w.configuration(raw, t, field)
			}
			if hasKeys(shapeOf(field)) {
				w.into(key, m.value, field)
			}
		case vendor != "" && key == vendor+"_fields" && slices.ContainsFunc(known, func(f structField) bool { return f.key == "engine_fields" }):
		case t == reflect.TypeFor[Document]() && slices.Contains(keysWithoutSources, key):
			w.into(key, m.value, sourceLists[key])
		default:
			path := "$" + apierror.Path(append(slices.Clone(w.path), key)...)
			w.found = append(w.found, unknownKey(path, fmt.Sprintf("unknown key %q is ignored", key)))
		}
	}
}

// configuration is the type of a field of that key: that of a source is read by its kind.
func (w *keyWalker) configuration(raw json.RawMessage, t, field reflect.Type) reflect.Type {
	switch t {
	case reflect.TypeFor[sourceFields]():
		return w.kinds[kindOfSource(raw)].configurationKeys()
	case reflect.TypeFor[AddSource](), reflect.TypeFor[UpdateSource]():
		return w.kinds[w.kind].configurationKeys()
	}
	return field
}

// nameable are arguments in whose place the name of a table or function may stand, which they have under a key.
type nameable interface{ nameKey() string }

func (*TrackTable) nameKey() string      { return "table" }
func (*TrackFunction) nameKey() string   { return "function" }
func (*UntrackFunction) nameKey() string { return "function" }

// WithWarnings is the answer of an operation, an object, with warnings at the end of those that it has.
func WithWarnings(answer json.RawMessage, more []Warning) (json.RawMessage, error) {
	if len(more) == 0 {
		return answer, nil
	}
	fields, err := object(answer)
	if err != nil {
		return nil, err
	}
	var list []Warning
	if given := fields["warnings"]; given != nil {
		if err := json.Unmarshal(given, &list); err != nil {
			return nil, err
		}
	}
	if fields["warnings"], err = Encode(append(list, more...)); err != nil {
		return nil, err
	}
	return Encode(fields)
}

// keysWithoutSources are the keys that documents of version 1 and 2 have instead of sources.
var keysWithoutSources = []string{"tables", "functions"}

var sourceLists = map[string]reflect.Type{
	"tables":    reflect.TypeFor[[]*Table](),
	"functions": reflect.TypeFor[[]*Function](),
}

// usingKeys are the keys of RelationshipUsing in all of its forms.
type usingKeys struct {
	ForeignKey foreignKeyKeys       `json:"foreign_key_constraint_on"`
	Manual     *ManualConfiguration `json:"manual_configuration"`
}

// Shape has the keys of all forms.
func (u *RelationshipUsing) Shape() any { return usingKeys{} }

// definitionKeys are the keys of RemoteRelationshipDefinition in both of its forms.
type definitionKeys struct {
	flatToRemoteSchema
	ToSource       *ToSource            `json:"to_source"`
	ToRemoteSchema strictToRemoteSchema `json:"to_remote_schema"`
}

// Shape has the keys of both forms.
func (d *RemoteRelationshipDefinition) Shape() any { return definitionKeys{} }

// Shape has the keys of both forms.
func (a *CreateRemoteRelationship) Shape() any {
	return struct {
		flatToRemoteSchema
		Source     string                       `json:"source"`
		Table      catalog.Name                 `json:"table"`
		Name       string                       `json:"name"`
		Definition RemoteRelationshipDefinition `json:"definition"`
	}{}
}

// Shape has the calls by their fields.
func (f *RemoteField) Shape() any { return map[string]remoteCall{} }

// Shape has the keys of the arguments.
func (a *CreateEventTrigger) Shape() any {
	return struct {
		eventTriggerPlace
		eventTriggerArguments
	}{}
}

// Shape has the key of the arguments.
func (a *DropCollectionFromAllowlist) Shape() any {
	return struct {
		Collection string `json:"collection"`
	}{}
}

// Shape has the keys of both forms.
func (c *EventTriggerTargets) Shape() any {
	return struct {
		Sources  json.RawMessage  `json:"sources"`
		Triggers []SourceTriggers `json:"event_triggers"`
	}{}
}

// Shape has the key of the arguments.
func (c *CronTriggerTargets) Shape() any {
	return struct {
		Triggers json.RawMessage `json:"cron_triggers"`
	}{}
}

// Shape has the keys of both forms.
func (f *LogicalModelField) Shape() any {
	return struct {
		Name        string           `json:"name"`
		Type        LogicalModelType `json:"type"`
		Nullable    bool             `json:"nullable"`
		Description *string          `json:"description"`
	}{}
}

// Shape has the keys of the long form.
func (t *LogicalModelType) Shape() any { return logicalModelType{} }

// Shape has the keys of a model instead of a name.
func (r *NativeQueryReturns) Shape() any { return InlineModel{} }

// Shape has the key of the form that isn't a text.
func (w *WebhookAddress) Shape() any {
	return struct {
		Name string `json:"from_env"`
	}{}
}

// rootFieldForm are the keys of CustomRootField.
type rootFieldForm struct {
	Name    string `json:"name"`
	Comment string `json:"comment"`
}

// Shape has the keys of the object that it may be.
func (f *CustomRootField) Shape() any { return rootFieldForm{} }
