package plan

import (
	"strings"

	"queryengine/pkg/remoteschema"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// remoteArguments writes the arguments of a field of a remote: those of the client, and the
// presets but for those in fixed, which a relationship gives.
func (p *planner) remoteArguments(d *remoteDocument, f *schema.Field, m *schema.RemoteField, s *selected) (string, error) {
	var list []string
	err := p.arguments(s, f.Args(), func(in *schema.Input, v value) error {
		text, _, err := p.remoteInput(d, in, v)
		if text != "" {
			list = append(list, in.Name+": "+text)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	for _, preset := range m.Presets {
		list = append(list, preset.Name+": "+d.preset(preset.Value))
	}
	if len(list) == 0 {
		return "", nil
	}
	return "(" + strings.Join(list, ", ") + ")", nil
}

// remoteInput writes the value of an argument or a field of an input object, "" when nothing is
// to be sent; altered says that it isn't what the client gave.
func (p *planner) remoteInput(d *remoteDocument, in *schema.Input, v value) (text string, altered bool, err error) {
	if p.options.RemoteSkipNulls {
		opened, null, err := p.isNull(in.Type, v, LookShape)
		if unset := opened.literal == nil && opened.json == nil; err != nil || null && !unset {
			return "", true, err
		}
	}
	of, _ := in.Means.(*remoteschema.Input)
	return p.remoteValue(d, in.Type, of.Type, v)
}

// remoteValue writes a value. A variable stays one, unless something was altered in its value:
// then it is written member by member.
func (p *planner) remoteValue(d *remoteDocument, at schema.Ref, of *remoteschema.Ref, v value) (text string, altered bool, err error) {
	if v.literal == nil || v.literal.Kind != parse.VariableUse {
		return p.remoteOpened(d, at, of, v)
	}
	opened, err := p.open(at, v)
	if err != nil {
		return "", false, err
	}
	if at.Named.Kind != schema.Scalar {
		before := *d
		if text, altered, err = p.remoteOpened(d, at, of, opened); err != nil || altered {
			return text, altered, err
		}
		*d = before
	}
	return d.clientVariable(v.literal.Variable, of.Named().Remote, at.NonNull()), false, nil
}

// remoteOpened writes a value that is no use of a variable, but may be (a part of) the value of
// one.
func (p *planner) remoteOpened(d *remoteDocument, at schema.Ref, of *remoteschema.Ref, v value) (text string, altered bool, err error) {
	item, isList := at.Item()
	scalar := at.Named.Kind == schema.Scalar
	switch {
	case scalar && v.literal == nil:
		return d.part(v, of), false, nil
	case scalar && !(isList && v.kind() == kindList):
		return d.literal(v.literal), false, nil
	}
	p.look(v, LookShape)
	if v.kind() == kindNull && !at.NonNull() {
		return "null", false, nil
	}
	switch {
	case isList:
		return p.remoteList(d, at, of, item, v)
	case at.Named.Kind == schema.Enum:
		found, err := p.enum(at, v)
		if err != nil {
			return "", false, err
		}
		return found.Name, false, nil
	}
	return p.remoteObjectValue(d, at, v)
}

func (p *planner) remoteList(d *remoteDocument, at schema.Ref, of *remoteschema.Ref, item schema.Ref, v value) (string, bool, error) {
	var items []string
	altered := false
	err := p.list(at, v, func(_ schema.Ref, v value) error {
		text, changed, err := p.remoteValue(d, item, of.Elem, v)
		items, altered = append(items, text), altered || changed
		return err
	})
	text := strings.Join(items, ", ")
	if v.kind() == kindList {
		text = "[" + text + "]"
	}
	return text, altered, err
}

// remoteObjectValue writes an input object, with the presets of its type.
func (p *planner) remoteObjectValue(d *remoteDocument, at schema.Ref, v value) (string, bool, error) {
	var fields []string
	altered := false
	err := p.object(at, v, func(in *schema.Input, v value) error {
		text, changed, err := p.remoteInput(d, in, v)
		if altered = altered || changed; text != "" {
			fields = append(fields, in.Name+": "+text)
		}
		return err
	})
	if err != nil {
		return "", false, err
	}
	for _, preset := range at.Named.RemoteOf().Presets {
		fields, altered = append(fields, preset.Name+": "+d.preset(preset.Value)), true
	}
	return "{" + strings.Join(fields, ", ") + "}", altered, nil
}
