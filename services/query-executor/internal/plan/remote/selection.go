package remote

import (
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/schema"
)

// field is a selected field of an object of a remote.
type field struct {
	text string // as the request to the remote has it
	// same is equal for fields that are planned alike, joins included.
	same   string
	member remote.Member
	// hidden are the fields that hold the rest of the key of a join.
	hidden []field
	// joins are the field, when it is one or has some below, and what is hidden.
	joins []answer.Member
}

// selection is what is selected of an object.
type selection struct {
	texts []string
	same  []string
	// members are those of the objects of each type.
	members [][]remote.Member
	joins   []answer.Member
}

// internalPrefix begins the names of fields that clients don't see.
const internalPrefix = "__engine_internal_"

// remoteOwn plans a field that the remote answers.
func (p *Planner) remoteOwn(d *document, f *schema.Field, m *schema.RemoteField, s *walk.Selected) (field, error) {
	out := field{member: remote.Member{Key: s.Alias}}
	arguments, err := p.remoteArguments(d, f.Args(), m.Presets, nil, s)
	if err != nil {
		return out, err
	}
	below, err := p.remoteBelow(d, f.Type.Named, s)
	if err != nil {
		return out, err
	}
	out.text = s.Key(m.Field.Remote) + arguments
	out.same = out.text + below.braces(below.same)
	out.text += below.braces(below.texts)
	if out.member.Below = below.shapeOf(); len(below.joins) > 0 {
		out.joins = []answer.Member{{Key: s.Alias, Below: below.joins}}
	}
	return out, nil
}

// remoteBelow plans what is selected of a field of a type, which is nothing for scalars and
// enums.
func (p *Planner) remoteBelow(d *document, t *schema.Type, s *walk.Selected) (*selection, error) {
	if !t.IsComposite() {
		return &selection{}, p.ScalarField(s)
	}
	return p.remoteComposite(d, t, s)
}

// braces are texts as a selection set, "" for none.
func (x *selection) braces(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return " {" + strings.Join(texts, " ") + "}"
}

// shapeOf is the shape of the objects, nil when there are none.
func (x *selection) shapeOf() *remote.Shape {
	if len(x.texts) == 0 {
		return nil
	}
	return &remote.Shape{Members: mergeMembers(x.members)}
}

// remoteComposite plans the selection set on an object, an interface or a union.
func (p *Planner) remoteComposite(d *document, t *schema.Type, s *walk.Selected) (*selection, error) {
	out := &selection{}
	if t.Kind == schema.Object {
		list, err := p.remoteObject(d, t, s)
		out.add(list)
		out.spread("", list)
		return out, err
	}
	return out, p.remoteAbstract(d, t, s, out)
}

// add adds what the answer has of the fields of a type.
func (x *selection) add(list []field) {
	var members []remote.Member
	for i := range list {
		members = append(members, list[i].member)
		for _, h := range list[i].hidden {
			members = append(members, h.member)
		}
		x.joins = answer.MergeJoins(x.joins, list[i].joins)
	}
	x.members = append(x.members, members)
}

// remoteObject plans the selection set on an object.
func (p *Planner) remoteObject(d *document, t *schema.Type, s *walk.Selected) ([]field, error) {
	var list []field
	err := p.Each(t.Name, s, func(s *walk.Selected) error {
		f, err := p.FieldOf(t, s)
		if err != nil {
			return err
		}
		if f == nil {
			text := s.Key(walk.Typename)
			list = append(list, field{text: text, same: text, member: remote.Member{Key: s.Alias, Names: d.names}})
			return nil
		}
		selected, err := p.remoteMember(d, f, s)
		list = append(list, selected)
		return err
	})
	return list, err
}

// remoteMember plans a field of an object of a remote.
func (p *Planner) remoteMember(d *document, f *schema.Field, s *walk.Selected) (field, error) {
	switch m := f.Meaning.(type) {
	case *schema.RemoteField:
		return p.remoteOwn(d, f, m, s)
	case *schema.RemoteJoin:
		return p.remoteJoined(d, m.RemoteRelationship, s, func() error { return p.JoinField(m, f, s) })
	case *schema.RemoteRelation:
		return p.remoteJoined(d, m.RemoteRelationship, s, func() error { return p.JoinRows(m, f, s) })
	case *schema.RemoteAggregate:
		return p.remoteJoined(d, m.RemoteRelationship, s, func() error { return p.JoinAggregate(m, f, s) })
	}
	return field{}, apierror.New(apierror.NotSupported, "this field can't be executed")
}

// remoteAbstract plans the selection set on an interface or a union. It is planned for each
// type that fragments make a difference to, and once for all others, as a selection on one of
// them. The order of the types shows in errors alone.
func (p *Planner) remoteAbstract(d *document, t *schema.Type, s *walk.Selected, out *selection) error {
	if !s.HasSelections() {
		p.Push("selectionSet")
		return p.Fail("missing selection set for '%s'", t.Name)
	}
	defer func(outer bool) { d.abstract = outer }(d.abstract)
	d.abstract = true
	special, others := p.divide(t, s)
	var common []field
	if len(others) > 0 {
		var err error
		if common, err = p.remoteObject(d, others[0], s); err != nil {
			return err
		}
		out.spread("", common)
	}
	for _, one := range special {
		list, err := p.remoteObject(d, one, s)
		if err != nil {
			return err
		}
		out.add(list)
		list = slices.DeleteFunc(list, func(f field) bool {
			return slices.ContainsFunc(common, func(known field) bool { return known.same == f.same })
		})
		out.spread(one.RemoteOf().Remote, list)
	}
	if len(out.texts) == 0 && len(common) == 0 {
		out.texts = []string{internalPrefix + "typename: " + walk.Typename}
	}
	out.add(common)
	return nil
}

// divide tells the types that fragments make a difference to from the others, of which only
// fields are selected that all of them have.
func (p *Planner) divide(t *schema.Type, s *walk.Selected) (special, others []*schema.Type) {
	objects := slices.Clone(t.Possible())
	slices.SortFunc(objects, func(a, b *schema.Type) int { return strings.Compare(b.Name, a.Name) })
	if !promised(t, s.Sets) {
		return objects, nil
	}
	conditions := read.TypeConditions(s.Sets)
	for _, object := range objects {
		if slices.ContainsFunc(conditions, func(name string) bool { return name != t.Name && p.Role.Is(object.Name, name) }) {
			special = append(special, object)
		} else {
			others = append(others, object)
		}
	}
	return special, others
}

// promised reports whether a type has all fields that are selected without a condition on the
// type of the object.
func promised(t *schema.Type, sets [][]parse.Selection) bool {
	for _, set := range sets {
		for _, s := range set {
			holds := true
			switch s := s.(type) {
			case *parse.Field:
				holds = s.Name == walk.Typename || t.Field(s.Name) != nil
			case *parse.Inline:
				holds = s.On != "" && s.On != t.Name || promised(t, [][]parse.Selection{s.Selections})
			case *parse.Spread:
				holds = s.Fragment.On != t.Name || promised(t, [][]parse.Selection{s.Fragment.Selections})
			}
			if !holds {
				return false
			}
		}
	}
	return true
}

// spread adds the texts of fields, for objects of one type when on is set.
func (x *selection) spread(on string, list []field) {
	if len(list) == 0 {
		return
	}
	var texts, same []string
	for i := range list {
		texts, same = append(texts, list[i].text), append(same, list[i].same)
		for _, h := range list[i].hidden {
			texts = append(texts, h.text)
		}
	}
	if on != "" {
		texts = []string{"... on " + on + " {" + strings.Join(texts, " ") + "}"}
		same = []string{"... on " + on + " {" + strings.Join(same, " ") + "}"}
	}
	x.texts, x.same = append(x.texts, texts...), append(x.same, same...)
}
