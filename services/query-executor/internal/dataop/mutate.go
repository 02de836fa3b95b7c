package dataop

import (
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/resolve"
)

// output plans what a mutation answers: the number of rows, and columns of them.
func (p *planner) output(t *resolve.Table, returning []string) (ir.Output, error) {
	o := ir.Output{Answer: []ir.OutputField{{Alias: "affected_rows", Value: ir.AffectedRows{}}}}
	if returning == nil {
		return o, nil
	}
	permission, err := p.reading(t, `"returning" can only be used if the role has "select" permission on the table`)
	if err != nil {
		return o, err
	}
	var fields fieldList
	for _, name := range returning {
		if name == "*" {
			all, err := p.star(t, permission, 1)
			if err != nil {
				return o, apierror.At(err, "returning")
			}
			fields.add(all...)
			continue
		}
		c, ok := permission.Column(name)
		if !ok {
			return o, apierror.At(p.unreadable(name), "returning")
		}
		fields.add(p.columnField(t, c))
	}
	o.Answer = append(o.Answer, ir.OutputField{Alias: "returning", Value: ir.Returning(fields.list)})
	return o, nil
}

// written plans the rows of an update or a delete: those that the role's filter lets it write, and of
// them those that the request selects. Only a role that may select can do so.
func (p *planner) written(t *resolve.Table, operation string, filter ir.BoolExp, where []byte) (ir.BoolExp, error) {
	_, err := p.reading(t, `"`+operation+`" is only allowed if the role has "select" permission as "where" can't be used without "select" permission on the table`)
	if err != nil {
		return nil, err
	}
	named, err := p.where(t, where)
	return both(rule(filter), named), err
}

func (p *planner) deleteFrom(t *resolve.Table, a *deleteArgs) (*ir.Delete, error) {
	permission := p.deleting(t)
	if permission == nil {
		return nil, apierror.At(p.denied("delete", t), "table")
	}
	output, err := p.output(t, a.returning)
	if err != nil {
		return nil, err
	}
	where, err := p.written(t, "delete", permission.Filter, a.where)
	p.ask(permission.Validator, func() []any { return []any{map[string]any{"where": decode(a.where)}} })
	return &ir.Delete{Table: t.Meta.Table, Where: where, Output: output}, err
}

func (p *planner) update(t *resolve.Table, a *updateArgs) (*ir.Update, error) {
	permission := p.updating(t)
	if permission == nil {
		return nil, apierror.At(p.denied("update", t), "table")
	}
	output, err := p.output(t, a.returning)
	if err != nil {
		return nil, err
	}
	where, err := p.written(t, "update", permission.Filter, a.where)
	if err != nil {
		return nil, err
	}
	set, err := p.assignments(t, permission, a)
	if err != nil {
		return nil, err
	}
	if set = append(set, presets(permission)...); len(set) == 0 {
		return nil, apierror.New(apierror.UnexpectedPayload, "atleast one of $set, $inc, $mul has to be present")
	}
	p.ask(permission.Validator, func() []any { return []any{p.shown(t, a)} })
	for _, s := range set {
		where = both(where, permission.ColumnRules.For(s.Column.Name))
	}
	return &ir.Update{Table: t.Meta.Table, Set: set, Where: where, Check: rule(permission.Check), Output: output}, nil
}

// lacks is the error for what the database of a table can't do.
func lacks(t *resolve.Table, what string) error {
	return apierror.Newf(apierror.NotSupported, "%s is not supported by sources of kind %q", what, t.Source.Kind)
}

func presets(permission *resolve.UpdatePermission) []ir.Assignment {
	var set []ir.Assignment
	for _, preset := range permission.Presets {
		set = append(set, ir.Assignment{Column: irColumn(preset.Column), Op: ir.AssignSet, Value: preset.Value})
	}
	return set
}

func (p *planner) assignments(t *resolve.Table, permission *resolve.UpdatePermission, a *updateArgs) ([]ir.Assignment, error) {
	var set []ir.Assignment
	operators := map[string]ir.AssignOp{"$set": ir.AssignSet, "values": ir.AssignSet, "$inc": ir.AssignInc, "$mul": ir.AssignMul}
	for _, given := range a.set {
		if len(given.columns) > 0 && t.Source.Dialect.Tables().Assignment(operators[given.operator]) == nil {
			return nil, apierror.At(lacks(t, given.operator), given.operator)
		}
		for _, m := range given.columns {
			c, err := p.updatable(t, permission, m.key)
			if err != nil {
				return nil, apierror.At(err, given.operator)
			}
			value, err := p.literal(t, c, m.value)
			if err != nil {
				return nil, apierror.At(err, given.operator, m.key)
			}
			set = append(set, ir.Assignment{Column: irColumn(c), Op: operators[given.operator], Value: value})
		}
	}
	for _, name := range a.defaults {
		c, err := p.updatable(t, permission, name)
		if err != nil {
			return nil, apierror.At(err, "$default")
		}
		set = append(set, ir.Assignment{Column: irColumn(c), Op: ir.AssignSet, Value: ir.Default{}})
	}
	return set, nil
}

// updatable is the column of that name, when the role may change it.
func (p *planner) updatable(t *resolve.Table, permission *resolve.UpdatePermission, name string) (*resolve.Column, error) {
	for _, preset := range permission.Presets {
		if preset.Column.Name == name {
			return nil, apierror.Newf(apierror.NotSupported,
				"column %q is not updatable for role %q; its value is predefined in permission", name, p.role)
		}
	}
	for _, c := range permission.Columns {
		if c.Name == name {
			return c, nil
		}
	}
	if t.Column(name) == nil {
		return nil, noSuchColumn(name)
	}
	return nil, apierror.Newf(apierror.NotSupported, "role %q does not have permission to update column %q", p.role, name)
}

func irColumn(c *resolve.Column) ir.Column { return ir.Column{Name: c.Name, Type: c.Type} }

// literal is a value that a request gives for a column.
func (p *planner) literal(t *resolve.Table, c *resolve.Column, raw []byte) (ir.Value, error) {
	if jsonwalk.KindOf(raw) == jsonwalk.Null {
		return ir.Literal{Null: true, Type: c.Type}, nil
	}
	if p.isText(t, c.Type) {
		return jsonInText(t, c.Type, raw)
	}
	input, err := t.Source.Dialect.ParseInput(c.Type, raw)
	if err == nil && backend.Is(t.Source.Dialect, c.Type, backend.TypeDecimal) && jsonwalk.KindOf(raw) == jsonwalk.Number {
		input.Text = scaled(input.Text)
	}
	return ir.Literal{Text: input.Text, Type: c.Type, Wrap: input.Wrap}, err
}

// scaled is a number with as many decimals as it has in groups of four, which is how these
// operations have always bound numeric values. The column keeps them where it has no scale of its
// own, and so do sums and products.
func scaled(number string) string {
	const group = 4
	_, decimals, _ := strings.Cut(number, ".")
	if strings.ContainsAny(decimals, "eE") || len(decimals)%group == 0 {
		return number
	}
	return number + strings.Repeat("0", group-len(decimals)%group)
}
