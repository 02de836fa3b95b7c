package postgres

import (
	"strconv"
	"strings"

	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// spelling is how PostgreSQL spells what all SQL dialects have: see sqltext.Spelling.
type spelling struct{ *Dialect }

func (spelling) Quote(name string) string { return quote.Name(name) }

// The conditions without operands.
const (
	sqlTrue  = "TRUE"
	sqlFalse = "FALSE"
)

func (spelling) Bool(holds bool) string {
	if holds {
		return sqlTrue
	}
	return sqlFalse
}

func (spelling) Placeholder(n int) string { return "$" + strconv.Itoa(n) }

// Typed casts to the type, so that the text is read by the type's own input function.
func (spelling) Typed(text string, as sqltext.As) string {
	if as.Wrap != ir.WrapNone {
		return text + "::text"
	}
	return text + "::" + typeName(typeOf(as))
}

func (spelling) Wrapped(text string, as sqltext.As) string {
	return wrapped(text, typeOf(as), as.Wrap)
}

// typeOf is the type of a value, an array for a list.
func typeOf(as sqltext.As) catalog.Type {
	if as.List {
		as.Type.Dims++
	}
	return as.Type
}

func (spelling) Cast(expr string, t catalog.Type) string { return expr + "::" + typeName(t) }

func (spelling) List(values [][]byte) []byte { return quote.Array(values) }

// Direction spells ASC or DESC, and where NULL goes as far as it isn't the default. That of CockroachDB is the other way round.
func (s spelling) Direction(desc, nullsFirst bool) string {
	switch {
	case s.Dialect != nil && s.plain && desc == nullsFirst && desc:
		return " DESC NULLS FIRST"
	case s.Dialect != nil && s.plain && desc == nullsFirst:
		return " ASC NULLS LAST"
	case desc && nullsFirst:
		return " DESC"
	case desc:
		return " DESC NULLS LAST"
	case nullsFirst:
		return " ASC NULLS FIRST"
	}
	return ""
}

// Least passes over NULL.
func (spelling) Least(a, b string) string { return "least(" + a + ", " + b + ")" }

// Count takes several columns as one record.
func (spelling) Count(args []string, distinct bool) string {
	unique := ""
	if distinct {
		unique = "DISTINCT "
	}
	switch len(args) {
	case 0:
		return "count(*)"
	case 1:
		return "count(" + unique + args[0] + ")"
	}
	return "count(" + unique + "(" + strings.Join(args, ", ") + "))"
}

// ConflictTarget takes the name of a constraint. ON CONSTRAINT refuses that of an index, which is taken
// by its columns.
func (s spelling) ConflictTarget(t ir.ConflictTarget) string {
	switch {
	case s.columnTargets && len(t.Columns) > 0:
		return " " + sqltext.Columns(s, t.Columns)
	case t.Constraint != "" && (!t.Index || len(t.Columns) == 0):
		return " ON CONSTRAINT " + s.Quote(t.Constraint)
	case len(t.Columns) > 0:
		return " " + sqltext.Columns(s, t.Columns)
	}
	return ""
}
