package resolve

import (
	"encoding/json"
	"fmt"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/extension"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
)

func parseDefinition(t *Table, role string, definition any, k *tracker) (any, error) {
	d := definitionParser{table: t, role: role, tracker: k}
	switch p := definition.(type) {
	case *metadata.Definition[metadata.SelectPermission]:
		return parseRules(d, p, d.selectPermission, d.anySelect)
	case *metadata.Definition[metadata.InsertPermission]:
		return parseRules(d, p, d.insertPermission, d.anyInsert)
	case *metadata.Definition[metadata.UpdatePermission]:
		return parseRules(d, p, d.updatePermission, d.anyUpdate)
	case *metadata.Definition[metadata.DeletePermission]:
		return parseRules(d, p, d.deletePermission, d.anyDelete)
	}
	return nil, fmt.Errorf("%T is no permission", definition)
}

// definitionParser parses one permission.
type definitionParser struct {
	table   *Table
	role    string
	tracker *tracker
}

func (d definitionParser) selectPermission(m *metadata.SelectPermission) (*SelectPermission, error) {
	p := &SelectPermission{Aggregations: m.AllowAggregations}
	columns, err := d.columns(m.Columns, "permissions for relationships are automatically inferred", nil)
	if err != nil {
		return nil, err
	}
	p.Columns = make([]SelectColumn, len(columns))
	for i, c := range columns {
		p.Columns[i].Column = c
	}
	if err := d.masks(p, m.Mask); err != nil {
		return nil, apierror.At(err, "mask")
	}
	if p.ComputedFields, err = d.computedFields(m.ComputedFields); err != nil {
		return nil, apierror.At(err, "computed_fields")
	}
	if p.Filter, err = d.rule("filter", m.Filter); err != nil {
		return nil, err
	}
	if m.Limit != nil {
		if *m.Limit < 0 {
			return nil, apierror.At(apierror.New(apierror.NotSupported, "unexpected negative value"), "limit")
		}
		p.Limit, p.NoRows = *m.Limit, *m.Limit == 0
	}
	if p.QueryRootFields, err = d.rootFields(p, m.QueryRootFields); err != nil {
		return nil, apierror.At(err, "query_root_fields")
	}
	p.SubscriptionRootFields, err = d.rootFields(p, m.SubscriptionRootFields)
	p.Lookups = newLookups(d.tracker.lookups)
	return p, apierror.At(err, "subscription_root_fields")
}

func (d definitionParser) insertPermission(m *metadata.InsertPermission) (*InsertPermission, error) {
	p := &InsertPermission{BackendOnly: m.BackendOnly}
	given := metadata.Columns{All: true}
	if m.Columns != nil {
		given = *m.Columns
	}
	var err error
	if p.Check, err = d.rule("check", m.Check); err != nil {
		return nil, err
	}
	if p.Presets, err = d.presets(m.Set); err != nil {
		return nil, err
	}
	if p.Columns, err = d.settable(given, p.Presets, "insert", "insertable"); err != nil {
		return nil, err
	}
	p.Lookups = newLookups(d.tracker.lookups)
	p.Validator, err = d.validator(m.ValidateInput)
	return p, err
}

func (d definitionParser) updatePermission(m *metadata.UpdatePermission) (*UpdatePermission, error) {
	p := &UpdatePermission{BackendOnly: m.BackendOnly}
	var err error
	if p.Filter, err = d.rule("filter", m.Filter); err != nil {
		return nil, err
	}
	if !isNull(m.Check) {
		if p.Check, err = d.rule("check", m.Check); err != nil {
			return nil, err
		}
		if p.Check == nil {
			p.Check = ir.And{}
		}
	}
	if p.Presets, err = d.presets(m.Set); err != nil {
		return nil, err
	}
	if p.Columns, err = d.settable(m.Columns, p.Presets, "update", "updatable"); err != nil {
		return nil, err
	}
	p.Lookups = newLookups(d.tracker.lookups)
	p.Validator, err = d.validator(m.ValidateInput)
	return p, err
}

func (d definitionParser) deletePermission(m *metadata.DeletePermission) (*DeletePermission, error) {
	filter, err := d.rule("filter", m.Filter)
	if err != nil {
		return nil, err
	}
	validator, err := d.validator(m.ValidateInput)
	return &DeletePermission{Filter: filter, BackendOnly: m.BackendOnly, Validator: validator, Lookups: newLookups(d.tracker.lookups)}, err
}

// validator reads the webhook of a permission. Where the environment is at hand, it has to
// have the variables that the webhook names.
func (d definitionParser) validator(raw json.RawMessage) (*metadata.ValidateInputWebhook, error) {
	w, err := metadata.ParseValidateInput(raw)
	if env := d.table.Source.env; err == nil && w != nil && env != nil {
		var address string
		if address, _, err = w.Resolve(env); err == nil {
			err = asFault(d.table.Source.code.Fault(extension.ValidateInput, address))
		}
	}
	return w, apierror.At(err, "validate_input")
}

func (d definitionParser) rule(key string, raw json.RawMessage) (ir.BoolExp, error) {
	exp, err := parseRule(d.table, raw, d.tracker)
	return exp, apierror.At(err, key)
}

// columns are the listed columns, in the order of the table. check refuses a column that
// was listed; those that it refuses are left out of "*".
func (d definitionParser) columns(given metadata.Columns, hint string, check func(*Column) error) ([]*Column, error) {
	if given.All {
		return slices.DeleteFunc(slices.Clone(d.table.Columns), func(c *Column) bool { return check != nil && check(c) != nil }), nil
	}
	listed := make(map[*Column]bool, len(given.Names))
	for i, name := range given.Names {
		c, err := d.column(name, hint)
		left := false
		if err == nil && check != nil {
			err = check(c)
			left = err != nil && d.table.Source.Dialect.Tables().LeavesOutUnwritable
		}
		if err != nil && !left {
			return nil, apierror.At(err, "columns", i)
		}
		d.tracker.need(columnID(d.table, name))
		if left {
			continue
		}
		listed[c] = true
	}
	return slices.DeleteFunc(slices.Clone(d.table.Columns), func(c *Column) bool { return !listed[c] }), nil
}

// column finds a column by name; the error of another field ends with hint.
func (d definitionParser) column(name, hint string) (*Column, error) {
	if c := d.table.Column(name); c != nil {
		return c, nil
	}
	if kind := d.table.fieldKind(name); kind != "" {
		return nil, apierror.Newf(apierror.UnexpectedPayload, "expecting a database column; but, %q is a %s; %s", name, kind, hint)
	}
	return nil, apierror.Newf(apierror.NotExists, "column %q does not exist", name)
}

// settable are the columns that a client may write: the listed ones that aren't preset.
func (d definitionParser) settable(given metadata.Columns, presets []Preset, verb, ability string) ([]*Column, error) {
	hint := fmt.Sprintf("Only table columns can have %s permissions defined, not relationships or other field types", verb)
	columns, err := d.columns(given, hint, func(c *Column) error {
		if c.Mutable() {
			return nil
		}
		return &apierror.Error{
			Code: apierror.Unexpected, Path: "$", Status: 500,
			Message: fmt.Sprintf("Column %q is not %s and so cannot have %s permissions defined", c.Name, ability, verb),
		}
	})
	return slices.DeleteFunc(columns, func(c *Column) bool {
		return slices.ContainsFunc(presets, func(p Preset) bool { return p.Column == c })
	}), err
}

// presets parses the object of presets.
func (d definitionParser) presets(set json.RawMessage) ([]Preset, error) {
	if isNull(set) {
		return nil, nil
	}
	if !json.Valid(set) {
		return nil, apierror.At(apierror.New(apierror.ParseFailed, "invalid JSON"), "set")
	}
	list, ok := members(set)
	if !ok {
		return nil, apierror.At(unexpected("HashMap", "Object", set), "set")
	}
	presets := make([]Preset, 0, len(list))
	for _, m := range list {
		c, err := d.column(m.key, fmt.Sprintf("column %q not found in table %q", m.key, d.table.Display()))
		if err != nil {
			return nil, apierror.At(err, "set", m.key)
		}
		v, err := parseOperand(d.table.Source.Dialect, c.Type, c.Enum, m.value)
		if err != nil {
			return nil, apierror.At(err, "set", m.key)
		}
		d.tracker.needType(columnID(d.table, m.key))
		presets = append(presets, Preset{Column: c, Value: v})
	}
	return presets, nil
}

// computedFields are the listed computed fields, in the order of the table.
func (d definitionParser) computedFields(names []string) ([]SelectComputedField, error) {
	t := d.table
	for i, name := range names {
		if err := d.checkComputedField(name); err != nil {
			return nil, apierror.At(err, i)
		}
		d.tracker.need(fieldID(t, metadata.ObjectComputedField, name))
	}
	var list []SelectComputedField
	for _, f := range t.ComputedFields {
		if slices.Contains(names, f.Name) {
			list = append(list, SelectComputedField{Field: f})
		}
	}
	return list, nil
}

func (d definitionParser) checkComputedField(name string) error {
	t := d.table
	for _, m := range t.Meta.ComputedFields {
		if m.Name == name {
			t.trackComputedField(m, d.tracker)
		}
	}
	if f := t.ComputedField(name); f != nil {
		if f.Returns != nil && !f.Listed {
			return apierror.Newf(apierror.NotSupported,
				"select permissions on computed field %q are auto-derived from the permissions on its returning table %q and cannot be specified manually",
				name, f.Returns.Display())
		}
		return nil
	}
	kind := t.fieldKind(name)
	if t.Column(name) != nil {
		kind = "column"
	}
	if kind == "" || kind == "computed field" {
		return apierror.Newf(apierror.NotExists, "computed field %q does not exist", name)
	}
	return apierror.Newf(apierror.UnexpectedPayload, "expecting a computed field; but, %q is a %s", name, kind)
}

// rootFields is the set of a given list of root fields; nil for none given.
func (d definitionParser) rootFields(p *SelectPermission, given *[]string) (map[string]bool, error) {
	if given == nil {
		return nil, nil
	}
	set := make(map[string]bool, len(*given))
	for _, key := range *given {
		set[key] = true
	}
	if set["select_by_pk"] && !d.readsPrimaryKey(p) {
		return nil, apierror.Newf(apierror.ValidationFailed,
			`The "select_by_pk" field cannot be included in the query_root_fields or subscription_root_fields because the role %q does not have access to the primary key of the table %q in the source %q`,
			d.role, d.table.Display(), d.table.Source.Name)
	}
	if set["select_aggregate"] && !p.Aggregations {
		return nil, apierror.New(apierror.ValidationFailed,
			`The "select_aggregate" root field can only be enabled in the query_root_fields or  the subscription_root_fields when "allow_aggregations" is set to true`)
	}
	return set, nil
}

func (d definitionParser) readsPrimaryKey(p *SelectPermission) bool {
	for _, c := range d.table.PrimaryKey {
		if _, ok := p.Column(c.Name); !ok {
			return false
		}
	}
	return len(d.table.PrimaryKey) > 0
}

// fieldKind is what a name that isn't a column stands for, "" for nothing.
func (t *Table) fieldKind(name string) string {
	for _, f := range t.base.fields() {
		if f.name != name {
			continue
		}
		switch f.kind {
		case metadata.ObjectComputedField:
			return "computed field"
		case metadata.ObjectRemoteRelationship:
			return "remote relationship"
		default:
			return "relationship"
		}
	}
	return ""
}
