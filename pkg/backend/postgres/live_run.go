package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
)

// QueryLive runs a subscription once for all cohorts.
func (s *Server) QueryLive(ctx context.Context, st backend.LiveStatement, cohorts [][][]byte, f func(cohort int, roots [][]byte, cursor []byte)) error {
	stmt, err := liveOf(st)
	if err != nil {
		return err
	}
	if stmt.apart != nil {
		return s.runApart(ctx, stmt, cohorts, f)
	}
	return s.runLive(ctx, liveRun{stmt, stmt.text, wire.BinaryResults, cohorts, func(_ *wire.Conn, row [][]byte) error {
		cohort, roots, cursor, err := stmt.cohortOf(row, len(cohorts))
		if err == nil {
			f(cohort, roots, cursor)
		}
		return err
	}})
}

// cohortOf reads a row of the result for a number of cohorts.
func (s *liveStatement) cohortOf(row [][]byte, cohorts int) (cohort int, roots [][]byte, cursor []byte, err error) {
	if len(row) != s.width() || len(row[0]) != 4 {
		return 0, nil, nil, fmt.Errorf("a row of %d columns", len(row))
	}
	if cohort = int(binary.BigEndian.Uint32(row[0])); cohort >= cohorts {
		return 0, nil, nil, fmt.Errorf("a row for cohort %d of %d", cohort, cohorts)
	}
	if s.cursor {
		cursor = row[1+s.roots]
	}
	roots, err = s.seal(row[1 : 1+s.roots])
	return cohort, roots, cursor, err
}

// CheckLive has the database read the values of a cohort, and nothing else.
func (s *Server) CheckLive(ctx context.Context, st backend.LiveStatement, cohort [][]byte) error {
	stmt, err := liveOf(st)
	if err != nil || len(stmt.columns) == 0 {
		return err
	}
	return s.runLive(ctx, liveRun{stmt, stmt.check, nil, [][][]byte{cohort}, func(*wire.Conn, [][]byte) error { return nil }})
}

// passing matches texts whose value as a time depends on when PostgreSQL reads them.
var passing = regexp.MustCompile(`(?i)now|today|tomorrow|yesterday`)

// StreamStart reads "now" and its like once, as an instant.
func (s *Server) StreamStart(ctx context.Context, st backend.LiveStatement, cohort [][]byte) (start []byte, err error) {
	stmt, err := liveOf(st)
	if err != nil || stmt.start == nil || !passing.Match(cohort[stmt.startAt]) {
		return nil, err
	}
	err = s.runLive(ctx, liveRun{stmt, stmt.start, nil, [][][]byte{cohort}, func(_ *wire.Conn, row [][]byte) error {
		start = bytes.Clone(row[0])
		return nil
	}})
	return start, err
}

// ExplainLive gives the lines of the database's plan.
func (s *Server) ExplainLive(ctx context.Context, st backend.LiveStatement, cohort [][]byte) (plan []string, err error) {
	stmt, err := liveOf(st)
	if err != nil {
		return nil, err
	}
	if stmt.apart != nil {
		for _, root := range stmt.apart {
			_, lines, err := s.Explain(ctx, root, backend.Args{Variables: cohort})
			if err != nil {
				return nil, err
			}
			plan = append(plan, lines...)
		}
		return plan, nil
	}
	own := *stmt
	own.readOnly = true // as in Explain
	err = s.runLive(ctx, liveRun{&own, stmt.explain, nil, [][][]byte{cohort}, func(_ *wire.Conn, row [][]byte) error {
		plan = append(plan, string(row[0]))
		return nil
	}})
	return plan, err
}

func liveOf(st backend.LiveStatement) (*liveStatement, error) {
	stmt, ok := st.(*liveStatement)
	if !ok {
		return nil, fmt.Errorf("not a statement of PostgreSQL: %T", st)
	}
	return stmt, nil
}

// width is the number of columns of a result.
func (s *liveStatement) width() int {
	if s.cursor {
		return 2 + s.roots
	}
	return 1 + s.roots
}

// liveConn is a connection for a run of a subscription: to its replica, or to the next one as long as that can't be reached.
func (s *Server) liveConn(ctx context.Context, stmt *liveStatement) (c *wire.Conn, err error) {
	n := len(s.replicas)
	if n == 0 {
		return s.primary.Acquire(ctx)
	}
	first := backend.ReplicaFor(stmt.text.SQL, n)
	for i := range n {
		c, err = s.replicas[(first+i)%n].Acquire(ctx)
		if err == nil || ctx.Err() != nil || apierror.From(err).Code != apierror.PostgresError {
			break
		}
	}
	return c, err
}

// liveRun is a run of one of the texts of a subscription.
type liveRun struct {
	stmt    *liveStatement
	text    *rendered
	formats []int16
	cohorts [][][]byte
	// row gets each row.
	row func(c *wire.Conn, row [][]byte) error
}

// runLive runs a text for all cohorts, on one connection; those that set something else in a transaction of their own.
func (s *Server) runLive(ctx context.Context, r liveRun) error {
	c, err := s.liveConn(ctx, r.stmt)
	if err != nil {
		return err
	}
	defer c.Release()
	for _, members := range r.stmt.bySession(r.cohorts) {
		in := access{readOnly: r.stmt.readOnly}
		if r.stmt.session != nil {
			in.ahead = r.stmt.session.ahead(r.cohorts[members[0]][len(r.stmt.columns):], in.ahead)
		}
		if err := r.on(ctx, c, members, in); err != nil {
			return err
		}
	}
	return nil
}

// bySession are the indexes of the cohorts, in lists of those that set the same.
func (s *liveStatement) bySession(cohorts [][][]byte) [][]int {
	var lists [][]int
	places := map[string]int{}
	for i, values := range cohorts {
		key := ""
		if s.session != nil {
			key = string(bytes.Join(values[len(s.columns):], []byte{0})) // PostgreSQL has no NUL in settings
		}
		place, ok := places[key]
		if !ok {
			place = len(lists)
			places[key], lists = place, append(lists, nil)
		}
		lists[place] = append(lists[place], i)
	}
	return lists
}

// on runs a text for some cohorts; again where a prepared statement is out of date.
func (r *liveRun) on(ctx context.Context, c *wire.Conn, members []int, in access) error {
	text, f := r.text, r.row
	values := r.stmt.arguments(text, r.cohorts, members)
	for attempt := 0; ; attempt++ {
		res, err := c.Execute(ctx, in.of(wire.Execution{Text: &text.Text, Values: values, Formats: r.formats}))
		rows := 0
		if err == nil {
			for res.Next() {
				rows++
				if fault := f(c, res.Reader.Values()); fault != nil && err == nil {
					err = apierror.New(apierror.Unexpected, "database query error").WithInternal(fault.Error())
				}
			}
			if closed := res.Close(); err == nil {
				err = closed
			}
		}
		if err == nil {
			return nil
		}
		again := rows == 0 && c.Renew(ctx, err, text.SQL, attempt)
		if in.readOnly {
			c.Rollback(ctx)
		}
		if !again {
			return runError(ctx, c, readOnlyError(err, in.readOnly, text, values), text, values)
		}
	}
}

// arguments are the parameters of a text: its constants, the numbers of some of the cohorts, and an
// array for each of their values.
func (s *liveStatement) arguments(text *rendered, cohorts [][][]byte, members []int) [][]byte {
	values := make([][]byte, 0, len(text.params)+1+len(s.columns))
	for i := range text.params {
		values = append(values, text.params[i].Text)
	}
	ids := []byte{'{'}
	for i, at := range members {
		if i > 0 {
			ids = append(ids, ',')
		}
		ids = strconv.AppendInt(ids, int64(at), 10)
	}
	values = append(values, append(ids, '}'))
	column := make([][]byte, len(members))
	for i := range s.columns {
		for j, at := range members {
			column[j] = cohorts[at][i]
		}
		values = append(values, quote.Array(column))
	}
	return values
}
