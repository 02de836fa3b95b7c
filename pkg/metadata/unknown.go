package metadata

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
)

// unknownLimit bounds how many unknown keys are named.
const unknownLimit = 100

// shaped are types that decode themselves and have the keys of another type.
type shaped interface{ shape() any }

// typedSettings are the types behind keys that documents hold as JSON.
var typedSettings = map[string]reflect.Type{
	"api_limits":                   reflect.TypeFor[APILimits](),
	"metrics_config":               reflect.TypeFor[MetricsConfig](),
	"network":                      reflect.TypeFor[Network](),
	"opentelemetry":                reflect.TypeFor[OpenTelemetry](),
	"graphql_schema_introspection": reflect.TypeFor[GraphQLIntrospection](),
	"query_tags":                   reflect.TypeFor[QueryTags](),
	"health_check":                 reflect.TypeFor[HealthCheck](),
	"ssl_configuration":            reflect.TypeFor[SSLConfiguration](),
}

// unknownKeys warns of the keys of a document that mean nothing here: a typing error, or a
// part that this version doesn't have. Objects that are kept as given are not looked into.
func unknownKeys(raw json.RawMessage) []Warning {
	w := &keyWalker{}
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
	path  []any
	found []Warning
}

var decodesItself = reflect.TypeFor[json.Unmarshaler]()

func (w *keyWalker) walk(raw json.RawMessage, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := reflect.New(t).Interface().(shaped); ok {
		t = reflect.TypeOf(s.shape())
	}
	switch {
	case t == rawMessageType, t == reflect.TypeFor[sourceFields]() && foreignSource(raw):
	case t.Kind() == reflect.Slice && JSONType(raw) == "Array":
		items, err := array(raw)
		if err != nil {
			return
		}
		for i, item := range items {
			w.into(i, item, t.Elem())
		}
	case t.Kind() == reflect.Map && JSONType(raw) == "Object":
		fields, err := object(raw)
		if err != nil {
			return
		}
		for _, key := range sortedKeys(fields) {
			w.into(key, fields[key], t.Elem())
		}
	case t.Kind() == reflect.Struct && JSONType(raw) == "Object":
		w.object(raw, t)
	}
}

func (w *keyWalker) into(step any, raw json.RawMessage, t reflect.Type) {
	w.path = append(w.path, step)
	w.walk(raw, t)
	w.path = w.path[:len(w.path)-1]
}

func (w *keyWalker) object(raw json.RawMessage, t reflect.Type) {
	known := keysOf(t)
	if len(known) == 0 && reflect.PointerTo(t).Implements(decodesItself) {
		return
	}
	fields, err := object(raw)
	if err != nil {
		return
	}
	for _, key := range sortedKeys(fields) {
		field, ok := known[key]
		switch {
		case ok:
			if setting, typed := typedSettings[key]; typed && field == rawMessageType {
				field = setting
			}
			w.into(key, fields[key], field)
		case !ok && t == reflect.TypeFor[Document]() && slices.Contains(keysWithoutSources, key):
			w.into(key, fields[key], sourceLists[key])
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

// keysOf are the keys of a struct with the types of their values.
func keysOf(t reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for key, inner := range keysOf(f.Type) {
				keys[key] = inner
			}
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		keys[key] = f.Type
		if alias := parseRules(f.Tag.Get("meta")).alias; alias != "" {
			keys[alias] = f.Type
		}
	}
	return keys
}

// usingKeys are the keys of RelationshipUsing in all of its forms.
type usingKeys struct {
	ForeignKey json.RawMessage      `json:"foreign_key_constraint_on"`
	Manual     *ManualConfiguration `json:"manual_configuration"`
}

func (u *RelationshipUsing) shape() any { return usingKeys{} }

// rootFieldForm are the keys of CustomRootField.
type rootFieldForm struct {
	Name    string `json:"name"`
	Comment string `json:"comment"`
}

func (f *CustomRootField) shape() any { return rootFieldForm{} }
