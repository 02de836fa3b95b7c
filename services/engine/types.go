package engine

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"queryengine/pkg/extension"
)

// Enum is implemented by string types that are enums in GraphQL.
type Enum interface {
	// EnumValues are all values.
	EnumValues() []string
}

// Named is implemented by types with a GraphQL type of their own choice, such as numeric for a decimal.
type Named interface {
	// GraphQLType is the name of the type, a scalar unless it is a struct.
	GraphQLType() string
}

// define describes the types of an action. It panics for types that JSON or GraphQL can't have: the program is wrong.
func define[In, Out any]() *extension.Definition {
	known := typeSet{}
	in := known.ref(reflect.TypeFor[In](), false)
	if in.Of != nil || in.Type.Kind != extension.Object {
		panic(fmt.Sprintf("engine: the input of an action is a struct, not %s", reflect.TypeFor[In]()))
	}
	return &extension.Definition{Arguments: in.Type.Fields, Output: known.ref(reflect.TypeFor[Out](), false)}
}

// typeSet are the described types; types may contain themselves.
type typeSet map[reflect.Type]*extension.Type

var (
	textType = reflect.TypeFor[encoding.TextMarshaler]()
	rawType  = reflect.TypeFor[json.RawMessage]()
	jsonType = reflect.TypeFor[json.Marshaler]()
	enumType = reflect.TypeFor[Enum]()
	nameType = reflect.TypeFor[Named]()
)

func (s typeSet) ref(t reflect.Type, optional bool) extension.Ref {
	if t.Kind() == reflect.Pointer {
		r := s.ref(t.Elem(), optional)
		r.NonNull = false
		return r
	}
	if isList(t) {
		of := s.ref(t.Elem(), false)
		return extension.Ref{Of: &of, NonNull: !optional}
	}
	null := optional || t.Kind() == reflect.Map || t.Kind() == reflect.Interface || t == rawType
	return extension.Ref{Type: s.named(t), NonNull: !null}
}

// isList reports whether t is a list in JSON. A slice of bytes is a text.
func isList(t reflect.Type) bool {
	return !implements(t, textType) && !implements(t, jsonType) &&
		(t.Kind() == reflect.Array || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8)
}

// implements reports whether t or a pointer to it does: values are encoded where they are addressable.
func implements(t, i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }

// exported is the name of a Go type in the style of GraphQL.
func exported(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return name
	}
	return string(unicode.ToUpper(first)) + name[size:]
}

// scalars are the types of the language.
var scalars = map[reflect.Kind]string{
	reflect.Bool: "Boolean", reflect.String: "String",
	reflect.Int: "Int", reflect.Int8: "Int", reflect.Int16: "Int", reflect.Int32: "Int", reflect.Int64: "bigint",
	reflect.Uint8: "Int", reflect.Uint16: "Int", reflect.Uint: "bigint", reflect.Uint32: "bigint", reflect.Uint64: "numeric", // dialect word: a scalar of GraphQL
	reflect.Float32: "Float", reflect.Float64: "Float",
}

func (s typeSet) named(t reflect.Type) *extension.Type {
	if known := s[t]; known != nil {
		return known
	}
	made := &extension.Type{Name: exported(t.Name())}
	s[t] = made
	switch {
	case t.Implements(enumType):
		made.Kind, made.Values = extension.Enum, reflect.Zero(t).Interface().(Enum).EnumValues()
	case t == reflect.TypeFor[time.Time]():
		made.Name, made.Text = "timestamptz", true // dialect word: a scalar of GraphQL
	case t == rawType, t.Kind() == reflect.Map, t.Kind() == reflect.Interface:
		made.Name = "jsonb" // dialect word: a scalar of GraphQL
	case t == reflect.TypeFor[json.Number]():
		made.Name = "numeric" // dialect word: a scalar of GraphQL
	case implements(t, jsonType), implements(t, textType):
		made.Name, made.Text = encoded(t)
	case t.Kind() == reflect.Slice: // of bytes, which JSON has in base64
		made.Name, made.Text = "String", true
	case t.Kind() == reflect.Struct:
		made.Kind = extension.Object
		s.fields(made, t)
	default:
		name, ok := scalars[t.Kind()]
		if !ok {
			panic(fmt.Sprintf("engine: GraphQL has no type for %s", t))
		}
		made.Name = name
	}
	if t.Implements(nameType) {
		made.Name = reflect.Zero(t).Interface().(Named).GraphQLType()
	}
	return made
}

// encoded is the scalar of a type that encodes itself, by its name and the JSON of its zero value.
func encoded(t reflect.Type) (name string, text bool) {
	zero, err := json.Marshal(reflect.New(t).Interface())
	text = strings.HasPrefix(string(zero), `"`)
	if err != nil { // the zero value isn't one of its values
		text = !implements(t, jsonType)
	}
	switch {
	case text && strings.EqualFold(t.Name(), "uuid"):
		return "uuid", text
	case isNumber(string(zero)), text && (strings.EqualFold(t.Name(), "decimal") || t == reflect.TypeFor[big.Float]()):
		return "numeric", text // dialect word: a scalar of GraphQL
	case text:
		return "String", text
	}
	return "jsonb", text // dialect word: a scalar of GraphQL
}

// fields describes the fields of a struct as package json names them.
func (s typeSet) fields(to *extension.Type, t reflect.Type) {
	for _, f := range jsonFields(t) {
		optional := f.option("omitempty") || f.option("omitzero")
		to.Fields = append(to.Fields, extension.Field{Name: f.name, Description: f.Tag.Get("doc"), Type: s.ref(f.Type, optional)})
	}
}

// jsonField is a field of a struct in JSON.
type jsonField struct {
	reflect.StructField
	name    string
	options []string
}

func (f *jsonField) option(name string) bool { return slices.Contains(f.options, name) }

// jsonFields are the fields of a struct that package json reads and writes. Of several with one name, it takes the one
// with the fewest embedded structs around it, of several such ones the one with the name in its tag, else none.
func jsonFields(t reflect.Type) []jsonField {
	all := allFields(nil, t, nil)
	return slices.DeleteFunc(slices.Clone(all), func(f jsonField) bool {
		return slices.ContainsFunc(all, func(other jsonField) bool {
			return other.name == f.name && !slices.Equal(other.Index, f.Index) && other.weight() <= f.weight()
		})
	})
}

// allFields are the fields of t, which outer has embedded at index, and those of structs embedded in t.
func allFields(outer []reflect.Type, t reflect.Type, index []int) (fields []jsonField) {
	if slices.Contains(outer, t) { // embedded in itself
		return nil
	}
	outer = append(outer, t)
	for i := range t.NumField() {
		f := t.Field(i)
		f.Index = append(slices.Clip(index), i)
		if of := embedded(f); of != nil {
			fields = append(fields, allFields(outer, of, f.Index)...)
			continue
		}
		options := strings.Split(f.Tag.Get("json"), ",")
		if !f.IsExported() || options[0] == "-" && len(options) == 1 {
			continue
		}
		fields = append(fields, jsonField{f, cmp.Or(options[0], f.Name), options[1:]})
	}
	return fields
}

// weight is the less, the more package json prefers the field to others of its name.
func (f *jsonField) weight() int {
	weight := 2 * len(f.Index)
	if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == "" {
		weight++
	}
	return weight
}

// fieldOf is the field that package json decodes a member into, nil for none.
func fieldOf(fields []jsonField, member string) *jsonField {
	for _, same := range []func(string, string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if i := slices.IndexFunc(fields, func(f jsonField) bool { return same(f.name, member) }); i >= 0 {
			return &fields[i]
		}
	}
	return nil
}

// embedded is the struct whose fields package json has instead of f, nil for other fields.
func embedded(f reflect.StructField) reflect.Type {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.Anonymous && tag == "" && t.Kind() == reflect.Struct {
		return t
	}
	return nil
}
