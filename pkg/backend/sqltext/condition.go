package sqltext

import (
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/ir/rewrite"
)

// Condition renders a condition on the row; nil is true.
func (r *Renderer) Condition(e ir.BoolExp, in *Scope) string {
	if text, ok := r.Strategy.OwnCondition(e, in); ok {
		return text
	}
	switch e := e.(type) {
	case nil:
		return r.Spelling.Bool(true)
	case ir.And:
		return r.Conjunction(r.conditions(e.Exps, in))
	case ir.Or:
		return r.Disjunction(r.conditions(e.Exps, in))
	case ir.Not:
		return "NOT (" + r.Condition(e.Exp, in) + ")"
	case ir.Rule:
		return r.Condition(e.Exp, in.AtRoot())
	case ir.Compare:
		return r.compare(e, r.compared(e.Left, in))
	case ir.CompareColumn:
		return r.comparison(e.Op, r.compared(e.Left, in), r.compared(e.Right, in), e.NullSafe)
	case ir.IsNull:
		return IsNull(r.Expr(e.Expr, in), !e.Not)
	case ir.Exists:
		return r.exists(e, in)
	case ir.AggregateCompare:
		return r.aggregateCompare(e, in)
	}
	r.Fail("unknown condition %T", e)
	return r.Spelling.Bool(false)
}

func (r *Renderer) conditions(exps []ir.BoolExp, in *Scope) []string {
	texts := make([]string, len(exps))
	for i, e := range exps {
		texts[i] = r.Condition(e, in)
	}
	return texts
}

// Conjunction joins conditions, none of which is an OR without parentheses.
func (r *Renderer) Conjunction(terms []string) string { return conjunction(r.Spelling, terms) }

func conjunction(s Spelling, terms []string) string {
	always := s.Bool(true)
	kept := make([]string, 0, len(terms))
	for _, t := range terms {
		if t != always && t != "" {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return always
	}
	return strings.Join(kept, " AND ")
}

// Disjunction is a condition that holds when one of the terms does.
func (r *Renderer) Disjunction(terms []string) string {
	switch len(terms) {
	case 0:
		return r.Spelling.Bool(false)
	case 1:
		return terms[0]
	}
	return "(" + strings.Join(terms, " OR ") + ")"
}

// IsNull is the condition that a value is NULL, or with yes false that it is not.
func IsNull(left string, yes bool) string {
	if yes {
		return left + " IS NULL"
	}
	return left + " IS NOT NULL"
}

func (r *Renderer) compare(c ir.Compare, left string) string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = r.Value(a)
	}
	if c.NullSafe && len(args) == 1 && nullable(c.Args[0]) {
		return r.comparison(c.Op, left, args[0], true)
	}
	return r.template(c.Op, left, args)
}

// compared is a value that is compared. Databases have operators for enums, but none for domains over them.
func (r *Renderer) compared(e ir.Expr, in *Scope) string {
	text := r.Expr(e, in)
	if c, ok := e.(ir.Column); ok && c.Type.Kind == catalog.TypeEnum && c.Type.Domain != nil && !c.Type.IsArray() {
		return r.Spelling.Cast(text, c.Type)
	}
	return text
}

// comparison compares two values. A null-safe one takes two NULLs as equal, and for _neq
// NULL as different from a value, as rules on nullable columns do.
func (r *Renderer) comparison(op ir.Op, left, right string, nullSafe bool) string {
	plain := r.template(op, left, []string{right})
	switch {
	case nullSafe && op == ir.OpEq:
		return r.Disjunction([]string{plain, left + " IS NULL AND " + right + " IS NULL"})
	case nullSafe && op == ir.OpNeq:
		return r.Disjunction([]string{plain, left + " IS NOT NULL AND " + right + " IS NULL"})
	}
	return plain
}

// template fills in the template of an operator.
func (r *Renderer) template(op ir.Op, left string, args []string) string {
	row := r.Spelling.Operator(op)
	if row == nil {
		r.Fail("unknown operator %q", op)
		return r.Spelling.Bool(false)
	}
	text, ok := Fill(row.SQL, left, args)
	if !ok {
		r.Fail("operator %q has %d operands, which isn't enough", op, len(args))
	}
	return text
}

// Fill fills in a template: $l is left, $1 the first argument, $* all of them.
func Fill(template, left string, args []string) (text string, ok bool) {
	var b strings.Builder
	ok = true
	for rest := template; ; {
		i := strings.IndexByte(rest, '$')
		if i < 0 || i+1 == len(rest) {
			b.WriteString(rest)
			return b.String(), ok
		}
		b.WriteString(rest[:i])
		switch c := rest[i+1]; {
		case c == 'l':
			b.WriteString(left)
		case c == '*':
			b.WriteString(strings.Join(args, ", "))
		case c >= '1' && int(c-'0') <= len(args):
			b.WriteString(args[c-'1'])
		default:
			ok = false
		}
		rest = rest[i+2:]
	}
}

// exists asks for a related row.
func (r *Renderer) exists(e ir.Exists, in *Scope) string {
	inner := in.Nested(r.Alias())
	from := r.From(e.From, in)
	where := r.Joined(e.Join, in, inner)
	inner.Known = rewrite.Know(e.From, e.Where)
	where = append(where, r.Condition(r.Open(e.Where, e.Join, in), inner))
	return "EXISTS (SELECT 1 FROM " + from + " AS " + inner.Alias + r.Where(where) + ")"
}

// Open is what is left to ask of the rows that join leads to from outer.
func (r *Renderer) Open(where ir.BoolExp, join []ir.JoinPair, outer *Scope) ir.BoolExp {
	return rewrite.Open(where, join, outer.certain())
}

// Joined are the conditions that join the rows of inner to the one of outer.
func (r *Renderer) Joined(join []ir.JoinPair, outer, inner *Scope) []string {
	terms := make([]string, 0, len(join)+1)
	for _, p := range join {
		terms = append(terms, r.Column(inner, p.Inner)+" = "+r.Column(outer, p.Outer))
	}
	return terms
}

// Where is the clause of conditions that all hold, empty when they always do.
func (r *Renderer) Where(terms []string) string { return Where(r.Spelling, terms) }

// Where is the clause of conditions that all hold, as a dialect spells it; empty when they always
// do.
func Where(s Spelling, terms []string) string {
	if c := conjunction(s, terms); c != s.Bool(true) {
		return " WHERE " + c
	}
	return ""
}

// aggregateCompare compares an aggregate of related rows.
func (r *Renderer) aggregateCompare(e ir.AggregateCompare, in *Scope) string {
	condition, from := r.AggregateComparison(e, in)
	return "(SELECT " + condition + from + ")"
}

// AggregateComparison is the condition on an aggregate of related rows, and which rows these are, from FROM on.
func (r *Renderer) AggregateComparison(e ir.AggregateCompare, in *Scope) (condition, from string) {
	inner := in.Nested(r.Alias()).Aggregated()
	value := r.AggregateCall(e.Function, e.Distinct, e.Args, inner)
	terms := make([]string, 0, len(e.Predicate)+1)
	for _, p := range e.Predicate {
		terms = append(terms, r.compare(p, value))
	}
	if e.Null != nil {
		terms = append(terms, IsNull(value, *e.Null))
	}
	where := append(r.Joined(e.Join, in, inner), r.Condition(r.Open(e.Filter, e.Join, in), inner))
	return r.Conjunction(terms), " FROM " + r.From(e.From, in) + " AS " + inner.Alias + inner.applied() + r.Where(where)
}
