package postgres

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/ir"
)

// single has all statements of a source on one connection, which counts how often they run.
func single(e *schedule.Endpoint) { e.MaxConnections = 1 }

// runs is how often the connection of a source with a single one has run statements that read a relation.
func (s *sharing) runs(t *testing.T, relation string) int {
	t.Helper()
	c, err := s.source.primary.Acquire(t.Context())
	require.NoError(t, err)
	defer c.Release()
	r := c.PG.ExecParams(t.Context(), `SELECT coalesce(sum(generic_plans + custom_plans), 0)::text FROM pg_prepared_statements WHERE strpos(statement, $1) > 0`,
		[][]byte{[]byte(`"` + relation + `"`)}, nil, nil, nil).Read()
	require.NoError(t, r.Err)
	n, err := strconv.Atoi(string(r.Rows[0][0]))
	require.NoError(t, err)
	return n
}

// of starts a statement with arguments.
func (s *sharing) of(ctx context.Context, st backend.Statement, a backend.Args) func() reading {
	return func() reading { return s.start(ctx, st, a) }
}

// storedRows reads the keys of a table that is stored.
func storedRows(t *testing.T, name string) backend.Statement {
	t.Helper()
	return statementOf(t, &ir.Select{Rows: ir.Rows{From: stored(name)}, Fields: []ir.Field{idField}})
}

// TestSharedEqual: of equal statements with equal parameters one is sent, and each request has an answer of its own.
func TestSharedEqual(t *testing.T) {
	t.Parallel()
	s := newSharing(t, single)
	ids := []string{"1", "2", "1", "1", "3", "2", "1", "1"}
	for range 2 { // not prepared in a round trip yet, and prepared
		before := s.runs(t, "n")
		starts := make([]func() reading, len(ids))
		for i, id := range ids {
			starts[i] = s.read(id)
		}
		list, release := s.together(t, starts...)
		release()
		for i, id := range ids {
			list[i].require(t, `[{"v":`+id+`0}]`)
		}
		require.Equal(t, before+3, s.runs(t, "n"))
	}
	require.Equal(t, map[string]int{"answered": 6, "equal": 10, "alone": 0}, s.outcomes(t))
	require.Equal(t, uint64(1+2*(len(ids)+1+2)), s.waits(t), "each has waited for a connection once, and so have the counts")
}

// TestSharedEqualNot: what isn't known to be the same for several is sent for each: other parameters, another plan for the
// same text, and what reads more than stored rows.
func TestSharedEqualNot(t *testing.T) {
	t.Parallel()
	s := newSharing(t, single)
	s.exec(t, `CREATE SEQUENCE drawn; CREATE VIEW draw AS SELECT nextval('drawn') AS id`)
	draw := statementOf(t, &ir.Select{Rows: table("draw"), Fields: []ir.Field{field("id", int8Type)}})
	related := statementOf(t, &ir.Select{
		Rows: ir.Rows{From: stored("n"), Where: ir.And{Exps: []ir.BoolExp{
			equals("id", int4Type, number4("1")), ir.Exists{From: ir.Table{Name: public("draw")}},
		}}},
		Fields: []ir.Field{idField},
	})
	list, release := s.together(t, s.of(t.Context(), draw, backend.Args{}), s.of(t.Context(), draw, backend.Args{}),
		s.of(t.Context(), related, backend.Args{}), s.of(t.Context(), related, backend.Args{}))
	release()
	list[0].require(t, `[{"id":1}]`)
	list[1].require(t, `[{"id":2}]`)
	list[2].require(t, `[{"id":1}]`)
	list[3].require(t, `[{"id":1}]`)

	named := statementOf(t, &ir.Select{Rows: ir.Rows{From: stored("n"), Where: equals("id", int4Type, number4("1"))}, Fields: []ir.Field{{
		Alias: "one", Value: ir.Scalar{Expr: ir.Column{Name: "v", Type: int4Type}, Type: int4Type},
	}}})
	other := statementOf(t, &ir.Select{Rows: ir.Rows{From: stored("n"), Where: equals("id", int4Type, number4("1"))}, Fields: []ir.Field{{
		Alias: "other", Value: ir.Scalar{Expr: ir.Column{Name: "v", Type: int4Type}, Type: int4Type},
	}}})
	require.Equal(t, named.SQL(), other.SQL())
	list, release = s.together(t, s.of(t.Context(), named, backend.Args{}), s.of(t.Context(), other, backend.Args{}))
	release()
	list[0].require(t, `[{"one":10}]`)
	list[1].require(t, `[{"other":10}]`)

	s.exec(t, `CREATE TABLE word (id text); INSERT INTO word VALUES ('')`)
	key := ir.Variable{Type: textType}
	word := statementOf(t, &ir.Select{
		Rows:   ir.Rows{From: stored("word"), Where: equals("id", textType, key)},
		Fields: []ir.Field{field("id", textType)},
	})
	list, release = s.together(t, s.of(t.Context(), word, backend.Args{Variables: [][]byte{nil}}), s.of(t.Context(), word, backend.Args{Variables: [][]byte{{}}}))
	release()
	list[0].require(t, `[]`)
	list[1].require(t, `[{"id":""}]`)
	require.Zero(t, s.outcomes(t)["equal"])
}

// TestSharedEqualErrors: an error is that of all that asked for the same.
func TestSharedEqualErrors(t *testing.T) {
	t.Parallel()
	s := newSharing(t, single)
	for range 2 {
		list, release := s.together(t, s.read("abc"), s.read("1"), s.read("abc"), s.read("99999999999"), s.read("1"), s.read("99999999999"))
		release()
		for i, want := range map[int]string{0: `invalid input syntax for type integer: "abc"`, 2: `invalid input syntax for type integer: "abc"`, 3: "out of range", 5: "out of range"} {
			require.Empty(t, <-list[i].answer)
			require.ErrorContains(t, <-list[i].err, want)
		}
		list[1].require(t, `[{"v":10}]`)
		list[4].require(t, `[{"v":10}]`)
	}
	require.Equal(t, map[string]int{"answered": 2, "equal": 2, "alone": 0}, s.outcomes(t), "errors aren't counted")
}

// TestSharedEqualCancellation: a request that ends leaves those that asked for the same alone, and the statement is cancelled when the
// last one of them has ended.
func TestSharedEqualCancellation(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	held := storedRows(t, "held")
	for gone := range 3 {
		var starts []func() reading
		var cancels []context.CancelFunc
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			starts, cancels = append(starts, s.of(ctx, held, backend.Args{})), append(cancels, cancel)
		}
		list, release := s.together(t, starts...)
		unlock := s.lock(t, "held")
		release()
		s.blocked(t, "1")
		cancels[gone]()
		require.ErrorIs(t, <-list[gone].err, context.Canceled)
		s.blocked(t, "1")
		unlock()
		for i := range list {
			if i != gone {
				list[i].require(t, `[{"id":1}]`)
			}
		}
	}
	require.Equal(t, 3, s.outcomes(t)["equal"])

	s.sharer.Within = 25 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	list, release := s.together(t, s.of(ctx, held, backend.Args{}), s.of(ctx, held, backend.Args{}))
	unlock := s.lock(t, "held")
	release()
	s.blocked(t, "1")
	cancel()
	require.ErrorIs(t, <-list[0].err, context.Canceled)
	require.ErrorIs(t, <-list[1].err, context.Canceled)
	s.quiet(t)
	unlock()

	// Before it is sent, the first one only goes.
	gone, leave := context.WithCancel(t.Context())
	list, release = s.together(t, s.of(gone, s.one, key1("1")), s.read("1"), s.read("1"))
	leave()
	require.ErrorIs(t, <-list[0].err, context.Canceled)
	release()
	list[1].require(t, `[{"v":10}]`)
	list[2].require(t, `[{"v":10}]`)
}

// TestSharedEqualBehindLock: of those in a round trip whose first waits for a lock, its equals wait with it, and the others
// run alone.
func TestSharedEqualBehindLock(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	s.sharer.Within = 25 * time.Millisecond
	held := s.of(t.Context(), storedRows(t, "held"), backend.Args{})
	list, release := s.together(t, s.read("1"), held, s.read("2"), held, s.read("1"), s.read("2"))
	unlock := s.lock(t, "held")
	release()
	for i, want := range map[int]string{0: `10`, 2: `20`, 4: `10`, 5: `20`} {
		list[i].require(t, `[{"v":`+want+`}]`)
	}
	s.blocked(t, "1")
	require.Equal(t, map[string]int{"answered": 1, "equal": 1, "alone": 2}, s.outcomes(t))
	unlock()
	list[1].require(t, `[{"id":1}]`)
	list[3].require(t, `[{"id":1}]`)
	s.quiet(t)
}

// TestSharedEqualLargeAnswer: an answer that is too large to be kept is read alone by each that asked for it.
func TestSharedEqualLargeAnswer(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	rows := backend.Args{Variables: texts("2000")}
	large := answerOf(t, s.source, s.many, rows)
	require.Greater(t, len(large), 4*maxKept)
	list, release := s.together(t, s.read("1"), s.of(t.Context(), s.many, rows), s.of(t.Context(), s.many, rows), s.read("1"))
	release()
	list[0].require(t, `[{"v":10}]`)
	list[1].require(t, large)
	list[2].require(t, large)
	list[3].require(t, `[{"v":10}]`)
	s.quiet(t)
}

// TestSharedEqualAgain: what has to run again runs alone for each: a statement that is out of date, and one whose connection
// is lost.
func TestSharedEqualAgain(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	s.exec(t, `ALTER TABLE n ALTER COLUMN v TYPE int8`)
	for range 2 {
		list, release := s.together(t, s.read("1"), s.read("1"), s.read("2"))
		release()
		list[0].require(t, `[{"v":10}]`)
		list[1].require(t, `[{"v":10}]`)
		list[2].require(t, `[{"v":20}]`)
	}

	held := s.of(t.Context(), storedRows(t, "held"), backend.Args{})
	list, release := s.together(t, held, held, s.read("1"))
	unlock := s.lock(t, "held")
	release()
	s.blocked(t, "1")
	require.Equal(t, "true", s.text(t, `SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`))
	list[2].require(t, `[{"v":10}]`)
	s.blocked(t, "2")
	unlock()
	list[0].require(t, `[{"id":1}]`)
	list[1].require(t, `[{"id":1}]`)
}
