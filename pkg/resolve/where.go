package resolve

import (
	"encoding/json"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
)

// ParseWhere parses the condition of a request for rows of t, in the language of permission
// rules: nil is true. It sees only what the role may select, its strings are never
// references to session variables, and equality with null tests for NULL. An error carries
// its path relative to the condition.
func ParseWhere(t *Table, role string, where json.RawMessage) (ir.BoolExp, error) {
	p := ruleParser{root: t, tracker: &tracker{}, dialect: t.Source.Dialect, reader: &reader{role: role}}
	exp, err := p.rule(t, where)
	if err != nil {
		return nil, err
	}
	return always(exp), nil
}

// reader is the role that reads rows. The nil reader is the author of a rule, who sees everything.
type reader struct{ role string }

// rows is the condition on the rows of a related table that the reader may see, nil for all
// of them; relationship is what leads there, "" for the table by itself.
func (r *reader) rows(t *Table, relationship string) (ir.BoolExp, error) {
	if r == nil {
		return nil, nil
	}
	permission := t.SelectPermission(r.role)
	switch {
	case permission != nil:
		return permission.Visible(), nil
	case relationship == "":
		return nil, apierror.Newf(apierror.PermissionDenied, "select on %q for role %q is not allowed. ", t.Display(), r.role)
	}
	return nil, ErrUnreadableRelationship(t, relationship, r.role)
}

// ErrUnreadableRelationship is the fault of a request that follows a relationship to a
// table that the role may not select from.
func ErrUnreadableRelationship(target *Table, relationship, role string) error {
	return apierror.Newf(apierror.PermissionDenied, "role %q does not have permission to read relationship %q; no permission on table %q",
		role, relationship, target.Display())
}

// ErrUnreadableColumn is the fault of a request for a column, or scalar computed field,
// that the role may not select.
func ErrUnreadableColumn(name, role string) error {
	return apierror.Newf(apierror.PermissionDenied, "role %q does not have permission to select column %q", role, name)
}

// column is the value of a column as the reader sees it.
func (r *reader) column(t *Table, c *Column) (ir.Expr, error) {
	expr := ir.Column{Name: c.Name, Type: c.Type}
	if r == nil {
		return expr, nil
	}
	if permission := t.SelectPermission(r.role); permission != nil {
		if visible, ok := permission.Column(c.Name); ok {
			return visible.Expr(), nil
		}
	}
	return nil, ErrUnreadableColumn(c.Name, r.role)
}

// plain refuses a column that the reader doesn't see as it is.
func (r *reader) plain(t *Table, c *Column) error {
	if r == nil {
		return nil
	}
	if permission := t.SelectPermission(r.role); permission != nil {
		if visible, ok := permission.Column(c.Name); ok && visible.Hidden == nil {
			return nil
		}
	}
	return ErrUnreadableColumn(c.Name, r.role)
}

// computed is the value of a scalar computed field as the reader sees it.
func (r *reader) computed(t *Table, f *ComputedField) (ir.Expr, error) {
	if r == nil {
		return f.Call(f.CallArgs()), nil
	}
	if permission := t.SelectPermission(r.role); permission != nil {
		if visible, ok := permission.ComputedField(f.Name); ok {
			return visible.Expr(), nil
		}
	}
	return nil, ErrUnreadableColumn(f.Name, r.role)
}

// listed refuses a computed field of records that the reader may not read.
func (r *reader) listed(t *Table, f *ComputedField) error {
	if r == nil {
		return nil
	}
	if permission := t.SelectPermission(r.role); permission != nil {
		if visible, ok := permission.ComputedField(f.Name); ok && visible.Redact == nil {
			return nil
		}
	}
	return ErrUnreadableColumn(f.Name, r.role)
}

// Visible is the condition on the rows that the role may see, nil for all of them, as a
// part of a condition on rows of any table.
func (p *SelectPermission) Visible() ir.BoolExp {
	if p.Filter == nil {
		return nil
	}
	return ir.Rule{Exp: p.Filter}
}

// Expr is the value of the column in a row.
func (c SelectColumn) Expr() ir.Expr {
	column := ir.Column{Name: c.Column.Name, Type: c.Column.Type}
	if c.Hidden == nil {
		return column
	}
	var masked ir.Expr
	for _, m := range slices.Backward(c.Hidden.Masks) {
		switch {
		case m.When == nil:
			masked = m.Shown
		default:
			masked = ir.Redacted{Expr: m.Shown, When: ir.Rule{Exp: m.When}, Else: masked}
		}
	}
	if masked != nil && never(c.Hidden.Unless) {
		return masked
	}
	return ir.Redacted{Expr: column, When: ir.Rule{Exp: c.Hidden.Unless}, Else: masked}
}

// never reports whether a condition can't hold.
func never(e ir.BoolExp) bool {
	or, ok := e.(ir.Or)
	return ok && len(or.Exps) == 0
}

// Expr is the value of the computed field in a row, for a client that gives no arguments.
func (f SelectComputedField) Expr() ir.Expr {
	return f.With(f.Field.CallArgs())
}

// With is the value of the computed field in a row, for arguments of a client.
func (f SelectComputedField) With(args []ir.CallArg) ir.Expr {
	return redacted(f.Field.Call(args), f.Redact)
}

func redacted(e ir.Expr, when ir.BoolExp) ir.Expr {
	if when == nil {
		return e
	}
	return ir.Redacted{Expr: e, When: ir.Rule{Exp: when}}
}

// both is the conjunction of two conditions, of which the first may be nil.
func both(a, b ir.BoolExp) ir.BoolExp {
	if a == nil {
		return b
	}
	return ir.And{Exps: []ir.BoolExp{a, b}}
}
