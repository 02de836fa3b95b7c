package resolve

import (
	"bytes"
	"fmt"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/extension"
	"queryengine/pkg/metadata"
)

// codeFault is why an address with variables of the environment can't serve calls of a kind, "" when it can or names
// no code of the build.
func (s *Schema) codeFault(kind extension.Kind, template string) string {
	address, err := metadata.Expand(template, s.options.Env)
	if err != nil {
		return "" // which has been reported
	}
	return s.options.Code.Fault(kind, address)
}

// codeDefinition describes the types of the code that an address names, nil when they aren't known.
func (s *Schema) codeDefinition(template string) *extension.Definition {
	address, err := metadata.Expand(template, s.options.Env)
	if err != nil {
		return nil
	}
	if h := s.options.Code.Handler(address); h != nil {
		return h.Definition
	}
	return nil
}

func asFault(reason string) error {
	if reason == "" {
		return nil
	}
	return apierror.New(apierror.NotFound, reason)
}

// LacksCode reports whether remote schemas or actions of a document name code that the build doesn't have.
func LacksCode(d *metadata.Document, env metadata.Env, code *extension.Set) bool {
	lacks := func(kind extension.Kind, address string, err error) bool {
		return err == nil && code.Fault(kind, address) != ""
	}
	for _, m := range d.RemoteSchemas {
		address, err := m.Definition.Address(env)
		if lacks(extension.RemoteSchema, address, err) {
			return true
		}
	}
	for _, raw := range d.Actions {
		if !bytes.Contains(raw, []byte(extension.Scheme+"://")) && !bytes.Contains(raw, []byte("{{")) {
			continue
		}
		a, err := metadata.ParseAction(raw)
		if err != nil {
			continue
		}
		address, err := metadata.Expand(a.Definition.Handler, env)
		if lacks(extension.Action, address, err) {
			return true
		}
	}
	return false
}

// fit compares an action of the metadata with the types of its code.
type fit struct {
	types *customTypes
	// seen are the pairs of types that are being compared; types may contain themselves.
	seen map[fitPair]bool
	// input is true for what clients send.
	input bool
}

type fitPair struct {
	code *extension.Type
	meta *CustomType
}

// misfit is how the types of an action differ from those of its code, "" when they fit or aren't known. Transforms
// change what the code sees.
func (set *actionSet) misfit(a *Action, code *extension.Definition) string {
	d := &a.Meta.Definition
	if code == nil || d.RequestTransform != nil || d.ResponseTransform != nil {
		return ""
	}
	if query := d.Type == metadata.ActionQuery; query != code.Query {
		return "the handler is that of a " + map[bool]string{true: "query", false: "mutation"}[code.Query] + ", the metadata has the other"
	}
	f := &fit{types: set.types, seen: map[fitPair]bool{}, input: true}
	var arguments []typedField
	for i := range d.Arguments {
		arguments = append(arguments, typedField{d.Arguments[i].Name, &d.Arguments[i].Type})
	}
	if reason := f.fields("argument", arguments, code.Arguments); reason != "" {
		return reason
	}
	f.input = false
	return f.ref("output", &d.OutputType, code.Output)
}

type typedField struct {
	name string
	t    *metadata.GraphQLType
}

// fields compares arguments or the fields of an object. Clients needn't see all that code answers.
func (f *fit) fields(what string, meta []typedField, code []extension.Field) string {
	verb := f.verb()
	for _, m := range meta {
		i := slices.IndexFunc(code, func(c extension.Field) bool { return c.Name == m.name })
		where := fmt.Sprintf("%s %q", what, m.name)
		if i < 0 {
			return fmt.Sprintf("%s: the handler has none, the metadata has %s", where, m.t)
		}
		if reason := f.ref(where, m.t, code[i].Type); reason != "" {
			return reason
		}
	}
	for _, c := range code {
		missing := !slices.ContainsFunc(meta, func(m typedField) bool { return m.name == c.Name })
		if missing && f.input && c.Type.NonNull {
			return fmt.Sprintf("%s %q: the handler %s %s, the metadata has none", what, c.Name, verb, c.Type)
		}
	}
	return ""
}

func (f *fit) verb() string {
	if f.input {
		return "takes"
	}
	return "returns"
}

// ref compares uses of types. What one side can't stand has to be impossible on the other.
func (f *fit) ref(where string, m *metadata.GraphQLType, c extension.Ref) string {
	base := f.types.find(m.Name)
	differ := fmt.Sprintf("%s: the handler %s %s, the metadata has %s", where, f.verb(), c, m)
	if base.Kind == CustomScalar || base.Kind == SourceScalar {
		if m.Item == nil && c.Of == nil || m.Item != nil && c.Of != nil {
			return f.null(differ, m, c)
		}
		return "" // JSON of any form
	}
	if (m.Item == nil) != (c.Of == nil) {
		return differ
	}
	if reason := f.null(differ, m, c); reason != "" {
		return reason
	}
	if m.Item != nil {
		return f.ref(where, m.Item, *c.Of)
	}
	pair := fitPair{c.Type, base}
	if f.seen[pair] {
		return ""
	}
	f.seen[pair] = true
	switch {
	case base.Kind == BuiltInScalar:
		if !builtInFits(base.Name, c.Type) {
			return differ
		}
	case base.Kind == CustomEnum:
		return f.enum(differ, base.Enum, c.Type)
	case c.Type.Kind != extension.Object:
		return differ
	case base.Kind == CustomInput:
		var fields []typedField
		for i := range base.Input.Fields {
			fields = append(fields, typedField{base.Input.Fields[i].Name, &base.Input.Fields[i].Type})
		}
		return f.fields(where+": field", fields, c.Type.Fields)
	default:
		var fields []typedField
		for i := range base.Object.Fields {
			fields = append(fields, typedField{base.Object.Fields[i].Name, &base.Object.Fields[i].Type})
		}
		return f.fields(where+": field", fields, c.Type.Fields)
	}
	return ""
}

// null is differ when null can come to a side that doesn't expect it.
func (f *fit) null(differ string, m *metadata.GraphQLType, c extension.Ref) string {
	from, to := m.NonNull, c.NonNull
	if !f.input {
		from, to = to, from
	}
	if to && !from {
		return differ
	}
	return ""
}

func (f *fit) enum(differ string, m *metadata.EnumType, c *extension.Type) string {
	if c.Kind == extension.Scalar {
		if c.Name == "String" {
			return ""
		}
		return differ
	}
	if c.Kind != extension.Enum {
		return differ
	}
	listed := make([]string, len(m.Values))
	for i := range m.Values {
		listed[i] = m.Values[i].Value
	}
	from, to := listed, c.Values
	if !f.input {
		from, to = to, from
	}
	for _, v := range from {
		if !slices.Contains(to, v) {
			return differ + fmt.Sprintf("; only one of them has the value %s", v)
		}
	}
	return ""
}

// builtInFits reports whether values of a built-in scalar and of the code's type are the same in JSON.
func builtInFits(name string, c *extension.Type) bool {
	if c.Kind != extension.Scalar {
		return c.Kind == extension.Enum && name == "String"
	}
	number := !c.Text && slices.Contains([]string{"Int", "bigint", "numeric", "jsonb"}, c.Name) // dialect word: scalars of GraphQL
	switch name {
	case "String", "ID":
		return c.Text || c.Name == "String" || c.Name == "ID"
	case "Int":
		return number
	case "Float":
		return number || c.Name == "Float"
	}
	return c.Name == name || c.Name == "jsonb" // dialect word: a scalar of GraphQL
}
