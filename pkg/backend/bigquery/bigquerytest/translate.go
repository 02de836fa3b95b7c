package bigquerytest

import (
	"fmt"
	"strings"
)

// typeNames maps types of GoogleSQL to types of PostgreSQL.
var typeNames = map[string]string{
	"STRING": "text", "INT64": "int8", "FLOAT64": "float8", "NUMERIC": "numeric", "BIGNUMERIC": "numeric", "BOOL": "bool", "DATE": "date",
	"TIME": "time", "DATETIME": "timestamp", "TIMESTAMP": "timestamptz", "BYTES": "bytea", "JSON": "jsonb",
}

// functionNames are functions that differ by their names alone.
var functionNames = map[string]string{"IFNULL": "coalesce", "ARRAY_LENGTH": "cardinality"}

// functions are what PostgreSQL lacks. bigquery_value makes a value of a cell of any type: arrays have cells of their own.
const functions = `CREATE OR REPLACE FUNCTION bigquery_larger(anyelement, anyelement) RETURNS anyelement LANGUAGE sql STRICT AS 'SELECT greatest($1, $2)';
CREATE OR REPLACE FUNCTION bigquery_smaller(anyelement, anyelement) RETURNS anyelement LANGUAGE sql STRICT AS 'SELECT least($1, $2)';
CREATE OR REPLACE AGGREGATE max(boolean) (sfunc = bigquery_larger, stype = boolean);
CREATE OR REPLACE AGGREGATE min(boolean) (sfunc = bigquery_smaller, stype = boolean);
CREATE OR REPLACE AGGREGATE max(bytea) (sfunc = bigquery_larger, stype = bytea);
CREATE OR REPLACE AGGREGATE min(bytea) (sfunc = bigquery_smaller, stype = bytea);
CREATE OR REPLACE FUNCTION bigquery_value(v anyelement) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF pg_typeof(v)::text LIKE '%[]' THEN
		RETURN (SELECT coalesce(json_agg(json_build_object('v', e)), '[]') FROM json_array_elements(to_json(v)) AS e);
	ELSIF json_typeof(to_json(v)) IN ('number', 'boolean') THEN
		RETURN to_json(v::text);
	END IF;
	RETURN to_json(v);
END $$`

// translator makes a statement of PostgreSQL of one of GoogleSQL.
type translator struct {
	// places has the places of parameters by their names, types their types there.
	places map[string]int
	types  []string
	// aliases is how many sub-selects were given a name.
	aliases int
}

func (t *translator) statement(text string) string {
	nodes, _ := parse(text)
	if made := t.definition(nodes); made != "" {
		return made
	}
	return spell(t.rewrite(nodes))
}

// rewrite rewrites a list of tokens, which may be a select.
func (t *translator) rewrite(nodes []node) []node {
	list := make([]node, 0, len(nodes))
	if len(nodes) > 2 && nodes[0].is("SELECT") && nodes[1].is("AS") && nodes[2].is("STRUCT") {
		nodes = recordSelect(nodes)
	}
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		switch {
		case n.is("*") && call(nodes, i+1, "EXCEPT"):
			list = append(list, n)
			i += 2
		case call(nodes, i, "STRUCT"):
			i++
			list = append(list, t.record(nodes[i].group))
		case call(nodes, i, "ARRAY_AGG"):
			var made []node
			made, i = t.arrayAgg(nodes, i)
			list = append(list, made...)
		case call(nodes, i, "ANY_VALUE"):
			i++
			list = append(list, group(word("array_agg"), group(t.rewrite(nodes[i].group)...)), word("[1]"))
		case call(nodes, i, "FORMAT_TIMESTAMP"):
			i++
			list = append(list, t.moment(split(nodes[i].group)[1]))
		case call(nodes, i, "TO_JSON_STRING"):
			i++
			list = append(list, group(word("to_json"), group(t.rewrite(nodes[i].group)...)), word("::text"))
		case call(nodes, i, "PARSE_JSON"):
			i++
			list = append(list, group(t.rewrite(nodes[i].group)...), word("::jsonb"))
		case n.is("NOT") && i+1 < len(nodes) && nodes[i+1].is("IN") && call(nodes, i+2, "UNNEST"):
			i += 3
			list = append(list, word("<>"), word("ALL"), group(t.rewrite(nodes[i].group)...))
		case n.is("IN") && call(nodes, i+1, "UNNEST"):
			i += 2
			list = append(list, word("="), word("ANY"), group(t.rewrite(nodes[i].group)...))
		case call(nodes, i, "UNNEST"):
			i++
			if call(nodes[i].group, 0, "GENERATE_ARRAY") {
				list = append(list, word("generate_series"), group(t.rewrite(nodes[i].group[1].group)...))
				break
			}
			if selectsList(nodes[i].group) && i+6 < len(nodes) {
				list = append(list, t.items(nodes[i].group, nodes[i+2], nodes[i+6])...)
				i += 6
				break
			}
			list = append(list, n, group(t.rewrite(nodes[i].group)...))
			if i+6 < len(nodes) && nodes[i+3].is("WITH") && nodes[i+4].is("OFFSET") { // AS e WITH OFFSET AS i
				list = append(list, word("WITH ORDINALITY AS u"), group(nodes[i+2], word(","), nodes[i+6]))
				i += 6
			}
		case n.open == '[' && len(n.group) == 2 && n.group[0].is("OFFSET", "SAFE_OFFSET"):
			list = append(list, node{open: '[', group: append(t.rewrite(n.group[1].group), word("+ 1"))})
		case n.open == '(':
			inner := group(t.rewrite(n.group)...)
			list = append(list, inner)
			if from := len(list) >= 2 && list[len(list)-2].is("FROM", "JOIN"); from && (i+1 == len(nodes) || !nodes[i+1].is("AS")) {
				t.aliases++
				list = append(list, word(fmt.Sprintf("AS _a%d", t.aliases)))
			}
		case n.open != 0:
			list = append(list, node{open: n.open, group: t.rewrite(n.group)})
		case strings.HasPrefix(n.text, "@"):
			list = append(list, t.parameter(n.text[1:]))
		case functionNames[strings.ToUpper(n.text)] != "" && i+1 < len(nodes) && nodes[i+1].open == '(':
			list = append(list, word(functionNames[strings.ToUpper(n.text)]))
		case i > 0 && nodes[i-1].is("AS") && typeNames[strings.ToUpper(n.text)] != "":
			list = append(list, word(typeNames[strings.ToUpper(n.text)]))
		default:
			list = append(list, n)
		}
	}
	return withNulls(list)
}

func (t *translator) parameter(name string) node {
	place, known := t.places[strings.ToLower(name)]
	if !known {
		return word("@" + name)
	}
	return group(word(fmt.Sprintf("$%d::%s", place, t.types[place-1])))
}

// record is a value of STRUCT as the REST API has it.
func (t *translator) record(fields []node) node {
	var cells []node
	for i, field := range split(fields) {
		if i > 0 {
			cells = append(cells, word(","))
		}
		cells = append(cells, word("json_build_object"), group(word("'v'"), word(","), t.cell(unnamed(field))))
	}
	return group(word("json_build_object"), group(word("'f'"), word(","), word("json_build_array"), group(cells...)))
}

func (t *translator) cell(value []node) node {
	if len(value) == 1 && value[0].is("NULL") {
		return word("NULL::text")
	}
	return group(word("bigquery_value"), group(t.rewrite(value)...))
}

// recordSelect has a select of a record select one value.
func recordSelect(nodes []node) []node {
	end := 3
	for end < len(nodes) && !nodes[end].is("FROM") {
		end++
	}
	return append([]node{nodes[0], word("STRUCT"), group(nodes[3:end]...)}, nodes[end:]...)
}

// arrayAgg is a list of all values, or the first one where LIMIT 1 says so.
func (t *translator) arrayAgg(nodes []node, i int) (made []node, last int) {
	args := nodes[i+1].group
	order := len(args)
	for at, n := range args {
		if n.is("ORDER", "LIMIT") {
			order = at
			break
		}
	}
	value, rest := args[:order], args[order:]
	var limit []node
	if n := len(rest); n > 1 && rest[n-2].is("LIMIT") {
		rest, limit = rest[:n-2], rest[n-1:]
	}
	rest = t.rewrite(rest)
	if i+2 < len(nodes) && nodes[i+2].open == '[' {
		return []node{group(word("array_agg"), group(append(t.rewrite(value), rest...)...)), word("[1]")}, i + 2
	}
	cell := []node{word("json_build_object"), group(word("'v'"), word(","), t.cell(value))}
	if limit != nil {
		all := group(word("array_agg"), group(append(cell, rest...)...))
		return []node{word("array_to_json"), group(all, node{open: '[', group: []node{word("1:"), limit[0]}})}, i + 1
	}
	return []node{word("json_agg"), group(append(cell, rest...)...)}, i + 1
}

// selectsList reports whether the argument of UNNEST is a select of a list, or one that was joined, which are JSON here.
func selectsList(nodes []node) bool {
	if len(nodes) == 3 && nodes[1].is(".") {
		return nodes[2].text == "v"
	}
	return len(nodes) == 1 && nodes[0].open == '(' && len(nodes[0].group) > 1 && nodes[0].group[0].is("SELECT") && call(nodes[0].group, 1, "ARRAY_AGG")
}

// items are the values of a list of JSON and their places: UNNEST(list) AS item WITH OFFSET AS place.
func (t *translator) items(list []node, item, place node) []node {
	return []node{
		group(word("SELECT _l.value->'v', _l.ordinality - 1 FROM json_array_elements"), group(t.rewrite(list)...), word("WITH ORDINALITY AS _l")),
		word("AS _i"), group(item, word(","), place),
	}
}

// moment is a time stamp in UTC, with as many digits as it has.
func (t *translator) moment(value []node) node {
	utc := append([]node{group(t.rewrite(value)...)}, word("AT TIME ZONE 'UTC'"))
	return group(word("to_json"), group(utc...), word("#>> '{}' || 'Z'"))
}

// withNulls says where NULL goes in an order: it is the least value of GoogleSQL, and the greatest here.
func withNulls(list []node) []node {
	out := make([]node, 0, len(list))
	in := false
	end := func() {
		if !in {
			return
		}
		switch last := out[len(out)-1]; {
		case last.is("FIRST", "LAST"):
		case last.is("DESC"):
			out = append(out, word("NULLS LAST"))
		default:
			out = append(out, word("NULLS FIRST"))
		}
	}
	for i := 0; i < len(list); i++ {
		n := list[i]
		switch {
		case n.is("ORDER") && i+1 < len(list) && list[i+1].is("BY"):
			i++
			out = append(out, n, list[i])
			in = true
			continue
		case in && n.is(","):
			end()
		case in && n.is("LIMIT", "OFFSET"):
			end()
			in = false
		}
		out = append(out, n)
	}
	end()
	return out
}
