// Package federation plans the field _entities, by which a gateway of Apollo Federation asks for rows
// by their keys.
package federation

import (
	"slices"
	"strconv"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// representation is what another subgraph knows of a row: the type, and the fields of the key.
type representation struct {
	typeName string
	members  []input.Member
}

// Entities plans the root field that finds rows for other subgraphs: one by its key for each
// representation, in their order. The plan depends on all of them.
func (p *Planner) Entities(name string, f *schema.Field, s *walk.Selected) error {
	var list []representation
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		v, err := p.Open(in.Type, v)
		if err != nil {
			return err
		}
		p.Depends(v)
		return p.List(in.Type, v, func(item schema.Ref, v input.Value) error {
			r, err := p.representation(item, v)
			list = append(list, r)
			return err
		})
	})
	if err != nil {
		return err
	}
	union := f.Type.Named
	if err := p.CheckNode(union, s); err != nil {
		return err
	}
	found := entitySet{Planner: p, union: union}
	for i, r := range list {
		if err := found.add(i, r); err != nil {
			return err
		}
	}
	joined := &answer.Joined{Named: answer.Named{Field: name}, Text: append(found.text, ']')}
	if len(list) == 0 {
		joined.Text = []byte("[]")
	}
	for i, t := range found.types {
		query, err := p.JoinQuery(entityTarget(t), func() (ir.Root, error) { return p.entity(t, s) })
		if err != nil {
			return err
		}
		joined.Joins = appendEntity(joined.Joins, i, &answer.Join{Parts: len(t.PrimaryKey), Query: query, Joins: p.TakeJoins()})
	}
	p.Answer.Add(joined)
	return nil
}

func (p *Planner) representation(at schema.Ref, v input.Value) (representation, error) {
	v, err := p.Open(at, v)
	if err != nil {
		return representation{}, err
	}
	p.Depends(v)
	if v.Kind() != input.Object {
		return representation{}, p.Fail("representations is expecting a list of objects only")
	}
	r := representation{members: v.Members()}
	for _, m := range r.members {
		if m.Name == walk.Typename {
			if m.Value.Kind() != input.String {
				return r, p.Fail("__typename can only be a string value")
			}
			r.typeName = m.Value.Text()
			return r, nil
		}
	}
	return r, p.Fail("__typename key not found")
}

// entitySet are the keys of the rows that are looked for, as objects that the rows take the place
// of: those of each type have names of their own for the parts.
type entitySet struct {
	*Planner
	union *schema.Type
	types []*schema.Table
	text  []byte
}

func (e *entitySet) add(i int, r representation) error {
	t := read.Possible(e.union, r.typeName, e.Role)
	if t == nil {
		return e.Fail("%s is not found in selection set or apollo federation is not enabled for the type", r.typeName)
	}
	number := slices.Index(e.types, t)
	if number < 0 {
		number = len(e.types)
		e.types = append(e.types, t)
	}
	e.text = append(e.text, "[,"[min(i, 1)], '{')
	for part, c := range t.PrimaryKey {
		var json []byte
		for _, m := range r.members {
			if m.Name == c.Field {
				json = e.jsonOf(m.Value)
			}
		}
		if json == nil {
			return e.Fail("cannot find %s in _Any type", c.Field)
		}
		value, err := e.keyValue(t, c, json)
		if err != nil {
			return err
		}
		if part > 0 {
			e.text = append(e.text, ',')
		}
		e.text = append(append(jsontext.AppendString(e.text, entityKey(number, part)), ':'), value...)
	}
	e.text = append(e.text, '}')
	return nil
}

// keyValue is a part of a key as ir.Keys reads it.
func (e *entitySet) keyValue(t *schema.Table, c *resolve.Column, json []byte) ([]byte, error) {
	of := input.Of(t.Source.Dialect, c.Type, t.KeyType(c))
	text, _, err := of.Apply(json, false)
	if err != nil {
		known := *apierror.From(err)
		known.Path = input.Spell(e.Path)
		return nil, &known
	}
	switch {
	case text == nil:
		return []byte("null"), nil
	case c.Type.IsArray(), c.Scalar.JSON:
		return json, nil
	}
	return jsontext.AppendString(nil, string(text)), nil
}

// entityKey is the name of a part of the keys of a type.
func entityKey(number, part int) string { return strconv.Itoa(number) + "." + strconv.Itoa(part) }

// entityTarget is a table by its primary key.
func entityTarget(t *schema.Table) *resolve.SourceTarget {
	return &resolve.SourceTarget{Table: t.Table, Columns: t.PrimaryKey, Unique: true}
}

// appendEntity appends the members that the keys of a type consist of. The rows take the places of
// the objects.
func appendEntity(list []answer.Member, number int, j *answer.Join) []answer.Member {
	list = append(list, answer.Member{Key: entityKey(number, 0), Join: j, Whole: true})
	for part := 1; part < j.Parts; part++ {
		list = append(list, answer.Member{Key: entityKey(number, part), Hidden: true})
	}
	return list
}

// entity plans the row that has a key, as far as the role may see that.
func (p *Planner) entity(t *schema.Table, s *walk.Selected) (ir.Root, error) {
	query := &ir.Select{Rows: ir.Rows{From: read.From(t), Where: p.Visible(t), Estimate: -1}, One: true}
	for _, c := range t.PrimaryKey {
		if seen, _ := t.Permission.Column(c.Name); seen.Hidden != nil {
			query.Where = read.Both(query.Where, ir.IsNull{Expr: read.Column(&seen), Not: true})
		}
	}
	var err error
	query.Fields, err = p.Fields(t, s)
	return query, err
}

// jsonOf is the JSON of a value that the plan depends on, with that of the variables in it.
func (p *Planner) jsonOf(v input.Value) []byte {
	if v.Literal == nil {
		return v.JSON
	}
	return v.Literal.AppendJSON(nil, func(dst []byte, variable *parse.Variable) []byte {
		p.Depends(input.Value{Variable: variable})
		return input.AppendValue(dst, p.Values[variable.Index])
	})
}

// Planner plans what other subgraphs ask for.
type Planner struct{ *read.Planner }
