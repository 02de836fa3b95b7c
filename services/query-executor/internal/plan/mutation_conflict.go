package plan

import (
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/schema"
)

// onConflict plans the upsert clause of a node. null is none.
func (p *planner) onConflict(n *InsertNode, w *schema.Writable, at schema.Ref, v value) error {
	v, null, err := p.isNull(at, v, LookShape)
	if err != nil || null {
		return err
	}
	c := &ir.OnConflict{}
	var where ir.BoolExp
	err = p.object(at, v, func(in *schema.Input, v value) (err error) {
		switch in.Means {
		case schema.ArgConstraint:
			return p.constraint(c, w, in, v)
		case schema.ArgUpdateColumns:
			return p.updateColumns(c, in, v)
		}
		v, null, err := p.isNull(in.Type, v, LookShape)
		if err != nil || null {
			return err
		}
		where, err = p.where(in.Type, v)
		return err
	})
	if err != nil {
		return err
	}
	n.OnConflict = c
	if len(c.Set) > 0 {
		// Only a role that may update has columns to set.
		for _, preset := range w.Update.Presets {
			c.Presets = append(c.Presets, ir.Assignment{Column: columnOf(preset.Column), Op: ir.AssignSet, Value: preset.Value})
		}
		c.Where = both(rule(w.Update.Filter), where)
		n.UpdateCheck = rule(w.Update.Check)
		n.updateValidator = w.Update.Validator
	}
	return nil
}

func (p *planner) constraint(c *ir.OnConflict, w *schema.Writable, in *schema.Input, v value) error {
	chosen, err := p.enum(in.Type, v)
	if err != nil {
		return err
	}
	of, _ := chosen.Means.(*catalog.Constraint)
	if of.Index && len(of.Columns) > 0 {
		c.Columns = of.Columns
	} else {
		c.Constraint = of.Name
	}
	if w.Catalog.Kind == catalog.KindPartitioned {
		c.Key = of.Columns
	}
	return nil
}

// updateColumns plans the columns that take the new values. The fault of a placeholder is
// that of the whole clause.
func (p *planner) updateColumns(c *ir.OnConflict, in *schema.Input, v value) error {
	depth := len(p.path) - 1
	return p.list(in.Type, v, func(item schema.Ref, v value) error {
		chosen, err := p.enum(item, v)
		if err != nil {
			return err
		}
		column, ok := chosen.Means.(*resolve.Column)
		if !ok {
			p.path = p.path[:depth]
			return p.fail("erroneous column name")
		}
		c.Set = append(c.Set, column.Name)
		return nil
	})
}
