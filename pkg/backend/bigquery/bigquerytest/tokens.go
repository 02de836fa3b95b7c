package bigquerytest

import (
	"slices"
	"strings"
)

// node is a token of GoogleSQL, or the tokens between two parentheses or brackets.
type node struct {
	text  string
	open  byte // '(' or '[' of a group
	group []node
}

func word(text string) node { return node{text: text} }

func group(nodes ...node) node { return node{open: '(', group: nodes} }

func (n node) is(words ...string) bool {
	for _, w := range words {
		if n.open == 0 && strings.EqualFold(n.text, w) {
			return true
		}
	}
	return false
}

// call reports whether a function's name and its arguments begin at i.
func call(nodes []node, i int, names ...string) bool {
	return i+1 < len(nodes) && nodes[i].is(names...) && nodes[i+1].open == '('
}

// parse reads tokens up to the end, or to the end of a group.
func parse(text string) (nodes []node, rest string) {
	nodes = []node{}
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case text == "":
			return nodes, ""
		case text[0] == ')', text[0] == ']':
			return nodes, text[1:]
		case text[0] == '(', text[0] == '[':
			n := node{open: text[0]}
			n.group, text = parse(text[1:])
			nodes = append(nodes, n)
			continue
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
			continue
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text, "*/")
			continue
		}
		end := tokenEnd(text)
		nodes = append(nodes, word(text[:end]))
		text = text[end:]
	}
}

// tokenEnd is where the first token of a text ends.
func tokenEnd(text string) int {
	end := 1
	switch c := text[0]; {
	case c == '`', c == '\'', c == '"':
		for end < len(text) && text[end] != c {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		return min(end+1, len(text))
	case isWord(c):
		for end < len(text) && (isWord(text[end]) || text[end] == '.' && c >= '0' && c <= '9') {
			end++
		}
	case len(text) > 1 && slices.Contains([]string{"!=", "<>", "<=", ">=", "||"}, text[:2]):
		end = 2
	}
	return end
}

func isWord(c byte) bool {
	return c == '_' || c == '@' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// split cuts a list at its commas.
func split(nodes []node) [][]node {
	var list [][]node
	from := 0
	for i, n := range nodes {
		if n.is(",") {
			list, from = append(list, nodes[from:i]), i+1
		}
	}
	return append(list, nodes[from:])
}

// unnamed is an expression without its name.
func unnamed(nodes []node) []node {
	if n := len(nodes); n > 2 && nodes[n-2].is("AS") {
		return nodes[:n-2]
	}
	return nodes
}

// unquoted is the text of a string or a name in quotes.
func unquoted(text string) string {
	var b strings.Builder
	for i := 1; i < len(text)-1; i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text)-1 {
			i++
			if c = text[i]; c == 'n' {
				c = '\n'
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// spell writes nodes as PostgreSQL has them.
func spell(nodes []node) string {
	var b strings.Builder
	for i, n := range nodes {
		if i > 0 && !n.is(".", ",") && !nodes[i-1].is(".") && n.open != '[' {
			b.WriteByte(' ')
		}
		switch {
		case n.open == '[':
			b.WriteString("[" + spell(n.group) + "]")
		case n.open == '(':
			b.WriteString("(" + spell(n.group) + ")")
		case strings.HasPrefix(n.text, "`"):
			b.WriteString(`"` + strings.ReplaceAll(unquoted(n.text), `"`, `""`) + `"`)
		case strings.HasPrefix(n.text, "'"), strings.HasPrefix(n.text, `"`):
			b.WriteString("'" + strings.ReplaceAll(unquoted(n.text), "'", "''") + "'")
		default:
			b.WriteString(n.text)
		}
	}
	return b.String()
}
