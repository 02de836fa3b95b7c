package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// The types of actions are kept as GraphQL text, the rest as YAML. typesFile is the YAML.
type typesFile struct {
	Actions     []json.RawMessage `json:"actions"`
	CustomTypes customTypes       `json:"custom_types"`
}

type customTypes struct {
	Enums        []enumType   `json:"enums"`
	InputObjects []objectType `json:"input_objects"`
	Objects      []objectType `json:"objects"`
	Scalars      []namedType  `json:"scalars"`
}

type namedType struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type enumType struct {
	namedType
	Values []enumValue `json:"values,omitempty"`
}

type enumValue struct {
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Deprecated  bool   `json:"is_deprecated,omitempty"`
}

type objectType struct {
	namedType
	Fields        []typeField     `json:"fields,omitempty"`
	Relationships json.RawMessage `json:"relationships,omitempty"`
}

type typeField struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
}

// signature is the GraphQL text of an action.
type signature struct {
	kind      string // query or mutation
	arguments []typeField
	output    string
}

// readActions sets actions and custom_types.
func readActions(files fs.FS, d *ordered) error {
	raw, err := loadYAML(files, actionsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var given typesFile
	if err := json.Unmarshal(raw, &given); err != nil {
		return fmt.Errorf("%s: %w", actionsFile, err)
	}
	text, err := fs.ReadFile(files, actionsSDL)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	schema := &ast.SchemaDocument{}
	if strings.TrimSpace(string(text)) != "" {
		if schema, err = parser.ParseSchema(&ast.Source{Name: actionsSDL, Input: string(text)}); err != nil {
			return fmt.Errorf("%s: %w", actionsSDL, err)
		}
	}
	signatures, types := splitSDL(schema)
	actions := make([]json.RawMessage, len(given.Actions))
	for i, raw := range given.Actions {
		if actions[i], err = withSignature(raw, signatures); err != nil {
			return fmt.Errorf("%s: %w", actionsFile, err)
		}
	}
	for name := range signatures {
		return fmt.Errorf("action %q of %s is not in %s", name, actionsSDL, actionsFile)
	}
	given.CustomTypes.complete(types)
	if len(actions) > 0 {
		d.set("actions", actions)
	}
	if types := given.CustomTypes.document(); types != nil {
		d.set("custom_types", types)
	}
	return nil
}

// splitSDL sorts the definitions into actions and types.
func splitSDL(schema *ast.SchemaDocument) (map[string]signature, customTypes) {
	signatures := map[string]signature{}
	var types customTypes
	for _, list := range []ast.DefinitionList{schema.Definitions, schema.Extensions} {
		for _, def := range list {
			named := namedType{def.Name, def.Description}
			switch {
			case def.Kind == ast.Object && (def.Name == "Query" || def.Name == "Mutation"):
				for _, f := range def.Fields {
					signatures[f.Name] = signature{strings.ToLower(def.Name), argumentsOf(f.Arguments), f.Type.String()}
				}
			case def.Kind == ast.Object:
				types.Objects = append(types.Objects, objectType{namedType: named, Fields: fieldsOf(def.Fields)})
			case def.Kind == ast.InputObject:
				types.InputObjects = append(types.InputObjects, objectType{namedType: named, Fields: fieldsOf(def.Fields)})
			case def.Kind == ast.Scalar:
				types.Scalars = append(types.Scalars, named)
			case def.Kind == ast.Enum:
				enum := enumType{namedType: named}
				for _, v := range def.EnumValues {
					enum.Values = append(enum.Values, enumValue{v.Name, v.Description, v.Directives.ForName("deprecated") != nil})
				}
				types.Enums = append(types.Enums, enum)
			}
		}
	}
	return signatures, types
}

func argumentsOf(list ast.ArgumentDefinitionList) []typeField {
	fields := make([]typeField, len(list))
	for i, a := range list {
		fields[i] = typeField{a.Name, a.Type.String(), a.Description}
	}
	return fields
}

func fieldsOf(list ast.FieldList) []typeField {
	fields := make([]typeField, len(list))
	for i, f := range list {
		fields[i] = typeField{f.Name, f.Type.String(), f.Description}
	}
	return fields
}

// withSignature completes an action by its GraphQL text, which is removed from signatures.
func withSignature(raw json.RawMessage, signatures map[string]signature) (json.RawMessage, error) {
	action, err := decodeOrdered(raw)
	if err != nil {
		return nil, err
	}
	var name string
	if err := json.Unmarshal(action.raw("name"), &name); err != nil {
		return nil, errors.New("an action has no name")
	}
	s, found := signatures[name]
	delete(signatures, name)
	if !action.has("definition") {
		return nil, fmt.Errorf("action %q has no definition", name)
	}
	definition, err := decodeOrdered(action.raw("definition"))
	if err != nil {
		return nil, fmt.Errorf("action %q: %w", name, err)
	}
	switch {
	case found:
		definition.set("output_type", s.output)
		definition.set("arguments", s.arguments)
		definition.set("type", s.kind)
		if s.kind == "query" {
			definition.remove("kind") // a query is always synchronous
		}
	case !definition.has("output_type"):
		return nil, fmt.Errorf("action %q is not in %s", name, actionsSDL)
	}
	inner, err := definition.encode()
	if err != nil {
		return nil, err
	}
	action.set("definition", inner)
	return action.encode()
}

// complete adds the GraphQL text to the YAML. Content that only the YAML has stays.
func (t *customTypes) complete(sdl customTypes) {
	t.Objects = merged(t.Objects, sdl.Objects, func(o objectType) string { return o.Name }, func(yaml, sdl objectType) objectType {
		sdl.Relationships = yaml.Relationships
		sdl.Description = orElse(sdl.Description, yaml.Description)
		return sdl
	})
	t.InputObjects = merged(t.InputObjects, sdl.InputObjects, func(o objectType) string { return o.Name }, func(yaml, sdl objectType) objectType {
		sdl.Description = orElse(sdl.Description, yaml.Description)
		return sdl
	})
	t.Enums = merged(t.Enums, sdl.Enums, func(e enumType) string { return e.Name }, func(yaml, sdl enumType) enumType {
		sdl.Description = orElse(sdl.Description, yaml.Description)
		return sdl
	})
	t.Scalars = merged(t.Scalars, sdl.Scalars, func(s namedType) string { return s.Name }, func(yaml, sdl namedType) namedType {
		sdl.Description = orElse(sdl.Description, yaml.Description)
		return sdl
	})
}

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// merged is the list of sdl, completed by the elements of the same name of yaml, and then
// what only yaml has.
func merged[T any](yaml, sdl []T, name func(T) string, both func(yaml, sdl T) T) []T {
	byName := map[string]T{}
	for _, t := range yaml {
		byName[name(t)] = t
	}
	var list []T
	for _, t := range sdl {
		if y, ok := byName[name(t)]; ok {
			t = both(y, t)
			delete(byName, name(t))
		}
		list = append(list, t)
	}
	for _, t := range yaml {
		if _, left := byName[name(t)]; left {
			list = append(list, t)
		}
	}
	return list
}

// document is the part of the metadata document, nil when there are no types.
func (t *customTypes) document() *ordered {
	o := &ordered{}
	if len(t.InputObjects) > 0 {
		o.set("input_objects", t.InputObjects)
	}
	if len(t.Objects) > 0 {
		o.set("objects", t.Objects)
	}
	if len(t.Scalars) > 0 {
		o.set("scalars", t.Scalars)
	}
	if len(t.Enums) > 0 {
		o.set("enums", t.Enums)
	}
	if len(o.keys) == 0 {
		return nil
	}
	return o
}

// MarshalJSON keeps the order of the keys.
func (o *ordered) MarshalJSON() ([]byte, error) { return o.encode() }
