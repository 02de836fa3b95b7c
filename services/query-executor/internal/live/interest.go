package live

import (
	"context"
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/services/query-executor/internal/execute"
)

const (
	// mostTold and mostCompared bound the columns of a table that are requested: beyond, all rows and updates matter.
	mostTold     = 32
	mostCompared = 128
)

// interest is what a poller has to know of changed rows of a table. The zero value is for one that any change matters to.
type interest struct {
	// table is set for a table, all of whose changes are of its rows: what a view shows may change otherwise.
	table bool
	// columns are those that results depend on, nil when any update matters.
	columns []string
	// match decides by rows, nil when all matter; usable tells which of its columns are reported as it needs them.
	match  backend.LiveMatch
	usable []bool
}

// watchTables watches the tables of a subscription and returns what is of interest of them, by their ids.
func watchTables(ctx context.Context, changes backend.Changes, l *execute.Live) (map[string]*interest, error) {
	rows, _ := changes.(backend.RowChanges)
	found := map[string]*interest{}
	add := func(ids []string, i *interest) {
		for _, id := range ids {
			if _, again := found[id]; again {
				found[id] = &interest{} // two relations have it, such as a table and a view
				continue
			}
			found[id] = i
		}
	}
	var others []catalog.Name
	for _, table := range l.Tables {
		wanted, match := wantedOf(l, table)
		if rows == nil || len(wanted.Told)+len(wanted.Compared) == 0 {
			others = append(others, table)
			continue
		}
		ids, known, err := rows.WatchRows(ctx, table, wanted)
		if err != nil {
			return nil, err
		}
		add(ids, newInterest(l.Columns[table], match, known))
	}
	if len(others) == 0 {
		return found, nil
	}
	ids, err := changes.Watch(ctx, others)
	add(ids, &interest{})
	return found, err
}

// wantedOf are the columns to ask for of a table, and what decides by those that are reported, if anything does.
func wantedOf(l *execute.Live, table catalog.Name) (wanted backend.RowColumns, match backend.LiveMatch) {
	if l.Match != nil && l.Match.Table() == table && len(l.Match.Columns()) <= mostTold {
		match = l.Match
		for _, c := range match.Columns() {
			wanted.Told = append(wanted.Told, c.Name)
		}
	}
	if len(l.Columns[table]) > mostCompared {
		return wanted, match
	}
	for _, c := range l.Columns[table] {
		if !slices.Contains(wanted.Told, c) {
			wanted.Compared = append(wanted.Compared, c)
		}
	}
	return wanted, match
}

// newInterest is the interest in changes of a table that results depend on columns of. known are those of the columns
// asked for that the log has.
func newInterest(columns []string, match backend.LiveMatch, known []backend.ToldColumn) *interest {
	if len(known) == 0 {
		return &interest{} // those of a view
	}
	i := &interest{table: true, columns: columns}
	if match == nil {
		return i
	}
	for _, c := range match.Columns() {
		i.usable = append(i.usable, slices.ContainsFunc(known, func(k backend.ToldColumn) bool {
			return k.Name == c.Name && k.Type == c.Type && k.Collation >= c.Collation
		}))
	}
	if slices.Contains(i.usable, true) {
		i.match = match
	}
	return i
}

// images are what is known of the rows that may matter, before and after they changed. all reports whether any row may
// have changed.
func (i *interest) images(rows *backend.ChangedRows) (images []backend.RowImage, all bool) {
	if rows == nil {
		return nil, true
	}
	columns := placesOf(i.columns, rows.Columns)
	var decisive []int
	if i.match != nil {
		for n, c := range i.match.Columns() {
			at := -1
			if i.usable[n] {
				at = slices.Index(rows.Columns, c.Name)
			}
			decisive = append(decisive, at)
		}
	}
	for _, row := range rows.Rows {
		update := row.Old != nil && row.New != nil
		if update && keeps(&row, columns) {
			continue
		}
		if i.match == nil {
			return nil, true
		}
		if row.Old != nil {
			images = append(images, i.match.Image(cellsAt(row.Old, nil, decisive)))
		}
		if row.New != nil && (!update || !keeps(&row, decisive)) {
			images = append(images, i.match.Image(cellsAt(row.New, row.Old, decisive)))
		}
	}
	return images, false
}

// placesOf are the places of columns among those that are reported, -1 for none; nil for nil.
func placesOf(columns, told []string) []int {
	var places []int
	for _, c := range columns {
		places = append(places, slices.Index(told, c))
	}
	return places
}

// keeps reports whether an update is known to have kept all of some values, of which there is one.
func keeps(row *backend.ChangedRow, places []int) bool {
	for _, at := range places {
		if at < 0 || row.New[at].State == backend.CellUnknown ||
			row.New[at].State != backend.CellKept && row.New[at] != row.Old[at] {
			return false
		}
	}
	return len(places) > 0
}

// cellsAt are values of a row; old is what an updated one was before.
func cellsAt(row, old []backend.Cell, places []int) []backend.Cell {
	cells := make([]backend.Cell, len(places))
	for n, at := range places {
		switch {
		case at < 0:
			cells[n].State = backend.CellUnknown
		case row[at].State == backend.CellKept && old != nil:
			cells[n] = old[at]
		default:
			cells[n] = row[at]
		}
	}
	return cells
}
