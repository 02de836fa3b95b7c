package dataop

import (
	"strconv"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/budget"
)

func (p *planner) selectFrom(t *resolve.Table, a *selectArgs) (*ir.Select, error) {
	permission := t.SelectPermission(p.role)
	if !p.listed(permission, "select") {
		return nil, apierror.At(p.denied("select", t), "table")
	}
	return p.selection(t, permission, &a.selection)
}

// selection plans a list of rows.
func (p *planner) selection(t *resolve.Table, permission *resolve.SelectPermission, s *selection) (*ir.Select, error) {
	fields, err := p.columns(t, permission, s.columns)
	if err != nil {
		return nil, apierror.At(err, "columns")
	}
	rows, err := p.rows(t, permission, s)
	return &ir.Select{Rows: rows, Fields: fields}, err
}

// rows plans which rows are read, in which order.
func (p *planner) rows(t *resolve.Table, permission *resolve.SelectPermission, s *selection) (ir.Rows, error) {
	rows := ir.Rows{From: ir.TableOf(t.Catalog), MaxRows: permission.Limit, Estimate: t.Catalog.RowEstimate}
	where, err := p.where(t, s.where)
	if err != nil {
		return rows, err
	}
	rows.Where = both(permission.Visible(), where)
	if rows.OrderBy, err = p.orderBy(t, s.order); err != nil {
		return rows, apierror.At(err, "order_by")
	}
	whole := t.Source.Dialect.Builtin(backend.TypeBigInt)
	if rows.Limit, err = number(s.limit, whole); err != nil {
		return rows, apierror.At(err, "limit")
	}
	if permission.NoRows {
		rows.MaxRows = ir.NoRows
	}
	rows.Offset, err = number(s.offset, whole)
	return rows, apierror.At(err, "offset")
}

func number(n *int64, of catalog.Type) (ir.Value, error) {
	switch {
	case n == nil:
		return nil, nil
	case *n < 0:
		return nil, apierror.New(apierror.NotSupported, "unexpected negative value")
	}
	return ir.Literal{Text: strconv.FormatInt(*n, 10), Type: of}, nil
}

// columns plans the items of "columns". Of two with the same alias the last counts.
func (p *planner) columns(t *resolve.Table, permission *resolve.SelectPermission, items []columnItem) ([]ir.Field, error) {
	var fields fieldList
	if err := p.budget.Take(budget.Selections, len(items)); err != nil {
		return nil, err
	}
	for i, item := range items {
		switch {
		case item.stars > 0:
			all, err := p.star(t, permission, item.stars)
			if err != nil {
				return nil, apierror.At(err, i)
			}
			fields.add(all...)
		case item.nested != nil:
			if item.asText {
				return nil, apierror.At(apierror.At(apierror.New(apierror.UnexpectedPayload, "only values of columns can be texts"), "as_text"), i)
			}
			field, err := p.related(t, item.nested)
			if err != nil {
				return nil, apierror.At(err, i)
			}
			field.Alias = item.alias
			fields.add(field)
		default:
			value, err := p.scalar(t, permission, item.name)
			if err == nil && item.asText {
				value, err = textOf(t, value)
			}
			if err != nil {
				return nil, apierror.At(err, i)
			}
			fields.add(ir.Field{Alias: item.alias, Value: value})
		}
	}
	return fields.list, nil
}

// fieldList has each alias once.
type fieldList struct {
	list    []ir.Field
	byAlias map[string]int
}

func (l *fieldList) add(fields ...ir.Field) {
	if l.byAlias == nil {
		l.byAlias = make(map[string]int, len(fields))
	}
	for _, f := range fields {
		if i, ok := l.byAlias[f.Alias]; ok {
			l.list[i] = f
			continue
		}
		l.byAlias[f.Alias] = len(l.list)
		l.list = append(l.list, f)
	}
}

// star is what "*" stands for, with deeper levels of relationships for more of them. What
// the role may not read is left out.
func (p *planner) star(t *resolve.Table, permission *resolve.SelectPermission, depth int) ([]ir.Field, error) {
	var fields []ir.Field
	if err := p.budget.Take(budget.Selections, len(permission.Columns)); err != nil {
		return nil, err
	}
	for _, c := range permission.Columns {
		fields = append(fields, p.columnField(t, c))
	}
	if depth < 2 {
		return fields, nil
	}
	for _, r := range t.Relationships {
		if target := r.Target.SelectPermission(p.role); target != nil {
			if err := p.relate(); err != nil {
				return nil, err
			}
			inner, err := p.star(r.Target, target, depth-1)
			if err != nil {
				return nil, err // of the whole, as the request spells it
			}
			rows, err := p.rows(r.Target, target, &selection{})
			if err != nil {
				return nil, err
			}
			fields = append(fields, nestedField(r, &ir.Select{Rows: rows, Fields: inner}))
		}
	}
	return fields, nil
}

func (p *planner) columnField(t *resolve.Table, c resolve.SelectColumn) ir.Field {
	return ir.Field{Alias: c.Column.Name, Value: p.shownAs(t, c.Expr(), c.Column.Type)}
}

// scalar plans a column or scalar computed field.
func (p *planner) scalar(t *resolve.Table, permission *resolve.SelectPermission, name string) (ir.Scalar, error) {
	if c, ok := permission.Column(name); ok {
		return p.shownAs(t, c.Expr(), c.Column.Type), nil
	}
	if f, ok := permission.ComputedField(name); ok && len(f.Field.Args) == 0 && f.Field.Returns == nil {
		return p.shownAs(t, f.Expr(), f.Field.Type), nil
	}
	if t.Relationship(name) != nil {
		return ir.Scalar{}, apierror.Newf(apierror.UnexpectedPayload,
			"expecting a database column; but, %q is a relationship; relationships have to be expanded", name)
	}
	return ir.Scalar{}, p.unreadable(name)
}

// related plans the rows that a relationship leads to.
func (p *planner) related(t *resolve.Table, n *nestedItem) (ir.Field, error) {
	r := t.Relationship(n.relationship)
	if r == nil {
		if t.Column(n.relationship) != nil || t.ComputedField(n.relationship) != nil {
			return ir.Field{}, apierror.Newf(apierror.UnexpectedPayload,
				"expecting a relationship; but, %q is a database column; only relationships can be expanded", n.relationship)
		}
		return ir.Field{}, apierror.Newf(apierror.NotExists, "%q does not exist", n.relationship)
	}
	if !r.Array && (n.where != nil || n.order != nil || n.limit != nil || n.offset != nil) {
		return ir.Field{}, apierror.New(apierror.UnexpectedPayload,
			"when selecting an 'obj_relationship' 'where', 'order_by', 'limit' and 'offset'  can't be used")
	}
	permission := r.Target.SelectPermission(p.role)
	if permission == nil {
		return ir.Field{}, resolve.ErrUnreadableRelationship(r.Target, r.Name, p.role)
	}
	if err := p.relate(); err != nil {
		return ir.Field{}, err
	}
	if err := p.nest(); err != nil {
		return ir.Field{}, err
	}
	rows, err := p.selection(r.Target, permission, &n.selection)
	if err != nil {
		return ir.Field{}, err
	}
	p.leave()
	return nestedField(r, rows), nil
}

func nestedField(r *resolve.Relationship, rows *ir.Select) ir.Field {
	if !r.Array {
		rows.One = true
		rows.MaxRows = 0 // the limit of the role is about lists
	}
	return ir.Field{Alias: r.Name, Value: &ir.Nested{Join: r.Join, Unique: r.Unique, Root: rows}}
}

// orderBy plans the items of "order_by".
func (p *planner) orderBy(t *resolve.Table, items []orderItem) ([]ir.OrderItem, error) {
	var order []ir.OrderItem
	for i, item := range items {
		orderTarget, err := p.orderTarget(t, item.path)
		if err != nil {
			return nil, apierror.At(err, i)
		}
		order = append(order, ir.OrderItem{Target: orderTarget, Desc: item.desc, NullsFirst: item.nullsFirst})
	}
	return order, nil
}

func (p *planner) orderTarget(t *resolve.Table, path []string) (ir.OrderTarget, error) {
	permission := t.SelectPermission(p.role)
	name := path[0]
	r := t.Relationship(name)
	switch {
	case len(path) > 1 && r == nil:
		return nil, apierror.Newf(apierror.NotExists, "%q does not exist", name)
	case r == nil:
		field, err := p.scalar(t, permission, name)
		return ir.OrderExpr{Expr: field.Expr}, err
	case r.Array:
		return nil, apierror.Newf(apierror.UnexpectedPayload, "%q is an array relationship and can't be used in 'order_by'", name)
	case len(path) == 1:
		return nil, apierror.Newf(apierror.UnexpectedPayload, "%q is an object relationship and should be expanded", name)
	}
	visible := r.Target.SelectPermission(p.role)
	if visible == nil {
		return nil, resolve.ErrUnreadableRelationship(r.Target, name, p.role)
	}
	if err := p.relate(); err != nil {
		return nil, err
	}
	inner, err := p.orderTarget(r.Target, path[1:])
	return ir.OrderRelated{
		From: ir.TableOf(r.Target.Catalog), Join: r.Join, Unique: r.Unique, Where: visible.Visible(), Target: inner,
	}, err
}

// countOf plans the number of rows, or of different values of columns.
func (p *planner) countOf(t *resolve.Table, a *countArgs) (*ir.Aggregate, error) {
	permission, err := p.reading(t, `"count" is only allowed if the role has "select" permissions on the table`)
	if err != nil {
		return nil, err
	}
	if !p.aggregates(permission) || !p.listed(permission, "select_aggregate") {
		return nil, apierror.At(p.denied("count", t), "table")
	}
	rows, err := p.rows(t, permission, &selection{where: a.where, limit: a.limit})
	if err != nil {
		return nil, err
	}
	if len(a.distinct) > 0 && !t.Source.Dialect.Tables().DistinctOn {
		return nil, apierror.At(lacks(t, "distinct"), "distinct")
	}
	for i, name := range a.distinct {
		c, ok := permission.Column(name)
		if !ok {
			return nil, apierror.At(p.unreadable(name), "distinct", i)
		}
		rows.DistinctOn = append(rows.DistinctOn, c.Expr())
	}
	return &ir.Aggregate{Rows: rows, Fields: []ir.AggregateField{{
		Alias: "aggregate", Value: ir.Aggregates{{Alias: "count", Value: &ir.Count{}}},
	}}}, nil
}
