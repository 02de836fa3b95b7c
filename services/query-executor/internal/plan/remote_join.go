package plan

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/schema"
)

// RemoteCall asks a remote for all keys of a join, in one request: the same field for each key,
// with arguments of its own.
type RemoteCall struct {
	Meta *metadata.RemoteSchema
	// Path leads from the field of a key to the value, and Shape is what that consists of.
	Path  []string
	Shape *remote.Shape

	variables remoteValues
	// texts are the field, cut at the references to parts of its key.
	texts      []string
	references []RemoteReference
}

// RemoteReference is where a part of a key stands in a field.
type RemoteReference struct {
	Part int
	Type *remoteschema.Ref
}

// JoinField plans a field whose value a remote schema gives.
func (p *remotePlanner) JoinField(m *schema.RemoteJoin, f *schema.Field, s *selected) error {
	if err := p.Take(budget.Statements, 1); err != nil {
		return err
	}
	target := m.Remote
	p.dependOn(target.Remote)
	d := &remoteDocument{remote: target.Remote, names: p.typeNames(target.Remote)}
	last := m.Path[len(m.Path)-1]
	arguments, err := p.remoteArguments(d, f.Args(), last.Field.Presets, last.Args, s)
	if err != nil {
		return err
	}
	below, err := p.remoteBelow(d, f.Type.Named, s)
	if err != nil {
		return err
	}
	call := &RemoteCall{Meta: target.Remote.Meta, Shape: below.shapeOf()}
	var text strings.Builder
	for i, step := range m.Path[:len(m.Path)-1] {
		list := d.rest(nil, map[string]bool{}, step.Field.Presets, step.Args)
		text.WriteString(step.Field.Remote + parentheses(list) + " {")
		call.Path = append(call.Path, m.Path[i+1].Field.Remote)
	}
	text.WriteString(last.Field.Remote + arguments + below.braces(below.texts) + strings.Repeat("}", len(m.Path)-1))
	call.cut(text.String(), d.variables, d.references)
	p.joined = &joined{Join: Join{Parts: len(m.Left), Remote: call, Joins: below.joins}}
	return nil
}

// cut cuts the text of a field at its references, which were made in another order.
func (c *RemoteCall) cut(text string, variables []RemoteVariable, references []RemoteReference) {
	c.variables = newRemoteValues(variables)
	for i, part := range strings.Split(text, referenceMark) {
		if i%2 == 0 {
			c.texts = append(c.texts, part)
			continue
		}
		n, _ := strconv.Atoi(part) // it was written by fixed
		c.references = append(c.references, references[n])
	}
}

// referenceMark stands around the number of a reference in a text. No text in GraphQL has it.
const referenceMark = "\x00"

// fixed writes a value that a relationship gives for a place of a type.
func (d *remoteDocument) fixed(v resolve.JoinValue, of *remoteschema.Ref) string {
	switch v := v.(type) {
	case resolve.JoinReference:
		d.references = append(d.references, RemoteReference{Part: int(v), Type: of})
		return referenceMark + strconv.Itoa(len(d.references)-1) + referenceMark
	case resolve.JoinLiteral:
		return string(v) // scalars are spelt as in JSON
	case resolve.JoinList:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = d.fixed(item, of.Elem)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case resolve.JoinObject:
		return "{" + strings.Join(d.rest(nil, map[string]bool{}, of.Named().Presets, v), ", ") + "}"
	}
	return "null"
}

// Body is the body of the request for keys. Parts of keys that GraphQL can't spell are sent as
// variables.
func (c *RemoteCall) Body(keys [][][]byte, values [][]byte, s *session.Session) ([]byte, error) {
	var fields, declared, extra []byte
	for i, key := range keys {
		fields = append(append(fields, ' '), remote.Alias(i)...)
		fields = append(append(fields, ": "...), c.texts[0]...)
		for n, r := range c.references {
			value := key[r.Part]
			if spelled, ok := r.spell(value); ok {
				fields = append(fields, spelled...)
			} else {
				name := joinPrefix + strconv.Itoa(i) + "_" + strconv.Itoa(n)
				fields = append(append(fields, '$'), name...)
				declared = append(declared, " $"+name+": "+r.Type.Remote()...)
				extra = append(append(extra, `,"`+name+`":`...), value...)
			}
			fields = append(fields, c.texts[n+1]...)
		}
	}
	document := make([]byte, 0, len(fields)+len(declared)+64)
	document = append(document, "query"...)
	if len(c.variables.list)+len(declared) > 0 {
		document = append(document, '(')
		for _, v := range c.variables.list {
			document = append(document, "$"+v.Name+": "+v.Type+" "...)
		}
		document = append(append(document, declared...), ')')
	}
	document = append(append(append(document, " {"...), fields...), '}')

	body := jsontext.AppendString([]byte(`{"query":`), string(document))
	if len(c.variables.list)+len(extra) == 0 {
		return append(body, '}'), nil
	}
	body = append(body, `,"variables":{`...)
	start := len(body)
	body, err := c.variables.append(body, values, s)
	if err != nil {
		return nil, err
	}
	if len(extra) > 0 && len(body) == start {
		extra = extra[1:] // the comma
	}
	return append(append(body, extra...), "}}"...), nil
}

// spell writes JSON in GraphQL, as far as both are spelt alike: an object isn't.
func (r *RemoteReference) spell(json []byte) ([]byte, bool) {
	switch jsonwalk.KindOf(json) {
	case jsonwalk.Number, jsonwalk.Boolean:
		return json, true
	case jsonwalk.String:
		if r.Type.Named().Kind != remoteschema.Enum {
			return json, true
		}
		text, err := jsonwalk.Text(json)
		return []byte(text), err == nil && gqlname.Valid(text)
	}
	return nil, false
}

// Texts tell the call from others.
func (c *RemoteCall) Texts() []string { return append([]string{c.Meta.Name}, c.texts...) }

// remoteJoined plans a field of an object of a remote whose value comes from elsewhere; plan
// sets p.joined. The values that it is joined by are asked for in its place.
func (p *remotePlanner) remoteJoined(d *remoteDocument, m *resolve.RemoteRelationship, s *selected, plan func() error) (remoteSelected, error) {
	if p.subscribes {
		return remoteSelected{}, p.FailWith(apierror.NotSupported, "Remote relationships are not allowed in subscriptions")
	}
	out := remoteSelected{member: remote.Member{Key: s.Alias}, text: s.key(typename)}
	// The same field of the same type is planned alike, and fields of the same selections.
	out.same = fmt.Sprintf("%s %p %p %p", s.Alias, m.Meta, s.Field, s.sets[0])
	for _, set := range s.sets[1:] {
		out.same += fmt.Sprintf(" %p", set)
	}
	if err := plan(); err != nil {
		return out, err
	}
	j := p.joined
	var names []string
	for _, left := range m.Left {
		names = append(names, left.Remote.Remote)
	}
	j.apart = d.abstract
	switch {
	case j.apart && len(names) == 0 && j.Remote != nil:
		// There has to be something that only objects of this type have.
		names, j.Parts = []string{typename}, 1
	case !j.apart && len(names) == 0:
		j.key = []ir.Field{{}}
	case !j.apart:
		out.text = s.key(names[0])
		j.key, names = []ir.Field{{}}, names[1:]
	}
	for i, of := range names {
		name := d.hiddenName(out.same, i)
		j.key = append(j.key, ir.Field{Alias: name})
		out.hidden = append(out.hidden, remoteSelected{text: name + ": " + of, member: remote.Member{Key: name}})
	}
	out.joins = p.addJoins(nil, s.Alias)
	return out, nil
}

// hiddenName is the name of a field that clients don't see: the i-th of those for a field, which
// are called alike wherever that is planned.
func (d *remoteDocument) hiddenName(field string, i int) string {
	key := field + " " + strconv.Itoa(i)
	n, known := d.hidden[key]
	if !known {
		if d.hidden == nil {
			d.hidden = map[string]int{}
		}
		n = len(d.hidden) + 1
		d.hidden[key] = n
	}
	return internalPrefix + "key_" + strconv.Itoa(n)
}

func parentheses(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "(" + strings.Join(list, ", ") + ")"
}
