package postgres

import (
	"bytes"
	"context"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// Citus can't join the rows of its nodes to a relation of cohorts, and CockroachDB need not keep the order of rows that an aggregate collects. There, each root field is a query like any other, which is run for one
// cohort after the other.

// cursorMark is between the list of a stream and its cursor; JSON doesn't have it.
const cursorMark = 0

// renderApart renders the root fields of a subscription with the values of one cohort as parameters: they are the variables of the
// statements, in the order of the columns.
func (s *liveStatement) renderApart(d *Dialect, l ir.Live, o backend.RenderOptions, columns *liveColumns) error {
	texts := make([]string, len(l.Roots))
	for i, root := range l.Roots {
		st, err := newStatement(func(m mode) (*rendered, error) {
			r := newRenderer(d, o, m)
			r.Shared = func(p sqltext.Param, as sqltext.As) string {
				return r.Parameter(sqltext.Param{Kind: sqltext.ParamVariable, Index: columns.place(p, as)}, as)
			}
			if l.Cursor == nil {
				return r.finish(r.root(root))
			}
			return r.finish(r.apartStream(root, l.Cursor))
		})
		if err != nil {
			return err
		}
		s.apart, texts[i] = append(s.apart, st), st.SQL()
	}
	s.sql = strings.Join(texts, ";\n")
	return nil
}

// apartStream is a stream with the text of its cursor as one more column.
func (r *renderer) apartStream(root ir.Root, cursor *ir.Cursor) (string, reply) {
	q, shape, _, in := r.RootQuery(root)
	if q == nil || in == nil {
		r.Fail("a stream of %T", root)
		return "", reply{}
	}
	q.Items = append(q.Items, r.Column(in, cursor.Column)+"::text")
	return r.Text(q), reply{kind: replyStream, shape: shape, cursor: len(q.Items) - 1}
}

// runApart is QueryLive with a statement for each root of each cohort.
func (s *Server) runApart(ctx context.Context, stmt *liveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte)) error {
	c, err := s.liveConn(ctx, stmt)
	if err != nil {
		return err
	}
	defer c.Release()
	for i, values := range cohorts {
		roots := make([][]byte, len(stmt.apart))
		var cursor []byte
		for k, root := range stmt.apart {
			bound, err := root.parameters(&backend.Args{Variables: values})
			if err != nil {
				return err
			}
			out := backend.NewAnswer(nil, nil, 0)
			if err := runQuery(ctx, c, root, bound, access{readOnly: stmt.readOnly}, out); err != nil {
				return err
			}
			roots[k] = out.Buf
			if at := bytes.LastIndexByte(out.Buf, cursorMark); stmt.cursor && at >= 0 {
				roots[k], cursor = out.Buf[:at], out.Buf[at+1:]
			}
		}
		f(i, roots, cursor)
	}
	return nil
}

// writeStream appends a list, and the cursor of its last row behind a mark unless there is none.
func writeStream(w *answer.Writer, rows *wire.Result, a *reply, out *backend.Answer) {
	var cursor []byte
	out.Buf = append(out.Buf, '[')
	for first := true; w.Err == nil && rows.Next(); first = false {
		if !first {
			out.Buf = append(out.Buf, answer.Spaced.Comma...)
		}
		row := rows.Row()
		out.Buf = w.Row(out.Buf, a.shape, row)
		cursor = append(cursor[:0], row.Values[a.cursor]...)
	}
	out.Buf = append(out.Buf, ']')
	if cursor != nil {
		out.Buf = append(append(out.Buf, cursorMark), cursor...)
	}
}
