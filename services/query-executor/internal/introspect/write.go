package introspect

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/graphql-go/graphql"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/rawjson"
	"queryengine/services/query-executor/internal/schema"
)

// Field is a selected field of the introspection types.
type Field struct {
	Alias string
	Name  string
	// Argument is the name that __type is asked for, or the type that __typename names.
	Argument string
	// Deprecated says that what is deprecated is wanted, too.
	Deprecated bool
	Fields     []Field
}

// Write writes the value of one of the fields. It ends early when ctx does.
func (q *Questions) Write(ctx context.Context, f *Field, out *backend.Answer) error {
	w := &writer{Questions: q, ctx: ctx, out: out}
	switch f.Name {
	case "__schema":
		w.schema(f.Fields)
	case "_service":
		w.service(f.Fields)
	default:
		w.lookUp(f)
	}
	return w.err
}

type writer struct {
	*Questions
	ctx   context.Context //nolint:containedctx // a writer lives as long as the call that it is made for
	types *types
	out   *backend.Answer
	// items counts those of lists.
	items int
	err   error
}

func (w *writer) lookUp(f *Field) {
	t := w.byName[f.Argument]
	if t == nil {
		w.null()
		return
	}
	w.types = newTypes()
	w.typ(w.types.named(t), f.Fields)
}

// checkEvery is after how many items of lists a writer looks whether anybody still waits.
const checkEvery = 64

// goOn hands on what is written, and reports whether there is somebody to write for.
func (w *writer) goOn() bool {
	if w.err != nil {
		return false
	}
	if w.items++; w.items%checkEvery == 0 {
		if w.err = w.ctx.Err(); w.err != nil {
			return false
		}
	}
	w.err = w.out.Flush()
	return w.err == nil
}

// object writes an object with the selected keys; value writes the value of one.
func (w *writer) object(fields []Field, value func(f *Field)) {
	w.raw("{")
	for i := range fields {
		if i > 0 {
			w.raw(",")
		}
		w.string(fields[i].Alias)
		w.raw(":")
		if fields[i].Name == "__typename" {
			w.string(fields[i].Argument)
			continue
		}
		value(&fields[i])
	}
	w.raw("}")
}

func (w *writer) schema(fields []Field) {
	w.object(fields, func(f *Field) {
		w.types = newTypes()
		switch f.Name {
		case "types":
			w.allTypes(f.Fields)
		case "queryType":
			w.root(w.role.Query(), f.Fields)
		case "mutationType":
			w.root(w.role.Mutation(), f.Fields)
		case "subscriptionType":
			w.root(w.role.Subscription(), f.Fields)
		case "directives":
			list(w, w.role.Directives(), func(d schema.Directive) { w.directive(w.types.directive(d), f.Fields) })
		default: // description
			w.null()
		}
	})
}

func (w *writer) root(t *schema.Type, fields []Field) {
	if t == nil {
		w.null()
		return
	}
	w.typ(w.types.named(t), fields)
}

// allTypes writes every type. Each is made, written and dropped.
func (w *writer) allTypes(fields []Field) {
	list(w, w.all, func(t *schema.Type) {
		w.types = newTypes()
		w.typ(w.types.named(t), fields)
	})
}

// typ writes a type: a named one, a list or a non-null.
func (w *writer) typ(t graphql.Type, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.name(t)
		case "description":
			w.text(description(t))
		case "fields":
			sorted(w, resolve(graphql.TypeType, "fields", t), func(d *graphql.FieldDefinition) string { return d.Name },
				func(d *graphql.FieldDefinition) { w.field(d, f.Fields) })
		case "inputFields":
			sorted(w, resolve(graphql.TypeType, "inputFields", t), func(d *graphql.InputObjectField) string { return d.Name() },
				func(d *graphql.InputObjectField) {
					w.input(d.Name(), d.Description(), d.Type, d.DefaultValue, f.Fields)
				})
		case "enumValues":
			sorted(w, present(resolve(graphql.TypeType, "enumValues", t), f), func(d *graphql.EnumValueDefinition) int { n, _ := d.Value.(int); return n },
				func(d *graphql.EnumValueDefinition) { w.enumValue(d, f.Fields) })
		case "interfaces":
			sorted(w, resolve(graphql.TypeType, "interfaces", t), func(i *graphql.Interface) string { return i.Name() },
				func(i *graphql.Interface) { w.typ(i, f.Fields) })
		case "ofType":
			w.inner(t, f.Fields)
		case "kind":
			kind, _ := resolve(graphql.TypeType, "kind", t).(string)
			w.string(kind)
		case "specifiedByURL":
			w.null()
		default: // possibleTypes
			w.possible(t, f.Fields)
		}
	})
}

// possible writes the types that an interface or a union stands for.
func (w *writer) possible(t graphql.Type, fields []Field) {
	abstract := w.types.abstract[t]
	if abstract == nil {
		w.null()
		return
	}
	all := slices.Clone(abstract.Possible())
	slices.SortFunc(all, func(a, b *schema.Type) int { return strings.Compare(a.Name, b.Name) })
	list(w, all, func(t *schema.Type) { w.typ(w.types.named(t), fields) })
}

// name writes the name of a type; a list and a non-null have none.
func (w *writer) name(t graphql.Type) {
	switch t.(type) {
	case *graphql.List, *graphql.NonNull:
		w.null()
	default:
		w.string(t.Name())
	}
}

func (w *writer) inner(t graphql.Type, fields []Field) {
	switch t := t.(type) {
	case *graphql.List:
		w.typ(t.OfType, fields)
	case *graphql.NonNull:
		w.typ(t.OfType, fields)
	default:
		w.null()
	}
}

func description(t graphql.Type) string {
	switch t.(type) {
	case *graphql.List, *graphql.NonNull:
		return ""
	}
	return t.Description()
}

func (w *writer) field(d *graphql.FieldDefinition, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.string(d.Name)
		case "description":
			w.text(d.Description)
		case "args":
			slices.SortFunc(d.Args, func(a, b *graphql.Argument) int { return strings.Compare(a.Name(), b.Name()) })
			list(w, d.Args, func(a *graphql.Argument) { w.input(a.Name(), a.Description(), a.Type, a.DefaultValue, f.Fields) })
		case "type":
			w.typ(d.Type, f.Fields)
		default:
			w.deprecation(f)
		}
	})
}

func (w *writer) input(name, description string, t graphql.Type, value any, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.string(name)
		case "description":
			w.text(description)
		case "type":
			w.typ(t, f.Fields)
		case "defaultValue":
			text, _ := value.(defaultText)
			w.text(string(text))
		default:
			w.deprecation(f)
		}
	})
}

func (w *writer) enumValue(d *graphql.EnumValueDefinition, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.string(d.Name)
		case "description":
			w.text(d.Description)
		case "deprecationReason":
			w.text(d.DeprecationReason)
		default: // isDeprecated
			w.raw(strconv.FormatBool(d.DeprecationReason != ""))
		}
	})
}

// present leaves out deprecated values that weren't asked for.
func present(values any, f *Field) any {
	all, ok := values.([]*graphql.EnumValueDefinition)
	if !ok || f.Deprecated {
		return values
	}
	return slices.DeleteFunc(slices.Clone(all), func(d *graphql.EnumValueDefinition) bool { return d.DeprecationReason != "" })
}

func (w *writer) directive(d *graphql.Directive, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.string(d.Name)
		case "description":
			w.text(d.Description)
		case "locations":
			list(w, d.Locations, w.string)
		case "args":
			list(w, d.Args, func(a *graphql.Argument) { w.input(a.Name(), a.Description(), a.Type, a.DefaultValue, f.Fields) })
		default: // isRepeatable
			w.raw("false")
		}
	})
}

// deprecation writes isDeprecated or deprecationReason of what never is.
func (w *writer) deprecation(f *Field) {
	if f.Name == "isDeprecated" {
		w.raw("false")
		return
	}
	w.null()
}

// resolve asks a resolver of graphql-go's introspection types.
func resolve(of *graphql.Object, field string, source any) any {
	v, _ := of.Fields()[field].Resolve(graphql.ResolveParams{Source: source, Args: map[string]any{"includeDeprecated": true}})
	return v
}

// sorted writes a list that a resolver gave, by key; null where it gave none.
func sorted[T any, K cmp.Ordered](w *writer, resolved any, key func(T) K, write func(T)) {
	items, ok := resolved.([]T)
	if !ok {
		w.null()
		return
	}
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
	list(w, items, write)
}

func list[T any](w *writer, items []T, write func(T)) {
	w.raw("[")
	for i, item := range items {
		if i > 0 {
			w.raw(",")
		}
		write(item)
		if !w.goOn() {
			return
		}
	}
	w.raw("]")
}

func (w *writer) raw(s string) { w.out.Buf = append(w.out.Buf, s...) }

func (w *writer) null() { w.raw("null") }

func (w *writer) string(s string) { w.out.Buf = rawjson.AppendString(w.out.Buf, s) }

// text writes a text that is null when there is none.
func (w *writer) text(s string) {
	if s == "" {
		w.null()
		return
	}
	w.string(s)
}
