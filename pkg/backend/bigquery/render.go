package bigquery

import (
	"fmt"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
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
	// converts has converters of parameters, by their places.
	converts map[int]func([]byte) ([]byte, error)
	// outside are the operands that joins give: they aren't aggregates of the query that they are items of.
	outside map[string]bool
}

func newRenderer(d Dialect, o backend.RenderOptions) *renderer {
	r := &renderer{options: o, converts: map[int]func([]byte) ([]byte, error){}, outside: map[string]bool{}}
	r.Spelling, r.Strategy, r.Dialect = spelling{d}, r, r
	return r
}

// RenderQuery renders one root field.
func (d Dialect) RenderQuery(root ir.Root, o backend.RenderOptions) (backend.Statement, error) {
	s, err := d.render(root, o, nil)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// render renders a root field for the variables of a run, nil for any.
func (d Dialect) render(plan ir.Root, o backend.RenderOptions, variables [][]byte) (*statement, error) {
	l := limits{most: d.Limit, values: variables}
	root := l.root(plan)
	r := newRenderer(d, o)
	text, shape, one := r.root(root)
	if r.Err != nil {
		return nil, fmt.Errorf("rendering a plan: %w", r.Err)
	}
	s := &statement{text: text, shape: shape, one: one, comment: o.Comment, params: make([]param, len(r.Params))}
	for i, p := range r.Params {
		s.params[i] = param{Param: p, convert: r.converts[i]}
	}
	if l.variable && variables == nil {
		s.forVariables = func(variables [][]byte) (*statement, error) { return d.render(plan, o, variables) }
	}
	s.shown = func(literal func(sqltext.Param) (string, error)) (string, error) {
		r := newRenderer(d, o)
		r.Inline = literal
		text, _, _ := r.root(root)
		return text, r.Err
	}
	return s, nil
}

// RenderMutation reports that BigQuery isn't written to.
func (Dialect) RenderMutation(ir.Mutation, backend.RenderOptions) (backend.Statement, error) {
	return nil, errReadOnly()
}

// RenderInsertOrder reports that BigQuery isn't written to.
func (Dialect) RenderInsertOrder(ir.InsertOrder) (backend.Statement, error) {
	return nil, errReadOnly()
}

func errReadOnly() error {
	return apierror.New(apierror.NotSupported, "mutations are not supported for sources of kind bigquery")
}

func (r *renderer) root(root ir.Root) (string, *answer.Shape, bool) {
	if _, ok := root.(*ir.Connection); ok {
		r.Fail("connections can't be read from BigQuery")
		return "", nil, false
	}
	return r.Root(root)
}

// Abilities implements sqlrows.Dialect.
func (r *renderer) Abilities() sqlrows.Abilities {
	return sqlrows.Abilities{Flat: true, NoItem: "NULL"}
}

// Distinct implements sqlrows.Dialect: the rows are ranked where the query is written. FLOAT64 can't tell partitions
// apart, but its text can, when 0 and -0 are made one.
func (r *renderer) Distinct(q *sqlrows.Selection, on []ir.Expr) {
	for i, e := range on {
		if rowOf(typeOf(e)).family == familyFloat {
			q.Distinct[i] = "CAST(" + q.Distinct[i] + " + 0 AS STRING)"
		}
	}
}

// typeOf is the type of the key of rows.
func typeOf(e ir.Expr) catalog.Type {
	switch e := e.(type) {
	case ir.Column:
		return e.Type
	case ir.Redacted:
		return typeOf(e.Expr)
	case ir.Masked:
		return typeOf(e.Expr)
	}
	return catalog.Type{}
}

// Ties implements sqlrows.Dialect. Only subscriptions ask for it.
func (r *renderer) Ties(*sqlrows.Selection) { r.Fail("there is no limit with ties") }

// Constant implements sqlrows.Dialect.
func (r *renderer) Constant(text string) string { return quoteText(text) }

// Cell implements sqlrows.Dialect.
func (r *renderer) Cell(expr string, t catalog.Type, _ bool) (string, answer.Cell) {
	return output(expr, t), cellOf(t)
}

// CountCell implements sqlrows.Dialect.
func (r *renderer) CountCell() answer.Cell { return cellOf(typeInteger) }

// AggregateCell implements sqlrows.Dialect.
func (r *renderer) AggregateCell(function, expr string, t catalog.Type) (string, answer.Cell) {
	a := tables.Aggregate(function)
	if a != nil && a.Result != nil {
		return expr, cellOf(a.Result(t))
	}
	return r.Cell(expr, t, false)
}

// OwnCondition implements sqltext.Strategy.
func (r *renderer) OwnCondition(e ir.BoolExp, in *sqltext.Scope) (string, bool) {
	if e, ok := e.(ir.Exists); ok {
		return r.Exists(e, in), true
	}
	return "", false
}

// OwnExpr implements sqltext.Strategy.
func (r *renderer) OwnExpr(ir.Expr, *sqltext.Scope) (string, bool) { return "", false }

// RowArgument implements sqltext.Strategy. Functions take no rows.
func (r *renderer) RowArgument(*sqltext.Scope) string {
	r.Fail("a function can't take a row")
	return "NULL"
}

// OwnFrom implements sqltext.Strategy.
func (r *renderer) OwnFrom(f ir.From, _ *sqltext.Scope) (string, bool) {
	switch f := f.(type) {
	case ir.Keys:
		return r.keys(f), true
	case ir.NativeQuery:
		return r.nativeQuery(f), true
	}
	return "", false
}

// keys renders rows that the caller supplies: an array for each column, in the same order.
func (r *renderer) keys(k ir.Keys) string {
	items := make([]string, 0, len(k.Columns)+1)
	first := ""
	for _, c := range k.Columns {
		place := len(r.Params)
		array := r.place(sqltext.Param{Kind: sqltext.ParamVariable, Index: k.Index, Name: c.Name, As: sqltext.As{Type: c.Type, List: true}})
		r.converts[place] = func(text []byte) ([]byte, error) {
			rows, err := input.ObjectRows([]string{c.Name}, text)
			values := make([][]byte, len(rows))
			for i, row := range rows {
				values[i] = row[0]
			}
			return input.ListText(values), err
		}
		if first == "" {
			first = array
		}
		items = append(items, array+"[OFFSET(n)] AS "+quoteName(c.Name))
	}
	if first == "" { // each row counts, though nothing is known of it
		place := len(r.Params)
		first = r.place(sqltext.Param{Kind: sqltext.ParamVariable, Index: k.Index, As: sqltext.As{Type: typeInteger, List: true}})
		r.converts[place] = func(text []byte) ([]byte, error) {
			rows, err := input.ObjectRows(nil, text)
			values := make([][]byte, len(rows))
			for i := range values {
				values[i] = strconv.AppendInt(nil, int64(i), 10)
			}
			return input.ListText(values), err
		}
	}
	items = append(items, "n + 1 AS "+quoteName(k.Ordinal))
	return "(SELECT " + strings.Join(items, ", ") + " FROM UNNEST(GENERATE_ARRAY(0, ARRAY_LENGTH(" + first + ") - 1)) AS n)"
}

// place is the next parameter, or its value where values are inlined.
func (r *renderer) place(p sqltext.Param) string {
	if r.Inline != nil {
		text, err := r.Inline(p)
		if err != nil {
			r.Fail("%w", err)
		}
		return text
	}
	r.Params = append(r.Params, p)
	return r.Spelling.Placeholder(len(r.Params))
}

// nativeQuery renders the result of a native query as a sub-select with the columns of its logical model.
func (r *renderer) nativeQuery(q ir.NativeQuery) string {
	items := make([]string, len(q.Columns))
	for i, c := range q.Columns {
		if c.Embeds {
			r.Fail("columns of native queries hold no objects")
		}
		items[i] = "q." + quoteName(c.Name)
	}
	if len(items) == 0 {
		items = []string{"NULL"}
	}
	var b strings.Builder
	for _, p := range q.Code {
		if p.Value != nil {
			b.WriteString(r.Value(p.Value))
		} else {
			b.WriteString(p.Text)
		}
	}
	// A comment at the end ends with the line.
	return "(SELECT " + strings.Join(items, ", ") + " FROM (" + strings.TrimRight(b.String(), " \t\r\n;") + "\n) AS q)"
}
