package postgres

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/ir"
)

// Match implements backend.LiveMatcher.
func (s *liveStatement) Match() *backend.LiveMatch { return s.match }

// matchOf finds a condition that all rows of the root field satisfy by which cohorts differ: that a column equals
// a value of theirs. It is nil where there is none, or where equal values may be written in different ways.
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
	eachConjunct(rows.Where, func(c ir.Compare) {
		column, ok := c.Left.(ir.Column)
		if !ok || c.Op != ir.OpEq || c.NullSafe || len(c.Args) != 1 || found != nil {
			return
		}
		index := valueIndex(c.Args[0], values)
		canonical := canonicals[column.Type.Name]
		plain := column.Type.Schema == "" && column.Type.Dims == 0 && column.Type.Domain == nil
		if index >= 0 && canonical != nil && plain {
			found = &backend.LiveMatch{Table: table.Name, Column: column.Name, Value: index, Canonical: canonical}
		}
	})
	return found
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

// valueIndex is the place of an operand among the values of a cohort, -1 for none.
func valueIndex(v ir.Value, values []sqltext.Param) int {
	for i, p := range values {
		switch v := v.(type) {
		case ir.Variable:
			if p.Kind == sqltext.ParamVariable && p.Index == v.Index && !v.List && v.Wrap == ir.WrapNone {
				return i
			}
		case ir.SessionVar:
			if p.Kind == sqltext.ParamSession && p.Name == v.Name && !v.List && v.Wrap == ir.WrapNone {
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
	"uuid": canonicalUUID, "text": canonicalText, "varchar": canonicalText,
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

func canonicalText(value []byte) (string, bool) { return string(value), value != nil }
