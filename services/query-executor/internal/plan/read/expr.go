package read

import (
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/schema"
)

// From is a table as a relation.
func From(t *schema.Table) ir.From { return ir.TableOf(t.Catalog) }

// Visible is the condition that the role's permission sets on the rows of t.
func (p *Planner) Visible(t *schema.Table) ir.BoolExp {
	p.Reads(t)
	if t.Permission.Filter == nil {
		return nil
	}
	return ir.Rule{Exp: t.Permission.Filter}
}

// Both holds when both hold; nil is true.
func Both(a, b ir.BoolExp) ir.BoolExp {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return ir.And{Exps: []ir.BoolExp{a, b}}
}

// All holds when all hold.
func All(list []ir.BoolExp) ir.BoolExp {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return ir.And{Exps: list}
}

// Column is the value of a column as the role may see it.
func Column(c *resolve.SelectColumn) ir.Expr { return c.Expr() }

// computed is the value of a scalar computed field without arguments of the client's.
func (p *Planner) computed(c *resolve.SelectComputedField) ir.Expr {
	return p.call(c, c.Field.CallArgs())
}

func (p *Planner) call(c *resolve.SelectComputedField, args []ir.CallArg) ir.Expr {
	p.Calls(c.Field.Function, nil)
	return c.With(args)
}

// computedFrom is the result of a table computed field as a relation.
func (p *Planner) computedFrom(c *schema.ComputedRows, args []ir.CallArg) ir.From {
	p.Calls(c.Function, nil)
	return ir.Function{Name: c.Function.Name, Args: args}
}

// Rule is the filter or check of a permission, nil for true.
func Rule(e ir.BoolExp) ir.BoolExp {
	if e == nil {
		return nil
	}
	return ir.Rule{Exp: e}
}

// ColumnOf is the column itself, whatever the role may see of it.
func ColumnOf(c *resolve.Column) ir.Column { return ir.Column{Name: c.Name, Type: c.Type} }
