package mssql

import (
	"context"
	"fmt"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
)

// QueryLive runs a subscription once for all cohorts, in one round trip.
func (s *Source) QueryLive(ctx context.Context, st backend.LiveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte)) error {
	stmt, err := liveOf(st)
	if err != nil {
		return err
	}
	values, err := stmt.values(cohorts)
	if err != nil {
		return err
	}
	c, err := s.liveConn(ctx, stmt)
	if err != nil {
		return err
	}
	defer c.release()
	w := answer.Writer{Format: format{}}
	roots := make([][]byte, len(stmt.roots))
	var buffer []byte
	sent, first := time.Now(), time.Time{}
	_, err = c.rows(ctx, c.pool.endpoint.isolated(stmt.text), values, func(row answer.Cells) error {
		if first.IsZero() {
			first = time.Now()
		}
		cohort, err := countOf(row)
		if err != nil || cohort < 0 || cohort >= int64(len(cohorts)) || len(row.Values) <= len(stmt.roots) {
			return fmt.Errorf("the answer for cohort %q is none: %w", row.Values[0], err)
		}
		buffer = buffer[:0]
		for i := range stmt.roots {
			begin := len(buffer)
			buffer = stmt.appendRoot(&w, buffer, i, row.Values[1+i])
			if w.Err != nil {
				return w.Err
			}
			// The buffer may move while it grows; what was written stays where it is.
			roots[i] = buffer[begin:len(buffer):len(buffer)]
		}
		f(int(cohort), roots, stmt.cursorOf(row.Values[1]))
		return nil
	})
	if err == nil {
		c.answered(sent, first)
	}
	return queryError(ctx, err, executed{SQL: stmt.text})
}

// liveConn is a connection for a run of a subscription: to its replica, or to the next one as long as that can't be reached.
func (s *Source) liveConn(ctx context.Context, stmt *liveStatement) (c *conn, err error) {
	n := len(s.readers)
	first := backend.ReplicaFor(stmt.text, n)
	for i := range n {
		c, err = s.readers[(first+i)%n].acquire(ctx)
		if err == nil || ctx.Err() != nil || apierror.From(err).Code != apierror.MSSQLError {
			break
		}
	}
	return c, err
}

// CheckLive checks that the values of a cohort are values of their types: the database reads them, and
// discards the rows.
func (s *Source) CheckLive(ctx context.Context, st backend.LiveStatement, cohort [][]byte) error {
	return s.QueryLive(ctx, st, [][][]byte{cohort}, func(int, [][]byte, []byte) {})
}

// ExplainLive gives the lines of the database's plan for one cohort.
func (s *Source) ExplainLive(ctx context.Context, st backend.LiveStatement, cohort [][]byte) (plan []string, err error) {
	stmt, err := liveOf(st)
	if err != nil {
		return nil, err
	}
	values, err := stmt.values([][][]byte{cohort})
	if err != nil {
		return nil, err
	}
	return s.plan(ctx, stmt.text, values)
}

func liveOf(st backend.LiveStatement) (*liveStatement, error) {
	s, ok := st.(*liveStatement)
	if !ok {
		return nil, fmt.Errorf("not a statement of SQL Server: %T", st)
	}
	return s, nil
}
