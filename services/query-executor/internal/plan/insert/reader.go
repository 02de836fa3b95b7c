package insert

import (
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// Grower adds to a tree what rows ask for while it is planned.
type Grower interface {
	// Relation adds a relationship that the rows of a node have, at a place of the document, with
	// the input of its upsert clause and what is given for it.
	Relation(at []input.Step, from *Node, in, clause *schema.Input, conflict input.Value) (*Relation, error)
	// CheckLiteral checks what is spelt in the document for a column.
	CheckLiteral(at []input.Step, c *Column, v input.Value) error
}

// Grow reads the rows of the request that the tree is planned for; g adds the nodes that they need.
// at is the type of the argument with the rows, and depth bounds how deep they nest.
func (i *Tree) Grow(at schema.Ref, values [][]byte, g Grower, b *budget.Budget, depth int) error {
	r := &rowReader{
		insert: i, values: values, Cursor: input.Cursor{Path: slices.Clip(i.at)}, rows: &Rows{},
		grower: g, budget: b, maxDepth: depth,
	}
	return r.read(at)
}

// Read reads the rows of a request; values are those of the variables.
func (i *Tree) Read(values [][]byte) (*Rows, error) {
	const depth = 8 // of a row without related ones
	path := append(make([]input.Step, 0, len(i.at)+depth), i.at...)
	r := &rowReader{insert: i, values: values, Cursor: input.Cursor{Path: path}, rows: &Rows{Nodes: make([]NodeRows, 0, len(i.Nodes))}}
	err := r.read(schema.Ref{})
	return r.rows, err
}

// rowReader reads the rows of a request. It is what finds the faults in them, too, when a
// plan is made as well as when it is used again.
type rowReader struct {
	insert *Tree
	values [][]byte
	input.Cursor
	rows  *Rows
	texts input.Arena // of the cells
	// pending are the relationships of the rows that are being read, those of the outermost row first.
	pending []relatedInput
	// grower adds what isn't planned yet; nil when the plan is used again.
	grower Grower
	// budget and maxDepth bound what the grower is requested.
	budget   *budget.Budget
	maxDepth int
}

// refuse is fail for a row whose values don't go together.
func (r *rowReader) refuse(format string, args ...any) error {
	path := slices.Clone(r.Path)
	for i := range path {
		path[i].Single = false
	}
	return input.Under(input.Spell(path), apierror.Newf(apierror.ValidationFailed, format, args...))
}

// open follows the use of a variable. Whether it fits is known from when the plan was made.
func (r *rowReader) open(at schema.Ref, v input.Value) (input.Value, error) {
	if v.Literal == nil || v.Literal.Kind != parse.VariableUse {
		return v, nil
	}
	d := v.Literal.Variable
	if r.grower != nil && !input.Usable(d, at) {
		return input.Value{}, r.Fail("variable '%s' is declared as '%s', but used where '%s' is expected", d.Name, d.Type, at)
	}
	return input.Rows(r.values[d.Index]), nil
}

// read reads the argument of the root field, which has type at.
func (r *rowReader) read(at schema.Ref) error {
	if r.insert.list {
		return r.list(0, at, input.Literal(r.insert.rows), -1)
	}
	return r.single(0, at, input.Literal(r.insert.rows), -1)
}

// single reads the one row where there could be a list of them.
func (r *rowReader) single(node int, at schema.Ref, v input.Value, parent int) error {
	r.Path = append(r.Path, input.Step{Single: true})
	if err := r.object(node, at, v, parent); err != nil {
		return err
	}
	r.Pop()
	return nil
}

// list reads rows of a node that belong to a row of another one; a single value stands for
// a list of one.
func (r *rowReader) list(node int, at schema.Ref, v input.Value, parent int) error {
	list, err := r.open(at, v)
	if err != nil {
		return err
	}
	item := r.insert.Nodes[node].Object
	each := func(i int, v input.Value) error {
		r.PushIndex(i)
		if err := r.object(node, item, v, parent); err != nil {
			return err
		}
		r.Pop()
		if i == 0 && len(v.JSON) > 0 {
			r.rows.Nodes[node].likely = min(len(list.JSON)/len(v.JSON), mostLikely)
		}
		return nil
	}
	switch {
	case list.Kind() == input.Null:
		return r.Fail("expected a list, but found null")
	case list.Kind() != input.List:
		return each(0, list)
	case list.Literal == nil:
		return list.EachItem(each)
	}
	for i := range list.Literal.Items {
		if err := each(i, input.Literal(&list.Literal.Items[i])); err != nil {
			return err
		}
	}
	return nil
}

// each calls f for each member of an object.
func (r *rowReader) each(v input.Value, f func(name []byte, v input.Value) error) error {
	if v.Literal == nil {
		return v.EachMember(f)
	}
	var name []byte
	for i := range v.Literal.Fields {
		m := &v.Literal.Fields[i]
		if d := m.Value.Variable; r.insert.dropUnset && d != nil && r.values[d.Index] == nil {
			continue
		}
		name = append(name[:0], m.Name...)
		if err := f(name, input.Literal(&m.Value)); err != nil {
			return err
		}
	}
	return nil
}

// relatedInput is what a row gives for a relationship.
type relatedInput struct {
	in *schema.Input
	v  input.Value
}

// object reads one row.
func (r *rowReader) object(node int, at schema.Ref, v input.Value, parent int) error {
	v, err := r.open(at, v)
	if err != nil {
		return err
	}
	n := r.insert.Nodes[node]
	if v.Kind() != input.Object {
		return r.Mismatch(n.Object.Named.Name, "an object", v)
	}
	if r.grower != nil && len(r.Path)-len(r.insert.at) > r.maxDepth {
		return r.Fail("the value is nested too deeply")
	}
	row, depth := r.rows.add(node, len(n.Columns), parent), len(r.Path)
	first := len(r.pending)
	err = r.each(v, func(name []byte, v input.Value) error {
		m, known := n.Members[string(name)]
		switch {
		case !known:
			return r.unknown(n.Object.Named, string(name), v)
		case m.Relation != nil:
			// One that is given twice counts the last time.
			own := slices.DeleteFunc(r.pending[first:], func(o relatedInput) bool { return o.in == m.Relation })
			r.pending = append(r.pending[:first+len(own)], relatedInput{m.Relation, v})
			return nil
		}
		r.Push(m.Name)
		text, wrap, err := r.cell(&n.Columns[m.Column], v)
		if err != nil {
			return err
		}
		r.rows.Nodes[node].Set(m.Column, row, text, wrap)
		r.Pop()
		return nil
	})
	if err != nil {
		r.Path = r.Path[:depth]
		return r.firstFault(n, v, err)
	}
	if err := r.determined(node, row); err != nil {
		return err
	}
	for i := first; i < len(r.pending); i++ {
		in := r.pending[i]
		r.Push(in.in.Name)
		if err := r.related(node, row, in); err != nil {
			return err
		}
		r.Pop()
	}
	r.pending = r.pending[:first]
	return nil
}

// firstFault prefers the fault of an unknown key to that of a value.
func (r *rowReader) firstFault(n *Node, v input.Value, fault error) error {
	err := r.each(v, func(name []byte, v input.Value) error {
		if _, known := n.Members[string(name)]; !known {
			return r.unknown(n.Object.Named, string(name), v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return fault
}

func (r *rowReader) unknown(t *schema.Type, name string, v input.Value) error {
	if v.Literal == nil && !gqlname.Valid(name) {
		return r.Fail("variable value contains object with key %q, which is not a legal GraphQL name", name)
	}
	r.Push(name)
	return r.Fail("field '%s' not found in type: '%s'", name, t.Name)
}

// cell reads the value of a column.
func (r *rowReader) cell(c *Column, v input.Value) ([]byte, ir.Wrap, error) {
	isLiteral := v.Literal != nil
	if isLiteral {
		if known, ok := r.insert.constants[v.Literal]; ok {
			return known.text, known.wrap, nil
		}
		if v.Literal.Kind == parse.VariableUse {
			opened, err := r.open(c.Ref, v)
			if err != nil {
				return nil, "", err
			}
			isLiteral, v = false, opened
		}
	}
	if !isLiteral {
		if r.grower != nil {
			if err := r.budget.Take(budget.Constants, len(v.JSON)); err != nil {
				return nil, "", r.Place(err)
			}
		}
		text, wrap, err := c.Coercion.ApplyTo(&r.texts, v.JSON, false)
		if err != nil {
			return nil, "", r.Place(err)
		}
		return text, wrap, nil
	}
	if r.grower != nil {
		if err := r.grower.CheckLiteral(r.Path, c, v); err != nil {
			return nil, "", err
		}
	}
	json := v.Literal.AppendJSON(nil, func(dst []byte, d *parse.Variable) []byte { return input.AppendValue(dst, r.values[d.Index]) })
	text, wrap, err := c.Coercion.Apply(json, true)
	if err != nil {
		return nil, "", r.Place(err)
	}
	if r.grower != nil && !v.Literal.HasVariables() {
		r.insert.constants[v.Literal] = constant{text, wrap}
	}
	return text, wrap, nil
}

// determined refuses values for columns that the parent determines.
func (r *rowReader) determined(node, row int) error {
	n := r.insert.Nodes[node]
	if names := r.given(node, row, n.Determined); names != "" {
		return r.refuse("cannot insert %s columns as their values are already being determined by parent insert", names)
	}
	return nil
}

// given names those of the columns that the row has a value for.
func (r *rowReader) given(node, row int, columns []int) string {
	var names []int
	for _, c := range columns {
		if c >= 0 && r.rows.Nodes[node].Has(c, row) {
			names = append(names, c)
		}
	}
	return r.names(node, names)
}

// related reads the rows of a relationship. null is none.
func (r *rowReader) related(node, row int, in relatedInput) error {
	v, err := r.open(in.in.Type, in.v)
	if err != nil || v.Kind() == input.Null {
		return err
	}
	t := in.in.Type.Named
	if v.Kind() != input.Object {
		return r.Mismatch(t.Name, "an object", v)
	}
	var data, conflict input.Value
	var dataType schema.Ref
	var clause *schema.Input
	hasData := false
	err = r.each(v, func(name []byte, v input.Value) error {
		switch member := t.Input(string(name)); {
		case member == nil:
			return r.unknown(t, string(name), v)
		case member.Meaning == schema.ArgData:
			data, dataType, hasData = v, member.Type, true
		case v.Kind() != input.Null || v.Literal != nil && v.Literal.Kind == parse.VariableUse:
			conflict, clause = v, member
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !hasData {
		r.Push("data")
		return r.Fail("missing required field 'data'")
	}
	relation, err := r.relation(r.insert.Nodes[node], in.in, clause, conflict)
	if err != nil {
		return err
	}
	if names := r.filled(node, row, relation); names != "" {
		return r.refuse(`cannot insert object relationship "%s" as %s column values are already determined`, relation.Name, names)
	}
	r.Push("data")
	switch {
	case relation.Array:
		err = r.list(relation.Node, dataType, data, row)
	case relation.After:
		err = r.single(relation.Node, dataType, data, row)
	default:
		err = r.object(relation.Node, dataType, data, row)
	}
	if err == nil {
		r.Pop()
	}
	return err
}

// filled names the columns of the row that a relationship would fill, and that have a value
// already or get one from the parent.
func (r *rowReader) filled(node, row int, relation *Relation) string {
	var taken []int
	for _, c := range relation.Own {
		if slices.Contains(r.insert.Nodes[node].Determined, c) {
			taken = append(taken, c)
		}
	}
	if len(taken) > 0 {
		return r.names(node, taken)
	}
	return r.given(node, row, relation.Own)
}

func (r *rowReader) names(node int, columns []int) string {
	names := ""
	for i, c := range columns {
		if i > 0 {
			names += ", "
		}
		names += `"` + r.insert.Nodes[node].Columns[c].Name + `"`
	}
	return names
}

// relation finds the relationship with an upsert clause, or has it planned.
func (r *rowReader) relation(n *Node, in, clause *schema.Input, conflict input.Value) (*Relation, error) {
	for _, known := range n.Relations {
		if known.Name == in.Name && sameClause(known.Conflict, conflict) {
			return known, nil
		}
	}
	if r.grower == nil {
		return nil, ErrGrow
	}
	return r.grower.Relation(r.Path, n, in, clause, conflict)
}

func sameClause(a, b input.Value) bool {
	if a.Literal != nil && b.Literal != nil {
		return a.Literal == b.Literal || a.Literal.Equal(b.Literal)
	}
	return a.Literal == nil && b.Literal == nil && string(a.JSON) == string(b.JSON)
}
