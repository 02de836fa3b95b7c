package introspect

import (
	"slices"

	"queryengine/services/query-executor/internal/schema"
)

// deprecationReason is GraphQL's default.
const deprecationReason = "No longer supported"

var kinds = [...]string{
	schema.Scalar: "SCALAR", schema.Enum: "ENUM", schema.Object: "OBJECT", schema.InputObject: "INPUT_OBJECT",
	schema.Interface: "INTERFACE", schema.Union: "UNION",
}

// schema is __Schema.
func (w *walker) schema(fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "types":
			inList(w, w.all, func(t **schema.Type) { w.named(*t, f.Fields) })
		case "queryType":
			w.named(w.role.Query(), f.Fields)
		case "mutationType":
			w.named(w.role.Mutation(), f.Fields)
		case "subscriptionType":
			w.named(w.role.Subscription(), f.Fields)
		case "directives":
			inList(w, w.role.Directives(), func(d *schema.Directive) { w.directive(d, f.Fields) })
		default: // description
			w.null()
		}
	})
}

// directive is __Directive. Its arguments keep their order.
func (w *walker) directive(d *schema.Directive, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.string(d.Name)
		case "description":
			w.orNull(d.Description)
		case "locations":
			inList(w, d.Locations, func(s *string) { w.string(*s) })
		case "args":
			inList(w, d.Args, func(in *schema.Input) { w.input(in, f.Fields) })
		default: // isRepeatable
			w.raw("false")
		}
	})
}

// named is __Type of a named type; null for nil.
func (w *walker) named(t *schema.Type, fields []Field) {
	if t == nil {
		w.null()
		return
	}
	if w.out != nil {
		w.typ(t, fields)
		return
	}
	at := place{t, &fields[0]}
	if known, ok := w.known[at]; ok {
		w.left--
		w.spent.add(known)
		return
	}
	before := w.spent
	w.typ(t, fields)
	w.known[at] = cost{w.spent.members - before.members, w.spent.bytes - before.bytes}
}

func (w *walker) typ(t *schema.Type, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "kind":
			w.string(kinds[t.Kind])
		case "name":
			w.string(t.Name)
		case "description":
			w.orNull(t.Description())
		default:
			w.content(t, f)
		}
	})
}

// content is a field of __Type that only some kinds of types have.
func (w *walker) content(t *schema.Type, f *Field) {
	switch {
	case f.Name == "fields" && (t.Kind == schema.Object || t.Kind == schema.Interface):
		inOrder(w, t.Fields(), func(d *schema.Field) string { return d.Name }, func(d *schema.Field) { w.field(d, f.Fields) })
	case f.Name == "inputFields" && t.Kind == schema.InputObject:
		w.inputs(t.Inputs(), f.Fields)
	case f.Name == "enumValues" && t.Kind == schema.Enum:
		values := t.Values()
		if !f.Deprecated && slices.ContainsFunc(values, func(v schema.Value) bool { return v.Deprecated() }) {
			values = slices.DeleteFunc(slices.Clone(values), func(v schema.Value) bool { return v.Deprecated() })
		}
		inList(w, values, func(v *schema.Value) { w.enumValue(v, f.Fields) })
	case f.Name == "interfaces" && t.Kind == schema.Object:
		w.types(t.Interfaces(), f.Fields)
	case f.Name == "possibleTypes" && (t.Kind == schema.Interface || t.Kind == schema.Union):
		w.types(t.Possible(), f.Fields)
	case f.Name == "isOneOf" && t.Kind == schema.InputObject:
		w.raw("false")
	default:
		w.null()
	}
}

func (w *walker) types(all []*schema.Type, fields []Field) {
	inOrder(w, all, func(t **schema.Type) string { return (*t).Name }, func(t **schema.Type) { w.named(*t, fields) })
}

// ref is __Type of the use of a type: a named type, a list or a non-null.
func (w *walker) ref(r schema.Ref, fields []Field) {
	inner, isList := r.Item()
	kind := "LIST"
	switch {
	case r.NonNull():
		inner, kind = r.Nullable(), "NON_NULL"
	case !isList:
		w.named(r.Named, fields)
		return
	}
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "kind":
			w.string(kind)
		case "ofType":
			w.ref(inner, f.Fields)
		default:
			w.null()
		}
	})
}

// field is __Field.
func (w *walker) field(d *schema.Field, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.string(d.Name)
		case "description":
			w.orNull(d.Description())
		case "args":
			w.inputs(d.Args(), f.Fields)
		case "type":
			w.ref(d.Type, f.Fields)
		default:
			w.deprecation(f, false)
		}
	})
}

func (w *walker) inputs(all []schema.Input, fields []Field) {
	inOrder(w, all, func(in *schema.Input) string { return in.Name }, func(in *schema.Input) { w.input(in, fields) })
}

// input is __InputValue.
func (w *walker) input(d *schema.Input, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.string(d.Name)
		case "description":
			w.orNull(d.Description)
		case "type":
			w.ref(d.Type, f.Fields)
		case "defaultValue":
			w.orNull(d.Default)
		default:
			w.deprecation(f, false)
		}
	})
}

// enumValue is __EnumValue.
func (w *walker) enumValue(d *schema.Value, fields []Field) {
	w.object(fields, func(f *Field) {
		switch f.Name {
		case "name":
			w.string(d.Name)
		case "description":
			w.orNull(d.Description)
		default:
			w.deprecation(f, d.Deprecated())
		}
	})
}

// deprecation is isDeprecated or deprecationReason.
func (w *walker) deprecation(f *Field, deprecated bool) {
	switch {
	case f.Name == "isDeprecated" && deprecated:
		w.raw("true")
	case f.Name == "isDeprecated":
		w.raw("false")
	case deprecated:
		w.string(deprecationReason)
	default:
		w.null()
	}
}
