package backendtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// truth is a value of SQL's logic.
type truth int

const (
	unknown truth = iota
	no
	yes
)

func is(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (v truth) not() truth {
	switch v {
	case yes:
		return no
	case no:
		return yes
	}
	return unknown
}

// operatorCase is a condition on a row of tracks with its expected value for each.
type operatorCase struct {
	name string
	exp  ir.BoolExp
	want func(id int, seconds *int, title string) truth
}

// operators compares conditions, and their negations, with values computed in Go for each row. So NULL
// is neither true nor false, whatever the database's own defaults are.
func (x *exercise) operators(t *testing.T, at string) {
	b := x.open(t, Shop()...)
	for _, c := range b.operatorCases() {
		x.sub(t, at, c.name, func(t *testing.T, _ string) {
			for _, negated := range []bool{false, true} {
				exp, want := c.exp, []string{}
				if negated {
					exp = ir.Not{Exp: exp}
				}
				for i := 1; i <= 40; i++ {
					holds := c.want(i, secondsOf(i), fmt.Sprintf("track %d", i))
					if negated {
						holds = holds.not()
					}
					if holds == yes {
						want = append(want, fmt.Sprintf(`{"id":%d}`, i))
					}
				}
				args := backend.Args{Variables: [][]byte{nil, nil}, Session: as("buyer", nil)}
				args.Variables[0] = b.list(b.typeOf("track", "seconds"), "[137, 174]")
				got := b.answer(t, Query{Root: &ir.Select{
					Rows: b.rows("track", func(r *ir.Rows) { r.Where = exp }), Fields: b.fields("track", "id"),
				}, Args: args})
				x.requireAnswer(t, "["+strings.Join(want, ",")+"]", got)
			}
		})
	}
}

func (p Plans) operatorCases() []operatorCase {
	seconds, title, id := p.column("track", "seconds"), p.column("track", "title"), p.column("track", "id")
	number := func(holds func(n int) bool) func(int, *int, string) truth {
		return func(_ int, s *int, _ string) truth {
			if s == nil {
				return unknown
			}
			return is(holds(*s))
		}
	}
	text := func(holds func(s string) bool) func(int, *int, string) truth {
		return func(_ int, _ *int, s string) truth { return is(holds(s)) }
	}
	two := p.number("200")
	literal := ir.Literal{Text: string(p.list(seconds.Type, "[137, 174]")), Type: seconds.Type, List: true}
	listed := ir.Variable{Index: 0, Type: seconds.Type, List: true}
	in := func(n int) bool { return slices.Contains([]int{137, 174}, n) }
	return []operatorCase{
		{"_eq", compare(seconds, ir.OpEq, p.number("137")), number(func(n int) bool { return n == 137 })},
		{"_neq", compare(seconds, ir.OpNeq, p.number("137")), number(func(n int) bool { return n != 137 })},
		{"_gt", compare(seconds, ir.OpGt, two), number(func(n int) bool { return n > 200 })},
		{"_gte", compare(seconds, ir.OpGte, p.number("211")), number(func(n int) bool { return n >= 211 })},
		{"_lt", compare(seconds, ir.OpLt, two), number(func(n int) bool { return n < 200 })},
		{"_lte", compare(seconds, ir.OpLte, p.number("211")), number(func(n int) bool { return n <= 211 })},
		{"_in", compare(seconds, ir.OpIn, literal), number(in)},
		{"_in bound", compare(seconds, ir.OpIn, listed), number(in)},
		{"_nin", compare(seconds, ir.OpNin, literal), number(func(n int) bool { return !in(n) })},
		{"_nin bound", compare(seconds, ir.OpNin, listed), number(func(n int) bool { return !in(n) })},
		{"_like", compare(title, "_like", given(title, "track 1_")), text(func(s string) bool { return len(s) == 8 && strings.HasPrefix(s, "track 1") })},
		{"_nlike", compare(title, "_nlike", given(title, "%1%")), text(func(s string) bool { return !strings.Contains(s, "1") })},
		{"_is_null", ir.IsNull{Expr: seconds}, func(_ int, s *int, _ string) truth { return is(s == nil) }},
		{"is not null", ir.IsNull{Expr: seconds, Not: true}, func(_ int, s *int, _ string) truth { return is(s != nil) }},
		{"columns", ir.CompareColumn{Left: seconds, Op: ir.OpGt, Right: id}, func(id int, s *int, _ string) truth {
			if s == nil {
				return unknown
			}
			return is(*s > id)
		}},
		{"null safe _eq", nullSafe(seconds, ir.OpEq), func(_ int, s *int, _ string) truth {
			if s == nil {
				return yes
			}
			return unknown
		}},
		{"null safe _neq", nullSafe(seconds, ir.OpNeq), func(_ int, s *int, _ string) truth {
			if s == nil {
				return unknown
			}
			return yes
		}},
		{"and", ir.And{Exps: []ir.BoolExp{compare(seconds, ir.OpGt, two), compare(id, ir.OpLt, p.number("20"))}}, func(id int, s *int, _ string) truth {
			switch {
			case id >= 20:
				return no
			case s == nil:
				return unknown
			}
			return is(*s > 200)
		}},
		{"or", ir.Or{Exps: []ir.BoolExp{compare(seconds, ir.OpGt, two), compare(id, ir.OpLt, p.number("20"))}}, func(id int, s *int, _ string) truth {
			switch {
			case id < 20:
				return yes
			case s == nil:
				return unknown
			}
			return is(*s > 200)
		}},
		{"true", ir.And{}, func(int, *int, string) truth { return yes }},
		{"false", ir.Or{}, func(int, *int, string) truth { return no }},
	}
}

// nullSafe compares with a NULL that is bound.
func nullSafe(c ir.Column, op ir.Op) ir.BoolExp {
	return ir.Compare{Left: c, Op: op, Args: []ir.Value{bound(1, c.Type)}, NullSafe: true}
}

// secondsOf is how long a track is; nil if unknown.
func secondsOf(id int) *int {
	if id%5 == 0 {
		return nil
	}
	n := 100 + id*37%300
	return &n
}
