package postgres

import (
	"strconv"
	"strings"

	"queryengine/pkg/ir"
	"queryengine/pkg/ir/rewrite"
)

// scope is a row that expressions are computed from.
type scope struct {
	alias string
	// root is the row that the "$" of a rule means; nil is this one.
	root *scope
	// marker, when set, is NULL where there is no row: the relation was joined, and a
	// function of the row must not be called without one.
	marker string
	// inner is the sub-select that the row comes from, if it does. A row of a sub-select has
	// no type of its own, so a function that takes the row of a table gets it as a column.
	inner *selection
	// known is what is certain of the row.
	known rewrite.Known
	// sets is how functions that return any number of values are called.
	sets setCalls
}

func (s *scope) column(name string) string { return s.alias + "." + quoteName(name) }

// row is the whole row as a value.
func (s *scope) row() string {
	if s.inner == nil {
		return s.alias
	}
	s.inner.exposeRow()
	return s.alias + "." + quoteName(rowColumn)
}

func (s *scope) rootRow() *scope {
	if s.root != nil {
		return s.root
	}
	return s
}

// certain is what is known of the row; nil where there is no row.
func (s *scope) certain() *rewrite.Known {
	if s == nil {
		return nil
	}
	return &s.known
}

// nested is the scope of another relation, inside an expression on s.
func (s *scope) nested(alias string) *scope { return &scope{alias: alias, root: s.rootRow()} }

// truth of conditions without operands.
const (
	sqlTrue  = "TRUE"
	sqlFalse = "FALSE"
)

// condition renders a condition on the row; nil is true.
func (r *renderer) condition(e ir.BoolExp, in *scope) string {
	switch e := e.(type) {
	case nil:
		return sqlTrue
	case ir.And:
		return conjunction(r.conditions(e.Exps, in))
	case ir.Or:
		return disjunction(r.conditions(e.Exps, in))
	case ir.Not:
		return "NOT (" + r.condition(e.Exp, in) + ")"
	case ir.Rule:
		own := *in
		own.root = nil
		return r.condition(e.Exp, &own)
	case ir.Compare:
		return r.compare(e, r.expr(e.Left, in))
	case ir.CompareColumn:
		return r.comparison(e.Op, r.expr(e.Left, in), r.expr(e.Right, in), e.NullSafe)
	case ir.IsNull:
		return isNull(r.expr(e.Expr, in), !e.Not)
	case ir.Exists:
		return r.exists(e, in)
	case ir.AggregateCompare:
		return r.aggregateCompare(e, in)
	}
	r.fail("unknown condition %T", e)
	return sqlFalse
}

func (r *renderer) conditions(exps []ir.BoolExp, in *scope) []string {
	texts := make([]string, len(exps))
	for i, e := range exps {
		texts[i] = r.condition(e, in)
	}
	return texts
}

// conjunction joins conditions, none of which is an OR without parentheses.
func conjunction(terms []string) string {
	kept := make([]string, 0, len(terms))
	for _, t := range terms {
		if t != sqlTrue && t != "" {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return sqlTrue
	}
	return strings.Join(kept, " AND ")
}

func disjunction(terms []string) string {
	switch len(terms) {
	case 0:
		return sqlFalse
	case 1:
		return terms[0]
	}
	return "(" + strings.Join(terms, " OR ") + ")"
}

func isNull(left string, yes bool) string {
	if yes {
		return left + " IS NULL"
	}
	return left + " IS NOT NULL"
}

func (r *renderer) compare(c ir.Compare, left string) string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = r.value(a)
	}
	if c.NullSafe && len(args) == 1 && nullableValue(c.Args[0]) {
		return r.comparison(c.Op, left, args[0], true)
	}
	return r.operator(c.Op, left, args)
}

// comparison compares two values. A null-safe one takes two NULLs as equal, and for _neq
// NULL as different from a value, as rules on nullable columns do.
func (r *renderer) comparison(op ir.Op, left, right string, nullSafe bool) string {
	plain := r.operator(op, left, []string{right})
	switch {
	case nullSafe && op == ir.OpEq:
		return disjunction([]string{plain, left + " IS NULL AND " + right + " IS NULL"})
	case nullSafe && op == ir.OpNeq:
		return disjunction([]string{plain, left + " IS NOT NULL AND " + right + " IS NULL"})
	}
	return plain
}

// operator fills in the template of the table of operators.
func (r *renderer) operator(op ir.Op, left string, args []string) string {
	row := r.dialect.Operator(op)
	if row == nil {
		r.fail("unknown operator %q", op)
		return sqlFalse
	}
	var b strings.Builder
	for rest := row.SQL; ; {
		i := strings.IndexByte(rest, '$')
		if i < 0 || i+1 == len(rest) {
			b.WriteString(rest)
			return b.String()
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
			r.fail("operator %q has %d operands, which isn't enough", op, len(args))
		}
		rest = rest[i+2:]
	}
}

func (r *renderer) exists(e ir.Exists, in *scope) string {
	q := &selection{items: []string{"1"}, alias: r.alias()}
	inner := in.nested(q.alias)
	q.from = r.from(e.From, in)
	q.where = r.joined(e.Join, in, inner)
	inner.known = rewrite.Know(e.From, e.Where)
	r.filter(rewrite.Open(e.Where, e.Join, in.certain()), inner, q)
	return "EXISTS (" + q.String() + ")"
}

// filter adds a condition to those of a query. One on a related row that is the only one is
// joined instead of asked for with EXISTS: neither adds rows, and the planner has fewer
// ways to consider and better ones to choose from.
func (r *renderer) filter(e ir.BoolExp, in *scope, q *selection) {
	switch e := e.(type) {
	case ir.And:
		for _, term := range e.Exps {
			r.filter(term, in, q)
		}
		return
	case ir.Rule:
		own := *in
		own.root = nil
		r.filter(e.Exp, &own, q)
		return
	case ir.Exists:
		if _, table := e.From.(ir.Table); table && e.Unique && len(e.Join) > 0 {
			inner := in.nested(r.alias())
			on := conjunction(r.joined(e.Join, in, inner))
			q.joins = append(q.joins, join{kind: innerJoin, text: r.from(e.From, in) + " AS " + inner.alias + " ON " + on})
			inner.known = rewrite.Know(e.From, e.Where)
			r.filter(rewrite.Open(e.Where, e.Join, in.certain()), inner, q)
			return
		}
	}
	q.where = append(q.where, r.condition(e, in))
}

// joined are the conditions that join the rows of inner to the one of outer.
func (r *renderer) joined(join []ir.JoinPair, outer, inner *scope) []string {
	terms := make([]string, 0, len(join)+1)
	for _, p := range join {
		terms = append(terms, inner.column(p.Inner)+" = "+outer.column(p.Outer))
	}
	return terms
}

func whereClause(terms []string) string {
	if c := conjunction(terms); c != sqlTrue {
		return " WHERE " + c
	}
	return ""
}

func (r *renderer) aggregateCompare(e ir.AggregateCompare, in *scope) string {
	inner := in.nested(r.alias())
	args := r.exprs(e.Args, inner)
	var value string
	if e.Function == "count" {
		value = countOf(args, e.Distinct)
	} else {
		value = r.aggregateFunction(e.Function) + "(" + distinct(e.Distinct) + strings.Join(args, ", ") + ")"
	}
	terms := make([]string, 0, len(e.Predicate)+1)
	for _, p := range e.Predicate {
		terms = append(terms, r.compare(p, value))
	}
	if e.Null != nil {
		terms = append(terms, isNull(value, *e.Null))
	}
	where := append(r.joined(e.Join, in, inner), r.condition(rewrite.Open(e.Filter, e.Join, in.certain()), inner))
	return "(SELECT " + conjunction(terms) + " FROM " + r.from(e.From, in) + " AS " + inner.alias + whereClause(where) + ")"
}

// from renders a relation; outer is the row that a function of it may take.
func (r *renderer) from(f ir.From, outer *scope) string {
	switch f := f.(type) {
	case ir.Table:
		return qualified(f.Name)
	case ir.Function:
		return qualified(f.Name) + "(" + r.arguments(f.Args, outer) + ")"
	case ir.Written:
		return r.written(f)
	case ir.NativeQuery:
		return r.nativeQuery(f)
	case ir.Embedded:
		return r.embedded(f, outer)
	case ir.Keys:
		return r.keys(f)
	}
	r.fail("unknown relation %T", f)
	return ""
}

func (r *renderer) arguments(args []ir.CallArg, row *scope) string {
	r.calls = true
	texts := make([]string, len(args))
	for i, a := range args {
		switch {
		case !a.Row:
			texts[i] = r.value(a.Value)
		case row == nil:
			r.fail("a function takes a row where there is none")
		default:
			texts[i] = row.row()
		}
		if a.Name != "" {
			texts[i] = quoteName(a.Name) + " => " + texts[i]
		}
	}
	return strings.Join(texts, ", ")
}

// expr renders a value of the row. The text can be an operand of any operator.
func (r *renderer) expr(e ir.Expr, in *scope) string {
	switch e := e.(type) {
	case ir.Column:
		if e.Root {
			return in.rootRow().column(e.Name)
		}
		return in.column(e.Name)
	case ir.Call:
		if e.Set && in.sets != setsPlain {
			return r.setCall(e, in)
		}
		call := qualified(e.Function) + "(" + r.arguments(e.Args, in) + ")"
		if in.marker != "" {
			return "(CASE WHEN " + in.marker + " IS NOT NULL THEN " + call + " END)"
		}
		return call
	case ir.Cast:
		return r.expr(e.Expr, in) + "::" + typeName(e.Type)
	case ir.Redacted:
		return "(CASE WHEN " + r.condition(e.When, in) + " THEN " + r.expr(e.Expr, in) + " END)"
	case ir.JSONPath:
		return "(" + r.expr(e.Expr, in) + " #> " + r.path(e.Path) + ")"
	case ir.Upper:
		return "upper(" + r.expr(e.Expr, in) + ")"
	case ir.Row:
		return in.row()
	}
	r.fail("unknown expression %T", e)
	return "NULL"
}

func distinct(yes bool) string {
	if yes {
		return "DISTINCT "
	}
	return ""
}

// countOf counts rows, or rows whose columns aren't NULL; several columns are one record.
func countOf(args []string, unique bool) string {
	switch len(args) {
	case 0:
		return "count(*)"
	case 1:
		return "count(" + distinct(unique) + args[0] + ")"
	}
	return "count(" + distinct(unique) + "(" + strings.Join(args, ", ") + "))"
}

// aggregateFunction checks the name of an aggregate: it comes from the engine, and is
// nothing but a name in any case.
func (r *renderer) aggregateFunction(name string) string {
	if !plainName(name) {
		r.fail("no aggregate function: %s", strconv.Quote(name))
	}
	return name
}
