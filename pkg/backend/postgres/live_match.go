package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/rowimage"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Match implements backend.LiveMatcher.
func (s *liveStatement) Match() backend.LiveMatch {
	if s.match == nil {
		return nil
	}
	return s.match
}

// liveMatch implements backend.LiveMatch by the condition that all rows of the root field satisfy: the argument and the
// role's rule.
type liveMatch struct {
	table     catalog.Name
	columns   rowimage.Columns
	condition *rowimage.Condition
	// lookup finds cohorts by the value of a column; nil where all have to be tested.
	lookup *rowimage.Lookup
}

// matchOf is nil where nothing is decided by one row.
func matchOf(l ir.Live, values []sqltext.Param) *liveMatch {
	if len(l.Roots) != 1 {
		return nil
	}
	var rows ir.Rows
	switch root := l.Roots[0].(type) {
	case *ir.Select:
		rows = root.Rows
	case *ir.Aggregate:
		rows = root.Rows
	case *ir.Connection:
		rows = root.Rows
	}
	table, ok := rows.From.(ir.Table)
	if !ok {
		return nil
	}
	m := &liveMatch{table: table.Name}
	find := operandsOf(values)
	m.condition = rowimage.Compile(rows.Where, &m.columns, find)
	best := len(operandRanks)
	eachConjunct(rows.Where, func(c ir.Compare) {
		if len(c.Args) != 1 {
			return
		}
		if _, rank := operandOf(c.Args[0], c.Op == ir.OpIn, values); rank < best {
			if lookup := rowimage.LookupOf(c, &m.columns, find); lookup != nil {
				m.lookup, best = lookup, rank
			}
		}
	})
	if len(m.columns) == 0 {
		return nil
	}
	return m
}

// Table implements backend.LiveMatch.
func (m *liveMatch) Table() catalog.Name { return m.table }

// collations are what the texts of a column have to be compared for.
var collations = map[rowimage.Comparison]backend.Collation{
	rowimage.None: backend.CollationUnknown, rowimage.Equality: backend.CollationDeterministic, rowimage.Order: backend.CollationBytes,
}

// Columns implements backend.LiveMatch.
func (m *liveMatch) Columns() []backend.MatchColumn {
	list := make([]backend.MatchColumn, len(m.columns))
	for i, c := range m.columns {
		list[i] = backend.MatchColumn{Name: c.Name, Type: c.Type.ID, Collation: collations[c.Collation]}
	}
	return list
}

// rowImage implements backend.RowImage.
type rowImage struct {
	match  *liveMatch
	values []rowimage.Value
}

// Image implements backend.LiveMatch.
func (m *liveMatch) Image(cells []backend.Cell) backend.RowImage {
	values := make([]rowimage.Value, len(m.columns))
	for i, c := range cells {
		switch c.State {
		case backend.CellNull:
			values[i] = rowimage.NullValue
		case backend.CellText:
			values[i] = m.columns[i].Value(c.Text)
		}
	}
	return &rowImage{m, values}
}

// Key implements backend.RowImage.
func (r *rowImage) Key() (key backend.RowKey, ok bool) {
	if r.match.lookup == nil {
		return backend.RowKey{}, false
	}
	v := r.match.lookup.Value(r.values)
	if v.IsNull() {
		return backend.RowKey{Null: true}, true
	}
	return keyOf(v)
}

func keyOf(v rowimage.Value) (key backend.RowKey, ok bool) {
	key.Number, key.Text, ok = v.Key()
	return key, ok
}

// rowTest implements backend.RowTest.
type rowTest struct {
	match    *liveMatch
	operands rowimage.Operands
	keys     []backend.RowKey
	keyed    bool
}

// Test implements backend.LiveMatch.
func (m *liveMatch) Test(cohort [][]byte) backend.RowTest {
	t := &rowTest{match: m, operands: m.condition.Bind(cohort)}
	if m.lookup == nil {
		return t
	}
	values, ok := m.lookup.Values(cohort)
	if t.keyed = ok; !ok {
		return t
	}
	for _, v := range values {
		if key, ok := keyOf(v); ok {
			t.keys = append(t.keys, key)
		}
	}
	return t
}

// Keys implements backend.RowTest.
func (t *rowTest) Keys() (keys []backend.RowKey, ok bool) { return t.keys, t.keyed }

// Maybe implements backend.RowTest.
func (t *rowTest) Maybe(row backend.RowImage) bool {
	r, ok := row.(*rowImage)
	return !ok || t.match.condition.Test(r.values, t.operands).Maybe()
}

// Cost implements backend.RowTest.
func (t *rowTest) Cost() int { return t.match.condition.Cost(t.operands) }

// The ranks of operands: those that tell cohorts apart best are the first.
const (
	rankValue = iota // of a cohort
	rankList         // of a cohort
	rankConstant
)

// operandRanks has all of them.
var operandRanks = [...]int{rankValue, rankList, rankConstant}

// operandOf is where the text of an operand comes from, nil when it isn't known.
func operandOf(v ir.Value, list bool, values []sqltext.Param) (text func(cohort [][]byte) []byte, rank int) {
	if l, ok := v.(ir.Literal); ok && !l.Null && l.List == list && l.Wrap == ir.WrapNone {
		return func([][]byte) []byte { return []byte(l.Text) }, rankConstant
	}
	index := valueIndex(v, list, values)
	if index < 0 {
		return nil, len(operandRanks)
	}
	rank = rankValue
	if list {
		rank = rankList
	}
	return func(cohort [][]byte) []byte { return cohort[index] }, rank
}

// mostTexts bounds how many values of a list are compared with those of each change.
const mostTexts = 1000

var arrayTypes = pgtype.NewMap()

// eachConjunct calls f for the comparisons that a condition takes to hold.
func eachConjunct(e ir.BoolExp, f func(ir.Compare)) {
	switch e := e.(type) {
	case ir.And:
		for _, part := range e.Exps {
			eachConjunct(part, f)
		}
	case ir.Rule:
		eachConjunct(e.Exp, f)
	case ir.Compare:
		f(e)
	}
}

// valueIndex is the place of an operand, which is a list or a single value, among the values of a cohort, -1 for none.
func valueIndex(v ir.Value, list bool, values []sqltext.Param) int {
	for i, p := range values {
		switch v := v.(type) {
		case ir.Variable:
			if p.Kind == sqltext.ParamVariable && p.Index == v.Index && v.List == list && v.Wrap == ir.WrapNone {
				return i
			}
		case ir.SessionVar:
			if p.Kind == sqltext.ParamSession && p.Name == v.Name && v.List == list && v.Wrap == ir.WrapNone {
				return i
			}
		}
	}
	return -1
}

// operandsOf finds operands among the constants and the values of a cohort.
func operandsOf(values []sqltext.Param) func(v ir.Value, list bool) rowimage.Operand {
	return func(v ir.Value, list bool) rowimage.Operand {
		text, _ := operandOf(v, list, values)
		if text == nil {
			return nil
		}
		return func(cohort [][]byte) ([][]byte, bool) {
			if !list {
				return [][]byte{text(cohort)}, true
			}
			return itemsOf(text(cohort))
		}
	}
}

// itemsOf are the elements of a list, of which nil is NULL; ok is false for too many, and for NULL.
func itemsOf(list []byte) (texts [][]byte, ok bool) {
	if list == nil || arrayTypes.Scan(pgtype.TextArrayOID, pgtype.TextFormatCode, list, &texts) != nil {
		return nil, false
	}
	return texts, len(texts) <= mostTexts
}
