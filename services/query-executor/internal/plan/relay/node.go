package relay

import (
	"bytes"
	"fmt"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Node plans the root field that finds a row by its global id. The plan depends on the id,
// which names the table.
func (p *Planner) Node(name string, f *schema.Field, s *walk.Selected) error {
	var id string
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		id, err = p.identifier(in.Type, v)
		return err
	})
	if err != nil {
		return err
	}
	if err := p.CheckNode(f.Type.Named, s); err != nil {
		return err
	}
	of, _ := f.Meaning.(schema.Node)
	t, key, err := p.findNode(of.Of, decodeBase64(id))
	if err != nil {
		return err
	}
	return p.Root(name, t.Source, func() (ir.Root, error) { return p.rowByKey(t, key, s, "value of column '%s' in node id: ") })
}

// rowByKey plans one row by the JSON values of its primary key. The role's limit does not count.
// about, when set, goes before the errors of values, with the name of the column in it.
func (p *Planner) rowByKey(t *schema.Table, key [][]byte, s *walk.Selected, about string) (ir.Root, error) {
	query := &ir.Select{Rows: ir.Rows{From: read.From(t), Where: p.Visible(t), Estimate: 1}, One: true}
	for i, c := range t.PrimaryKey {
		v, err := p.BindConstant(key[i], p.Scalar(c.Type, t.KeyType(c)))
		if err != nil {
			e := *apierror.From(err)
			if e.Path = input.Spell(p.Path); about != "" {
				e.Message = fmt.Sprintf(about, c.Name) + e.Message
			}
			return nil, &e
		}
		query.Where = read.Both(query.Where, ir.Compare{Left: ir.Column{Name: c.Name, Type: c.Type}, Op: ir.OpEq, Args: []ir.Value{v}})
	}
	var err error
	query.Fields, err = p.Fields(t, s)
	return query, err
}

// identifier reads an ID that the plan depends on.
func (p *Planner) identifier(at schema.Ref, v input.Value) (string, error) {
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
func (p *Planner) findNode(root schema.Root, id []byte) (*schema.Table, [][]byte, error) {
	fail := func(reason string) error {
		p.Push("args")
		return p.FailAt("id", "invalid node id: %s", reason)
	}
	t, opened := p.Role.OpenNode(root, id)
	if t != nil {
		id = opened
	}
	parsed, err := parseNodeID(id)
	if err != nil {
		return nil, nil, fail("Error in $: " + err.Error())
	}
	if t == nil {
		t = p.Role.FindNode(root, parsed.schema, parsed.table)
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
