package write

import (
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/schema"
)

// onConflict plans the upsert clause of a node. null is none.
func (p *Planner) onConflict(n *insert.Node, w *schema.Writable, at schema.Ref, v input.Value) error {
	v, null, err := p.IsNull(at, v, input.LookShape)
	if err != nil || null {
		return err
	}
	c := &ir.OnConflict{TableKind: w.Catalog.Kind}
	var where ir.BoolExp
	err = p.Object(at, v, func(in *schema.Input, v input.Value) (err error) {
		switch in.Meaning {
		case schema.ArgConstraint:
			return p.constraint(c, in, v)
		case schema.ArgUpdateColumns:
			return p.namedColumns(&c.Set, in, v)
		case schema.ArgMatchColumns:
			return p.namedColumns(&c.Target.Columns, in, v)
		}
		v, null, err := p.IsNull(in.Type, v, input.LookShape)
		if err != nil || null {
			return err
		}
		where, err = p.Where(in.Type, v)
		return err
	})
	if err != nil {
		return err
	}
	n.OnConflict = c
	if len(c.Set) > 0 {
		// Only a role that may update has columns to set.
		for _, preset := range w.Update.Presets {
			c.Presets = append(c.Presets, ir.Assignment{Column: read.ColumnOf(preset.Column), Op: ir.AssignSet, Value: preset.Value})
		}
		c.Where = read.Both(read.Both(read.Rule(w.Update.Filter), w.Update.ColumnRules.For(c.Set...)), where)
		n.UpdateCheck = read.Rule(w.Update.Check)
		p.confirm(n, w, n.UpdateCheck)
		n.UpdateValidator = w.Update.Validator
	}
	return nil
}

func (p *Planner) constraint(c *ir.OnConflict, in *schema.Input, v input.Value) error {
	chosen, err := p.Enum(in.Type, v)
	if err != nil {
		return err
	}
	of, _ := chosen.Meaning.(schema.Constraint)
	c.Target = ir.ConflictTarget{Constraint: of.Name, Index: of.Index, Columns: of.Columns}
	return nil
}

// namedColumns plans the columns that are compared, or that take the new values. The fault of a placeholder is
// that of the whole clause.
func (p *Planner) namedColumns(names *[]string, in *schema.Input, v input.Value) error {
	depth := len(p.Path) - 1
	return p.List(in.Type, v, func(item schema.Ref, v input.Value) error {
		chosen, err := p.Enum(item, v)
		if err != nil {
			return err
		}
		column, ok := chosen.Meaning.(schema.WrittenColumn)
		if !ok {
			p.Path = p.Path[:depth]
			return p.Fail("erroneous column name")
		}
		*names = append(*names, column.Name)
		return nil
	})
}
