package write

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Insert is what a root field inserts, and what it answers.
type Insert struct {
	insert.Tree
	// Output is the answer when one statement does it all, nil when it shows related rows.
	Output *ir.Output
	// Reply is the answer otherwise, and Empty when there is no row.
	Reply *Reply
	Empty string
	// Whole is what Reply needs of each row of the first node.
	Whole ir.Field
	// Objects are the rows of Reply, a list for each of its parts that has rows, where they are made of the
	// written rows alone: no statement has to make Reply then.
	Objects [][]ir.Field
}

// insert plans an insert of several rows, or of one.
func (p *Planner) insert(w *schema.Writable, f *schema.Field, s *walk.Selected, one bool) (*Write, error) {
	into := &Insert{}
	write := &Write{Work: into}
	var at []input.Step
	var objects *schema.Input
	var rows, conflict input.Value
	var onConflict *schema.Input
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		if in.Meaning == schema.ArgOnConflict {
			onConflict, conflict = in, v
			return nil
		}
		objects, rows = in, v
		write.Path = input.Spell(p.Path)
		at = append([]input.Step(nil), p.Path...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	into.Tree = insert.New(rows.Literal, at, !one, p.Options.DropUnset)
	grower := &insertPlanner{Planner: p, tree: &into.Tree, tables: map[*insert.Node]*schema.Writable{}}
	root, field := grower.node(w), p.Path
	if err := grower.known(root); err != nil {
		return nil, err
	}
	if err := into.Grow(objects.Type, p.Values, grower, p.Options.Budget, p.Options.Limits.InputDepth); err != nil {
		return nil, err
	}
	into.Spelled = keyed(w)
	into.Arrange()
	p.Path = field
	if onConflict != nil {
		p.Push("args")
		p.Push(onConflict.Name)
		if err := p.onConflict(root, w, onConflict.Type, conflict); err != nil {
			return nil, err
		}
		p.Pop()
		p.Pop()
	}
	selection := p.response
	if one {
		selection = p.writtenRow
	}
	out, err := selection(w, s)
	if err != nil {
		return nil, err
	}
	into.Reply, into.Empty, into.Whole = out.reply(), out.empty(), rowRef(w)
	if !out.reads() {
		if into.Objects = out.objects(); root.Written == nil {
			direct := out.direct()
			into.Output = &direct
		}
	}
	return write, nil
}

// insertPlanner makes the nodes of an insert as the rows ask for them.
type insertPlanner struct {
	*Planner
	tree   *insert.Tree
	tables map[*insert.Node]*schema.Writable
}

// maxKnownNodes bounds the nodes that are taken over from a plan before. Where each request has
// upsert clauses of its own there is no end to them.
const maxKnownNodes = 64

// known adds the nodes of the plan before.
func (p *insertPlanner) known(root *insert.Node) error {
	i := len(p.Trees)
	p.Trees = append(p.Trees, p.tree)
	if i >= len(p.Before) || len(p.Before[i].Nodes) > maxKnownNodes {
		return nil
	}
	return p.like(root, p.Before[i], 0)
}

// like gives n the relations that the node of another plan has.
func (p *insertPlanner) like(n *insert.Node, other *insert.Tree, node int) error {
	for _, r := range other.Nodes[node].Relations {
		in := n.Members[r.Name].Relation
		if in == nil {
			continue
		}
		var clause *schema.Input
		if r.Conflict.Literal != nil || r.Conflict.JSON != nil {
			inputs := in.Type.Named.Inputs()
			clause = &inputs[slices.IndexFunc(inputs, func(i schema.Input) bool { return i.Meaning == schema.ArgOnConflict })]
		}
		added, err := p.Relation(p.Path, n, in, clause, r.Conflict)
		if err != nil {
			return err
		}
		if err := p.like(p.tree.Nodes[added.Node], other, r.Node); err != nil {
			return err
		}
	}
	return nil
}

// node adds a node for a table.
func (p *insertPlanner) node(w *schema.Writable) *insert.Node {
	p.WritesTo(w)
	t := w.InsertInput()
	n := &insert.Node{
		Table: w.Catalog.Name, Display: w.Display(), Check: read.Rule(w.Insert.Check), Validator: w.Insert.Validator, AnyColumn: read.ColumnOf(w.Columns[0]),
		Identity: w.Catalog.Identity(),
		Object:   schema.NonNull(schema.Named(t)), Members: map[string]insert.Member{},
	}
	for i := range w.Catalog.ForeignKeys {
		n.References = append(n.References, w.Catalog.ForeignKeys[i].Target)
	}
	p.confirm(n, w, n.Check)
	for _, preset := range w.Insert.Presets {
		n.Presets = append(n.Presets, ir.Assignment{Column: read.ColumnOf(preset.Column), Op: ir.AssignSet, Value: preset.Value})
	}
	inputs := t.Inputs()
	for i := range inputs {
		in := &inputs[i]
		c, isColumn := in.Meaning.(schema.WrittenColumn)
		if !isColumn {
			if _, related := in.Meaning.(*schema.InsertRelation); related {
				n.Members[in.Name] = insert.Member{Name: in.Name, Relation: in}
			}
			continue
		}
		n.Members[in.Name] = insert.Member{Name: in.Name, Column: len(n.Columns)}
		how := p.Column(c.Type, in.Type)
		how.Nullable = c.Nullable
		check := w.Insert.ColumnRules.For(c.Column.Name)
		p.confirm(n, w, check)
		n.Columns = append(n.Columns, insert.Column{Column: read.ColumnOf(c.Column), Check: check, Default: hasDefault(w, c.Column), Ref: in.Type, Coercion: how})
	}
	p.tree.Nodes = append(p.tree.Nodes, n)
	p.tables[n] = w
	return n
}

// hasDefault reports whether a column that is left out may get another value than NULL. What a
// view gets depends on its tables.
func hasDefault(w *schema.Writable, c *resolve.Column) bool {
	return c.Default || c.Identity != "" || c.Type.Domain != nil ||
		w.Catalog.Kind == catalog.KindView || w.Catalog.Kind == catalog.KindMaterializedView
}

// Relation adds the node that a relationship leads to; clause is the input of its upsert
// clause, nil for none.
func (p *insertPlanner) Relation(at []input.Step, from *insert.Node, in, clause *schema.Input, conflict input.Value) (*insert.Relation, error) {
	p.Path = at
	m, _ := in.Meaning.(*schema.InsertRelation)
	r := &insert.Relation{
		Name: in.Name, Node: len(p.tree.Nodes), After: m.Array || m.AfterParent, Array: m.Array, Conflict: conflict,
	}
	to := p.node(m.Target)
	for _, pair := range m.Join {
		if r.After {
			r.From = append(r.From, p.key(from, pair.Outer))
			r.To = append(r.To, p.columnFor(to, pair.Inner))
		} else {
			r.From = append(r.From, p.key(to, pair.Inner))
			r.To = append(r.To, p.columnFor(from, pair.Outer))
		}
	}
	if r.After {
		to.Determined = r.To
	} else {
		r.Own, to.First = r.To, true
	}
	if clause != nil {
		p.Push(clause.Name)
		if err := p.onConflict(to, m.Target, clause.Type, conflict); err != nil {
			return nil, err
		}
		p.Pop()
	}
	from.Relations = append(from.Relations, r)
	return r, nil
}

// key is the index of a column among the keys.
func (p *insertPlanner) key(n *insert.Node, name string) int {
	for i, k := range n.Keys {
		if k.Alias == name {
			return i
		}
	}
	c := read.ColumnOf(p.tables[n].Column(name))
	n.Keys = append(n.Keys, ir.Field{Alias: name, Value: ir.Scalar{Expr: c, Type: c.Type}})
	return len(n.Keys) - 1
}

// columnFor is the index of a column that takes its value from a related row, also when the
// client may not set it; -1 when a preset does.
func (p *insertPlanner) columnFor(n *insert.Node, name string) int {
	w := p.tables[n]
	for _, preset := range n.Presets {
		if preset.Column.Name == name {
			return -1
		}
	}
	for i := range n.Columns {
		if n.Columns[i].Name == name {
			return i
		}
	}
	c := w.Column(name)
	n.Columns = append(n.Columns, insert.Column{Column: read.ColumnOf(c), Default: hasDefault(w, c)})
	return len(n.Columns) - 1
}

// CheckLiteral checks what is spelt in the document for a column.
func (p *insertPlanner) CheckLiteral(at []input.Step, c *insert.Column, v input.Value) error {
	p.Path = at
	if v.Literal.HasVariables() {
		return p.CheckTemplate(c.Ref, v.Literal, c.Type.IsArray())
	}
	return p.CheckEnum(v, c.Coercion)
}
