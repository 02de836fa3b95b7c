package mssql

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// liveStatement is a subscription: one statement for all cohorts. Its rows have the number of a cohort, and then
// each root field as a list of records.
type liveStatement struct {
	text  string
	roots []liveRoot
	// params are the parameters; the first one has the rows of the cohorts.
	params []param
	// columns are the values that differ between cohorts.
	columns []param
	// cursor reports whether the records of the only root end with the place in a stream.
	cursor bool
	key    string
	// comment describes the statement, nil for none.
	comment *backend.Comment
}

// liveRoot is how a root field is read.
type liveRoot struct {
	// one is set for a root that is an object, or null without a record; else it is a list.
	one   bool
	shape *answer.Shape
}

// cohortAlias names the relation of the cohorts.
const cohortAlias = "v"

// RenderLive renders a subscription.
func (d *Dialect) RenderLive(l ir.Live, o backend.RenderOptions) (backend.LiveStatement, error) {
	r := newRenderer(d, o)
	s := &liveStatement{cursor: l.Cursor != nil, comment: o.Comment}
	r.Params = []sqltext.Param{{Kind: sqltext.ParamList, As: sqltext.As{Type: typeRowList}}}
	r.Shared = func(p sqltext.Param, as sqltext.As) string {
		p.As = as
		column := s.column(param{Param: p, convert: r.sharedConvert})
		return r.Spelling.Typed(cohortAlias+".[c"+strconv.Itoa(column)+"]", as)
	}
	items := []string{cohortAlias + "." + ordinalColumn}
	var key strings.Builder
	for _, root := range l.Roots {
		q, shape, one := r.liveRoot(root, l.Cursor)
		if r.Err != nil {
			break
		}
		items = append(items, r.List(q))
		s.roots = append(s.roots, liveRoot{one, shape})
		fmt.Fprintf(&key, " %t", one)
		shape.WriteKey(&key)
	}
	if len(r.before) > 0 {
		r.Fail("a procedure can't be called for many subscribers at once")
	}
	if r.Err != nil {
		return nil, fmt.Errorf("rendering a plan: %w", r.Err)
	}
	s.params = r.params()
	s.text = "SELECT " + strings.Join(items, ", ") + " FROM " + rowsOf(r.Spelling.Placeholder(1), len(s.columns)) + " AS " + cohortAlias
	for i := range s.params {
		p := &s.params[i]
		fmt.Fprintf(&key, " %q", p.Text)
	}
	s.key = fmt.Sprintf("%q %t%s", s.text, s.cursor, key.String())
	return s, nil
}

// liveRoot renders the query of a root field, and with it where a stream gets to.
func (r *renderer) liveRoot(root ir.Root, cursor *ir.Cursor) (*sqlrows.Selection, *answer.Shape, bool) {
	if _, ok := root.(*ir.Connection); ok {
		r.Fail("connections can't be read from SQL Server")
		return nil, nil, false
	}
	q, shape, one, in := r.RootQuery(root)
	if cursor != nil && in != nil {
		q.Items = append(q.Items, lossless(r.Column(in, cursor.Column), cursorType(root, cursor)))
	}
	return q, shape, one
}

// cursorType is the type of the column that a stream goes along, which its rows are ordered by.
func cursorType(root ir.Root, cursor *ir.Cursor) catalog.Type {
	if s, ok := root.(*ir.Select); ok {
		for _, o := range s.OrderBy {
			by, _ := o.Target.(ir.OrderExpr)
			if c, ok := by.Expr.(ir.Column); ok && c.Name == cursor.Column {
				return c.Type
			}
		}
	}
	return catalog.Type{}
}

// lossless renders a value with all of its digits: JSON has 16 of a float, and a stream would never get past a row that has more.
func lossless(expr string, t catalog.Type) string {
	if rowOf(t).family != familyFloat {
		return expr
	}
	return "CONVERT(nvarchar(40), " + expr + ", 3)"
}

// column is the column of the cohorts that has a value.
func (s *liveStatement) column(p param) int {
	for at, c := range s.columns {
		same := p.Kind == c.Kind && p.Index == c.Index && p.Name == c.Name && p.As.List == c.As.List
		if same && p.Kind != sqltext.ParamList && p.convert == nil {
			return at
		}
	}
	if p.As.List && p.convert == nil {
		p.convert = convertList
	}
	s.columns = append(s.columns, p)
	return len(s.columns) - 1
}

// SQL is the text, with parameters.
func (s *liveStatement) SQL() string { return s.text }

// Key identifies a statement.
func (s *liveStatement) Key() string { return s.key }

// Columns are the values that differ between cohorts.
func (s *liveStatement) Columns() []backend.LiveColumn {
	list := make([]backend.LiveColumn, len(s.columns))
	for i, p := range s.columns {
		list[i] = backend.LiveColumn{Variable: -1, Session: p.Name}
		if p.Kind == sqltext.ParamVariable {
			list[i].Variable = p.Index
		}
	}
	return list
}

// Bind gives the values of a cohort.
func (s *liveStatement) Bind(a backend.Args) ([][]byte, error) {
	values := make([][]byte, len(s.columns))
	for i := range s.columns {
		var err error
		if values[i], err = s.columns[i].resolve(&a); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// values are the texts of the parameters for some cohorts, each by what Bind gave. The number of a row of the
// result is the place of its cohort.
func (s *liveStatement) values(cohorts [][][]byte) ([][]byte, error) {
	rows, err := rowsText(cohorts, func(int) catalog.Type { return typeText })
	if err != nil {
		return nil, err
	}
	texts := [][]byte{rows}
	for i := range s.params[1:] {
		text, err := s.params[i+1].resolve(&backend.Args{})
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// appendRoot appends the JSON of the i-th root field, from its cell.
func (s *liveStatement) appendRoot(w *answer.Writer, dst []byte, i int, cell []byte) []byte {
	root := &s.roots[i]
	kind := answer.List
	if root.one {
		kind = answer.Record
	}
	whole := answer.Shape{Parts: []answer.Part{{Kind: kind, Shape: root.shape}}}
	return w.Row(dst, &whole, answer.Cells{Values: [][]byte{cell}})
}

// cursorOf is where a stream gets to: the last cell of the last record, nil without one.
func (s *liveStatement) cursorOf(cell []byte) []byte {
	if !s.cursor || cell == nil {
		return nil
	}
	n, rest, ok := format{}.List(cell)
	if !ok {
		return nil
	}
	var record []byte
	for range n {
		if record, rest, ok = (format{}).Next(rest); !ok {
			return nil
		}
	}
	values, _, ok := format{}.Record(nil, nil, record)
	if !ok || len(values) == 0 {
		return nil
	}
	return values[len(values)-1]
}
