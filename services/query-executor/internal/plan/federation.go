package plan

import (
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// representation is what another subgraph knows of a row: the type, and the fields of the key.
type representation struct {
	typeName string
	members  []member
}

// entities plans the root field that finds rows for other subgraphs: one by its key for each
// representation, in their order. The plan depends on all of them.
func (p *planner) entities(name string, f *schema.Field, s *selected) error {
	var list []representation
	err := p.arguments(s, f.Args(), func(in *schema.Input, v value) error {
		v, err := p.open(in.Type, v)
		if err != nil {
			return err
		}
		p.depends(v)
		return p.list(in.Type, v, func(item schema.Ref, v value) error {
			r, err := p.representation(item, v)
			list = append(list, r)
			return err
		})
	})
	if err != nil {
		return err
	}
	union := f.Type.Named
	if err := p.checkNode(union, s); err != nil {
		return err
	}
	p.answer.text = append(p.answer.text, '[')
	for i, r := range list {
		if i > 0 {
			p.answer.text = append(p.answer.text, ',')
		}
		if err := p.entity(name, union, r, s); err != nil {
			return err
		}
	}
	p.answer.text = append(p.answer.text, ']')
	return nil
}

func (p *planner) representation(at schema.Ref, v value) (representation, error) {
	v, err := p.open(at, v)
	if err != nil {
		return representation{}, err
	}
	p.depends(v)
	if v.kind() != kindObject {
		return representation{}, p.fail("representations is expecting a list of objects only")
	}
	r := representation{members: v.members()}
	for _, m := range r.members {
		if m.name == typename {
			if m.value.kind() != kindString {
				return r, p.fail("__typename can only be a string value")
			}
			r.typeName = m.value.text()
			return r, nil
		}
	}
	return r, p.fail("__typename key not found")
}

// entity plans one row.
func (p *planner) entity(name string, union *schema.Type, r representation, s *selected) error {
	t := possible(union, r.typeName, p.role)
	if t == nil {
		return p.fail("%s is not found in selection set or apollo federation is not enabled for the type", r.typeName)
	}
	key := make([][]byte, len(t.PrimaryKey))
	for i, c := range t.PrimaryKey {
		for _, m := range r.members {
			if m.name == c.Field {
				key[i] = p.jsonOf(m.value)
			}
		}
		if key[i] == nil {
			return p.fail("cannot find %s in _Any type", c.Field)
		}
	}
	return p.query(name, t.Source, func() (ir.Root, error) { return p.rowByKey(t, key, s, "") })
}

// jsonOf is the JSON of a value that the plan depends on, with that of the variables in it.
func (p *planner) jsonOf(v value) []byte {
	if v.literal == nil {
		return v.json
	}
	return v.literal.AppendJSON(nil, func(dst []byte, variable *parse.Variable) []byte {
		p.depends(value{variable: variable})
		return appendValue(dst, p.values[variable.Index])
	})
}
