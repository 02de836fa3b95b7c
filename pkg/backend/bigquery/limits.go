package bigquery

import "queryengine/pkg/ir"

// limits bound the lists of a plan. A limit or an offset that is a variable becomes a constant where its value is known:
// BigQuery takes constants only, and everything else needs the rows to be ranked.
type limits struct {
	// most is how many rows a list has at most, 0 for any number.
	most int
	// values are the variables of one run, nil for none.
	values [][]byte
	// variable reports whether a limit or an offset is a variable.
	variable bool
}

// root is a copy of the plan with bounds.
func (l *limits) root(root ir.Root) ir.Root {
	switch root := root.(type) {
	case *ir.Select:
		s := *root
		l.rows(&s.Rows, !s.One)
		s.Fields = l.fields(s.Fields)
		return &s
	case *ir.Aggregate:
		a := *root
		l.rows(&a.Rows, true)
		a.Fields = make([]ir.AggregateField, len(root.Fields))
		for i, f := range root.Fields {
			if nodes, ok := f.Value.(ir.Nodes); ok {
				f.Value = ir.Nodes(l.fields(nodes))
			}
			a.Fields[i] = f
		}
		return &a
	}
	return root
}

func (l *limits) fields(fields []ir.Field) []ir.Field {
	list := make([]ir.Field, len(fields))
	for i, f := range fields {
		if n, ok := f.Value.(*ir.Nested); ok {
			own := *n
			own.Root = l.root(n.Root)
			f.Value = &own
		}
		list[i] = f
	}
	return list
}

// rows bounds a list. The rows that another source asks about aren't one: each is answered.
func (l *limits) rows(rows *ir.Rows, list bool) {
	rows.Limit, rows.Offset = l.constant(rows.Limit), l.constant(rows.Offset)
	if _, keys := rows.From.(ir.Keys); keys || !list || l.most == 0 {
		return
	}
	if rows.MaxRows == 0 || rows.MaxRows > l.most {
		rows.MaxRows = l.most
	}
}

// constant is a limit or an offset with the value of its variable; one that is null is none.
func (l *limits) constant(v ir.Value) ir.Value {
	variable, ok := v.(ir.Variable)
	if !ok {
		return v
	}
	l.variable = true
	switch {
	case variable.Index >= len(l.values):
		return v
	case l.values[variable.Index] == nil:
		return nil
	}
	return ir.Literal{Text: string(l.values[variable.Index]), Type: variable.Type}
}
