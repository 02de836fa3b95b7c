package dataop

import (
	"net/http"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

func (p *planner) insertInto(t *resolve.Table, a *insertArgs) (*ir.Insert, error) {
	permission := p.inserting(t)
	if permission == nil {
		return nil, apierror.At(p.denied("insert", t), "table")
	}
	if len(a.objects) == 0 {
		return nil, apierror.At(apierror.New(apierror.UnexpectedPayload, "objects should not be empty"), "objects")
	}
	output, err := p.output(t, a.returning)
	if err != nil {
		return nil, err
	}
	rows, err := p.insertRows(t, permission, a.objects)
	if err != nil {
		return nil, apierror.At(err, "objects")
	}
	p.ask(permission.Validator, func() []any { return p.shownRows(t, a.objects, nil) })
	insert := &ir.Insert{Table: t.Meta.Table, Check: rule(permission.Check), Identity: t.Catalog.Identity(), Output: output}
	if a.onConflict != nil {
		update := p.updating(t)
		if insert.OnConflict, err = p.conflict(t, update, a.onConflict, rows.columns); err != nil {
			return nil, apierror.At(err, "on_conflict")
		}
		insert.UpdateCheck = rule(update.Check)
		if set := insert.OnConflict.Set; len(set)+len(insert.OnConflict.Presets) > 0 {
			p.ask(update.Validator, func() []any { return p.shownRows(t, a.objects, set) })
		}
	}
	for _, c := range rows.columns {
		insert.Check = both(insert.Check, permission.ColumnRules.For(c.Name))
	}
	insert.Columns, insert.Rows = rows.complete(permission.Presets)
	return insert, nil
}

// rowSet are rows under construction: the columns that some object has, and of each object
// the values by the index of their columns.
type rowSet struct {
	columns []*resolve.Column
	rows    []map[int]ir.Value
}

func (p *planner) insertRows(t *resolve.Table, permission *resolve.InsertPermission, objects [][]byte) (*rowSet, error) {
	s := &rowSet{rows: make([]map[int]ir.Value, len(objects))}
	index := map[string]int{}
	for i, raw := range objects {
		o, err := readObject("Object", raw)
		if err != nil {
			return nil, apierror.At(err, i)
		}
		s.rows[i] = make(map[int]ir.Value, len(o))
		for _, m := range o {
			at, known := index[m.key]
			if !known {
				c, err := p.insertable(t, permission, m.key)
				if err != nil {
					return nil, apierror.At(err, i, m.key)
				}
				at = len(s.columns)
				index[m.key] = at
				s.columns = append(s.columns, c)
			}
			value, err := p.literal(t, s.columns[at], m.value)
			if err != nil {
				return nil, apierror.At(err, i, m.key)
			}
			s.rows[i][at] = value
		}
	}
	return s, nil
}

// insertable is the column of that name, when the role may set it.
func (p *planner) insertable(t *resolve.Table, permission *resolve.InsertPermission, name string) (*resolve.Column, error) {
	for _, c := range permission.Columns {
		if c.Name == name {
			return c, nil
		}
	}
	if t.Column(name) == nil {
		return nil, noSuchColumn(name)
	}
	e := apierror.Newf(apierror.NotSupported, "column %q is not insertable for role %q", name, p.role)
	if slices.ContainsFunc(permission.Presets, func(preset resolve.Preset) bool { return preset.Column.Name == name }) {
		e.Message += "; its value is predefined in permission"
	}
	return nil, e
}

// complete adds the presets, and gives the rows one value for each column. Rows without any
// column take the default of the table's columns.
func (s *rowSet) complete(presets []resolve.Preset) ([]ir.Column, [][]ir.Value) {
	columns := make([]ir.Column, 0, len(s.columns)+len(presets))
	for _, c := range s.columns {
		columns = append(columns, irColumn(c))
	}
	for _, preset := range presets {
		columns = append(columns, irColumn(preset.Column))
	}
	rows := make([][]ir.Value, len(s.rows))
	for i, given := range s.rows {
		row := make([]ir.Value, 0, len(columns))
		for c := range s.columns {
			if v, ok := given[c]; ok {
				row = append(row, v)
			} else {
				row = append(row, ir.Default{})
			}
		}
		for _, preset := range presets {
			row = append(row, preset.Value)
		}
		rows[i] = row
	}
	return columns, rows
}

// conflict plans the upsert clause; update is the role's permission, nil for none.
func (p *planner) conflict(t *resolve.Table, update *resolve.UpdatePermission, c *conflict, given []*resolve.Column) (*ir.OnConflict, error) {
	switch {
	case update == nil:
		return nil, apierror.Newf(apierror.PermissionDenied,
			"upsert is not allowed for role %q since update permissions are not defined", p.role)
	case c.columns != nil && c.constraint != "":
		return nil, apierror.New(apierror.UnexpectedPayload, "'constraint' and 'constraint_on' cannot be set at a time")
	case c.columns == nil && c.constraint == "" && c.update:
		return nil, apierror.New(apierror.UnexpectedPayload, "Expecting 'constraint' or 'constraint_on' when the 'action' is 'update'")
	}
	for i, name := range c.columns {
		if t.Column(name) == nil {
			return nil, apierror.At(apierror.Newf(apierror.NotExists, "%q does not exist", name), "constraint_on", i)
		}
	}
	if t.Source.Dialect.Tables().Upsert != backend.OnConflict {
		return nil, lacks(t, "on_conflict")
	}
	clause := &ir.OnConflict{Target: ir.ConflictTarget{Constraint: c.constraint, Columns: c.columns}, TableKind: t.Catalog.Kind}
	if c.constraint != "" {
		found := constraint(t, c.constraint)
		if found == nil {
			return nil, apierror.At(apierror.Newf(apierror.Unexpected, "constraint %q for table %q does not exist", c.constraint, t.Display()).
				WithStatus(http.StatusBadRequest), "constraint")
		}
		clause.Target.Columns = found.Columns
	}
	if !c.update {
		return clause, nil
	}
	for _, column := range given {
		if slices.ContainsFunc(update.Columns, func(u *resolve.Column) bool { return u.Name == column.Name }) {
			clause.Set = append(clause.Set, column.Name)
		}
	}
	clause.Presets = presets(update)
	clause.Where = both(rule(update.Filter), update.ColumnRules.For(clause.Set...))
	return clause, nil
}

// constraint returns the constraint of that name that can be a conflict target.
func constraint(t *resolve.Table, name string) *catalog.Constraint {
	if key := t.Catalog.PrimaryKey; key != nil && key.Name == name {
		return key
	}
	for i, u := range t.Catalog.Uniques {
		if u.Name == name && !u.Index {
			return &t.Catalog.Uniques[i]
		}
	}
	return nil
}
