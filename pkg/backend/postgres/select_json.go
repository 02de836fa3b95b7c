package postgres

import (
	"strings"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/encode"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Everything here lets the database make the JSON of whole rows and lists. The binary way
// must give the same bytes.

// jsonRoot renders a root field as one row with its JSON.
func (r *renderer) jsonRoot(root ir.Root) string {
	switch root := root.(type) {
	case *ir.Select:
		q, in := r.SelectRows(sqlrows.Relation{Rows: &root.Rows}, root.Fields)
		q.Items = []string{r.jsonObject(root.Fields, in, q) + ` AS "root"`}
		all := `coalesce(json_agg("root"), '[]')`
		if root.One {
			all = `coalesce(json_agg("root") -> 0, 'null')`
		}
		return "SELECT " + all + ` AS "root" FROM (` + r.Text(q) + `) AS "_root"`
	case *ir.Aggregate:
		return "SELECT " + r.jsonAggregate(root, sqlrows.Relation{}) + ` AS "root"`
	case *ir.Connection:
		return "SELECT " + r.jsonConnection(root, sqlrows.Relation{}) + ` AS "root"`
	}
	r.Fail("unknown root %T", root)
	return ""
}

// jsonObject renders a row as a json value.
func (r *renderer) jsonObject(fields []ir.Field, in *sqltext.Scope, q *sqlrows.Selection) string {
	object := r.jsonPresentObject(fields, in, q)
	if whole := r.AllPresent(fields, in); whole != "" {
		return "CASE WHEN " + whole + " THEN " + object + " END"
	}
	return object
}

func (r *renderer) jsonPresentObject(fields []ir.Field, in *sqltext.Scope, q *sqlrows.Selection) string {
	long := answer.StyleOf(fields) == answer.Spaced
	texts := make([]string, len(fields))
	for i, f := range fields {
		var value string
		switch v := f.Value.(type) {
		case *ir.Nested:
			value = r.jsonNested(v, in, q)
		case *ir.NodeID:
			value = r.jsonNodeID(v, in)
		case ir.Scalar:
			value = r.jsonCell(r.Single(v.Expr, in), v.Type)
		case ir.Typename:
			value = quote.Literal(string(v)) + "::text"
		case ir.Object:
			value = r.jsonPresentObject(v, in, q)
		case ir.Aggregated:
			value = r.jsonAggregated(v.Function, r.Expr(v.Column, in), v.Type)
		default:
			r.Fail("unknown field %T", v)
		}
		if long {
			texts[i] = quote.Literal(f.Alias) + ", " + value
		} else {
			texts[i] = value + " AS " + quote.Name(f.Alias)
		}
	}
	if long {
		return buildObject(texts)
	}
	return `row_to_json((SELECT "_e" FROM (SELECT ` + strings.Join(texts, ", ") + `) AS "_e"))`
}

// maxPairs is how many keys json_build_object takes: a function has at most 100 arguments.
const maxPairs = 50

// buildObject renders an object from its pairs of key and value.
func buildObject(pairs []string) string {
	if len(pairs) <= maxPairs {
		return "json_build_object(" + strings.Join(pairs, ", ") + ")"
	}
	// Several objects become one: their text without the braces, side by side.
	var pieces []string
	for len(pairs) > 0 {
		n := min(len(pairs), maxPairs)
		pieces = append(pieces, "substr(left(json_build_object("+strings.Join(pairs[:n], ", ")+")::text, -1), 2)")
		pairs = pairs[n:]
	}
	return "('{' || " + strings.Join(pieces, " || ', ' || ") + " || '}')::json"
}

func (r *renderer) jsonNested(n *ir.Nested, in *sqltext.Scope, q *sqlrows.Selection) string {
	switch root := n.Root.(type) {
	case *ir.Aggregate:
		return r.jsonAggregate(root, sqlrows.Relation{Join: n.Join, Outer: in})
	case *ir.Connection:
		return r.jsonConnection(root, sqlrows.Relation{Join: n.Join, Outer: in})
	case *ir.Select:
		if root.One {
			one := r.JoinOne(sqlrows.Related(n, root), in, q)
			return "CASE WHEN " + one.Marker + " IS NOT NULL THEN " + r.jsonObject(root.Fields, one, q) + " END"
		}
		return r.jsonList(root, sqlrows.Relation{Join: n.Join, Outer: in})
	}
	r.Fail("unknown root %T", n.Root)
	return "NULL"
}

func (r *renderer) jsonList(s *ir.Select, rel sqlrows.Relation) string {
	rel.Rows = &s.Rows
	q, in := r.SelectRows(rel, s.Fields)
	object := r.jsonObject(s.Fields, in, q)
	q.Items = []string{object + ` AS "r"`}
	list := `(SELECT coalesce(json_agg("r"), '[]') FROM (` + r.Text(q) + `) AS "_l")`
	return r.Guarded(rel, list)
}

// jsonCell renders a value so that row_to_json and json_build_object write it as the answer
// has it.
func (r *renderer) jsonCell(expr string, t catalog.Type) string {
	if sql, ok := r.special(expr, t); ok {
		return sql
	}
	if encode.Zoned(t) {
		r.zoned = true
	}
	if r.stringified(t) {
		return expr + "::text"
	}
	return expr
}
