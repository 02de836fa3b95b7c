package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// node plans the root field that finds a row by its global id. The plan depends on the id,
// which says what table it is about.
func (p *relayPlanner) node(name string, f *schema.Field, s *selected) error {
	var id string
	err := p.arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		id, err = p.identifier(in.Type, v)
		return err
	})
	if err != nil {
		return err
	}
	if err := p.checkNode(f.Type.Named, s); err != nil {
		return err
	}
	of, _ := f.Means.(schema.Node)
	t, key, err := p.findNode(of.Of, decodeBase64(id))
	if err != nil {
		return err
	}
	return p.query(name, t.Source, func() (ir.Root, error) { return p.rowByKey(t, key, s, "value of column '%s' in node id: ") })
}

// rowByKey plans one row by the JSON values of its primary key. The role's limit does not count.
// about, when set, goes before the errors of values, with the name of the column in it.
func (p *relayPlanner) rowByKey(t *schema.Table, key [][]byte, s *selected, about string) (ir.Root, error) {
	query := &ir.Select{Rows: ir.Rows{From: from(t), Where: p.visible(t), Estimate: 1}, One: true}
	for i, c := range t.PrimaryKey {
		v, err := p.BindConstant(key[i], p.Scalar(c.Type, t.KeyType(c)))
		if err != nil {
			e := *apierror.From(err)
			if e.Path = input.Spell(p.Path); about != "" {
				e.Message = fmt.Sprintf(about, c.Name) + e.Message
			}
			return nil, &e
		}
		query.Where = both(query.Where, ir.Compare{Left: ir.Column{Name: c.Name, Type: c.Type}, Op: ir.OpEq, Args: []ir.Value{v}})
	}
	var err error
	query.Fields, err = p.fields(t, s)
	return query, err
}

// identifier reads an ID that the plan depends on.
func (p *relayPlanner) identifier(at schema.Ref, v input.Value) (string, error) {
	v, err := p.Open(at, v)
	if err != nil {
		return "", err
	}
	p.Depends(v)
	switch k := v.Kind(); k {
	case input.String:
		return v.Text(), nil
	case input.Int, input.Number:
		if _, ok := input.WholeNumber(v.Text(), 32); ok {
			return v.Text(), nil
		}
	}
	return "", p.Mismatch(at.Named.Name, "a String or a 32-bit integer", v)
}

// findNode is the table that an id is about, if the root may read it, and the JSON of the values
// of its primary key.
func (p *relayPlanner) findNode(root schema.Root, id []byte) (*schema.Table, [][]byte, error) {
	fail := func(reason string) error {
		p.Push("args")
		return p.FailAt("id", "invalid node id: %s", reason)
	}
	t, opened := p.role.OpenNode(root, id)
	if t != nil {
		id = opened
	}
	parsed, err := parseNodeID(id)
	if err != nil {
		return nil, nil, fail("Error in $: " + err.Error())
	}
	if t == nil {
		t = p.role.FindNode(root, parsed.schema, parsed.table)
	}
	if t == nil {
		return nil, nil, fail("no such table found: '" + parsed.schema + "." + parsed.table + "'")
	}
	if missing := len(t.PrimaryKey) - len(parsed.key); missing > 0 {
		return nil, nil, fail("primary key columns [" + columnNames(t.PrimaryKey[len(parsed.key):]) + "] are missing")
	}
	if rest := parsed.key[len(t.PrimaryKey):]; len(rest) > 0 {
		return nil, nil, fail("unexpected column values [" + string(bytes.Join(rest, []byte(","))) + "]")
	}
	return t, parsed.key, nil
}

func columnNames(columns []*resolve.Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = "'" + c.Name + "'"
	}
	return strings.Join(names, ", ")
}

// checkNode plans the selections on an interface or a union for all types that they name, to
// find their faults whatever type the row turns out to have.
func (p *readPlanner) checkNode(abstract *schema.Type, s *selected) error {
	err := p.within(abstract.Name, s, func(s *selected) error {
		_, err := p.fieldOf(abstract, s)
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range typeConditions(s.sets) {
		if t := possible(abstract, name, p.role); t != nil {
			if err := p.tryFields(t, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// tryFields looks for faults in a selection set on rows of a table, and keeps nothing.
func (p *readPlanner) tryFields(t *schema.Table, s *selected) error {
	before, known := p.begin(t.Source), p.dependencies
	_, err := p.fields(t, s)
	p.statement, p.dependencies = before, known
	p.joins, p.joined = nil, nil
	return err
}

// possible is the table behind an object type that an interface or a union stands for.
func possible(abstract *schema.Type, name string, role *schema.Role) *schema.Table {
	for _, t := range abstract.Possible() {
		if t.Name == name {
			return role.TableOf(t)
		}
	}
	return nil
}

// typeConditions lists the types that fragments are for, each once.
func typeConditions(sets [][]parse.Selection) []string {
	var names []string
	walked := map[*parse.Fragment]bool{}
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var walk func(set []parse.Selection)
	walk = func(set []parse.Selection) {
		for _, s := range set {
			switch s := s.(type) {
			case *parse.Inline:
				add(s.On)
				walk(s.Selections)
			case *parse.Spread:
				if !walked[s.Fragment] {
					walked[s.Fragment] = true
					add(s.Fragment.On)
					walk(s.Fragment.Selections)
				}
			}
		}
	}
	for _, set := range sets {
		walk(set)
	}
	return names
}
