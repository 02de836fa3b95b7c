package openapi

import (
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// maxDepth bounds how deep a selection is followed, as it is for requests.
const maxDepth = 100

// answer is the schema of an operation's data.
func (d *describer) answer(op *parse.Operation) *node {
	root := d.role.Query()
	if op.Kind == parse.Mutation {
		root = d.role.Mutation()
	}
	n := &node{}
	if root == nil {
		d.problems = append(d.problems, "no mutations exist")
		return n
	}
	d.object(n, root, op.Selections, "$", 0)
	return n
}

// object adds what a selection set gives to the schema of an object. Equal keys are merged.
func (d *describer) object(n *node, t *schema.Type, set []parse.Selection, path string, depth int) {
	if depth > maxDepth {
		return
	}
	for _, s := range set {
		switch s := s.(type) {
		case *parse.Field:
			d.field(n, t, s, path+"."+s.Name, depth)
		case *parse.Spread:
			if s.Fragment.On == t.Name {
				d.object(n, t, s.Fragment.Selections, path, depth+1)
			}
		case *parse.Inline:
			if s.On == "" || s.On == t.Name {
				d.object(n, t, s.Selections, path, depth+1)
			}
		}
	}
}

func (d *describer) field(n *node, t *schema.Type, f *parse.Field, path string, depth int) {
	var ref schema.Ref
	field := t.Field(f.Name)
	if field == nil && t == d.role.Query() {
		field = d.role.MetaField(f.Name)
	}
	switch {
	case field != nil:
		ref = field.Type
	case f.Name == "__typename":
		ref = schema.NonNull(schema.Named(&schema.Type{Name: "String", Kind: schema.Scalar}))
	default:
		d.problems = append(d.problems, path+": field '"+f.Name+"' not found in object '"+t.Name+"'")
		return
	}
	if n.Properties == nil {
		n.Properties = map[string]*node{}
	}
	if ref.Named.Kind != schema.Object {
		n.Properties[f.Alias] = d.use(ref)
		return
	}
	inner := n.Properties[f.Alias]
	if inner == nil {
		inner = objectOf(ref)
		n.Properties[f.Alias] = inner
	}
	for inner.Items != nil {
		inner = inner.Items
	}
	d.object(inner, ref.Named, f.Selections, path, depth+1)
}

// objectOf is the schema of a selected object, or a list of it, without its properties.
func objectOf(r schema.Ref) *node {
	nullable := !r.NonNull()
	if item, ok := r.Item(); ok {
		return &node{Type: "array", Items: objectOf(item), Nullable: &nullable}
	}
	return &node{Title: r.Named.Name, Type: "object", Description: r.Named.Description(), Nullable: &nullable}
}
