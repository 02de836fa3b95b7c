package remote

import (
	"strconv"
	"strings"

	"queryengine/pkg/jsontext"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/request"
)

// document is an operation for a remote while it is made.
type document struct {
	remote    *resolve.Remote
	names     map[string]string // of types, for clients by those at the remote
	variables []request.Variable
	// parts counts the variables for parts of values.
	parts int
	// hidden are the numbers of the fields that clients don't see.
	hidden map[string]int
	// abstract reports whether what is planned is part of a selection set on an interface or a union,
	// where objects of several types may have different fields under the same name. Those of
	// relationships then have internal names in the text.
	abstract bool
	// references are the parts of keys that the text refers to.
	references []request.Reference
}

// header is the beginning of an operation, up to its selection set.
func (d *document) header(kind, name string) string {
	var b strings.Builder
	b.WriteString(kind + " " + name)
	for i, v := range d.variables {
		if i == 0 {
			b.WriteByte('(')
		} else {
			b.WriteString(", ")
		}
		b.WriteString("$" + v.Name + ": " + v.Type)
	}
	if len(d.variables) > 0 {
		b.WriteByte(')')
	}
	return b.String()
}

// clientVariable is the use of a variable of the client's, whose type at the remote is called
// name. A place that takes no null makes it one that has none.
func (d *document) clientVariable(v *parse.Variable, name string, nonNull bool) string {
	t := v.Type
	t.NonNull = t.NonNull || nonNull
	spelled := spellType(&t, name)
	known := request.VariableName(v.Name)
	for i := range d.variables {
		if d.variables[i].Name == known {
			if t.NonNull {
				d.variables[i].Type = spelled
			}
			return "$" + known
		}
	}
	d.variables = append(d.variables, request.Variable{Name: known, Type: spelled, Origin: input.FromVariable(v.Index)})
	return "$" + known
}

// spellType writes the type of a variable with another name in it.
func spellType(t *parse.Type, name string) string {
	s := name
	if t.Elem != nil {
		s = "[" + spellType(t.Elem, name) + "]"
	}
	if t.NonNull {
		s += "!"
	}
	return s
}

// part is a variable for a part of the value of another one.
func (d *document) part(v input.Value, of *remoteschema.Ref) string {
	d.parts++
	name := request.PartPrefix + strconv.Itoa(d.parts)
	d.variables = append(d.variables, request.Variable{Name: name, Type: of.Remote(), Origin: input.From(v)})
	return "$" + name
}

// session is a variable for the value of a session variable. Of one that is used for several
// types, each type has its own.
func (d *document) session(v remoteschema.SessionVariable) string {
	name, typ := v.Variable(), v.Type.Remote+"!"
	for n := 1; ; n++ {
		taken := false
		for _, known := range d.variables {
			if known.Name == name && known.Type == typ {
				return "$" + name
			}
			taken = taken || known.Name == name
		}
		if !taken {
			d.variables = append(d.variables, request.Variable{Name: name, Type: typ, Session: &v})
			return "$" + name
		}
		name = v.Variable() + "_" + strconv.Itoa(n)
	}
}

// preset writes the value of a preset.
func (d *document) preset(v remoteschema.Value) string {
	switch v := v.(type) {
	case remoteschema.Literal:
		return v.Text
	case remoteschema.SessionVariable:
		return d.session(v)
	case remoteschema.ListValue:
		items := make([]string, len(v.Items))
		for i, item := range v.Items {
			items[i] = d.preset(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case remoteschema.ObjectValue:
		fields := make([]string, len(v.Fields))
		for i, f := range v.Fields {
			fields[i] = f.Name + ": " + d.preset(f.Value)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return "null"
}

// literal writes a value that is spelt in the document. What a variable inside of it has to be
// is for the remote to say: it is a scalar of the remote's, and its own type is all there is.
func (d *document) literal(v *parse.Value) string {
	switch v.Kind {
	case parse.Null:
		return "null"
	case parse.String:
		return string(jsontext.AppendString(nil, v.Text))
	case parse.VariableUse:
		return d.clientVariable(v.Variable, baseName(&v.Variable.Type), false)
	case parse.List:
		items := make([]string, len(v.Items))
		for i := range v.Items {
			items[i] = d.literal(&v.Items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case parse.Object:
		fields := make([]string, len(v.Fields))
		for i := range v.Fields {
			fields[i] = v.Fields[i].Name + ": " + d.literal(&v.Fields[i].Value)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return v.Text
}

func baseName(t *parse.Type) string {
	for t.Elem != nil {
		t = t.Elem
	}
	return t.Name
}
