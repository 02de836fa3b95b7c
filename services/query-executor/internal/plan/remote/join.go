package remote

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/request"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/schema"
)

// JoinField plans a field whose value a remote schema gives.
func (p *Planner) JoinField(m *schema.RemoteJoin, f *schema.Field, s *walk.Selected) error {
	if err := p.Take(budget.Statements, 1); err != nil {
		return err
	}
	target := m.Remote
	p.DependOn(target.Remote)
	d := &document{remote: target.Remote, names: p.typeNames(target.Remote)}
	last := m.Path[len(m.Path)-1]
	arguments, err := p.remoteArguments(d, f.Args(), last.Field.Presets, last.Args, s)
	if err != nil {
		return err
	}
	below, err := p.remoteBelow(d, f.Type.Named, s)
	if err != nil {
		return err
	}
	call := &request.Call{Meta: target.Remote.Meta, Shape: below.shapeOf()}
	var text strings.Builder
	for i, step := range m.Path[:len(m.Path)-1] {
		list := d.rest(nil, map[string]bool{}, step.Field.Presets, step.Args)
		text.WriteString(step.Field.Remote + parentheses(list) + " {")
		call.Path = append(call.Path, m.Path[i+1].Field.Remote)
	}
	text.WriteString(last.Field.Remote + arguments + below.braces(below.texts) + strings.Repeat("}", len(m.Path)-1))
	call.Cut(text.String(), d.variables, d.references)
	p.Joined = &walk.JoinedField{Join: answer.Join{Parts: len(m.Left), Remote: call, Joins: below.joins}}
	return nil
}

// fixed writes a value that a relationship gives for a place of a type.
func (d *document) fixed(v resolve.JoinValue, of *remoteschema.Ref) string {
	switch v := v.(type) {
	case resolve.JoinReference:
		d.references = append(d.references, request.Reference{Part: int(v), Type: of})
		return request.ReferenceMark + strconv.Itoa(len(d.references)-1) + request.ReferenceMark
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

// remoteJoined plans a field of an object of a remote whose value comes from elsewhere; plan
// sets p.joined. The values that it is joined by are requested in its place.
func (p *Planner) remoteJoined(d *document, m *resolve.RemoteRelationship, s *walk.Selected, plan func() error) (field, error) {
	if p.Subscribes {
		return field{}, p.FailWith(apierror.NotSupported, "Remote relationships are not allowed in subscriptions")
	}
	var out field
	// The same field of the same type is planned alike, and fields of the same selections.
	out.same = fmt.Sprintf("%s %p %p %p", s.Alias, m.Meta, s.Field, s.Sets[0])
	for _, set := range s.Sets[1:] {
		out.same += fmt.Sprintf(" %p", set)
	}
	if err := plan(); err != nil {
		return out, err
	}
	j := p.Joined
	var names []string
	for _, left := range m.Left {
		names = append(names, left.Remote.Remote)
	}
	if len(names) == 0 {
		names = []string{walk.Typename} // holds the place
	}
	place := s.Alias
	out.text = s.Key(names[0])
	if d.abstract {
		place = d.hiddenName(out.same, 0)
		out.text = place + ": " + names[0]
	}
	out.member.Key, j.Key = place, []ir.Field{{}}
	for i, of := range names[1:] {
		name := d.hiddenName(out.same, i+1)
		j.Key = append(j.Key, ir.Field{Alias: name})
		out.hidden = append(out.hidden, field{text: name + ": " + of, member: remote.Member{Key: name}})
	}
	if out.joins = p.AddJoins(nil, place); place != s.Alias {
		out.joins[0].As = s.Alias
	}
	return out, nil
}

// hiddenName is the name of a field that clients don't see: the i-th of those for a field, which
// are called alike wherever that is planned.
func (d *document) hiddenName(field string, i int) string {
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
