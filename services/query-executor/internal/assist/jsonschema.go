package assist

import (
	"encoding/json"

	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// node is a JSON schema.
type node struct {
	Ref string `json:"$ref,omitempty"`
	// Type is a name, or with null two of them; nil for any value.
	Type        any              `json:"type,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Default     json.RawMessage  `json:"default,omitempty"`
	Enum        []any            `json:"enum,omitempty"`
	Items       *node            `json:"items,omitempty"`
	Properties  map[string]*node `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	// More is false where further properties are wrong.
	More        *bool            `json:"additionalProperties,omitempty"`
	Definitions map[string]*node `json:"$defs,omitempty"`
}

// mostDefinitions is how many input objects are described with an operation, those that its variables lead to first. The rest are any
// object: conditions lead to all tables that relationships lead to.
const mostDefinitions = 12

// inputs describe the variables of an operation.
type inputs struct {
	role    *schema.Role
	defined map[string]*node
	// left are the types whose definitions are empty yet.
	left []*schema.Type
}

// find returns the type of that name, nil for none.
func find(role *schema.Role, name string) *schema.Type {
	if _, plain := plainTypes[name]; plain {
		return &schema.Type{Name: name, Kind: schema.Scalar}
	}
	return role.Named(name)
}

// inputOf is the schema of an operation's variables.
func inputOf(role *schema.Role, op *parse.Operation) *node {
	in := &inputs{role: role, defined: map[string]*node{}}
	n := &node{Type: "object", Properties: map[string]*node{}, More: new(bool)}
	for _, v := range op.Variables {
		of := in.variable(v.Type)
		of.Default = v.Default
		n.Properties[v.Name] = of
		if v.Type.NonNull && v.Default == nil {
			n.Required = append(n.Required, v.Name)
		}
	}
	for len(in.left) > 0 {
		t := in.left[0]
		in.left = in.left[1:]
		in.define(t)
	}
	n.Definitions = in.defined
	return n
}

func (in *inputs) variable(t parse.Type) *node {
	if t.Elem != nil {
		return nullable(&node{Type: "array", Items: in.variable(*t.Elem)}, !t.NonNull)
	}
	named := find(in.role, t.Name)
	if named == nil {
		return &node{} // its name isn't the role's business
	}
	return nullable(in.typed(named), !t.NonNull)
}

// plainTypes are the JSON types of scalars.
var plainTypes = map[string]any{"Int": "integer", "Float": "number", "String": "string", "ID": "string", "Boolean": "boolean"}

// textual are scalars of databases that JSON has as texts.
var textual = map[string]bool{
	"uuid": true, "date": true, "timestamp": true, "timestamptz": true, "time": true, "timetz": true, "interval": true, // dialect word: scalars of GraphQL
	"citext": true, "bpchar": true, "varchar": true, "text": true, "inet": true, "bytea": true, // dialect word: scalars of GraphQL
}

func scalar(name string) *node {
	if t, ok := plainTypes[name]; ok {
		return &node{Type: t}
	}
	n := &node{Title: name}
	if textual[name] {
		n.Type = "string"
	}
	return n
}

// answered is a scalar in an answer. Infinite numbers, and those that are no number, are texts.
func answered(name string) *node {
	if t, ok := plainTypes[name]; ok && name != "Float" {
		return &node{Type: t}
	}
	return &node{Title: name}
}

func (in *inputs) typed(t *schema.Type) *node {
	switch t.Kind {
	case schema.Enum:
		return enum(t)
	case schema.InputObject:
		if in.defined[t.Name] == nil {
			if len(in.defined) == mostDefinitions {
				return &node{Type: "object", Title: t.Name}
			}
			in.defined[t.Name] = &node{}
			in.left = append(in.left, t)
		}
		return &node{Ref: "#/$defs/" + t.Name}
	}
	return scalar(t.Name)
}

// define describes an input object.
func (in *inputs) define(t *schema.Type) {
	n := in.defined[t.Name]
	*n = node{Type: "object", Description: t.Description(), Properties: map[string]*node{}, More: new(bool)}
	for _, i := range t.Inputs() {
		of := in.typedRef(i.Type)
		of.Description = i.Description
		n.Properties[i.Name] = of
		if i.Type.NonNull() && i.Default == "" {
			n.Required = append(n.Required, i.Name)
		}
	}
}

func (in *inputs) typedRef(r schema.Ref) *node {
	if item, ok := r.Item(); ok {
		return nullable(&node{Type: "array", Items: in.typedRef(item)}, !r.NonNull())
	}
	return nullable(in.typed(r.Named), !r.NonNull())
}

func enum(t *schema.Type) *node {
	n := &node{Type: "string", Title: t.Name, Description: t.Description()}
	for _, v := range t.Values() {
		n.Enum = append(n.Enum, v.Name)
	}
	return n
}

// nullable adds null to a schema.
func nullable(n *node, null bool) *node {
	if name, ok := n.Type.(string); ok && null {
		n.Type = []string{name, "null"}
		if n.Enum != nil {
			n.Enum = append(n.Enum, nil)
		}
	}
	return n
}

// outputDepth is the deepest level of a selection that is described. Requests have the same limit.
const outputDepth = 100

// output is the schema of an operation's data.
func output(role *schema.Role, op *parse.Operation) *node {
	root := role.Query()
	if op.Kind == parse.Mutation {
		root = role.Mutation()
	}
	n := &node{Type: "object", Properties: map[string]*node{}}
	selected(n, role, root, op.Selections, 0)
	return n
}

func selected(n *node, role *schema.Role, t *schema.Type, set []parse.Selection, depth int) {
	if depth > outputDepth {
		return
	}
	for _, s := range set {
		switch s := s.(type) {
		case *parse.Field:
			if of := selectedField(n, role, t, s, depth); of != nil {
				n.Properties[s.Alias] = of
			}
		case *parse.Spread:
			selected(n, role, t, s.Fragment.Selections, depth+1)
		case *parse.Inline:
			selected(n, role, t, s.Selections, depth+1)
		}
	}
}

func selectedField(n *node, role *schema.Role, t *schema.Type, f *parse.Field, depth int) *node {
	field := t.Field(f.Name)
	if field == nil && t == role.Query() {
		field = role.MetaField(f.Name)
	}
	if field == nil {
		if f.Name == "__typename" {
			return &node{Type: "string"}
		}
		return nil // of another type of an interface
	}
	var build func(r schema.Ref, listed bool) *node
	build = func(r schema.Ref, listed bool) *node {
		if item, ok := r.Item(); ok {
			return nullable(&node{Type: "array", Items: build(item, true)}, !r.NonNull())
		}
		switch r.Named.Kind { // of what isn't null, arrays have items that are
		case schema.Scalar:
			return nullable(answered(r.Named.Name), listed || !r.NonNull())
		case schema.Enum:
			return nullable(enum(r.Named), listed || !r.NonNull())
		}
		object := &node{Type: "object", Properties: map[string]*node{}}
		selected(object, role, r.Named, f.Selections, depth+1)
		return nullable(object, !listed || !r.NonNull()) // a relationship may lead to a row that the role doesn't see
	}
	of := build(field.Type, false)
	of.Description = field.Description()
	if before := n.Properties[f.Alias]; before != nil {
		merge(before, of)
		return before
	}
	return of
}

// merge adds the properties of another selection of the same field.
func merge(a, b *node) {
	for a.Items != nil && b.Items != nil {
		a, b = a.Items, b.Items
	}
	for name, of := range b.Properties {
		if known := a.Properties[name]; known != nil {
			merge(known, of)
		} else {
			a.Properties[name] = of
		}
	}
}
