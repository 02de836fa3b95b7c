package write

import (
	"errors"
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// ErrGrow reports that rows are related in a way that no rows were when the plan was made: it has
// to be made again, with Options.Inserts.
var ErrGrow = errors.New("the rows need more of the plan")

// Insert says what a root field inserts: into which tables, and where the rows are in a
// request. Which columns they have and how many they are is no part of it, so it stays good
// for requests that differ in that.
type Insert struct {
	// Nodes are the tables, the first one that of the root field. A table has a node for
	// each way that leads to it, and for each upsert clause that is used on the way.
	Nodes []*InsertNode
	// Output is the answer when one statement does it all, nil when it shows related rows.
	Output *ir.Output
	// Reply is the answer otherwise, and Empty when there is no row.
	Reply *Reply
	Empty string
	// Whole is what Reply needs of each row of the first node.
	Whole ir.Field

	// rows is the argument with the rows; list says that it is a list, and at is where it
	// stands.
	rows *parse.Value
	list bool
	at   []input.Step
	// constants are the values that are spelt in the document.
	constants map[*parse.Value]constant
	// dropUnset is Options.DropUnset.
	dropUnset bool
}

type constant struct {
	text []byte
	wrap ir.Wrap
}

// InsertNode is a table that rows are inserted into.
type InsertNode struct {
	Table      catalog.Name
	Columns    []InsertColumn
	Presets    []ir.Assignment
	OnConflict *ir.OnConflict
	// Check must hold for inserted rows, UpdateCheck for those that were updated; see
	// ir.Insert.
	Check, UpdateCheck ir.BoolExp
	// Relations are those that some row has.
	Relations []*InsertRelation
	// Keys are the columns of a written row that related rows take values from. First says
	// that these are written after it, and can't be without it.
	Keys  []ir.Field
	First bool
	// validator is asked about the rows of the table, nil for nobody.
	validator *metadata.ValidateInputWebhook
	// updateValidator is asked about what rows that are there already are set to, nil for nobody.
	updateValidator *metadata.ValidateInputWebhook
	// first is the column that takes its default when a row has no value at all.
	first ir.Column

	// object is the type of the rows, members what is known by its keys.
	object  schema.Ref
	members map[string]insertMember
	// determined are the columns whose values come from the parent.
	determined []int
}

// InsertColumn is a column that a row may have a value for.
type InsertColumn struct {
	ir.Column
	// Default says that a row without a value for it gets another one than NULL.
	Default bool

	ref      schema.Ref
	coercion input.Coercion
}

// insertMember is what a key of a row means: a column, or a relationship.
type insertMember struct {
	name   string
	column int
	// relation is nil for a column.
	relation *schema.Input
}

// InsertRelation leads from the rows of a node to those of another one.
type InsertRelation struct {
	Name string
	// Node is the index of the related node.
	Node int
	// After says that the related rows are written after the row; else before.
	After bool
	// Array says that there may be several.
	Array bool
	// From are indexes into the Keys of the node that is written first, To the columns of
	// the other one that take these values: -1 for one that a preset fills.
	From, To []int

	// own are the columns of the row itself that the relationship fills, for one that is
	// written before.
	own []int
	// conflict is the upsert clause as the request spells it, the zero value for none.
	conflict input.Value
}

// insert plans an insert of several rows, or of one.
func (p *Planner) insert(w *schema.Writable, f *schema.Field, s *walk.Selected, one bool) (*Write, error) {
	insert := &Insert{list: !one, constants: map[*parse.Value]constant{}, dropUnset: p.Options.DropUnset}
	write := &Write{Insert: insert}
	grower := &insertPlanner{Planner: p, insert: insert, tables: map[*InsertNode]*schema.Writable{}}
	var objects *schema.Input
	var rows, conflict input.Value
	var onConflict *schema.Input
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		if in.Means == schema.ArgOnConflict {
			onConflict, conflict = in, v
			return nil
		}
		objects, rows = in, v
		write.Path = input.Spell(p.Path)
		insert.at = append([]input.Step(nil), p.Path...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	insert.rows = rows.Literal
	root, field := grower.node(w), p.Path
	if err := grower.known(root); err != nil {
		return nil, err
	}
	reader := &rowReader{insert: insert, values: p.Values, Cursor: input.Cursor{Path: slices.Clip(insert.at)}, rows: &InsertRows{}, grower: grower}
	if err := reader.read(objects.Type); err != nil {
		return nil, err
	}
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
	insert.Reply, insert.Empty, insert.Whole = out.reply(), out.empty(), wholeRow(w.Catalog)
	if !out.related() {
		direct := out.direct()
		insert.Output = &direct
	}
	return write, nil
}

// insertPlanner makes the nodes of an insert as the rows ask for them.
type insertPlanner struct {
	*Planner
	insert *Insert
	tables map[*InsertNode]*schema.Writable
}

// maxKnownNodes bounds the nodes that are taken over from a plan before. Where each request has
// upsert clauses of its own there is no end to them.
const maxKnownNodes = 64

// known adds the nodes of the plan before.
func (p *insertPlanner) known(root *InsertNode) error {
	i := p.inserts
	p.Planner.inserts++
	if i >= len(p.Before) || len(p.Before[i].Nodes) > maxKnownNodes {
		return nil
	}
	return p.like(root, p.Before[i], 0)
}

// like gives n the relations that the node of another plan has.
func (p *insertPlanner) like(n *InsertNode, other *Insert, node int) error {
	for _, r := range other.Nodes[node].Relations {
		in := n.members[r.Name].relation
		if in == nil {
			continue
		}
		var clause *schema.Input
		if r.conflict.Literal != nil || r.conflict.JSON != nil {
			inputs := in.Type.Named.Inputs()
			clause = &inputs[slices.IndexFunc(inputs, func(i schema.Input) bool { return i.Means == schema.ArgOnConflict })]
		}
		added, err := p.relation(n, in, clause, r.conflict)
		if err != nil {
			return err
		}
		if err := p.like(p.insert.Nodes[added.Node], other, r.Node); err != nil {
			return err
		}
	}
	return nil
}

// node adds a node for a table.
func (p *insertPlanner) node(w *schema.Writable) *InsertNode {
	p.WritesTo(w)
	t := w.InsertInput()
	n := &InsertNode{
		Table: w.Catalog.Name, Check: read.Rule(w.Insert.Check), validator: w.Insert.Validator, first: read.ColumnOf(w.Columns[0]),
		object: schema.NonNull(schema.Named(t)), members: map[string]insertMember{},
	}
	for _, preset := range w.Insert.Presets {
		n.Presets = append(n.Presets, ir.Assignment{Column: read.ColumnOf(preset.Column), Op: ir.AssignSet, Value: preset.Value})
	}
	inputs := t.Inputs()
	for i := range inputs {
		in := &inputs[i]
		c, isColumn := in.Means.(*resolve.Column)
		if !isColumn {
			n.members[in.Name] = insertMember{name: in.Name, relation: in}
			continue
		}
		n.members[in.Name] = insertMember{name: in.Name, column: len(n.Columns)}
		how := p.Column(c.Type, in.Type)
		how.Nullable = c.Nullable
		n.Columns = append(n.Columns, InsertColumn{Column: read.ColumnOf(c), Default: hasDefault(w, c), ref: in.Type, coercion: how})
	}
	p.insert.Nodes = append(p.insert.Nodes, n)
	p.tables[n] = w
	return n
}

// hasDefault says whether a column that is left out may get another value than NULL. What a
// view gets depends on its tables.
func hasDefault(w *schema.Writable, c *resolve.Column) bool {
	return c.Default || c.Identity != "" || c.Type.Domain != nil ||
		w.Catalog.Kind == catalog.KindView || w.Catalog.Kind == catalog.KindMaterializedView
}

// relation adds the node that a relationship leads to; clause is the input of its upsert
// clause, nil for none.
func (p *insertPlanner) relation(from *InsertNode, in, clause *schema.Input, conflict input.Value) (*InsertRelation, error) {
	m, _ := in.Means.(*schema.InsertRelation)
	r := &InsertRelation{
		Name: in.Name, Node: len(p.insert.Nodes), After: m.Array || m.AfterParent, Array: m.Array, conflict: conflict,
	}
	to := p.node(m.Target)
	for _, pair := range m.Join {
		if r.After {
			r.From = append(r.From, from.key(p.tables[from], pair.Outer))
			r.To = append(r.To, to.columnFor(m.Target, pair.Inner))
		} else {
			r.From = append(r.From, to.key(m.Target, pair.Inner))
			r.To = append(r.To, from.columnFor(p.tables[from], pair.Outer))
		}
	}
	if r.After {
		to.determined = r.To
	} else {
		r.own, to.First = r.To, true
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
func (n *InsertNode) key(w *schema.Writable, name string) int {
	for i, k := range n.Keys {
		if k.Alias == name {
			return i
		}
	}
	c := read.ColumnOf(w.Column(name))
	n.Keys = append(n.Keys, ir.Field{Alias: name, Expr: c, ExprType: c.Type})
	return len(n.Keys) - 1
}

// columnFor is the index of a column that takes its value from a related row, also when the
// client may not set it; -1 when a preset does.
func (n *InsertNode) columnFor(w *schema.Writable, name string) int {
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
	n.Columns = append(n.Columns, InsertColumn{Column: read.ColumnOf(c), Default: hasDefault(w, c)})
	return len(n.Columns) - 1
}
