package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// unguarded is a schema with views of all tables that see all rows, for the conditions of policies.
const unguarded = "every"

// settings are those that policies read, by the session variables that they have the values of.
var settings = object{{"app.role", "x-engine-role"}, {"app.number", "x-engine-number"}, {"app.word", "x-engine-word"}, {"app.list", "x-engine-list"}}

// Police has policies of the database hide rows, and permissions of metadata none. Requests take a role of the database. Only the roles that
// neither inherit nor have several rules are left: policies know of no cells. Nor do views have policies: they aren't readable.
func (m *Model) Police(databaseRole string) {
	dialect := *m.dialect
	dialect.configuration = append(slices.Clone(dialect.configuration), member{"session", object{
		{"set", settings}, {"role", object{{"*", databaseRole}}},
	}})
	m.dialect, m.databaseRole = &dialect, databaseRole
	m.Roles, m.parents = []string{"clerk", "agent", "guest"}, nil
	for _, t := range m.Tables {
		if t.base != nil {
			clear(t.perms)
		}
	}
	m.forget()
}

// policies guard the tables, by SQL.
func (m *Model) policies() string {
	var b strings.Builder
	role := quote(m.databaseRole)
	fmt.Fprintf(&b, "SET CONSTRAINTS ALL IMMEDIATE; DROP SCHEMA IF EXISTS %s CASCADE; CREATE SCHEMA %[1]s; GRANT USAGE ON SCHEMA public, %[1]s TO %s;\n", unguarded, role)
	for _, t := range m.Tables {
		fmt.Fprintf(&b, "CREATE VIEW %s AS SELECT * FROM %s;\n", everyRow(t), quote(t.Name))
		if t.base == nil {
			fmt.Fprintf(&b, "ALTER TABLE %s ENABLE ROW LEVEL SECURITY;\n", quote(t.Name))
		}
	}
	fmt.Fprintf(&b, "GRANT SELECT ON ALL TABLES IN SCHEMA public, %s TO %s;\n", unguarded, role)
	for _, t := range m.Tables {
		for _, c := range t.Computed {
			if c.Returns == nil { // it may count rows that the role doesn't see
				fmt.Fprintf(&b, "ALTER FUNCTION %s(%s) SECURITY DEFINER;\n", t.functionOf(c), t.arguments(c))
			}
		}
		for _, role := range m.Roles {
			if p := t.perms[role]; p != nil {
				s := policySpeller{root: quote(t.Name)}
				fmt.Fprintf(&b, "CREATE POLICY %s ON %s FOR SELECT USING (current_setting('app.role') = '%[1]s' AND %[3]s);\n",
					role, quote(t.Name), s.spell(p.filter, t, s.root))
			}
		}
	}
	return b.String()
}

func everyRow(t *Table) string { return unguarded + "." + quote(t.Name) }

// policySpeller spells a rule as SQL, on its own: not as the engine does.
type policySpeller struct {
	root    string
	aliases int
}

// sqlOperators are the operators of rules.
var sqlOperators = map[string]string{
	"_eq": "=", "_neq": "<>", "_gt": ">", "_lt": "<", "_gte": ">=", "_lte": "<=",
	"_like": "LIKE", "_nlike": "NOT LIKE", "_ilike": "ILIKE", "_nilike": "NOT ILIKE", "_similar": "SIMILAR TO", "_nsimilar": "NOT SIMILAR TO",
	"_regex": "~", "_iregex": "~*", "_nregex": "!~", "_niregex": "!~*",
	"_contains": "@>", "_contained_in": "<@", "_has_key": "?", "_has_keys_any": "?|", "_has_keys_all": "?&",
}

// spell spells a rule on the row of a table that has an alias.
func (s *policySpeller) spell(x expression, t *Table, row string) string {
	switch x := x.(type) {
	case conjunction:
		return s.all(x, t, row, " AND ", "TRUE")
	case disjunction:
		return s.all(x, t, row, " OR ", "FALSE")
	case negation:
		return "(NOT " + s.spell(x.of, t, row) + ")"
	case comparison:
		return s.comparison(x, row)
	case columnComparison:
		other := row
		if x.root {
			other = s.root
		}
		return "(" + row + "." + quote(x.column.Name) + " " + sqlOperators[plainOperator[x.op]] + " " + other + "." + quote(x.other.Name) + ")"
	case related:
		return s.exists(x.relation.Target, everyRow(x.relation.Target), x.where, func(alias string) []string {
			var pairs []string
			for _, pair := range x.relation.Join {
				pairs = append(pairs, row+"."+quote(pair[0])+" = "+alias+"."+quote(pair[1]))
			}
			return pairs
		})
	case computedRows:
		return s.exists(x.computed.Returns, "("+s.body(x.computed, row)+")", x.where, nil)
	case exists:
		return s.exists(x.table, everyRow(x.table), x.where, nil)
	}
	panic(fmt.Sprintf("a rule with %T", x))
}

func (s *policySpeller) all(list []expression, t *Table, row, between, none string) string {
	if len(list) == 0 {
		return none
	}
	terms := make([]string, len(list))
	for i, x := range list {
		terms[i] = s.spell(x, t, row)
	}
	return "(" + strings.Join(terms, between) + ")"
}

func (s *policySpeller) exists(t *Table, from string, where expression, join func(alias string) []string) string {
	s.aliases++
	alias := fmt.Sprintf("a%d", s.aliases)
	var terms []string
	if join != nil {
		terms = join(alias)
	}
	terms = append(terms, s.spell(where, t, alias))
	return "EXISTS (SELECT FROM " + from + " AS " + alias + " WHERE " + strings.Join(terms, " AND ") + ")"
}

var (
	// rowReference is the row in the body of a function, from what it reads a table.
	rowReference = regexp.MustCompile(`\br\.`)
	fromTable    = regexp.MustCompile(`FROM "`)
)

// body is what the function of a computed field does with a row.
func (s *policySpeller) body(c *Computed, row string) string {
	body := rowReference.ReplaceAllLiteralString(c.body, row+".")
	body = fromTable.ReplaceAllLiteralString(body, "FROM "+unguarded+`."`)
	return strings.ReplaceAll(body, "s ->> 'x-engine-role'", "current_setting('app.role')")
}

func (s *policySpeller) comparison(x comparison, row string) string {
	left, kind, nullable := "", Int, true
	if x.column != nil {
		left, kind, nullable = row+"."+quote(x.column.Name), x.column.Kind, x.column.Nullable
	} else {
		left, kind = "("+s.body(x.computed, row)+")", x.computed.Kind
	}
	switch {
	case x.op == "_is_null" && x.value == true:
		return "(" + left + " IS NULL)"
	case x.op == "_is_null":
		return "(" + left + " IS NOT NULL)"
	case x.session == "x-engine-list" && x.op == "_in":
		return "(" + left + " = ANY (current_setting('app.list')::int[]))"
	case x.session == "x-engine-list":
		return "(" + left + " <> ALL (current_setting('app.list')::int[]))"
	case x.session == "x-engine-number":
		return "(" + left + " " + sqlOperators[x.op] + " current_setting('app.number')::int)"
	case x.session != "":
		return "(" + left + " " + sqlOperators[x.op] + " current_setting('app.word'))"
	case x.value == nil && x.op == "_eq" && (nullable || x.literal): // not false for others
		return "(CASE WHEN " + left + " IS NULL THEN TRUE END)"
	case x.value == nil && x.op == "_neq" && (nullable || x.literal):
		return "(CASE WHEN " + left + " IS NOT NULL THEN TRUE END)"
	case x.op == "_in" || x.op == "_nin":
		return s.among(left, kind, x)
	case strings.HasPrefix(x.op, "_has_keys"):
		return "(" + left + " " + sqlOperators[x.op] + " " + literal(Texts, x.value) + "::text[])"
	case x.op == "_has_key":
		kind = Text
	}
	return "(" + left + " " + sqlOperators[x.op] + " " + literal(kind, x.value) + ")"
}

// among compares with each of a list.
func (s *policySpeller) among(left string, kind Kind, x comparison) string {
	var terms []string
	for _, v := range x.value.([]any) { //nolint:forcetypeassert // of the operator
		terms = append(terms, left+" = "+literal(kind, v))
	}
	any := "FALSE"
	if len(terms) > 0 {
		any = strings.Join(terms, " OR ")
	}
	if x.op == "_nin" {
		return "(NOT (" + any + "))"
	}
	return "(" + any + ")"
}
