// Package changemessage turns changes of a source's tables into messages of the bus and back.
//
// What a message doesn't have, as it comes from another version of the engine, isn't known of the change: then any row
// may have changed.
package changemessage

import (
	"errors"
	"time"

	"queryengine/pkg/backend"
	changev1 "queryengine/proto/change/v1"
)

// Encode is the message of a change.
func Encode(c *backend.Change) *changev1.Change {
	m := &changev1.Change{Table: c.ID, Position: c.Position}
	if !c.Committed.IsZero() {
		m.Committed = c.Committed.UnixMicro()
	}
	if c.Rows == nil {
		return m
	}
	m.Columns = c.Rows.Columns
	for _, row := range c.Rows.Rows {
		r := &changev1.Row{Transaction: row.Transaction}
		switch {
		case row.Old == nil:
			r.Kind = changev1.Kind_KIND_INSERT
		case row.New == nil:
			r.Kind = changev1.Kind_KIND_DELETE
		default:
			r.Kind = changev1.Kind_KIND_UPDATE
		}
		appendCells(r, row.Old, nil)
		appendCells(r, row.New, row.Old)
		m.Rows = append(m.Rows, r)
	}
	return m
}

// appendCells appends values; before are those that they had, if there are.
func appendCells(r *changev1.Row, cells, before []backend.Cell) {
	for i, c := range cells {
		state := changev1.State_STATE_UNKNOWN
		switch {
		case c.State == backend.CellNull:
			state = changev1.State_STATE_NULL
		case c.State == backend.CellKept:
			state = changev1.State_STATE_KEPT
		case c.State == backend.CellText && before != nil && before[i] == c:
			state = changev1.State_STATE_SAME
		case c.State == backend.CellText:
			state = changev1.State_STATE_TEXT
			r.Texts = append(r.Texts, []byte(c.Text))
		}
		r.States = append(r.States, byte(state))
	}
}

// Decode is the reverse of Encode, but for Since.
func Decode(m *changev1.Change) backend.Change {
	c := backend.Change{ID: m.GetTable(), Position: m.GetPosition()}
	if at := m.GetCommitted(); at != 0 {
		c.Committed = time.UnixMicro(at)
	}
	rows, err := decodeRows(m)
	if err == nil {
		c.Rows = rows
	}
	return c
}

// errUnclear reports that the rows of a message aren't known.
var errUnclear = errors.New("the rows of a change aren't known")

func decodeRows(m *changev1.Change) (*backend.ChangedRows, error) {
	if len(m.GetColumns()) == 0 {
		return nil, errUnclear
	}
	rows := &backend.ChangedRows{Columns: m.GetColumns(), Rows: make([]backend.ChangedRow, len(m.GetRows()))}
	for i, r := range m.GetRows() {
		d := decoder{states: r.GetStates(), texts: r.GetTexts()}
		row := &rows.Rows[i]
		row.Transaction = r.GetTransaction()
		switch r.GetKind() {
		case changev1.Kind_KIND_INSERT:
			row.New = d.cells(len(rows.Columns), nil)
		case changev1.Kind_KIND_UPDATE:
			row.Old = d.cells(len(rows.Columns), nil)
			row.New = d.cells(len(rows.Columns), row.Old)
		case changev1.Kind_KIND_DELETE:
			row.Old = d.cells(len(rows.Columns), nil)
		default:
			return nil, errUnclear
		}
		if d.unclear || len(d.states) > 0 || len(d.texts) > 0 {
			return nil, errUnclear
		}
	}
	return rows, nil
}

// decoder has what is left of a row. unclear reports whether it wasn't understood.
type decoder struct {
	states  []byte
	texts   [][]byte
	unclear bool
}

// cells takes values; before are those that they had, if there are.
func (d *decoder) cells(n int, before []backend.Cell) []backend.Cell {
	if len(d.states) < n {
		d.unclear = true
		return nil
	}
	cells := make([]backend.Cell, n)
	for i, state := range d.states[:n] {
		switch changev1.State(state) {
		case changev1.State_STATE_NULL:
		case changev1.State_STATE_TEXT:
			if len(d.texts) == 0 {
				d.unclear = true
				return nil
			}
			cells[i] = backend.Cell{State: backend.CellText, Text: string(d.texts[0])}
			d.texts = d.texts[1:]
		case changev1.State_STATE_SAME:
			if before == nil {
				d.unclear = true
				return nil
			}
			cells[i] = before[i]
		case changev1.State_STATE_KEPT:
			cells[i].State = backend.CellKept
		default:
			cells[i].State = backend.CellUnknown
		}
	}
	d.states = d.states[n:]
	return cells
}

// collations are those of the columns of a WatchHead.
var collations = map[backend.Collation]changev1.Collation{
	backend.CollationUnknown:       changev1.Collation_COLLATION_UNKNOWN,
	backend.CollationDeterministic: changev1.Collation_COLLATION_DETERMINISTIC,
	backend.CollationBytes:         changev1.Collation_COLLATION_BYTES,
}

// EncodeColumns are the columns of a WatchHead.
func EncodeColumns(told []backend.ToldColumn) []*changev1.Column {
	list := make([]*changev1.Column, len(told))
	for i, c := range told {
		list[i] = &changev1.Column{Name: c.Name, Type: c.Type, Collation: collations[c.Collation], Key: int32(c.Key)} //nolint:gosec // of a table
	}
	return list
}

// DecodeColumns is the reverse of EncodeColumns.
func DecodeColumns(list []*changev1.Column) []backend.ToldColumn {
	told := make([]backend.ToldColumn, len(list))
	for i, m := range list {
		told[i] = backend.ToldColumn{Name: m.GetName(), Type: m.GetType(), Key: int(m.GetKey())}
		for collation, as := range collations {
			if as == m.GetCollation() {
				told[i].Collation = collation
			}
		}
	}
	return told
}
