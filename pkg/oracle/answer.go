package oracle

import (
	"errors"
	"slices"
	"strings"
)

// ErrAmbiguous reports that the operation has several right answers.
var ErrAmbiguous = errors.New("more than one answer is right")

// tied are items whose order doesn't count, list items whose order does.
type (
	tied []any
	list []tied
)

// Answer is what the query must give, for Differs to compare with. It is ErrAmbiguous when
// the query leaves that open.
func (q *Query) Answer() (answer any, err error) {
	defer func() {
		if r := recover(); r == ErrAmbiguous { //nolint:errorlint // it is thrown as it is
			err = ErrAmbiguous
		} else if r != nil {
			panic(r)
		}
	}()
	e := &env{model: q.model, role: q.Role}
	f := &q.root
	t := f.rows.table
	var from []Row
	switch {
	case f.function != nil:
		from = e.visible(t, f.function.rows(f.n))
	case f.kind == byKeyField:
		// The key is compared as the role sees it, too.
		key := conjunction{comparison{column: t.id(), op: "_eq", value: f.id}}
		if q.model.dialect.tenants {
			key = append(key, comparison{column: t.Columns[1], op: "_eq", value: f.n})
		}
		from = e.choose(&rows{table: t, where: key, limit: -1}, e.visible(t, t.Rows()))
	default:
		from = e.visible(t, t.Rows())
	}
	var value any
	switch {
	case f.kind == byKeyField:
		value = e.one(f, from)
	case f.function != nil && f.function.Single:
		value = e.one(f, e.choose(&f.rows, from))
	case f.kind == groupsField:
		value = e.groups(f, from)
	case f.kind == aggregateField || f.kind == functionAggregateField:
		value = e.aggregate(f, from)
	default:
		value = e.list(&f.rows, from)
	}
	answer = map[string]any{f.alias: value}
	if q.model.dialect.numbersAsTexts {
		answer = withTexts(answer)
	}
	return answer, nil
}

// Again is Answer after changes of the model, and of its session.
func (q *Query) Again() (answer any, err error) {
	q.model.Session = newSession(q.Role)
	q.model.forget()
	return q.Answer()
}

// numberText is a number that is a text in the answer.
type numberText float64

// withTexts is an answer whose numbers are texts. It holds no JSON of users.
func withTexts(v any) any {
	switch v := v.(type) {
	case float64:
		return numberText(v)
	case map[string]any:
		for key, member := range v {
			v[key] = withTexts(member)
		}
	case list:
		for _, group := range v {
			for i, item := range group {
				group[i] = withTexts(item)
			}
		}
	}
	return v
}

// one is the object of the only row, or null.
func (e *env) one(f *field, from []Row) any {
	switch len(from) {
	case 0:
		return nil
	case 1:
		return e.object(&f.rows, from[0])
	}
	panic(ErrAmbiguous)
}

// list is the list of the chosen rows; the role's limit holds.
func (e *env) list(r *rows, from []Row) list {
	chosen := e.sorted(r, from)
	if most := e.sees(r.table).limit(); most >= 0 {
		chosen = cut(r, chosen, 0, most)
	}
	return r.listed(chosen, func(row Row) any { return e.object(r, row) })
}

// listed is the list of what the chosen rows are.
func (r *rows) listed(chosen []candidate, object func(Row) any) list {
	var out list
	for i, c := range chosen {
		if i == 0 || r.compare(chosen[i-1], c) != 0 {
			out = append(out, nil)
		}
		last := len(out) - 1
		out[last] = append(out[last], object(c.row))
	}
	return out
}

// candidate is a row with what it is ordered by.
type candidate struct {
	row  Row
	keys []any
}

// choose applies where, order_by, distinct_on, offset and limit.
func (e *env) choose(r *rows, from []Row) []Row {
	var chosen []Row
	for _, c := range e.sorted(r, from) {
		chosen = append(chosen, c.row)
	}
	return chosen
}

func (e *env) sorted(r *rows, from []Row) []candidate {
	var chosen []candidate
	for _, row := range from {
		if r.where != nil && e.eval(r.where, r.table, row) != yes {
			continue
		}
		c := candidate{row: row}
		for i := range r.order {
			c.keys = append(c.keys, e.key(r.table, &r.order[i], r.order[i].path, row))
		}
		chosen = append(chosen, c)
	}
	slices.SortStableFunc(chosen, r.compare)
	if len(r.distinct) > 0 {
		chosen = e.distinct(r, chosen)
	}
	limit := len(chosen)
	if r.limit >= 0 {
		limit = r.limit
	}
	return cut(r, chosen, max(r.offset, 0), limit)
}

// cut keeps some of the rows. What is cut apart must not be equal.
func cut(r *rows, chosen []candidate, offset, limit int) []candidate {
	first := min(offset, len(chosen))
	last := min(first+limit, len(chosen))
	if first < last {
		for _, i := range []int{first, last} {
			if i > 0 && i < len(chosen) && r.compare(chosen[i-1], chosen[i]) == 0 {
				panic(ErrAmbiguous)
			}
		}
	}
	return chosen[first:last]
}

// distinct keeps the first row of those that agree in some columns.
func (e *env) distinct(r *rows, chosen []candidate) []candidate {
	var kept []candidate
	for _, c := range chosen {
		i := slices.IndexFunc(kept, func(other candidate) bool {
			return !slices.ContainsFunc(r.distinct, func(column *Column) bool {
				return !equal(e.cell(r.table, column, c.row), e.cell(r.table, column, other.row))
			})
		})
		if i < 0 {
			kept = append(kept, c)
		} else if r.compare(kept[i], c) == 0 {
			panic(ErrAmbiguous)
		}
	}
	return kept
}

// compare compares two rows by order_by.
func (r *rows) compare(a, b candidate) int {
	for i := range r.order {
		if c := r.order[i].compare(a.keys[i], b.keys[i]); c != 0 {
			return c
		}
	}
	return 0
}

// key is what a row is ordered by: NULL when there is no row at the end of the path.
func (e *env) key(t *Table, o *ordering, path []*Relation, r Row) any {
	if len(path) > 0 {
		switch next := e.related(path[0], r); len(next) {
		case 0:
			return nil
		case 1:
			return e.key(path[0].Target, o, path[1:], next[0])
		}
		panic(ErrAmbiguous)
	}
	switch {
	case o.function != "":
		return e.aggregateKey(o, r)
	case o.computed != nil:
		return e.computed(t, o.computed, 1, r)
	case o.part.kind != "":
		return o.part.of(e.cell(t, o.column, r))
	}
	return e.cell(t, o.column, r)
}

func (e *env) aggregateKey(o *ordering, r Row) any {
	var target *Table
	var from []Row
	if o.relation != nil {
		target, from = o.relation.Target, e.related(o.relation, r)
	} else {
		target, from = o.computed.Returns, e.computedRows(o.computed, 1, r)
	}
	if o.function == "count" {
		return float64(len(from))
	}
	return aggregateOf(o.function, e.cells(target, o.column, from))
}

// object is a row as the selection set wants it.
func (e *env) object(r *rows, row Row) map[string]any {
	out := map[string]any{}
	for i := range r.fields {
		f := &r.fields[i]
		out[f.alias] = e.field(f, r.table, row)
	}
	return out
}

func (e *env) field(f *field, t *Table, row Row) any {
	switch f.kind {
	case columnField:
		v := e.cell(t, f.column, row)
		if o, ok := v.(map[string]any); ok && f.path != "" {
			return o[pathKey(f.path)]
		}
		return v
	case computedField:
		return e.computed(t, f.computed, f.n, row)
	case oneField:
		return e.one(f, e.related(f.relation, row))
	case listField:
		return e.list(&f.rows, e.related(f.relation, row))
	case aggregateField:
		return e.aggregate(f, e.related(f.relation, row))
	case computedRowsField:
		return e.list(&f.rows, e.computedRows(f.computed, 1, row))
	}
	return t.Name
}

// aggregate is an aggregate of the chosen rows; the role's limit holds for nodes only.
func (e *env) aggregate(f *field, from []Row) any {
	out := map[string]any{"aggregate": e.values(f, e.choose(&f.rows, from))}
	if f.nodes {
		out["nodes"] = e.list(&f.rows, from)
	}
	return out
}

// values are the aggregates of chosen rows.
func (e *env) values(f *field, chosen []Row) map[string]any {
	t := f.rows.table
	values := map[string]any{}
	for _, v := range f.values {
		if v.function == "count" {
			values[v.alias] = e.count(t, v.columns, v.distinct, chosen)
			continue
		}
		columns := map[string]any{}
		for _, c := range v.columns {
			columns[c.Field] = aggregateOf(v.function, e.cells(t, c, chosen))
		}
		values[v.alias] = columns
	}
	return values
}

// pathKey is the key that one of the paths asks for.
func pathKey(path string) string { return strings.Trim(path, `$.[]"`) }

func (o *ordering) compare(a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil || b == nil:
		if (a == nil) == o.nullsFirst {
			return -1
		}
		return 1
	case o.desc:
		return compare(b, a)
	}
	return compare(a, b)
}
