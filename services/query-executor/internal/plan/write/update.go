package write

import (
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// outputPlan plans the selection set of a mutation.
type outputPlan func(*schema.Writable, *walk.Selected) (*output, error)

// change is an update under construction.
type change struct {
	set   []ir.Assignment
	where ir.BoolExp
}

// update plans an update of the rows that its arguments name.
func (p *Planner) update(w *schema.Writable, f *schema.Field, s *walk.Selected, selection outputPlan) (*Write, error) {
	c := p.newChange(w)
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error { return p.changeInput(c, in, v) })
	if err != nil {
		return nil, err
	}
	p.Push("args")
	if err := p.complete(c, w); err != nil {
		return nil, err
	}
	p.Pop()
	out, err := selection(w, s)
	if err != nil {
		return nil, err
	}
	steps := []Step{p.updateStep(w, c, out)}
	return &Write{Path: "$", Work: &Steps{List: steps, validation: p.validation(w.Update.Validator, s, showArguments)}}, nil
}

// updateMany plans several updates. They share what is selected.
func (p *Planner) updateMany(w *schema.Writable, f *schema.Field, s *walk.Selected) (*Write, error) {
	var changes []*change
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		return p.List(in.Type, v, func(item schema.Ref, v input.Value) error {
			c := p.newChange(w)
			changes = append(changes, c)
			if err := p.Object(item, v, func(in *schema.Input, v input.Value) error { return p.changeInput(c, in, v) }); err != nil {
				return err
			}
			return p.complete(c, w)
		})
	})
	if err != nil {
		return nil, err
	}
	out, err := p.response(w, s)
	if err != nil {
		return nil, err
	}
	steps := &Steps{Many: true, validation: p.validation(w.Update.Validator, s, showUpdates)}
	if slices.ContainsFunc(changes, func(c *change) bool { return len(c.set) > 0 }) {
		if err := p.Take(budget.Statements, len(changes)); err != nil {
			return nil, err
		}
		for _, c := range changes {
			steps.List = append(steps.List, p.updateStep(w, c, out))
		}
	}
	return &Write{Path: "$", Work: steps}, nil
}

func (p *Planner) newChange(w *schema.Writable) *change {
	return &change{where: read.Rule(w.Update.Filter)}
}

// changeInput plans an operator, or which rows it is for.
func (p *Planner) changeInput(c *change, in *schema.Input, v input.Value) error {
	switch m := in.Meaning.(type) {
	case schema.Assign:
		v, null, err := p.IsNull(in.Type, v, input.LookShape)
		if err != nil || null {
			return err
		}
		return p.Object(in.Type, v, func(in *schema.Input, v input.Value) error { return p.assign(c, m.Op, in, v) })
	case schema.Argument:
		var e ir.BoolExp
		var err error
		if m == schema.ArgKey {
			e, err = p.key(in.Type, v)
		} else {
			e, err = p.Where(in.Type, v)
		}
		c.where = read.Both(c.where, e)
		return err
	}
	return p.Fail("unknown argument '%s'", in.Name)
}

func (p *Planner) assign(c *change, op ir.AssignOp, in *schema.Input, v input.Value) error {
	to, _ := in.Meaning.(schema.WrittenColumn)
	if op == ir.AssignSetAt || op == ir.AssignDeleteAt {
		edits, err := p.edits(op, to, in.Type, v)
		if len(edits) > 0 {
			c.set = append(c.set, ir.Assignment{Column: read.ColumnOf(to.Column), Op: op, Edits: edits})
		}
		return err
	}
	var how input.Coercion
	switch op {
	case ir.AssignDeleteKey:
		how = p.Text(in.Type.Named)
		how.Nullable = true
	case ir.AssignDeleteElem:
		how = p.Int(in.Type.Named)
	case ir.AssignDeleteAtPath:
		how = p.Texts(in.Type.Named)
	default:
		how = p.Column(to.Type, in.Type)
		how.Nullable = to.Nullable
	}
	given, err := p.Operand(in.Type, v, how)
	c.set = append(c.set, ir.Assignment{Column: read.ColumnOf(to.Column), Op: op, Value: given})
	return err
}

// mostEdits is how many parts of a column an update may change: each is a statement within the statement.
const mostEdits = 20

// edits plans changes of parts of a JSON column.
func (p *Planner) edits(op ir.AssignOp, to schema.WrittenColumn, at schema.Ref, v input.Value) ([]ir.Edit, error) {
	v, null, err := p.IsNull(at, v, input.LookShape)
	if err != nil || null {
		return nil, err
	}
	var edits []ir.Edit
	err = p.List(at, v, func(item schema.Ref, v input.Value) error {
		if len(edits) == mostEdits {
			return p.Fail("an update changes %d parts of a column at most", mostEdits)
		}
		var e ir.Edit
		err := p.Object(item, v, func(in *schema.Input, v input.Value) (err error) {
			if in.Meaning == schema.ArgPath {
				e.Path, err = p.KeyList(in.Type, v)
				return err
			}
			how := p.Column(to.Type, in.Type)
			how.Nullable = true
			e.Value, err = p.Operand(in.Type, v, how)
			return err
		})
		if op == ir.AssignSetAt && e.Value == nil {
			e.Value = ir.Literal{Null: true, Type: to.Type}
		}
		edits = append(edits, e)
		return err
	})
	return edits, err
}

// key plans the columns of a primary key.
func (p *Planner) key(at schema.Ref, v input.Value) (ir.BoolExp, error) {
	var list []ir.BoolExp
	err := p.Object(at, v, func(in *schema.Input, v input.Value) error {
		e, err := p.keyColumn(in, v)
		list = append(list, e)
		return err
	})
	return read.All(list), err
}

func (p *Planner) keyColumn(in *schema.Input, v input.Value) (ir.BoolExp, error) {
	c, _ := in.Meaning.(schema.Column)
	arg, err := p.Operand(in.Type, v, p.Column(c.Column.Type, in.Type))
	return ir.Compare{Left: read.Column(c.SelectColumn), Op: ir.OpEq, Args: []ir.Value{arg}}, err
}

// complete adds the presets, and refuses columns that are changed twice.
func (p *Planner) complete(c *change, w *schema.Writable) error {
	for _, preset := range w.Update.Presets {
		c.set = append(c.set, ir.Assignment{Column: read.ColumnOf(preset.Column), Op: ir.AssignSet, Value: preset.Value})
	}
	var twice []string
	for _, column := range w.Columns {
		n := 0
		for _, a := range c.set {
			if a.Column.Name == column.Name {
				n++
			}
		}
		if n > 1 {
			twice = append(twice, "'"+column.Name+"'")
		}
	}
	if len(twice) > 0 {
		return p.Fail("Column found in multiple operators: [%s].", strings.Join(twice, ", "))
	}
	return nil
}

func (p *Planner) updateStep(w *schema.Writable, c *change, out *output) Step {
	if len(c.set) == 0 {
		return Step{Empty: out.empty()}
	}
	for _, a := range c.set {
		c.where = read.Both(c.where, w.Update.ColumnRules.For(a.Column.Name))
	}
	check := read.Rule(w.Update.Check)
	update := func(o ir.Output) ir.Mutation {
		return &ir.Update{Table: w.Catalog.Name, Set: c.set, Where: c.where, Check: check, Output: o}
	}
	if !p.confirmed(w, check, false) {
		return out.step(update)
	}
	confirmation := &Confirmation{written(w), check}
	check = nil
	step := out.twice(update)
	step.Confirmation = confirmation
	return step
}

// BeforeKey is the name of the only field of Step.Before.
const BeforeKey = "key"

// deleteRows plans a deletion.
func (p *Planner) deleteRows(w *schema.Writable, f *schema.Field, s *walk.Selected, selection outputPlan) (*Write, error) {
	where, show := read.Rule(w.Delete.Filter), showArguments
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) (err error) {
		var e ir.BoolExp
		if in.Meaning == schema.ArgWhere {
			e, err = p.Where(in.Type, v)
		} else {
			show = showKey
			e, err = p.keyColumn(in, v)
		}
		where = read.Both(where, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	out, err := selection(w, s)
	if err != nil {
		return nil, err
	}
	step := out.step(func(o ir.Output) ir.Mutation {
		return &ir.Delete{Table: w.Catalog.Name, Where: where, Output: o}
	})
	if step.Reply != nil && keyOf(w) != nil {
		text := w.Source.Dialect.Builtin(backend.TypeText)
		key := ir.Scalar{Expr: ir.Cast{Expr: ir.RowRef{Columns: columnsOf(w.Catalog), Key: keyOf(w)}, Type: text}, Type: text}
		step.Before = &ir.Select{
			Rows:   ir.Rows{From: ir.Table{Name: w.Catalog.Name}, Where: where, Estimate: -1},
			Fields: []ir.Field{{Alias: BeforeKey, Value: key}},
		}
	}
	return &Write{Path: "$", Work: &Steps{List: []Step{step}, validation: p.validation(w.Delete.Validator, s, show)}}, nil
}
