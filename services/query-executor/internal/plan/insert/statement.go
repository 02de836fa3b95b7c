package insert

import (
	"encoding/binary"
	"slices"

	"queryengine/pkg/ir"
)

// maxCells bounds the values of a statement that gives them one by one: it is the number of
// parameters that a statement can have where that number is smallest.
const maxCells = 65535

// Statement is a statement that inserts rows of one node, and its operands.
type Statement struct {
	// Key is the same for statements that differ in their operands alone, and nil for one that
	// won't come again.
	Key []byte
	// Values follow those of the bindings, Lists are for ir.Each.
	Values [][]byte
	Lists  [][][]byte

	node *Node
	form form
	// single reports whether rows are given one by one in any case.
	single bool
	rows   *NodeRows
	a, b   int
	offset int
}

// Statement is the statement that inserts the rows from a to b of a node, or as many of them
// as go into one; the number of bindings is offset.
func (i *Tree) Statement(rows *Rows, node, a, b, offset int) *Statement {
	s := &Statement{single: i.Spelled, node: i.Nodes[node], rows: rows.Node(node), a: a, b: b, offset: offset}
	s.form = s.rows.form(s.node, a, b)
	switch {
	case b-a == 1:
		s.Values = make([][]byte, 0, len(s.form.columns))
		for _, c := range s.form.columns {
			s.Values = append(s.Values, s.rows.cell(c, a))
		}
		s.Key = s.key('1', node)
	case s.spelled():
		most := max(1, (maxCells-offset)/max(1, len(s.form.columns)+len(s.node.Presets)))
		s.b = min(b, a+most)
		for row := s.a; row < s.b; row++ {
			for _, c := range s.form.columns {
				if v := s.rows.cell(c, row); !isAbsent(v) {
					s.Values = append(s.Values, v)
				}
			}
		}
	default:
		for _, c := range s.form.columns {
			s.Lists = append(s.Lists, s.rows.list(c, a, b))
		}
		s.Key = s.key('n', node)
	}
	return s
}

// Rows is the number of rows that the statement inserts.
func (s *Statement) Rows() int { return s.b - s.a }

func (s *Statement) spelled() bool { return s.single || s.form.uneven || len(s.form.columns) == 0 }

func (s *Statement) key(kind byte, node int) []byte {
	key := append(make([]byte, 0, 3+2*len(s.form.columns)), kind)
	key = binary.AppendUvarint(key, uint64(node))
	for i, c := range s.form.columns {
		key = append(binary.AppendUvarint(key, uint64(c)), s.form.wrap(i)...)
		key = append(key, ',')
	}
	return key
}

// Check must hold for the rows that the statement inserts; nil for none.
func (s *Statement) Check() ir.BoolExp {
	check := s.node.Check
	for _, c := range s.form.columns {
		if rule := s.node.Columns[c].Check; rule != nil {
			check = ir.And{Exps: slices.DeleteFunc([]ir.BoolExp{check, rule}, func(e ir.BoolExp) bool { return e == nil })}
		}
	}
	return check
}

// RuledColumns names the columns of the statement that Check depends on.
func (s *Statement) RuledColumns() string {
	var names []byte
	for _, c := range s.form.columns {
		if s.node.Columns[c].Check != nil {
			names = append(binary.AppendUvarint(names, uint64(c)), ',')
		}
	}
	return string(names)
}

// IR is the statement, with what it gives back.
func (s *Statement) IR(out ir.Output) *ir.Insert {
	n := s.node
	m := &ir.Insert{Table: n.Table, OnConflict: n.OnConflict, Identity: n.Identity, Output: out}
	if n.Written == nil {
		m.Check, m.UpdateCheck = s.Check(), n.UpdateCheck
	}
	for _, c := range s.form.columns {
		m.Columns = append(m.Columns, n.Columns[c].Column)
	}
	for _, preset := range n.Presets {
		m.Columns = append(m.Columns, preset.Column)
	}
	if len(m.Columns) == 0 {
		m.Columns = []ir.Column{n.AnyColumn}
	}
	switch {
	case s.Lists != nil:
		m.Rows = [][]ir.Value{s.pattern()}
	default:
		next := s.offset
		for row := s.a; row < s.b; row++ {
			m.Rows = append(m.Rows, s.row(row, &next))
		}
	}
	return m
}

// pattern is the row that stands for all.
func (s *Statement) pattern() []ir.Value {
	var values []ir.Value
	for i, c := range s.form.columns {
		values = append(values, ir.Each{Index: i, Type: s.node.Columns[c].Type, Wrap: s.form.wrap(i)})
	}
	return s.withPresets(values)
}

// row is one row; next is the index of its first value.
func (s *Statement) row(row int, next *int) []ir.Value {
	var values []ir.Value
	for _, c := range s.form.columns {
		if !s.rows.Has(c, row) {
			values = append(values, ir.Default{})
			continue
		}
		values = append(values, ir.Variable{Index: *next, Type: s.node.Columns[c].Type, Wrap: s.rows.wrap(c, row)})
		*next++
	}
	return s.withPresets(values)
}

func (s *Statement) withPresets(values []ir.Value) []ir.Value {
	for _, preset := range s.node.Presets {
		values = append(values, preset.Value)
	}
	if len(values) == 0 {
		values = append(values, ir.Default{})
	}
	return values
}
