package walreader

import (
	"bytes"
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/pgoutput"
)

const (
	// mostRows and mostBytes bound the rows that learn of a change of a table: beyond, they aren't known. mostBytes
	// is far below what the bus takes. Before it is exceeded, values are left out that are longer than shortCell: what
	// tells rows apart is shorter.
	mostRows  = 500
	mostBytes = 256 << 10
	shortCell = 64
	// largestCell bounds a value that is reported: what is longer isn't known.
	largestCell = 8 << 10
	// cellSize is counted for a value besides its text, comparedSize for one that is only compared.
	cellSize     = 16
	comparedSize = 2
)

// rows are the changed rows of a table with the values of some columns; nil when they aren't known.
type rows struct {
	columns []column
	list    []backend.ChangedRow
	bytes   int
	// thin reports whether long values are left out.
	thin bool
}

// rowOf is the change of a row, nil when nothing is known of it.
func rowOf(relation *pgoutput.Relation, m pgoutput.Message, columns []column) *rows {
	var row backend.ChangedRow
	switch m.(type) {
	case *pgoutput.Insert:
		row.New = make([]backend.Cell, len(columns))
	case *pgoutput.Update:
		row.Old, row.New = make([]backend.Cell, len(columns)), make([]backend.Cell, len(columns))
	case *pgoutput.Delete:
		row.Old = make([]backend.Cell, len(columns))
	default:
		return nil
	}
	for n, c := range columns {
		i := slices.IndexFunc(relation.Columns, func(r pgoutput.Column) bool { return r.Name == c.name && r.Type == c.kind })
		before, after := valuesAt(m, i, i >= 0 && relation.Columns[i].Key)
		if c.compared {
			before, after = unknown, comparedOnly(before, after)
		}
		if row.Old != nil {
			row.Old[n] = before
		}
		if row.New != nil {
			row.New[n] = after
		}
	}
	r := &rows{columns: columns, list: []backend.ChangedRow{row}}
	r.count()
	if r.bytes > mostBytes {
		r = r.thinned()
	}
	if r.bytes > mostBytes {
		return nil
	}
	return r
}

func (r *rows) count() {
	r.bytes = 0
	for _, row := range r.list {
		for _, cells := range [][]backend.Cell{row.Old, row.New} {
			for n, c := range cells {
				if r.bytes += cellSize + len(c.Text); r.columns[n].compared {
					r.bytes += comparedSize - cellSize
				}
			}
		}
	}
}

// thinned is the same rows without long values. Cells are shared, and stay as they are.
func (r *rows) thinned() *rows {
	if r.thin {
		return r
	}
	short := func(cells, before []backend.Cell) []backend.Cell {
		if !slices.ContainsFunc(cells, isLong) {
			return cells
		}
		cells = slices.Clone(cells)
		for i, c := range cells {
			switch {
			case !isLong(c):
			case before != nil && before[i] == c:
				cells[i] = backend.Cell{State: backend.CellKept}
			default:
				cells[i] = unknown
			}
		}
		return cells
	}
	next := &rows{columns: r.columns, list: slices.Clone(r.list), thin: true}
	for i := range next.list {
		row := &next.list[i]
		row.New = short(row.New, row.Old)
		row.Old = short(row.Old, nil)
	}
	next.count()
	return next
}

func isLong(c backend.Cell) bool { return len(c.Text) > shortCell }

var unknown = backend.Cell{State: backend.CellUnknown}

// valuesAt is what the log has of a column of a row. key reports whether the column is a part of the replica identity:
// of others nothing is sent from before the change, unless whole rows are.
func valuesAt(m pgoutput.Message, column int, key bool) (before, after backend.Cell) {
	switch m := m.(type) {
	case *pgoutput.Insert:
		return unknown, cellAt(m.New, column)
	case *pgoutput.Update:
		if column < 0 || column >= len(m.New) {
			return unknown, unknown
		}
		old := m.New // of an identity that is what it was
		switch {
		case m.Old == nil && key:
		case m.Old != nil && (m.Old.Whole || key):
			old = m.Old.Tuple
		default:
			old = nil
		}
		before, after = cellAt(old, column), cellAt(m.New, column)
		kept := m.New[column].Kind == pgoutput.Unchanged
		if kept {
			after = before
		} else if column < len(old) {
			kept = old[column].Kind == m.New[column].Kind && bytes.Equal(old[column].Text, m.New[column].Text)
		}
		if kept && after == unknown {
			after = backend.Cell{State: backend.CellKept}
		}
		return before, after
	case *pgoutput.Delete:
		if m.Old.Whole || key {
			return cellAt(m.Old.Tuple, column), unknown
		}
	}
	return unknown, unknown
}

// comparedOnly is what learns of the new value of a column that is only compared.
func comparedOnly(before, after backend.Cell) backend.Cell {
	if after.State == backend.CellKept || before == after && after != unknown {
		return backend.Cell{State: backend.CellKept}
	}
	return unknown
}

func cellAt(t pgoutput.Tuple, column int) backend.Cell {
	if column < 0 || column >= len(t) {
		return unknown
	}
	switch v := t[column]; {
	case v.Kind == pgoutput.Null:
		return backend.Cell{}
	case v.Kind == pgoutput.Text && len(v.Text) <= largestCell:
		return backend.Cell{State: backend.CellText, Text: string(v.Text)}
	}
	return unknown
}

// merge is r with later rows of the table added, nil where these aren't known or are too many. r may be changed.
func (r *rows) merge(later *rows) *rows {
	if r == nil || later == nil || len(r.list)+len(later.list) > mostRows {
		return nil
	}
	if r.thin || later.thin || r.bytes+later.bytes > mostBytes {
		r, later = r.thinned(), later.thinned()
	}
	if r.bytes+later.bytes > mostBytes {
		return nil
	}
	if !slices.Equal(r.columns, later.columns) {
		columns := union(r.columns, later.columns)
		r, later = r.with(columns), later.with(columns)
	}
	r.list, r.bytes = append(r.list, later.list...), r.bytes+later.bytes
	return r
}

// belongTo notes the transaction of all rows.
func (r *rows) belongTo(transaction uint64) {
	if r == nil {
		return
	}
	for i := range r.list {
		r.list[i].Transaction = transaction
	}
}

// with is the same rows with other columns; values of those that are new aren't known.
func (r *rows) with(columns []column) *rows {
	from := make([]int, len(columns))
	for i, c := range columns {
		from[i] = slices.Index(r.columns, c)
	}
	project := func(cells []backend.Cell) []backend.Cell {
		if cells == nil {
			return nil
		}
		out := make([]backend.Cell, len(columns))
		for i, at := range from {
			out[i] = unknown
			if at >= 0 {
				out[i] = cells[at]
			}
		}
		return out
	}
	next := &rows{columns: columns, thin: r.thin, bytes: r.bytes + len(r.list)*2*cellSize*max(0, len(columns)-len(r.columns))}
	for _, row := range r.list {
		next.list = append(next.list, backend.ChangedRow{Old: project(row.Old), New: project(row.New), Transaction: row.Transaction})
	}
	return next
}

// clone is r for another table that has the rows, too.
func (r *rows) clone() *rows {
	if r == nil {
		return nil
	}
	return &rows{columns: r.columns, list: slices.Clone(r.list), bytes: r.bytes, thin: r.thin}
}

// told is what a change tells.
func (r *rows) told() *backend.ChangedRows {
	if r == nil {
		return nil
	}
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.name
	}
	return &backend.ChangedRows{Columns: names, Rows: r.list}
}
