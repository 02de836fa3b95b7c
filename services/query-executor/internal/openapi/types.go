package openapi

import (
	"strings"

	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// known are the scalars that a URL can hold, by their names in lower case.
var known = map[string]node{
	"int":     {Type: "integer"},
	"float":   {Type: "number"},
	"double":  {Type: "number"},
	"string":  {Type: "string"},
	"id":      {Type: "string"},
	"boolean": {Type: "boolean"},
	"bool":    {Type: "boolean"},
	uuid:      {Type: "string", Pattern: "[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89aAbB][a-f0-9]{3}-[a-f0-9]{12}"},
}

// uuid has a pattern, and so a schema of its own that others refer to.
const uuid = "uuid"

// variable is the schema of a variable's type.
func (d *describer) variable(t parse.Type, path string) *node {
	nullable := !t.NonNull
	if t.Elem != nil {
		return &node{Type: "array", Items: d.variable(*t.Elem, path), Nullable: &nullable}
	}
	named := d.input(t.Name)
	if named == nil {
		if _, ok := known[strings.ToLower(t.Name)]; !ok {
			d.problems = append(d.problems, path+": type '"+t.Name+"' not found")
			return &node{Title: t.Name, Nullable: &nullable}
		}
		named = &schema.Type{Name: t.Name, Kind: schema.Scalar}
	}
	ref := schema.Named(named)
	if t.NonNull {
		ref = schema.NonNull(ref)
	}
	return d.use(ref)
}

// input is the type of that name.
func (d *describer) input(name string) *schema.Type {
	if _, ok := known[strings.ToLower(name)]; ok {
		return nil
	}
	return d.role.Named(name)
}

// use is the schema of a value of an input type or a scalar.
func (d *describer) use(r schema.Ref) *node {
	nullable := !r.NonNull()
	if item, ok := r.Item(); ok {
		return &node{Type: "array", Items: d.use(item), Nullable: &nullable}
	}
	t := r.Named
	lower := strings.ToLower(t.Name)
	if kind, ok := known[lower]; ok && lower != uuid {
		kind.Title, kind.Nullable = t.Name, &nullable
		return &kind
	}
	key := t.Name
	if !nullable {
		key += "!"
	}
	if d.components[key] == nil {
		d.component(key, t, nullable)
	}
	return &node{Ref: "#/components/schemas/" + key}
}

// component declares a type. It is there before what is inside of it, which may refer back.
func (d *describer) component(key string, t *schema.Type, nullable bool) {
	n := &node{}
	d.components[key] = n
	switch t.Kind {
	case schema.InputObject:
		n.Type, n.Description, n.Properties = "object", t.Description(), map[string]*node{}
		inputs := t.Inputs()
		for i := range inputs {
			n.Properties[inputs[i].Name] = d.use(inputs[i].Type)
		}
	case schema.Enum:
		n.Description = t.Description()
		for _, v := range t.Values() {
			n.Enum = append(n.Enum, v.Name)
		}
	default:
		if kind, ok := known[strings.ToLower(t.Name)]; ok {
			*n = kind
		} else {
			n.Description = t.Description()
		}
	}
	n.Title, n.Nullable = t.Name, &nullable
}
