package remote

import (
	"strings"

	"queryengine/pkg/remoteschema"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

func parentheses(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// remoteArguments writes the arguments of a field of a remote: arguments of the client, arguments that
// a relationship gives, and presets where that doesn't.
func (p *Planner) remoteArguments(d *document, inputs []schema.Input, presets []*remoteschema.Preset, fixed []resolve.JoinArgument, s *walk.Selected) (string, error) {
	var list []string
	given := map[string]bool{}
	err := p.Arguments(s, inputs, func(in *schema.Input, v input.Value) error {
		text, _, err := p.remoteInput(d, in, v, fixedValue(fixed, in.Name))
		if text != "" {
			list = append(list, in.Name+": "+text)
			given[in.Name] = true
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return parentheses(d.rest(list, given, presets, fixed)), nil
}

// remoteInput writes the value of an argument or a field of an input object, "" when nothing is
// to be sent; altered reports whether it differs from what the client gave.
func (p *Planner) remoteInput(d *document, in *schema.Input, v input.Value, fixed resolve.JoinValue) (text string, altered bool, err error) {
	if p.Options.RemoteSkipNulls || fixed != nil {
		opened, null, err := p.IsNull(in.Type, v, input.LookShape)
		if unset := opened.Literal == nil && opened.JSON == nil; err != nil || null && (!unset || fixed != nil) {
			return "", true, err
		}
	}
	of, _ := in.Meaning.(schema.RemoteInput)
	return p.remoteValue(d, in.Type, of.Type, v, fixed)
}

// fixedValue is what a relationship gives for an input, nil for nothing.
func fixedValue(list []resolve.JoinArgument, name string) resolve.JoinValue {
	if a := schema.FindFixed(list, name); a != nil {
		return a.Value
	}
	return nil
}

// rest adds what the client doesn't give: what a relationship does, and the presets that are
// left.
func (d *document) rest(list []string, given map[string]bool, presets []*remoteschema.Preset, fixed []resolve.JoinArgument) []string {
	for _, a := range fixed {
		if !given[a.Name] {
			list = append(list, a.Name+": "+d.fixed(a.Value, a.Type))
			given[a.Name] = true
		}
	}
	for _, preset := range presets {
		if !given[preset.Name] {
			list = append(list, preset.Name+": "+d.preset(preset.Value))
		}
	}
	return list
}

// remoteValue writes a value. A variable stays one, unless something was altered in its value:
// then it is written member by member. fixed is what a relationship gives, nil for nothing.
func (p *Planner) remoteValue(d *document, at schema.Ref, of *remoteschema.Ref, v input.Value, fixed resolve.JoinValue) (text string, altered bool, err error) {
	if v.Literal == nil || v.Literal.Kind != parse.VariableUse {
		return p.remoteOpened(d, at, of, v, fixed)
	}
	opened, err := p.Open(at, v)
	if err != nil {
		return "", false, err
	}
	if at.Named.Kind != schema.Scalar {
		before := *d
		if text, altered, err = p.remoteOpened(d, at, of, opened, fixed); err != nil || altered {
			return text, altered, err
		}
		*d = before
	}
	return d.clientVariable(v.Literal.Variable, of.Named().Remote, at.NonNull()), false, nil
}

// remoteOpened writes a value that is no use of a variable, but may be (a part of) the value of
// one.
func (p *Planner) remoteOpened(d *document, at schema.Ref, of *remoteschema.Ref, v input.Value, fixed resolve.JoinValue) (text string, altered bool, err error) {
	_, isList := at.Item()
	scalar := at.Named.Kind == schema.Scalar
	switch {
	case scalar && v.Literal == nil:
		return d.part(v, of), false, nil
	case scalar && (!isList || v.Kind() != input.List):
		return d.literal(v.Literal), false, nil
	}
	p.Look(v, input.LookShape)
	if v.Kind() == input.Null && !at.NonNull() {
		return "null", false, nil
	}
	switch {
	case isList:
		list, _ := fixed.(resolve.JoinList)
		return p.remoteList(d, at, of, v, list)
	case at.Named.Kind == schema.Enum:
		found, err := p.Enum(at, v)
		if err != nil {
			return "", false, err
		}
		return found.Name, false, nil
	}
	object, _ := fixed.(resolve.JoinObject)
	return p.remoteObjectValue(d, at, v, object)
}

// remoteList writes a list, the items that a relationship gives after those of the client.
func (p *Planner) remoteList(d *document, at schema.Ref, of *remoteschema.Ref, v input.Value, fixed resolve.JoinList) (string, bool, error) {
	var items []string
	altered := len(fixed) > 0
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		text, changed, err := p.remoteValue(d, item, of.Elem, v, nil)
		items, altered = append(items, text), altered || changed
		return err
	})
	for _, item := range fixed {
		items = append(items, d.fixed(item, of.Elem))
	}
	text := strings.Join(items, ", ")
	if v.Kind() == input.List || len(fixed) > 0 {
		text = "[" + text + "]"
	}
	return text, altered, err
}

// remoteObjectValue writes an input object, with what a relationship gives and the presets of
// its type.
func (p *Planner) remoteObjectValue(d *document, at schema.Ref, v input.Value, fixed resolve.JoinObject) (string, bool, error) {
	var fields []string
	altered := false
	given := map[string]bool{}
	err := p.Object(at, v, func(in *schema.Input, v input.Value) error {
		text, changed, err := p.remoteInput(d, in, v, fixedValue(fixed, in.Name))
		if altered = altered || changed; text != "" {
			fields = append(fields, in.Name+": "+text)
			given[in.Name] = true
		}
		return err
	})
	if err != nil {
		return "", false, err
	}
	client := len(fields)
	fields = d.rest(fields, given, at.Named.RemoteOf().Presets, fixed)
	return "{" + strings.Join(fields, ", ") + "}", altered || len(fields) > client, nil
}
