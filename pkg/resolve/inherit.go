package resolve

import (
	"bytes"
	"encoding/json"
	"slices"

	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// inheritPermission merges the permissions of the role's parents.
func (t *Table) inheritPermission(kind permissionKind, role string) *permissionEntry {
	var k tracker
	e := &permissionEntry{roles: t.Source.roles}
	var parents []*permissionEntry
	for _, parent := range t.Source.roles.byName[role].Parents {
		p := t.permission(kind, parent)
		k.join(p.deps)
		if p.value != nil {
			parents = append(parents, p)
		}
	}
	e.deps = k.deps
	switch {
	case len(parents) == 0:
	case kind == selectKind:
		permissions := make([]*SelectPermission, len(parents))
		for i, p := range parents {
			permissions[i] = value[SelectPermission](p)
		}
		e.value = t.mergeSelect(permissions)
	case equalPermissions(parents):
		e.value = parents[0].value
	default:
		e.conflict = true
	}
	return e
}

// mergeSelect is what several roles may read together: rows that one of them may, and of
// each row the cells that one of those that may read the row may read.
func (t *Table) mergeSelect(parents []*SelectPermission) *SelectPermission {
	if len(parents) == 1 {
		return parents[0]
	}
	m := &SelectPermission{Filter: anyOf(parents, func(p *SelectPermission) ir.BoolExp { return orTrue(p.Filter) })}
	for _, c := range t.Columns {
		redact, visible := redaction(parents, func(p *SelectPermission) (ir.BoolExp, bool) {
			column, ok := p.Column(c.Name)
			return column.Condition(), ok
		})
		if !visible {
			continue
		}
		column := SelectColumn{Column: c}
		if redact != nil {
			column.Hidden = &Hidden{Unless: redact, Masks: masksOf(parents, c.Name)}
		}
		m.Columns = append(m.Columns, column)
	}
	for _, f := range t.ComputedFields {
		redact, visible := redaction(parents, func(p *SelectPermission) (ir.BoolExp, bool) {
			field, ok := p.ComputedField(f.Name)
			return field.Redact, ok
		})
		if visible {
			m.ComputedFields = append(m.ComputedFields, SelectComputedField{Field: f, Redact: redact})
		}
	}
	limited := false
	var lookups []ir.Lookup
	for _, p := range parents {
		m.Aggregations = m.Aggregations || p.Aggregations
		lookups = append(lookups, p.Lookups.All()...)
		// A parent without a limit doesn't lift that of another.
		if p.Limit > 0 || p.NoRows {
			limited = true
			m.Limit = max(m.Limit, p.Limit)
		}
	}
	m.Lookups = newLookups(lookups)
	m.NoRows = limited && m.Limit == 0
	m.QueryRootFields = union(parents, func(p *SelectPermission) map[string]bool { return p.QueryRootFields })
	m.SubscriptionRootFields = union(parents, func(p *SelectPermission) map[string]bool { return p.SubscriptionRootFields })
	return m
}

// redaction is the condition under which a cell is visible: that one of the parents that
// grant it may read the row. It is nil when all parents grant the cell plainly.
func redaction(parents []*SelectPermission, cell func(*SelectPermission) (ir.BoolExp, bool)) (redact ir.BoolExp, visible bool) {
	var granting []ir.BoolExp
	plain, masked := 0, false
	for _, p := range parents {
		condition, ok := cell(p)
		switch {
		case !ok:
		case never(condition): // it shows a mask alone
			masked = true
		case condition == nil:
			plain++
			granting = append(granting, orTrue(p.Filter))
		case p.Filter == nil:
			granting = append(granting, condition)
		default:
			granting = append(granting, ir.And{Exps: []ir.BoolExp{condition, p.Filter}})
		}
	}
	switch {
	case plain == len(parents):
		return nil, true
	case len(granting) == 0 && masked:
		return ir.Or{}, true
	case len(granting) == 0:
		return nil, false
	}
	return orTrue(either(granting)), true
}

// masksOf are the masks of a column in the order of the parents, each for the rows that its parent may read.
func masksOf(parents []*SelectPermission, column string) []CellMask {
	var masks []CellMask
	for _, p := range parents {
		c, _ := p.Column(column)
		if c.Hidden == nil {
			continue
		}
		for _, m := range c.Hidden.Masks {
			switch {
			case m.When == nil:
				m.When = p.Filter
			case p.Filter != nil:
				m.When = ir.And{Exps: []ir.BoolExp{m.When, p.Filter}}
			}
			masks = append(masks, m)
		}
	}
	return masks
}

// anyOf is the disjunction of the conditions of all parents, nil when it is always true.
func anyOf[P any](parents []*P, condition func(*P) ir.BoolExp) ir.BoolExp {
	exps := make([]ir.BoolExp, len(parents))
	for i, p := range parents {
		exps[i] = condition(p)
	}
	return either(exps)
}

// either is the disjunction, nil when one of the conditions is always true.
func either(exps []ir.BoolExp) ir.BoolExp {
	if slices.ContainsFunc(exps, func(e ir.BoolExp) bool { return always(e) == nil }) {
		return nil
	}
	if len(exps) == 1 {
		return exps[0]
	}
	return ir.Or{Exps: exps}
}

func orTrue(e ir.BoolExp) ir.BoolExp {
	if e == nil {
		return ir.And{}
	}
	return e
}

// union joins lists of root fields; one that isn't given allows all.
func union(parents []*SelectPermission, list func(*SelectPermission) map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, p := range parents {
		given := list(p)
		if given == nil {
			return nil
		}
		for key := range given {
			all[key] = true
		}
	}
	return all
}

// equalPermissions reports whether all entries allow the same; the order inside _and, _or
// and sets of operators doesn't matter.
func equalPermissions(entries []*permissionEntry) bool {
	if len(entries) == 1 {
		return true
	}
	first := canonicalPermission(entries[0].value)
	return !slices.ContainsFunc(entries[1:], func(e *permissionEntry) bool {
		return !bytes.Equal(canonicalPermission(e.value), first)
	})
}

// canonicalPermission spells a permission to write so that equal ones have equal bytes.
func canonicalPermission(permission any) []byte {
	type form struct {
		Columns     []string
		ColumnRules map[string]string
		Presets     map[string]string
		Filter      string
		Check       string
		BackendOnly bool
		Validator   *metadata.ValidateInputWebhook
	}
	var f form
	switch p := permission.(type) {
	case *InsertPermission:
		f = form{columnNames(p.Columns), canonicalRules(p.ColumnRules), presetValues(p.Presets), "", canonical(p.Check), p.BackendOnly, p.Validator}
	case *UpdatePermission:
		f = form{columnNames(p.Columns), canonicalRules(p.ColumnRules), presetValues(p.Presets), canonical(p.Filter), canonical(p.Check), p.BackendOnly, p.Validator}
	case *DeletePermission:
		f = form{nil, nil, nil, canonical(p.Filter), "", p.BackendOnly, p.Validator}
	}
	b, _ := json.Marshal(f) // texts and valid JSON always encode
	return b
}

func canonicalRules(rules ColumnRules) map[string]string {
	texts := make(map[string]string, len(rules))
	for name, e := range rules {
		texts[name] = canonical(e)
	}
	return texts
}

func columnNames(columns []*Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

func presetValues(presets []Preset) map[string]string {
	values := make(map[string]string, len(presets))
	for _, p := range presets {
		values[p.Column.Name] = canonical(p.Value)
	}
	return values
}
