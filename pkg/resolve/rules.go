package resolve

import (
	"maps"
	"reflect"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

// parseRules parses the rules of a permission, and merges several of them: each allows something.
func parseRules[M, P any](d definitionParser, m *metadata.Definition[M], parse func(*M) (*P, error), merge func([]*P) (*P, error)) (*P, error) {
	parsed := make([]*P, len(m.Rules))
	for i := range m.Rules {
		p, err := parse(&m.Rules[i])
		if err != nil && m.List {
			err = apierror.At(err, i)
		}
		if err != nil {
			return nil, err
		}
		parsed[i] = p
	}
	if len(parsed) == 1 {
		return parsed[0], nil
	}
	return merge(parsed)
}

func (d definitionParser) anySelect(rules []*SelectPermission) (*SelectPermission, error) {
	p := d.table.mergeSelect(rules)
	p.Lookups = newLookups(d.tracker.lookups)
	return p, nil
}

// anyInsert allows rows that pass the check of at least one rule. A column may be set in rows that pass the check of a rule which lists it.
func (d definitionParser) anyInsert(rules []*InsertPermission) (*InsertPermission, error) {
	first := rules[0]
	p := &InsertPermission{
		Check:   anyOf(rules, func(r *InsertPermission) ir.BoolExp { return orTrue(r.Check) }),
		Presets: first.Presets, BackendOnly: first.BackendOnly, Validator: first.Validator, Lookups: newLookups(d.tracker.lookups),
	}
	for i, r := range rules[1:] {
		if err := alike(i+1, first.Presets, r.Presets, first.BackendOnly, r.BackendOnly, first.Validator, r.Validator); err != nil {
			return nil, err
		}
	}
	p.Columns, p.ColumnRules = settableBy(d.table, rules, func(r *InsertPermission) ([]*Column, ir.BoolExp) { return r.Columns, r.Check })
	return p, nil
}

// anyUpdate allows updates of the rows that match the filter of at least one rule. A column may be set in rows that match a rule which
// lists it. The new row must pass the check of at least one rule; a rule without a check accepts every row.
func (d definitionParser) anyUpdate(rules []*UpdatePermission) (*UpdatePermission, error) {
	first := rules[0]
	p := &UpdatePermission{
		Filter:  anyOf(rules, func(r *UpdatePermission) ir.BoolExp { return orTrue(r.Filter) }),
		Presets: first.Presets, BackendOnly: first.BackendOnly, Validator: first.Validator, Lookups: newLookups(d.tracker.lookups),
	}
	checked := true
	for i, r := range rules {
		checked = checked && r.Check != nil
		if err := alike(i, first.Presets, r.Presets, first.BackendOnly, r.BackendOnly, first.Validator, r.Validator); err != nil {
			return nil, err
		}
	}
	if checked {
		p.Check = orTrue(anyOf(rules, func(r *UpdatePermission) ir.BoolExp { return r.Check }))
	}
	p.Columns, p.ColumnRules = settableBy(d.table, rules, func(r *UpdatePermission) ([]*Column, ir.BoolExp) { return r.Columns, r.Filter })
	return p, nil
}

func (d definitionParser) anyDelete(rules []*DeletePermission) (*DeletePermission, error) {
	first := rules[0]
	for i, r := range rules {
		if err := alike(i, nil, nil, first.BackendOnly, r.BackendOnly, first.Validator, r.Validator); err != nil {
			return nil, err
		}
	}
	return &DeletePermission{
		Filter:      anyOf(rules, func(r *DeletePermission) ir.BoolExp { return orTrue(r.Filter) }),
		BackendOnly: first.BackendOnly, Validator: first.Validator, Lookups: newLookups(d.tracker.lookups),
	}, nil
}

// alike refuses a rule that differs from the first one in what can't depend on the row.
func alike(i int, a, b []Preset, backendOnly, alsoBackendOnly bool, v, w *metadata.ValidateInputWebhook) error {
	key := ""
	switch {
	case !maps.Equal(presetValues(a), presetValues(b)):
		key = "set"
	case backendOnly != alsoBackendOnly:
		key = "backend_only"
	case !reflect.DeepEqual(v, w):
		key = "validate_input"
	default:
		return nil
	}
	return apierror.At(apierror.Newf(apierror.ValidationFailed, "all rules of a list must have the same %q", key), i, key)
}

// settableBy are the columns that some rule lists, and the conditions of those that not all rules list.
func settableBy[P any](t *Table, rules []*P, of func(*P) ([]*Column, ir.BoolExp)) ([]*Column, ColumnRules) {
	listing := map[*Column][]ir.BoolExp{}
	for _, r := range rules {
		columns, condition := of(r)
		for _, c := range columns {
			listing[c] = append(listing[c], orTrue(condition))
		}
	}
	var columns []*Column
	conditions := ColumnRules{}
	for _, c := range t.Columns {
		exps := listing[c]
		if len(exps) > 0 {
			columns = append(columns, c)
		}
		if len(exps) > 0 && len(exps) < len(rules) {
			if e := either(exps); e != nil {
				conditions[c.Name] = e
			}
		}
	}
	return columns, conditions
}
