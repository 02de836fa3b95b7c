package sqlite

import (
	"fmt"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// liveStatement is a subscription: a statement for each root field.
type liveStatement struct {
	roots []*statement
	// sources are, for each parameter of each root, the column that its value is in; -1 for a constant.
	sources [][]int
	// columns are the values that differ between cohorts.
	columns []param
	// cursor reports whether the rows of the only root end with the place in a stream.
	cursor bool
	key    string
}

// RenderLive renders a subscription.
func (d *Dialect) RenderLive(l ir.Live, o backend.RenderOptions) (backend.LiveStatement, error) {
	s := &liveStatement{cursor: l.Cursor != nil}
	var key strings.Builder
	for _, root := range l.Roots {
		r := newRenderer(d, o)
		text, a := r.liveRoot(root, l.Cursor)
		stmt, err := r.statement(text, a)
		if err != nil {
			return nil, err
		}
		s.roots = append(s.roots, stmt)
		s.sources = append(s.sources, s.sourcesOf(stmt))
		fmt.Fprintf(&key, "%q %d %t", text, a.kind, s.cursor)
		for i, p := range stmt.params {
			fmt.Fprintf(&key, " %d %q %s %t", s.sources[len(s.sources)-1][i], p.Text, p.As.Type.Name, p.As.List)
		}
		a.shape.WriteKey(&key)
	}
	s.key = key.String()
	return s, nil
}

// liveRoot renders a root field, and with it where a stream gets to.
func (r *renderer) liveRoot(root ir.Root, cursor *ir.Cursor) (string, reply) {
	rows, ok := root.(*ir.Select)
	if cursor == nil || !ok {
		return r.root(root)
	}
	q, in := r.SelectRows(sqlrows.Relation{Rows: &rows.Rows}, rows.Fields)
	shape := r.Object(rows.Fields, in, q)
	q.Items = append(q.Items, r.Column(in, cursor.Column))
	return r.Text(q), reply{kind: replyList, shape: shape, check: -1}
}

// sourcesOf are the columns of the parameters of a root.
func (s *liveStatement) sourcesOf(stmt *statement) []int {
	sources := make([]int, len(stmt.params))
	for i, p := range stmt.params {
		if sources[i] = -1; p.Kind == sqltext.ParamLiteral {
			continue
		}
		for at, c := range s.columns {
			if p.sameAs(&c) {
				sources[i] = at
			}
		}
		if sources[i] < 0 {
			sources[i] = len(s.columns)
			s.columns = append(s.columns, p)
		}
	}
	return sources
}

func (p *param) sameAs(c *param) bool {
	return p.Kind == c.Kind && p.Index == c.Index && p.Name == c.Name && p.As.Type.Name == c.As.Type.Name && p.As.List == c.As.List &&
		p.Kind != sqltext.ParamList
}

// SQL is the texts of the root fields, with parameters.
func (s *liveStatement) SQL() string {
	texts := make([]string, len(s.roots))
	for i, root := range s.roots {
		texts[i] = root.text
	}
	return strings.Join(texts, ";\n")
}

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
		if values[i], err = s.columns[i].Resolve(&a, input.ListText); err != nil {
			return nil, err
		}
	}
	return values, nil
}
