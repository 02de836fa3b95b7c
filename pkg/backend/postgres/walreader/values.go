package walreader

import (
	"slices"
	"strconv"
	"sync"

	"queryengine/pkg/backend/postgres/pgoutput"
)

const (
	// mostValues bounds the values of a column that are told of a change of a table, and largestValue their
	// length: beyond, they aren't known.
	mostValues   = 500
	largestValue = 100
)

// interest are the columns whose values are told, by tables. It is safe for concurrent use.
type interest struct {
	mu     sync.Mutex
	tables map[uint32][]string
}

// add adds a column of tables, given by their ids.
func (i *interest) add(ids []string, column string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.tables == nil {
		i.tables = map[uint32][]string{}
	}
	for _, id := range ids {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			return err
		}
		table := uint32(n) //nolint:gosec // of 32 bits
		if list := i.tables[table]; !slices.Contains(list, column) {
			i.tables[table] = append(slices.Clone(list), column) // others may be reading the list
		}
	}
	return nil
}

func (i *interest) of(table uint32) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.tables[table]
}

func (i *interest) clear() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tables = nil
}

// touched is what is known of the changed rows of a table: the values of columns. A column that isn't in
// it may have had any value.
type touched map[string]map[string]struct{}

// touchedBy are the values of a row in columns, before and after its change.
func touchedBy(r *pgoutput.Relation, m pgoutput.Message, columns []string) touched {
	all := touched{}
	for _, name := range columns {
		i := slices.IndexFunc(r.Columns, func(c pgoutput.Column) bool { return c.Name == name })
		if i < 0 {
			continue
		}
		values := map[string]struct{}{}
		if rowValues(m, i, r.Columns[i].Key, values) {
			all[name] = values
		}
	}
	return all
}

// rowValues collects the values of a column; false when not all are known. key reports whether the column
// is a part of the replica identity: those are known of a row before its change.
func rowValues(m pgoutput.Message, column int, key bool, into map[string]struct{}) bool {
	take := func(t pgoutput.Tuple) bool {
		if column >= len(t) {
			return false
		}
		switch v := t[column]; v.Kind {
		case pgoutput.Null:
			return true
		case pgoutput.Text:
			into[string(v.Text)] = struct{}{}
			return len(v.Text) <= largestValue
		}
		return false
	}
	switch m := m.(type) {
	case *pgoutput.Insert:
		return take(m.New)
	case *pgoutput.Update:
		if m.Old == nil { // the identity is what it was
			return key && take(m.New)
		}
		return (m.Old.Whole || key) && take(m.Old.Tuple) && take(m.New)
	case *pgoutput.Delete:
		return (m.Old.Whole || key) && take(m.Old.Tuple)
	}
	return false
}

// merge adds what is known of other rows of the table.
func (t touched) merge(other touched) {
	for column, values := range t {
		more, known := other[column]
		if !known || len(values)+len(more) > mostValues {
			delete(t, column)
			continue
		}
		for v := range more {
			values[v] = struct{}{}
		}
	}
}

// values is what a change tells.
func (t touched) values() map[string][]string {
	if len(t) == 0 {
		return nil
	}
	out := make(map[string][]string, len(t))
	for column, values := range t {
		list := make([]string, 0, len(values))
		for v := range values {
			list = append(list, v)
		}
		slices.Sort(list)
		out[column] = list
	}
	return out
}
