package postgres

import (
	"context"
	"errors"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/encode"
	"queryengine/pkg/backend/postgres/rowstream"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/backend/postgres/xid"
	"queryengine/pkg/ir"
)

// Stream implements backend.LiveStreamer.
func (s *liveStatement) Stream() backend.LiveStream {
	if s.stream == nil {
		return nil
	}
	return s.stream
}

// streamOf finds how the rows of a stream are known from changes of its table: they have columns alone, of types whose
// JSON is made from their texts, and a batch is all of the rows past the cursor up to a number. It is nil for others.
func (r *renderer) streamOf(l ir.Live) *rowstream.Stream {
	if l.Cursor == nil || len(l.Roots) != 1 || r.flavor.plain {
		return nil
	}
	s, ok := l.Roots[0].(*ir.Select)
	if !ok || s.One || !s.WithTies || s.Offset != nil || len(s.DistinctOn) > 0 || s.MaxRows < 0 || len(s.OrderBy) != 1 {
		return nil
	}
	table, ok := s.From.(ir.Table)
	order, ordered := s.OrderBy[0].Target.(ir.OrderExpr)
	cursor, plain := order.Expr.(ir.Column)
	if !ok || !ordered || !plain || cursor.Root || cursor.Name != l.Cursor.Column {
		return nil
	}
	find := operandsOf(r.live.params)
	size := find(s.Limit, false)
	if s.Limit == nil {
		size = func([][]byte) ([][]byte, bool) { return [][]byte{nil}, true }
	}
	columns, shape := r.imageShape(s.Fields)
	if size == nil || shape == nil {
		return nil
	}
	return rowstream.New(rowstream.Config{
		Table: table.Name, Where: s.Where, Cursor: cursor, Desc: s.OrderBy[0].Desc, Key: l.Cursor.Key,
		Size: size, Most: s.MaxRows, Find: find, Fields: columns, Shape: shape,
	})
}

// imageShape is how rows are written from the texts of columns, of which shape takes the places; nil where the
// database has to do it.
func (r *renderer) imageShape(fields []ir.Field) (columns []ir.Column, shape func(places []int) *answer.Shape) {
	var cells []answer.Cell
	for _, f := range fields {
		switch v := f.Value.(type) {
		case ir.Typename:
		case ir.Scalar:
			column, ok := v.Expr.(ir.Column)
			cell, written := encode.WrittenCellOf(v.Type, r.stringified(v.Type))
			if !ok || !written || column.Root || column.Type.ID != v.Type.ID {
				return nil, nil
			}
			columns, cells = append(columns, column), append(cells, cell)
		default:
			return nil, nil
		}
	}
	return columns, func(places []int) *answer.Shape {
		var b answer.Builder
		style := answer.StyleOf(fields)
		b.Text("{")
		n := 0
		for i, f := range fields {
			b.Key(i, f.Alias, style)
			if name, ok := f.Value.(ir.Typename); ok {
				b.String(string(name))
				continue
			}
			b.Add(answer.Part{Kind: answer.Value, Column: places[n], Cell: cells[n]})
			n++
		}
		b.Text("}")
		return b.Shape()
	}
}

// seenItem is one more column of the statement of a stream: what it has seen, where it has found nothing.
const seenItem = `CASE WHEN "_f0"."cursor" IS NULL THEN pg_catalog.pg_current_snapshot()::text END AS "seen"`

// QueryStream implements backend.StreamSource.
func (s *Server) QueryStream(ctx context.Context, st backend.LiveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte, seen backend.Snapshot)) error {
	stmt, err := liveOf(st)
	if err != nil {
		return err
	}
	if stmt.seeing == nil {
		return errors.New("a subscription whose rows are known by its statement alone")
	}
	return s.runLive(ctx, liveRun{stmt, stmt.seeing, wire.BinaryResults, cohorts, func(c *wire.Conn, row [][]byte) error {
		last := max(len(row)-1, 0)
		cohort, roots, cursor, err := stmt.cohortOf(row[:last], len(cohorts))
		if err != nil {
			return err
		}
		var seen backend.Snapshot
		// Where the session has another time zone, the database writes instants otherwise than they are in the log.
		if row[last] != nil && (c.UTC() || !stmt.text.zoned) {
			if seen, err = xid.Parse(string(row[last])); err != nil {
				return err
			}
		}
		f(cohort, roots, cursor, seen)
		return nil
	}})
}
