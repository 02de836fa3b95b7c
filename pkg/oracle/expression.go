package oracle

import "slices"

// expression is a condition on a row, in a permission or in an operation.
type expression interface{ expression() }

type (
	conjunction []expression
	disjunction []expression
	negation    struct{ of expression }
	// comparison compares a column or a scalar computed field with a value.
	comparison struct {
		column   *Column
		computed *Computed
		op       string
		value    any
		// session, when set, names the session variable that holds the value.
		session string
		// literal is the form {"column": value} of rules.
		literal bool
	}
	// partComparison compares the part of a JSON column at a path, or asks whether it is there.
	partComparison struct {
		column *Column
		part   part
		op     string
		value  any
	}
	// columnComparison compares two columns, the other one of this row or of the root.
	columnComparison struct {
		column, other *Column
		op            string
		root          bool
	}
	// related asks for a related row.
	related struct {
		relation *Relation
		where    expression
	}
	// computedRows asks for a row that a computed field gives.
	computedRows struct {
		computed *Computed
		where    expression
	}
	// exists asks for a row of any table.
	exists struct {
		table *Table
		where expression
	}
	// aggregateComparison compares an aggregate of related rows.
	aggregateComparison struct {
		relation  *Relation
		function  string
		arguments []*Column
		distinct  bool
		// one reports whether a count takes one column, and no list of them.
		one   bool
		where expression // nil for none
		op    string
		value any
	}
)

func (conjunction) expression()         {}
func (disjunction) expression()         {}
func (negation) expression()            {}
func (comparison) expression()          {}
func (partComparison) expression()      {}
func (columnComparison) expression()    {}
func (related) expression()             {}
func (computedRows) expression()        {}
func (exists) expression()              {}
func (aggregateComparison) expression() {}

// env evaluates expressions for a role, or for a rule of a permission, which sees all.
type env struct {
	model *Model
	// role is empty for a rule.
	role string
	// root is the row that a rule is about.
	root Row
}

func (e *env) eval(x expression, t *Table, r Row) truth {
	switch x := x.(type) {
	case conjunction:
		result := yes
		for _, term := range x {
			result = min(result, e.eval(term, t, r))
		}
		return result
	case disjunction:
		result := no
		for _, term := range x {
			result = max(result, e.eval(term, t, r))
		}
		return result
	case negation:
		return e.eval(x.of, t, r).not()
	case comparison:
		return e.compare(x, t, r)
	case partComparison:
		return operate(x.op, x.part.of(e.cell(t, x.column, r)), x.value)
	case columnComparison:
		other := r
		if x.root {
			other = e.root
		}
		return operate(plainOperator[x.op], r[x.column.Name], other[x.other.Name])
	case related:
		return e.any(x.where, x.relation.Target, e.related(x.relation, r))
	case computedRows:
		return e.any(x.where, x.computed.Returns, e.computedRows(x.computed, 1, r))
	case exists:
		return e.any(x.where, x.table, x.table.Rows())
	case aggregateComparison:
		return e.aggregateComparison(x, r)
	}
	panic("unknown expression")
}

// plainOperator is what a comparison of columns does.
var plainOperator = map[string]string{
	"_ceq": "_eq", "_cne": "_neq", "_cneq": "_neq", "_cgt": "_gt", "_clt": "_lt", "_cgte": "_gte", "_clte": "_lte",
}

func (e *env) any(where expression, t *Table, rows []Row) truth {
	return truthOf(slices.ContainsFunc(rows, func(r Row) bool { return e.eval(where, t, r) == yes }))
}

func (e *env) compare(x comparison, t *Table, r Row) truth {
	var left any
	nullable := true
	if x.column != nil {
		left, nullable = e.cell(t, x.column, r), x.column.Nullable
	} else {
		left = e.computed(t, x.computed, 1, r)
	}
	right := x.value
	if x.session != "" {
		right = e.model.sessionValue(x)
	}
	// In rules, NULL equals NULL where it can be; only a literal can be NULL.
	if e.role == "" && right == nil && (nullable || x.literal) && (x.op == "_eq" || x.op == "_neq") {
		if (left == nil) == (x.op == "_eq") {
			return yes
		}
		return unknown
	}
	return operate(x.op, left, right)
}

// sees is what the role sees of a table; a rule sees everything.
func (e *env) sees(t *Table) *sight {
	if e.role == "" {
		return e.model.sees(Admin, t)
	}
	return e.model.sees(e.role, t)
}

// cell is the value of a column; where the role may not see it, its mask or NULL.
func (e *env) cell(t *Table, c *Column, r Row) any {
	s := e.sees(t)
	if s.cell(e.model, t, c.Name, r) {
		return r[c.Name]
	}
	shown, _ := s.mask(e.model, t, c, r)
	return shown
}

func (e *env) computed(t *Table, c *Computed, n float64, r Row) any {
	if !e.sees(t).cell(e.model, t, c.Name, r) {
		return nil
	}
	return c.value(&call{row: r, n: n, session: e.model.Session})
}

// visible are the rows that the role sees.
func (e *env) visible(t *Table, rows []Row) []Row {
	s := e.sees(t)
	var list []Row
	for _, r := range rows {
		if s.row(e.model, t, r) {
			list = append(list, r)
		}
	}
	return list
}

// related are the related rows that the role sees.
func (e *env) related(rel *Relation, r Row) []Row {
	var rows []Row
	for _, other := range rel.Target.Rows() {
		if !slices.ContainsFunc(rel.Join, func(pair [2]string) bool {
			return r[pair[0]] == nil || other[pair[1]] == nil || compare(r[pair[0]], other[pair[1]]) != 0
		}) {
			rows = append(rows, other)
		}
	}
	return e.visible(rel.Target, rows)
}

func (e *env) computedRows(c *Computed, n float64, r Row) []Row {
	return e.visible(c.Returns, c.rows(&call{row: r, n: n, session: e.model.Session}))
}

func (e *env) aggregateComparison(x aggregateComparison, r Row) truth {
	t := x.relation.Target
	var rows []Row
	for _, other := range e.related(x.relation, r) {
		if x.where == nil || e.eval(x.where, t, other) == yes {
			rows = append(rows, other)
		}
	}
	// distinct changes nothing, as the specification has it.
	if x.function == "count" {
		return operate(x.op, e.count(t, x.arguments, false, rows), x.value)
	}
	var list [][]any
	for _, c := range x.arguments {
		list = append(list, e.cells(t, c, rows))
	}
	return operate(x.op, aggregateOf(x.function, list...), x.value)
}

// cells are the values of a column in rows.
func (e *env) cells(t *Table, c *Column, rows []Row) []any {
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = e.cell(t, c, r)
	}
	return list
}

// count counts rows: those without NULL in the one column that is given; or the different
// values, of several columns as a record, which isn't NULL itself.
func (e *env) count(t *Table, columns []*Column, distinct bool, rows []Row) float64 {
	if len(columns) == 0 {
		return float64(len(rows))
	}
	var found [][]any
	n := 0
	for _, r := range rows {
		record := make([]any, len(columns))
		for i, c := range columns {
			record[i] = e.cell(t, c, r)
		}
		if len(columns) == 1 && record[0] == nil {
			continue
		}
		known := slices.ContainsFunc(found, func(other []any) bool { return slices.EqualFunc(other, record, equal) })
		if found = append(found, record); !known || !distinct {
			n++
		}
	}
	return float64(n)
}

// sessionValue is the value of a session variable, as the comparison takes it.
func (m *Model) sessionValue(x comparison) any {
	if x.op == "_in" || x.op == "_nin" {
		return sessionList
	}
	if x.column.Kind == Text {
		return m.Session[x.session]
	}
	return sessionNumber
}

// The values of session variables: their texts are in Model.Session.
const sessionNumber = 2.0

var sessionList = []any{1.0, 2.0, 4.0}

func newSession(role string) map[string]string {
	return map[string]string{"x-engine-role": role, "x-engine-number": "2", "x-engine-word": "b", "x-engine-list": "{1,2,4}"}
}
