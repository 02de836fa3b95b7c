package rowimage

import "queryengine/pkg/ir"

// Lookup is a comparison that finds cohorts by rows: a row satisfies it only if a column has the value of the operand,
// or one of the list.
type Lookup struct {
	column int
	of     slot
}

// LookupOf is nil for other comparisons, and where values that are equal don't look equal. It adds the column that it needs.
func LookupOf(e ir.Compare, columns *Columns, find func(v ir.Value, list bool) Operand) *Lookup {
	column, ok := e.Left.(ir.Column)
	k := kindOf(column.Type)
	if !ok || k == nil || e.NullSafe || e.Op != ir.OpEq && e.Op != ir.OpIn || len(e.Args) != 1 || kindOf(typeOf(e.Args[0])) != k {
		return nil
	}
	operand := find(e.Args[0], e.Op == ir.OpIn)
	if operand == nil {
		return nil
	}
	return &Lookup{columns.Add(column, Equality), slot{operand, k}}
}

// Value is that of the column in a row.
func (l *Lookup) Value(row []Value) Value { return row[l.column] }

// Values are those that the column has in rows that satisfy the comparison; ok is false when they aren't known.
func (l *Lookup) Values(cohort [][]byte) (values []Value, ok bool) {
	o := l.of.bind(cohort)
	if !o.known {
		return nil, false
	}
	for _, v := range o.values {
		if v.IsNull() {
			continue // nothing equals NULL
		}
		if _, _, ok := v.Key(); !ok {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}
