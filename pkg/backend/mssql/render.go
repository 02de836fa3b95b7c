package mssql

import (
	"fmt"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// renderer turns one plan into one text. It stops at nothing: the first fault stays in Err.
type renderer struct {
	sqlrows.Renderer
	options backend.RenderOptions
	// assigned is that of the spelling.
	assigned bool
	// converts has converters of parameters, by their places.
	converts map[int]func([]byte) ([]byte, error)
	// sharedConvert is the converter of the value that is bound at the moment, for values of cohorts.
	sharedConvert func([]byte) ([]byte, error)
	// types collects the types of columns that expressions read, by their names, where it isn't nil.
	types map[string]catalog.Type
	// before are the statements of a query before the one that gives its rows, which call as many procedures.
	before     []string
	procedures int
}

func newRenderer(d *Dialect, o backend.RenderOptions) *renderer {
	r := &renderer{options: o, converts: map[int]func([]byte) ([]byte, error){}}
	r.Spelling, r.Strategy, r.Dialect = spelling{d, &r.assigned, r.Fail}, r, r
	r.Aggregate = r.aggregate
	return r
}

// statement is the text as a statement.
func (r *renderer) statement(text string, a reply) (*statement, error) {
	if r.Err != nil {
		return nil, fmt.Errorf("rendering a plan: %w", r.Err)
	}
	return &statement{text: text, reply: a, comment: r.options.Comment, params: r.params()}, nil
}

func (r *renderer) params() []param {
	params := make([]param, len(r.Params))
	for i, p := range r.Params {
		params[i] = param{Param: p, convert: r.converts[i]}
		if p.As.List && params[i].convert == nil {
			params[i].convert = convertList
		}
	}
	return params
}

// RenderQuery renders one root field.
func (d *Dialect) RenderQuery(root ir.Root, o backend.RenderOptions) (backend.Statement, error) {
	r := newRenderer(d, o)
	text, a := r.root(root)
	s, err := r.statement(text, a)
	if err != nil {
		return nil, err
	}
	s.shown = func(literal func(sqltext.Param) (string, error)) (string, error) {
		r := newRenderer(d, o)
		r.Inline = literal
		text, _ := r.root(root)
		return text, r.Err
	}
	return s, nil
}

func (r *renderer) root(root ir.Root) (string, reply) {
	if _, ok := root.(*ir.Connection); ok {
		r.Fail("connections can't be read from SQL Server")
		return "", reply{}
	}
	text, shape, one := r.Root(root)
	kind := replyList
	if one {
		kind = replyOne
	}
	if len(r.before) > 0 {
		text = "SET NOCOUNT ON;\n" + strings.Join(r.before, ";\n") + ";\n" + text
	}
	return text, reply{kind: kind, shape: shape, check: -1}
}

// Abilities implements sqlrows.Dialect.
func (r *renderer) Abilities() sqlrows.Abilities { return sqlrows.Abilities{NoItem: "NULL"} }

// Distinct implements sqlrows.Dialect. Schemas don't offer it.
func (r *renderer) Distinct(*sqlrows.Selection, []ir.Expr) { r.Fail("there is no DISTINCT ON") }

// Ties implements sqlrows.Dialect: there is TOP WITH TIES.
func (r *renderer) Ties(q *sqlrows.Selection) { q.Ties = true }

// Constant implements sqlrows.Dialect.
func (r *renderer) Constant(text string) string { return quoteText(text) }

// Record implements sqlrows.Dialect: a row is a list of at most one. A single object would be a text with all of
// its quotes escaped in the one around it.
func (r *renderer) Record(q *sqlrows.Selection) string { return r.List(q) }

// List renders rows as JSON. It becomes part of the JSON around it as it is.
func (r *renderer) List(q *sqlrows.Selection) string {
	items := q.Items
	if len(items) == 0 {
		items = []string{"NULL"}
	}
	named := make([]string, len(items))
	for i, item := range items {
		named[i] = fmt.Sprintf("%s AS [c%d]", item, i)
	}
	q.Items = named
	return "(" + r.query(q, true) + " FOR JSON PATH, INCLUDE_NULL_VALUES)"
}

// Cell implements sqlrows.Dialect.
func (r *renderer) Cell(expr string, t catalog.Type, _ bool) (string, answer.Cell) {
	return output(expr, t), cellOf(t)
}

// CountCell implements sqlrows.Dialect.
func (r *renderer) CountCell() answer.Cell { return cellOf(typeBig) }

// AggregateCell implements sqlrows.Dialect.
func (r *renderer) AggregateCell(function, expr string, t catalog.Type) (string, answer.Cell) {
	if function == "min" || function == "max" {
		return r.Cell(expr, t, false)
	}
	return expr, cellOf(typeDecimal)
}

// aggregate renders a call. The average and the sum of whole numbers would be of their type, which cuts off
// digits or overflows.
func (r *renderer) aggregate(function string, distinct bool, args []ir.Expr, texts []string) string {
	name := aggregates[function]
	if name == "" || len(args) != 1 {
		r.Fail("no aggregate function %q of %d columns", function, len(args))
		return "NULL"
	}
	text, t := texts[0], typeOf(args[0])
	whole := rowOf(t).family == familyInteger
	switch {
	case whole && name == "AVG":
		text = "CAST(" + text + " AS float)"
	case whole && name == "SUM" && t.Name == typeBig.Name:
		text = "CAST(" + text + " AS decimal(38, 0))"
	case whole && name == "SUM":
		text = "CAST(" + text + " AS bigint)"
	}
	if distinct {
		text = "DISTINCT " + text
	}
	return name + "(" + text + ")"
}

// typeOf is the type of an expression, as far as it is known.
func typeOf(e ir.Expr) catalog.Type {
	switch e := e.(type) {
	case ir.Column:
		return e.Type
	case ir.Redacted:
		return typeOf(e.Expr)
	case ir.Masked:
		return typeOf(e.Expr)
	case ir.Cast:
		return e.Type
	case ir.Upper:
		return typeOf(e.Expr)
	}
	return catalog.Type{}
}

// OwnCondition implements sqltext.Strategy.
func (r *renderer) OwnCondition(e ir.BoolExp, in *sqltext.Scope) (string, bool) {
	switch e := e.(type) {
	case ir.Exists:
		return r.Exists(e, in), true
	case ir.AggregateCompare:
		return r.aggregateCompare(e, in), true
	}
	return "", false
}

// truth is a condition as a value: 1, 0, or NULL where it is neither true nor false.
func truth(condition string) string {
	return "CASE WHEN " + condition + " THEN 1 WHEN NOT (" + condition + ") THEN 0 END"
}

// aggregateCompare compares an aggregate of related rows.
func (r *renderer) aggregateCompare(e ir.AggregateCompare, in *sqltext.Scope) string {
	value, from := r.AggregateComparison(e, in)
	return "(SELECT " + truth(value) + from + ") = 1"
}

// applied renders a cell of a row that is aggregated: it is joined to the row. Aggregates take no expressions with
// sub-selects in them (130), nor such with columns of rows around theirs besides their own (8124).
func (r *renderer) applied(e ir.Expr, in *sqltext.Scope) string {
	row := *in
	row.Applied = nil
	text := " CROSS APPLY (SELECT " + r.Expr(e, &row) + " AS [v]) AS "
	for _, known := range *in.Applied {
		if alias, same := strings.CutPrefix(known, text); same {
			return alias + ".[v]"
		}
	}
	alias := r.Alias()
	*in.Applied = append(*in.Applied, text+alias)
	return alias + ".[v]"
}

// OwnExpr implements sqltext.Strategy.
func (r *renderer) OwnExpr(e ir.Expr, in *sqltext.Scope) (string, bool) {
	switch e := e.(type) {
	case ir.Column:
		if r.types != nil {
			r.types[e.Name] = e.Type
		}
		plain := rowOf(e.Type).plain
		if plain == "" || e.Root {
			return "", false
		}
		return strings.ReplaceAll(plain, "$", r.Column(in, e.Name)), true
	case ir.RowRef:
		return r.rowRef(e, in), true
	case ir.Redacted:
		if in.Applied != nil {
			return r.applied(e, in), true
		}
	case ir.Masked:
		if e.Value != nil { // rows aren't ordered by constants
			otherwise := " ELSE "
			if in.Marker != "" { // where there is no row, it shows nothing
				otherwise = " WHEN " + in.Marker + " IS NOT NULL THEN "
			}
			return "(CASE WHEN " + r.Expr(e.Expr, in) + " IS NOT NULL THEN " + r.Value(e.Value) + otherwise + r.Value(e.Value) + " END)", true
		}
	}
	return "", false
}

// RowArgument implements sqltext.Strategy. Functions take no rows.
func (r *renderer) RowArgument(*sqltext.Scope) string {
	r.Fail("a function can't take a row")
	return "NULL"
}

// OwnFrom implements sqltext.Strategy.
func (r *renderer) OwnFrom(f ir.From, _ *sqltext.Scope) (string, bool) {
	switch f := f.(type) {
	case ir.Written:
		return r.written(f), true
	case ir.Keys:
		return r.keys(f), true
	case ir.NativeQuery:
		return r.nativeQuery(f), true
	case ir.Procedure:
		return r.procedure(f), true
	}
	return "", false
}
