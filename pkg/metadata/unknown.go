package metadata

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"queryengine/pkg/apierror"
)

// unknownLimit bounds how many unknown keys are named.
const unknownLimit = 100

// Shaped are types that have the keys of another type: they decode themselves, or hold parts as JSON.
type Shaped interface{ Shape() any }

// typedSettings are the types behind keys that documents hold as JSON.
var typedSettings = map[string]reflect.Type{
	"api_limits":                   reflect.TypeFor[APILimits](),
	"metrics_config":               reflect.TypeFor[MetricsConfig](),
	"network":                      reflect.TypeFor[Network](),
	"opentelemetry":                reflect.TypeFor[OpenTelemetry](),
	"graphql_schema_introspection": reflect.TypeFor[GraphQLIntrospection](),
	"query_tags":                   reflect.TypeFor[QueryTags](),
	"health_check":                 reflect.TypeFor[HealthCheck](),
}

// unknownKeys warns of the keys of a document that mean nothing here: a typing error, or a
// part that this version doesn't have. Objects that are kept as given are not looked into.
func unknownKeys(raw json.RawMessage, kinds Kinds) []Warning {
	w := &keyWalker{kinds: kinds}
	w.walk(raw, reflect.TypeFor[Document]())
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
	for _, m := range sorted(fields) {
		key := string(m.key)
		i := slices.IndexFunc(known, func(f structField) bool { return f.key == key || f.alias == key })
		switch {
		case i >= 0:
			field := known[i].typ
			if setting, typed := typedSettings[key]; typed && field == rawMessageType {
				field = setting
			}
			if key == "configuration" && t == reflect.TypeFor[sourceFields]() {
				field = w.kinds[kindOfSource(raw)].configurationKeys()
			}
			if hasKeys(shapeOf(field)) {
				w.into(key, m.value, field)
			}
		case t == reflect.TypeFor[Document]() && slices.Contains(keysWithoutSources, key):
			w.into(key, m.value, sourceLists[key])
		default:
			path := "$" + apierror.Path(append(slices.Clone(w.path), key)...)
			w.found = append(w.found, unknownKey(path, fmt.Sprintf("unknown key %q is ignored", key)))
		}
	}
}

// keysWithoutSources are the keys that documents of version 1 and 2 have instead of sources.
var keysWithoutSources = []string{"tables", "functions"}

var sourceLists = map[string]reflect.Type{
	"tables":    reflect.TypeFor[[]*Table](),
	"functions": reflect.TypeFor[[]*Function](),
}

// usingKeys are the keys of RelationshipUsing in all of its forms.
type usingKeys struct {
	ForeignKey json.RawMessage      `json:"foreign_key_constraint_on"`
	Manual     *ManualConfiguration `json:"manual_configuration"`
}

// Shape has the keys of all forms.
func (u *RelationshipUsing) Shape() any { return usingKeys{} }

// rootFieldForm are the keys of CustomRootField.
type rootFieldForm struct {
	Name    string `json:"name"`
	Comment string `json:"comment"`
}

// Shape has the keys of the object that it may be.
func (f *CustomRootField) Shape() any { return rootFieldForm{} }
