package sqlite

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// renderer turns one plan into one text. It stops at nothing: the first fault stays in Err.
type renderer struct {
	sqlrows.Renderer
	options backend.RenderOptions
	// converts has converters of parameters, by their places, that don't follow from the type.
	converts map[int]func([]byte) (value, error)
	defaults []defaultOf
}

func newRenderer(d *Dialect, o backend.RenderOptions) *renderer {
	r := &renderer{options: o, converts: map[int]func([]byte) (value, error){}}
	r.Spelling, r.Strategy, r.Dialect = spelling{d}, r, r
	r.Unaliased = true // RETURNING doesn't know an alias
	return r
}

// statement is the text as a statement.
func (r *renderer) statement(text string, a reply) (*statement, error) {
	if r.Err != nil {
		return nil, fmt.Errorf("rendering a plan: %w", r.Err)
	}
	s := &statement{text: text, reply: a, comment: r.options.Comment, defaults: r.defaults, params: make([]param, len(r.Params))}
	for i, p := range r.Params {
		convert := r.converts[i]
		if convert == nil {
			convert = converter(p.As)
		}
		s.params[i] = param{Param: p, convert: convert}
	}
	return s, nil
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
	text, shape, one := r.Root(root)
	kind := replyList
	if one {
		kind = replyOne
	}
	return text, reply{kind: kind, shape: shape, check: -1}
}

// Limits of SQLite that plans may come up to.
const (
	// maxJoins is fewer than the 64 tables that a query takes, for the table itself and for what
	// conditions join.
	maxJoins = 40
)

// Abilities implements sqlrows.Dialect.
func (r *renderer) Abilities() sqlrows.Abilities {
	return sqlrows.Abilities{Joins: maxJoins, NoItem: "NULL", NoLimit: "-1"}
}

// Distinct implements sqlrows.Dialect: there is no DISTINCT ON.
func (r *renderer) Distinct(q *sqlrows.Selection, _ []ir.Expr) { r.DistinctByRank(q) }

// Ties implements sqlrows.Dialect: there is no WITH TIES.
func (r *renderer) Ties(q *sqlrows.Selection) { r.TiesByRank(q) }

// Constant implements sqlrows.Dialect.
func (r *renderer) Constant(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// Record implements sqlrows.Dialect.
func (r *renderer) Record(q *sqlrows.Selection) string {
	q.Items = []string{record(q.Items)}
	return "(" + r.Text(q) + ")"
}

func record(items []string) string { return functionRow + "(" + strings.Join(items, ", ") + ")" }

// OwnText implements sqlrows.Dialect: the common text will do.
func (r *renderer) OwnText(*sqlrows.Selection) (string, bool) { return "", false }

// List renders rows as one value. An aggregate takes rows in the order of a sub-select.
func (r *renderer) List(q *sqlrows.Selection) string {
	if len(q.Items) == 0 {
		q.Items = []string{"NULL"}
	}
	if len(q.Order) == 0 && q.Limit == "" && q.Offset == "" {
		q.Items = []string{functionList + "(" + strings.Join(q.Items, ", ") + ")"}
		return "(" + r.Text(q) + ")"
	}
	names := make([]string, len(q.Items))
	for i := range q.Items {
		names[i] = "c" + strconv.Itoa(i)
		q.Items[i] += " AS " + names[i]
	}
	return "(SELECT " + functionList + "(" + strings.Join(names, ", ") + ") FROM (" + r.Text(q) + "))"
}

// Cell implements sqlrows.Dialect. JSON may be stored in a binary form.
func (r *renderer) Cell(expr string, t catalog.Type, exact bool) (string, answer.Cell) {
	row := rowOf(t)
	if row.family == familyJSON {
		expr = "CASE typeof(" + expr + ") WHEN 'blob' THEN json(" + expr + ") ELSE " + expr + " END"
	}
	return expr, cellOf(t, !exact && r.options.StringifyNumeric && row.stringified)
}

// CountCell implements sqlrows.Dialect.
func (r *renderer) CountCell() answer.Cell { return cellOf(typeBig, false) }

// AggregateCell implements sqlrows.Dialect. Whether a sum is whole depends on the values.
func (r *renderer) AggregateCell(function, expr string, t catalog.Type) (string, answer.Cell) {
	row := rowOf(t)
	quoted := r.options.StringifyNumeric && row.stringified
	switch {
	case function == "min", function == "max":
		return r.Cell(expr, t, false)
	case function == "sum" && row.family == familyNumeric:
		return expr, cellOf(t, quoted)
	}
	return expr, answer.Cell{Quoted: quoted}
}

// OwnCondition implements sqltext.Strategy.
func (r *renderer) OwnCondition(e ir.BoolExp, in *sqltext.Scope) (string, bool) {
	if e, ok := e.(ir.Exists); ok {
		return r.Exists(e, in), true
	}
	return "", false
}

// OwnExpr implements sqltext.Strategy. A row is referred to by the text of its record.
func (r *renderer) OwnExpr(e ir.Expr, in *sqltext.Scope) (string, bool) {
	switch e := e.(type) {
	case ir.RowRef:
		cells := make([]string, len(e.Columns))
		for i, c := range e.Columns {
			cells[i] = r.Column(in, c.Name)
		}
		return "hex(" + record(cells) + ")", true
	case ir.JSONPath:
		keys := make([][]byte, len(e.Path))
		for i, k := range e.Path {
			keys[i] = []byte(k)
		}
		path := r.Bind(sqltext.Param{Kind: sqltext.ParamLiteral, Text: input.ListText(keys)}, sqltext.As{Type: typeText})
		return functionPath + "(" + r.Expr(e.Expr, in) + ", " + path + ")", true
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
	}
	return "", false
}

// written renders rows of a table from the texts of their records.
func (r *renderer) written(w ir.Written) string {
	texts := sqltext.Param{Kind: sqltext.ParamList}
	if all, ok := sqlrows.EachOf(w.Rows); ok {
		texts = sqltext.Param{Kind: sqltext.ParamEach, Index: all.Index}
	} else {
		for _, v := range w.Rows {
			p, _, ok := sqlrows.Given(v)
			if !ok {
				r.Fail("a written row can't be %T", v)
			}
			texts.List = append(texts.List, p)
		}
	}
	items := make([]string, len(w.Columns))
	for i, c := range w.Columns {
		items[i] = functionCell + "(unhex(w.value), " + strconv.Itoa(i) + ") AS " + quoteName(c.Name)
	}
	if len(items) == 0 {
		items = []string{"NULL"}
	}
	list := r.Bind(texts, sqltext.As{Type: typeText, List: true})
	return "(SELECT " + strings.Join(items, ", ") + " FROM " + list + " AS w)"
}
