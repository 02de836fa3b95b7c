// Package apitypes describes the metadata API in TypeScript, for the console: the document, and the
// arguments of every operation, from the Go types that requests are read into.
package apitypes

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/status"
)

// known are the types whose JSON isn't that of their fields.
var known = map[string]string{
	"Columns":         `"*" | string[]`,
	"CustomRootField": "string | { name?: string; comment?: string }",
	"GraphQLType":     "string",
	"RawMessage":      "Json",
	"Selection":       "boolean | string[]",
	"Time":            "string",
	"UniqueParams":    `"IP" | string[]`,
}

var (
	marshaler  = reflect.TypeFor[json.Marshaler]()
	identifier = regexp.MustCompile(`[A-Za-z0-9]+`)
	// packagePath is that of an argument of a generic type.
	packagePath = regexp.MustCompile(`[a-z/]+\.`)
)

// Write writes the types.
func Write(w io.Writer) error {
	g := generator{types: map[string]string{}, made: map[string]reflect.Type{}, optional: omitted}
	document := g.typeOf(reflect.TypeFor[metadata.Document]())
	g.typeOf(reflect.TypeFor[metadata.Inconsistency]())
	g.typeOf(reflect.TypeFor[metadata.TableDescription]())
	answer := g.typeOf(reflect.TypeFor[status.Answer]())
	g.optional = notRequired
	general, ofSources := map[string]string{}, map[string]string{}
	for name, o := range metadata.NewRegistry(metadata.Kinds{}).All(metadata.APIMetadata) {
		switch short, prefixed := strings.CutPrefix(name, "pg_"); {
		case prefixed:
			ofSources[short] = g.arguments(o.Args)
		case o.Kind == "":
			general[name] = g.arguments(o.Args)
		}
	}
	if len(g.clashes) > 0 {
		return fmt.Errorf("types can't be distinguished: %s", strings.Join(g.clashes, "; "))
	}
	var b strings.Builder
	b.WriteString("// Made by `make console` from the Go types of the metadata API. Don't edit it.\n\n")
	b.WriteString("export type Json = unknown;\nexport type MetadataDocument = " + document + ";\nexport type Status = " + answer + ";\n")
	for _, name := range slices.Sorted(maps.Keys(g.types)) {
		fmt.Fprintf(&b, "\nexport interface %s {\n%s}\n", name, g.types[name])
	}
	writeOperations(&b, "Operations", "the operations that belong to no kind of sources", general)
	writeOperations(&b, "SourceOperations", "those whose names have the prefix of a kind of sources", ofSources)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeOperations(b *strings.Builder, name, what string, operations map[string]string) {
	fmt.Fprintf(b, "\n/** The arguments of %s. */\nexport interface %s {\n", what, name)
	for _, operation := range slices.Sorted(maps.Keys(operations)) {
		fmt.Fprintf(b, "  %s: %s;\n", operation, operations[operation])
	}
	b.WriteString("}\n")
}

// generator collects the interfaces that types refer to, by name.
type generator struct {
	types map[string]string
	// made are the types of the interfaces; clashes name those that would have the same one.
	made    map[string]reflect.Type
	clashes []string
	// optional reports whether a field may be missing.
	optional func(reflect.StructField) bool
}

// omitted is the rule for what the server writes.
func omitted(f reflect.StructField) bool { return strings.Contains(f.Tag.Get("json"), ",omit") }

// notRequired is the rule for what it reads.
func notRequired(f reflect.StructField) bool { return !strings.Contains(f.Tag.Get("meta"), "required") }

// arguments are those of an operation.
func (g *generator) arguments(args any) string {
	t := reflect.TypeOf(args)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return "Json"
	}
	return g.structure(t, "Args")
}

// structure is the name of the interface for a struct.
func (g *generator) structure(t reflect.Type, suffix string) string {
	name := strings.Join(identifier.FindAllString(shortName(t.Name()), -1), "")
	name = strings.ToUpper(name[:1]) + name[1:] + suffix
	if _, done := g.types[name]; done {
		if other := g.made[name]; other != t {
			g.clashes = append(g.clashes, fmt.Sprintf("%s and %s are both called %s", other, t, name))
		}
		return name
	}
	g.types[name], g.made[name] = "", t // a type may refer to itself
	g.types[name] = g.fields(t)
	return name
}

// fields are the members of an interface, one on each line.
func (g *generator) fields(t reflect.Type) string {
	var b strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		tag, given := f.Tag.Lookup("json")
		if f.Anonymous && !given && f.Type.Kind() == reflect.Struct {
			b.WriteString(g.fields(f.Type))
			continue
		}
		key, _, _ := strings.Cut(tag, ",")
		if !given || key == "-" || key == "" || !f.IsExported() {
			continue
		}
		mark := ""
		if g.optional(f) {
			mark = "?"
		}
		fmt.Fprintf(&b, "  %s%s: %s;\n", key, mark, g.typeOf(f.Type))
	}
	if t == reflect.TypeFor[catalog.Name]() {
		b.WriteString("  dataset?: string;\n") // what sources with datasets have instead of the schema
	}
	return b.String()
}

// shortName drops the packages from the arguments of a generic type.
func shortName(name string) string {
	return packagePath.ReplaceAllString(name, "")
}

func (g *generator) typeOf(t reflect.Type) string {
	if text, ok := known[t.Name()]; ok {
		return text
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.typeOf(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		element := g.typeOf(t.Elem())
		if strings.Contains(element, " ") {
			element = "(" + element + ")"
		}
		return element + "[]"
	case reflect.Map:
		return "Record<string, " + g.typeOf(t.Elem()) + ">"
	case reflect.Struct:
		if strings.HasPrefix(t.Name(), "Definition[") {
			rule := g.typeOf(t.Field(0).Type.Elem())
			return rule + " | " + rule + "[]"
		}
		// A source writes itself only to keep what it doesn't know.
		if t != reflect.TypeFor[metadata.Source]() && (t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)) {
			return "Json"
		}
		if t.Name() == "" {
			return "{\n" + g.fields(t) + "  }"
		}
		return g.structure(t, "")
	default:
		return "Json"
	}
}
