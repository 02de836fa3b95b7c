package plan

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/schema"
)

// reads notes that the plan depends on a table and on what the role may read of it.
func (p *state) reads(t *schema.Table) {
	if !slices.Contains(p.tables, t) {
		p.tables = append(p.tables, t)
	}
}

// calls notes that the plan depends on a function.
func (p *state) calls(f *catalog.Function, meta *metadata.Function) {
	called := Function{Source: p.source, Function: f, Meta: meta}
	if !slices.Contains(p.functions, called) {
		p.functions = append(p.functions, called)
	}
}

// from is a table as a relation.
func from(t *schema.Table) ir.From { return ir.Table{Name: t.Catalog.Name} }

// visible is the condition that the role's permission sets on the rows of t.
func (p *readPlanner) visible(t *schema.Table) ir.BoolExp {
	p.reads(t)
	if t.Permission.Filter == nil {
		return nil
	}
	return ir.Rule{Exp: t.Permission.Filter}
}

// both holds when both hold; nil is true.
func both(a, b ir.BoolExp) ir.BoolExp {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return ir.And{Exps: []ir.BoolExp{a, b}}
}

// all holds when all hold.
func all(list []ir.BoolExp) ir.BoolExp {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return ir.And{Exps: list}
}

// column is the value of a column as the role may see it.
func column(c *resolve.SelectColumn) ir.Expr {
	return redacted(ir.Column{Name: c.Column.Name, Type: c.Column.Type}, c.Redact)
}

// computed is the value of a scalar computed field without arguments of the client's.
func (p *readPlanner) computed(c *resolve.SelectComputedField) ir.Expr {
	return p.call(c, c.Field.CallArgs())
}

func (p *readPlanner) call(c *resolve.SelectComputedField, args []ir.CallArg) ir.Expr {
	p.calls(c.Field.Function, nil)
	return redacted(c.Field.Call(args), c.Redact)
}

func redacted(e ir.Expr, when ir.BoolExp) ir.Expr {
	if when == nil {
		return e
	}
	return ir.Redacted{Expr: e, When: ir.Rule{Exp: when}}
}

// computedFrom is the result of a table computed field as a relation.
func (p *readPlanner) computedFrom(c *schema.ComputedRows, args []ir.CallArg) ir.From {
	p.calls(c.Function, nil)
	return ir.Function{Name: c.Function.Name, Args: args}
}
