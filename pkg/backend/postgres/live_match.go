package postgres

import (
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/rowimage"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// Match implements backend.LiveMatcher.
func (s *liveStatement) Match() *backend.LiveMatch { return s.match }

// matchOf finds a condition that all rows of the root field satisfy: that a column equals a value, or one of a list.
// It is nil where there is none, or where equal values may be written in different ways. One by which cohorts differ
// goes before one that is the same for all.
func matchOf(l ir.Live, values []sqltext.Param) *backend.LiveMatch {
	if len(l.Roots) != 1 {
		return nil
	}
	var rows ir.Rows
	switch root := l.Roots[0].(type) {
	case *ir.Select:
		rows = root.Rows
	case *ir.Aggregate:
		rows = root.Rows
	default:
		return nil
	}
	table, ok := rows.From.(ir.Table)
	if !ok {
		return nil
	}
	var found *backend.LiveMatch
	best := len(operandRanks)
	eachConjunct(rows.Where, func(c ir.Compare) {
		column, ok := c.Left.(ir.Column)
		if !ok || c.NullSafe || len(c.Args) != 1 || c.Op != ir.OpEq && c.Op != ir.OpIn {
			return
		}
		canonical := canonicals[column.Type.Name]
		plain := column.Type.Schema == "" && column.Type.Dims == 0 && column.Type.Domain == nil
		operand, rank := operandOf(c.Args[0], c.Op == ir.OpIn, values)
		if canonical == nil || !plain || operand == nil || rank >= best {
			return
		}
		best = rank
		found = &backend.LiveMatch{Table: table.Name, Column: column.Name, Type: column.Type.ID, Texts: func(cohort [][]byte) ([]string, bool) {
			return canonicalTexts(operand(cohort), c.Op == ir.OpIn, canonical)
		}}
	})
	return found
}

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
		return nil, 0
	}
	rank = rankValue
	if list {
		rank = rankList
	}
	return func(cohort [][]byte) []byte { return cohort[index] }, rank
}

// mostTexts bounds how many values are compared with those of each change.
const mostTexts = 1000

var arrayTypes = pgtype.NewMap()

// canonicalTexts are the values of an operand as PostgreSQL writes them.
func canonicalTexts(operand []byte, isList bool, canonical func([]byte) (string, bool)) ([]string, bool) {
	if !isList {
		text, ok := canonical(operand)
		return []string{text}, ok
	}
	list, ok := itemsOf(operand)
	if !ok {
		return nil, false
	}
	texts := make([]string, 0, len(list))
	for _, item := range list {
		if item == nil {
			continue // nothing equals NULL
		}
		text, ok := canonical(item)
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

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

// canonicals give values as PostgreSQL writes them, by their types. Whether texts are equal only if their bytes
// are is up to the collation of the column, which is looked at where the column is watched.
var canonicals = map[string]func(value []byte) (text string, ok bool){
	"int2": canonicalInteger, "int4": canonicalInteger, "int8": canonicalInteger,
	"uuid": canonicalUUID, "bool": canonicalBoolean, "text": canonicalText, "varchar": canonicalText,
}

func canonicalInteger(value []byte) (string, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(string(value)), 10, 64)
	return strconv.FormatInt(n, 10), err == nil && value != nil
}

func canonicalUUID(value []byte) (string, bool) {
	text := strings.ToLower(string(value))
	if len(text) != 36 {
		return "", false // there are other ways to write it
	}
	for i, c := range []byte(text) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		digit := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		if hyphen && c != '-' || !hyphen && !digit {
			return "", false
		}
	}
	return text, true
}

func canonicalBoolean(value []byte) (string, bool) {
	switch strings.ToLower(string(value)) {
	case "t", "true":
		return "t", true
	case "f", "false":
		return "f", true
	}
	return "", false // there are other ways to write it
}

func canonicalText(value []byte) (string, bool) { return string(value), value != nil }

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
