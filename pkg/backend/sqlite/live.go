package sqlite

import (
	"context"
	"fmt"

	"queryengine/pkg/backend"
)

// QueryLive runs a subscription once for all cohorts, all in one snapshot. A call of the database costs
// no round trip, so there is a run of each root field for each cohort, of statements that stay prepared.
func (s *Source) QueryLive(ctx context.Context, st backend.LiveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte)) error {
	stmt, err := liveOf(st)
	if err != nil {
		return err
	}
	c, err := s.read.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.read.release(c)
	if err := c.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	defer c.rollback()
	roots := make([][]byte, len(stmt.roots))
	out := backend.NewAnswer(nil, nil, 0)
	for i, cohort := range cohorts {
		out.Buf = out.Buf[:0]
		var cursor []byte
		for j := range stmt.roots {
			begin := len(out.Buf)
			at, err := c.liveRoot(ctx, stmt, j, cohort, out)
			if err != nil {
				return err
			}
			// The buffer may move while it grows; what was written stays where it is.
			roots[j] = out.Buf[begin:len(out.Buf):len(out.Buf)]
			if j == 0 {
				cursor = at
			}
		}
		f(i, roots, cursor)
	}
	return nil
}

// liveRoot runs one root field for one cohort and appends its JSON to out. The cursor is nil unless the
// field is the one of a stream, and has rows.
func (c *conn) liveRoot(ctx context.Context, stmt *liveStatement, root int, cohort [][]byte, out *backend.Answer) (cursor []byte, err error) {
	values, err := stmt.values(root, cohort)
	if err != nil {
		return nil, err
	}
	if stmt.cursor && root == 0 {
		c.cursor = &cursor
		defer func() { c.cursor = nil }()
	}
	err = c.query(ctx, stmt.roots[root], &backend.Args{}, values, out)
	return cursor, err
}

// values are the parameters of a root field for a cohort, as they are bound.
func (s *liveStatement) values(root int, cohort [][]byte) ([]value, error) {
	params := s.roots[root].params
	values := make([]value, len(params))
	for i := range params {
		text := params[i].Text
		if from := s.sources[root][i]; from >= 0 {
			text = cohort[from]
		}
		var err error
		if values[i], err = params[i].value(text); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// CheckLive checks that the values of a cohort are values of their types.
func (s *Source) CheckLive(_ context.Context, st backend.LiveStatement, cohort [][]byte) error {
	stmt, err := liveOf(st)
	if err != nil {
		return err
	}
	for root := range stmt.roots {
		if _, err := stmt.values(root, cohort); err != nil {
			return err
		}
	}
	return nil
}

// ExplainLive gives the lines of the database's plan, root field by root field.
func (s *Source) ExplainLive(ctx context.Context, st backend.LiveStatement, cohort [][]byte) (plan []string, err error) {
	stmt, err := liveOf(st)
	if err != nil {
		return nil, err
	}
	c, err := s.read.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer s.read.release(c)
	for root := range stmt.roots {
		values, err := stmt.values(root, cohort)
		if err != nil {
			return nil, err
		}
		lines, err := c.plan(ctx, stmt.roots[root].text, values)
		if err != nil {
			return nil, err
		}
		plan = append(plan, lines...)
	}
	return plan, nil
}

func liveOf(st backend.LiveStatement) (*liveStatement, error) {
	s, ok := st.(*liveStatement)
	if !ok {
		return nil, fmt.Errorf("not a statement of SQLite: %T", st)
	}
	return s, nil
}
