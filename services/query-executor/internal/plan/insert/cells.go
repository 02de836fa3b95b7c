package insert

import (
	"slices"
	"sort"

	"queryengine/pkg/ir"
)

// Rows are the rows of one request, by the index of their node.
type Rows struct{ Nodes []NodeRows }

// NodeRows are the rows of one node, in the order of the request.
type NodeRows struct {
	Count   int
	columns []cells
	// first has room for the first row, which often is the only one.
	first [][]byte
	// parents are the rows of the parent's node that the rows belong to, in ascending order.
	parents []int
	// likely is how many rows to have room for, as soon as there is more than one.
	likely int
}

// mostLikely bounds the room for rows that haven't been seen.
const mostLikely = 256

// cells are the values of one column, by row. A list that ends early goes on without values.
type cells struct {
	values [][]byte
	// wraps are nil as long as no value has one.
	wraps []ir.Wrap
}

// absent stands for no value; nil is NULL.
var absent = []byte("absent")

func isAbsent(v []byte) bool { return len(v) == len(absent) && &v[0] == &absent[0] }

// add adds a row without values, and gives its index; columns is how many the node has.
func (r *Rows) add(node, columns, parent int) int {
	for len(r.Nodes) <= node {
		r.Nodes = append(r.Nodes, NodeRows{})
	}
	n := &r.Nodes[node]
	if n.Count == 0 {
		n.columns, n.first = make([]cells, columns), make([][]byte, columns)
	}
	n.Count++
	if parent >= 0 {
		n.parents = append(n.parents, parent)
	}
	return n.Count - 1
}

// Node are the rows of a node, which may have none.
func (r *Rows) Node(node int) *NodeRows {
	if node >= len(r.Nodes) {
		return &NodeRows{}
	}
	return &r.Nodes[node]
}

// Of is the range of rows that belong to the rows from a to b of the parent.
func (n *NodeRows) Of(a, b int) (from, to int) {
	return sort.SearchInts(n.parents, a), sort.SearchInts(n.parents, b)
}

// Parent is the row that a row belongs to.
func (n *NodeRows) Parent(row int) int { return n.parents[row] }

// Set sets the value of a column; nil is NULL.
func (n *NodeRows) Set(column, row int, text []byte, wrap ir.Wrap) {
	for len(n.columns) <= column {
		n.columns = append(n.columns, cells{})
	}
	c := &n.columns[column]
	if c.values == nil && column < len(n.first) {
		c.values = n.first[column : column : column+1]
	}
	if len(c.values) == cap(c.values) && len(c.values) < n.likely {
		c.values = slices.Grow(c.values, n.likely-len(c.values))
	}
	for len(c.values) <= row {
		c.values = append(c.values, absent)
	}
	c.values[row] = text
	if wrap == ir.WrapNone && c.wraps == nil {
		return
	}
	for len(c.wraps) <= row {
		c.wraps = append(c.wraps, ir.WrapNone)
	}
	c.wraps[row] = wrap
}

// Take sets the columns of a row that a relationship fills, of the keys of the related row.
func (n *NodeRows) Take(r *Relation, row int, keys [][]byte) {
	for i, from := range r.From {
		if r.To[i] >= 0 {
			n.Set(r.To[i], row, keys[from], ir.WrapNone)
		}
	}
}

// Has reports whether the row has a value for a column.
func (n *NodeRows) Has(column, row int) bool { return !isAbsent(n.cell(column, row)) }

func (n *NodeRows) cell(column, row int) []byte {
	if column >= len(n.columns) || row >= len(n.columns[column].values) {
		return absent
	}
	return n.columns[column].values[row]
}

func (n *NodeRows) wrap(column, row int) ir.Wrap {
	if column >= len(n.columns) || row >= len(n.columns[column].wraps) {
		return ir.WrapNone
	}
	return n.columns[column].wraps[row]
}

// form is which columns some rows have values for, and how these can be given.
type form struct {
	columns []int
	// wraps are those of the columns, nil when none has one.
	wraps []ir.Wrap
	// uneven reports whether the rows can't be given as one list per column: some take the
	// default of a column, or make its value in another way than the rest.
	uneven bool
}

// form looks at the rows from a to b of a node.
func (n *NodeRows) form(node *Node, a, b int) form {
	f := form{columns: make([]int, 0, len(node.Columns))}
	for c := range node.Columns {
		given, wrap, wrapped := 0, ir.WrapNone, false
		for row := a; row < b; row++ {
			v := n.cell(c, row)
			switch {
			case isAbsent(v):
				continue
			case v != nil && !wrapped:
				wrap, wrapped = n.wrap(c, row), true
			case v != nil && n.wrap(c, row) != wrap:
				f.uneven = true
			}
			given++
		}
		if given == 0 {
			continue
		}
		f.uneven = f.uneven || given < b-a && node.Columns[c].Default
		f.columns = append(f.columns, c)
		if wrap != ir.WrapNone {
			f.wraps = append(append(f.wraps, make([]ir.Wrap, len(f.columns)-len(f.wraps)-1)...), wrap)
		}
	}
	return f
}

// wrap is the wrap of the i-th of the columns.
func (f *form) wrap(i int) ir.Wrap {
	if i >= len(f.wraps) {
		return ir.WrapNone
	}
	return f.wraps[i]
}

// list are the values of a column in the rows from a to b, NULL where there is none.
func (n *NodeRows) list(column, a, b int) [][]byte {
	values := n.columns[column].values
	if len(values) >= b && !slices.ContainsFunc(values[a:b], isAbsent) {
		return values[a:b]
	}
	list := make([][]byte, b-a)
	for row := a; row < b; row++ {
		if v := n.cell(column, row); !isAbsent(v) {
			list[row-a] = v
		}
	}
	return list
}

// Size is about how many bytes the rows take.
func (r *Rows) Size() int {
	const row, cell = 16, 24
	size := 0
	for i := range r.Nodes {
		n := &r.Nodes[i]
		size += n.Count * row
		for _, column := range n.columns {
			for _, text := range column.values {
				size += cell + len(text)
			}
		}
	}
	return size
}
