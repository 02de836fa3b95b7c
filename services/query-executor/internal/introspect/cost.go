package introspect

import (
	"math"
	"slices"

	"queryengine/services/query-executor/internal/rawjson"
	"queryengine/services/query-executor/internal/schema"
)

// cost is what an answer is made of.
type cost struct{ members, bytes int }

// unlimited is more than anything costs, and little enough to be added up.
const unlimited = math.MaxInt / 4

func (c *cost) add(d cost) {
	c.members = min(c.members+d.members, unlimited)
	c.bytes = min(c.bytes+d.bytes, unlimited)
}

// counter finds what a writer would write, without writing it. An answer can be larger than the
// document by any factor, for types refer to each other and a document says it once for all; so
// each selection set is counted once for each type, which is never more work than the writer has
// with it.
type counter struct {
	*Questions
	known map[place]cost
	// left is how many more members are looked at: with none left the answer has more than
	// was allowed.
	left int
	over bool
	text []byte
}

// place is a selection set on a type.
type place struct {
	t   *schema.Type
	set *Field
}

// cost is what the value of a field costs, unlimited when it has more than most members.
func (q *Questions) cost(f *Field, most int) cost {
	c := &counter{Questions: q, known: map[place]cost{}, left: most}
	var total cost
	switch t := q.byName[f.Argument]; {
	case f.Name == "__schema":
		total = c.object(f.Fields, c.schemaField)
	case f.Name == "_service":
		total = c.object(f.Fields, func(*Field) cost { return cost{bytes: len(q.schemaText())} })
	case t == nil:
		total = null
	default:
		total = c.named(t, f.Fields)
	}
	if c.over {
		return cost{unlimited, unlimited}
	}
	return total
}

var null = cost{bytes: len("null")}

func (c *counter) object(fields []Field, value func(f *Field) cost) cost {
	total := cost{members: len(fields), bytes: len("{}") + len(fields) - 1}
	if c.left -= len(fields); c.left < 0 {
		c.over = true
	}
	for i := range fields {
		if c.over {
			return total
		}
		f := &fields[i]
		total.bytes += c.string(f.Alias) + len(":")
		if f.Name == "__typename" {
			total.bytes += c.string(f.Argument)
			continue
		}
		total.add(value(f))
	}
	return total
}

// string is the length of a JSON string.
func (c *counter) string(s string) int {
	c.text = rawjson.AppendString(c.text[:0], s)
	return len(c.text)
}

func (c *counter) value(s string) cost { return cost{bytes: c.string(s)} }

// orNull is a text that is null when there is none.
func (c *counter) orNull(s string) cost {
	if s == "" {
		return null
	}
	return c.value(s)
}

// listOf is a list of n items.
func (c *counter) listOf(n int, item func(i int) cost) cost {
	total := cost{bytes: len("[]") + max(n-1, 0)}
	for i := range n {
		if c.over {
			return total
		}
		total.add(item(i))
	}
	return total
}

func (c *counter) schemaField(f *Field) cost {
	root := func(t *schema.Type) cost {
		if t == nil {
			return null
		}
		return c.named(t, f.Fields)
	}
	switch f.Name {
	case "types":
		return c.listOf(len(c.all), func(i int) cost { return c.named(c.all[i], f.Fields) })
	case "queryType":
		return root(c.role.Query())
	case "mutationType":
		return root(c.role.Mutation())
	case "subscriptionType":
		return root(c.role.Subscription())
	case "directives":
		all := c.role.Directives()
		return c.listOf(len(all), func(i int) cost { return c.directive(&all[i], f.Fields) })
	}
	return null
}

func (c *counter) directive(d *schema.Directive, fields []Field) cost {
	return c.object(fields, func(f *Field) cost {
		switch f.Name {
		case "name":
			return c.value(d.Name)
		case "description":
			return c.orNull(d.Description)
		case "locations":
			return c.listOf(len(d.Locations), func(i int) cost { return c.value(d.Locations[i]) })
		case "args":
			return c.inputs(d.Args, f.Fields)
		}
		return cost{bytes: len("false")}
	})
}

// named is a named type.
func (c *counter) named(t *schema.Type, fields []Field) cost {
	at := place{t, &fields[0]}
	if known, ok := c.known[at]; ok {
		if c.left--; c.left < 0 {
			c.over = true
		}
		return known
	}
	total := c.object(fields, func(f *Field) cost {
		switch f.Name {
		case "kind":
			return c.value(kinds[t.Kind])
		case "name":
			return c.value(t.Name)
		case "description":
			return c.orNull(t.Description())
		case "fields":
			if t.Kind == schema.Object || t.Kind == schema.Interface {
				all := t.Fields()
				return c.listOf(len(all), func(i int) cost { return c.field(&all[i], f.Fields) })
			}
		case "inputFields":
			if t.Kind == schema.InputObject {
				return c.inputs(t.Inputs(), f.Fields)
			}
		case "enumValues":
			if t.Kind == schema.Enum {
				all := t.Values()
				if !f.Deprecated {
					all = slices.DeleteFunc(slices.Clone(all), func(v schema.Value) bool { return v.Deprecated() })
				}
				return c.listOf(len(all), func(i int) cost { return c.enumValue(&all[i], f.Fields) })
			}
		case "interfaces":
			if t.Kind == schema.Object {
				return c.types(t.Interfaces(), f.Fields)
			}
		case "possibleTypes":
			if t.Kind == schema.Interface || t.Kind == schema.Union {
				return c.types(t.Possible(), f.Fields)
			}
		}
		return null
	})
	c.known[at] = total
	return total
}

var kinds = [...]string{
	schema.Scalar: "SCALAR", schema.Enum: "ENUM", schema.Object: "OBJECT", schema.InputObject: "INPUT_OBJECT",
	schema.Interface: "INTERFACE", schema.Union: "UNION",
}

// ref is the use of a type.
func (c *counter) ref(r schema.Ref, fields []Field) cost {
	inner, isList := r.Item()
	kind := "LIST"
	switch {
	case r.NonNull():
		inner, kind = r.Nullable(), "NON_NULL"
	case !isList:
		return c.named(r.Named, fields)
	}
	return c.object(fields, func(f *Field) cost {
		switch f.Name {
		case "kind":
			return c.value(kind)
		case "ofType":
			return c.ref(inner, f.Fields)
		}
		return null
	})
}

func (c *counter) types(all []*schema.Type, fields []Field) cost {
	return c.listOf(len(all), func(i int) cost { return c.named(all[i], fields) })
}

func (c *counter) field(d *schema.Field, fields []Field) cost {
	return c.object(fields, func(f *Field) cost {
		switch f.Name {
		case "name":
			return c.value(d.Name)
		case "description":
			return c.orNull(d.Description())
		case "args":
			return c.inputs(d.Args(), f.Fields)
		case "type":
			return c.ref(d.Type, f.Fields)
		}
		return deprecation(f)
	})
}

func (c *counter) inputs(all []schema.Input, fields []Field) cost {
	return c.listOf(len(all), func(i int) cost {
		d := &all[i]
		return c.object(fields, func(f *Field) cost {
			switch f.Name {
			case "name":
				return c.value(d.Name)
			case "description":
				return c.orNull(d.Description)
			case "type":
				return c.ref(d.Type, f.Fields)
			case "defaultValue":
				return c.orNull(d.Default)
			}
			return deprecation(f)
		})
	})
}

func (c *counter) enumValue(d *schema.Value, fields []Field) cost {
	return c.object(fields, func(f *Field) cost {
		switch f.Name {
		case "name":
			return c.value(d.Name)
		case "description":
			return c.orNull(d.Description)
		}
		if d.Deprecated() && f.Name == "isDeprecated" {
			return cost{bytes: len("true")}
		}
		if d.Deprecated() {
			return c.value(deprecationReason)
		}
		return deprecation(f)
	})
}

func deprecation(f *Field) cost {
	if f.Name == "isDeprecated" {
		return cost{bytes: len("false")}
	}
	return null
}
