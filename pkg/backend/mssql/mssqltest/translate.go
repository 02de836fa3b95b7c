package mssqltest

import (
	"fmt"
	"strings"
)

// node is a token of T-SQL, or the tokens between two parentheses.
type node struct {
	text  string
	group []node
}

func (n node) is(words ...string) bool {
	for _, w := range words {
		if n.group == nil && strings.EqualFold(n.text, w) {
			return true
		}
	}
	return false
}

// parseTSQL reads tokens up to the end, or to the end of a group.
func parseTSQL(text string) (nodes []node, rest string) {
	nodes = []node{}
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case text == "":
			return nodes, ""
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text, "*/")
			continue
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
			continue
		}
		end := 1
		switch c := text[0]; {
		case c == ')':
			return nodes, text[1:]
		case c == '(':
			var inner []node
			inner, text = parseTSQL(text[1:])
			nodes = append(nodes, node{group: inner})
			continue
		case c == '[':
			for end < len(text) && (text[end] != ']' || end+1 < len(text) && text[end+1] == ']') {
				if text[end] == ']' {
					end++
				}
				end++
			}
			end++
		case c == '\'', c == 'N' && strings.HasPrefix(text, "N'"):
			end = strings.IndexByte(text, '\'') + 1
			for end < len(text) && (text[end] != '\'' || end+1 < len(text) && text[end+1] == '\'') {
				if text[end] == '\'' {
					end++
				}
				end++
			}
			end++
		case c == '"':
			end = strings.IndexByte(text[1:], '"') + 2
		case c >= '0' && c <= '9':
			for end < len(text) && (isWord(text[end]) || text[end] == '.' || strings.IndexByte("+-", text[end]) >= 0 && strings.IndexByte("eE", text[end-1]) >= 0) {
				end++
			}
		default:
			for end < len(text) && isWord(c) && isWord(text[end]) {
				end++
			}
		}
		nodes = append(nodes, node{text: text[:end]})
		text = text[end:]
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '@' || c == '#' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// aggregatesQueries reports whether the arguments of an aggregate hold a sub-select, which PostgreSQL allows; within
// reports whether nodes are such arguments.
func aggregatesQueries(nodes []node, within bool) bool {
	for i, n := range nodes {
		if within && n.is("select") {
			return true
		}
		if n.group == nil {
			continue
		}
		inside := within || i > 0 && nodes[i-1].is("sum", "avg", "min", "max", "count", "count_big", "stdev", "stdevp", "var", "varp")
		if aggregatesQueries(n.group, inside) {
			return true
		}
	}
	return false
}

// types of PostgreSQL, and its aggregates.
var postgresWords = map[string]string{
	"datetime2": "timestamp", "datetimeoffset": "timestamptz", "float": "float8", "bit": "boolean", "uniqueidentifier": "uuid",
	"latin1_general_100_bin2": `"C"`, "count_big": "count", "apply": "JOIN LATERAL", "stdev": "stddev_samp", "stdevp": "stddev_pop", "var": "var_samp", "varp": "var_pop",
}

// ToPostgres is a statement of T-SQL as one of PostgreSQL.
func ToPostgres(text string) string {
	nodes, _ := parseTSQL(text)
	return spell(selects(nodes))
}

func word(text string) node { return node{text: text} }

// selects rewrites nodes, which may be a select.
func selects(nodes []node) []node {
	list := make([]node, 0, len(nodes))
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		switch {
		case n.is("openjson"):
			var relation node
			relation, i = openJSON(nodes, i)
			list = append(list, relation)
		case n.is("nvarchar", "varchar") && i+1 < len(nodes) && nodes[i+1].group != nil:
			list = append(list, word("text"))
			i++
		case n.group != nil:
			list = append(list, node{group: selects(n.group)})
		default:
			list = append(list, n)
		}
	}
	if len(list) == 0 || !list[0].is("select") {
		return list
	}
	var limit []node
	if list[1].is("top") {
		limit = []node{word("LIMIT"), list[2]}
		from := 3
		if list[3].is("with") {
			limit = []node{word("FETCH FIRST"), list[2], word("ROWS WITH TIES")}
			from = 5
		}
		list = append([]node{list[0]}, list[from:]...)
	}
	json := ""
	for i := range list {
		if list[i].is("for") && list[i+1].is("json") {
			json = "SELECT json_agg(j) FROM"
			if list[len(list)-1].is("without_array_wrapper") {
				json = "SELECT row_to_json(j)::text FROM"
			}
			list = list[:i]
			break
		}
	}
	list = append(withNulls(list), limit...)
	if json != "" {
		return append(append([]node{word(json)}, node{group: list}), word("AS j"))
	}
	return list
}

// withNulls says where NULL goes in an order.
func withNulls(list []node) []node {
	out := make([]node, 0, len(list))
	in := false
	end := func() {
		switch last := out[len(out)-1]; {
		case !in:
		case last.is("desc"):
			out = append(out, word("NULLS LAST"))
		default:
			out = append(out, word("NULLS FIRST"))
		}
	}
	for i := 0; i < len(list); i++ {
		n := list[i]
		switch {
		case n.is("over") && list[i+1].group != nil:
			i++
			out = append(out, n, node{group: withNulls(list[i].group)})
			continue
		case n.is("order") && list[i+1].is("by"):
			i++
			out = append(out, n, list[i])
			in = true
			continue
		case in && n.is(","):
			end()
		case in && n.is("offset"):
			end()
			in = false
		}
		out = append(out, n)
	}
	end()
	return out
}

// openJSON is a relation of the elements of a JSON list, with the columns that WITH names.
func openJSON(nodes []node, i int) (relation node, last int) {
	arg := spell(selects(nodes[i+1].group))
	if i+2 >= len(nodes) || !nodes[i+2].is("with") {
		return word(`(SELECT e AS "value" FROM jsonb_array_elements_text((` + arg + `)::jsonb) AS e)`), i + 1
	}
	var items []string
	for at, name := 0, ""; at < len(nodes[i+3].group); at++ {
		n := nodes[i+3].group[at]
		if name == "" {
			name = spell([]node{n})
		}
		if path, ok := strings.CutPrefix(n.text, "'$["); ok {
			of := "text"
			if nodes[i+3].group[at-1].is("int") {
				of = "int"
			}
			items = append(items, fmt.Sprintf("(e ->> %s)::%s AS %s", strings.TrimSuffix(path, "]'"), of, name))
			name = ""
			at++ // a comma
		}
	}
	return word("(SELECT " + strings.Join(items, ", ") + " FROM jsonb_array_elements((" + arg + ")::jsonb) AS e)"), i + 3
}

// spell writes nodes as PostgreSQL has them.
func spell(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		switch {
		case n.group != nil:
			b.WriteString("(" + spell(n.group) + ")")
			b.WriteString(" ")
			continue
		case strings.HasPrefix(n.text, "["):
			name := strings.ReplaceAll(n.text[1:len(n.text)-1], "]]", "]")
			b.WriteString(`"` + strings.ReplaceAll(name, `"`, `""`) + `"`)
		case strings.HasPrefix(n.text, "0x"):
			b.WriteString(`'\x` + n.text[2:] + `'`)
		case strings.HasPrefix(n.text, "#"):
			b.WriteString(`"` + n.text + `"`)
		case strings.HasPrefix(n.text, rowVariable):
			b.WriteString(n.text[1:])
		case strings.HasPrefix(n.text, "@p"):
			b.WriteString("$" + n.text[2:] + "::text")
		case strings.HasPrefix(n.text, "N'"):
			b.WriteString(n.text[1:])
		case postgresWords[strings.ToLower(n.text)] != "":
			b.WriteString(postgresWords[strings.ToLower(n.text)])
		default:
			b.WriteString(n.text)
		}
		if n.text != "." {
			b.WriteString(" ")
		}
	}
	// Nothing but names has points: "a" . "b".
	return strings.NewReplacer(" .", ".", "< >", "<>", "> =", ">=", "< =", "<=").Replace(b.String())
}
