package sqlite

import "strings"

// ddlToken is a part of a statement that defines something, as SQLite keeps it.
type ddlToken struct {
	// word is a word in upper case, or a sign; "" for what is quoted.
	word string
	// name is a word or a quoted name without its quotes.
	name       string
	start, end int
	// depth is in how many parentheses it is.
	depth int
}

// ddl is such a statement.
type ddl struct {
	text   string
	tokens []ddlToken
}

// closings are the ends of what is quoted, by its beginnings. All but those of brackets are doubled inside.
var closings = map[byte]byte{'\'': '\'', '"': '"', '`': '`', '[': ']'}

// readDDL splits a statement. SQLite has accepted it, so it is whole.
func readDDL(text string) ddl {
	d := ddl{text: text}
	depth := 0
	for i := 0; i < len(text); {
		rest := text[i:]
		switch b := text[i]; {
		case strings.HasPrefix(rest, "--"):
			i += through(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			i += 2 + through(rest[2:], "*/")
		case strings.IndexByte(" \t\n\f\r", b) >= 0:
			i++
		case closings[b] != 0:
			end := i + quotedLength(rest, closings[b])
			name := text[i+1 : max(i+1, end-1)]
			if b != '[' {
				name = strings.ReplaceAll(name, string([]byte{b, b}), string(b))
			}
			d.tokens = append(d.tokens, ddlToken{name: name, start: i, end: end, depth: depth})
			i = end
		case isWordByte(b):
			end := i
			for end < len(text) && isWordByte(text[end]) {
				end++
			}
			d.tokens = append(d.tokens, ddlToken{word: strings.ToUpper(text[i:end]), name: text[i:end], start: i, end: end, depth: depth})
			i = end
		default:
			if b == ')' {
				depth--
			}
			d.tokens = append(d.tokens, ddlToken{word: string(b), start: i, end: i + 1, depth: depth})
			if b == '(' {
				depth++
			}
			i++
		}
	}
	return d
}

// through is the length of a text up to the end of a mark, or all of it.
func through(text, mark string) int {
	if before, _, found := strings.Cut(text, mark); found {
		return len(before) + len(mark)
	}
	return len(text)
}

// quotedLength is the length of what is quoted at the beginning of a text.
func quotedLength(text string, closing byte) int {
	for i := 1; i < len(text); i++ {
		if text[i] != closing {
			continue
		}
		if closing == ']' || i+1 == len(text) || text[i+1] != closing {
			return i + 1
		}
		i++
	}
	return len(text)
}

func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// group finds the parentheses that begin at the token i, or behind it, on a level; it gives the place of the
// closing one. There are none when open is -1.
func (d ddl) group(i, depth int) (open, closing int) {
	for ; i < len(d.tokens); i++ {
		if t := d.tokens[i]; t.word == "(" && t.depth == depth {
			for end := i + 1; end < len(d.tokens); end++ {
				if d.tokens[end].word == ")" && d.tokens[end].depth == depth {
					return i, end
				}
			}
		}
	}
	return -1, -1
}

// between is the text between two tokens.
func (d ddl) between(open, closing int) string {
	return strings.TrimSpace(d.text[d.tokens[open].end:d.tokens[closing].start])
}

// items are the tokens of the parts of a group, which commas separate, as first and last one.
func (d ddl) items(open, closing int) [][2]int {
	var list [][2]int
	from := open + 1
	for i := from; i <= closing; i++ {
		if i == closing || d.tokens[i].word == "," && d.tokens[i].depth == d.tokens[open].depth+1 {
			if i > from {
				list = append(list, [2]int{from, i - 1})
			}
			from = i + 1
		}
	}
	return list
}

// check is a condition that a table's definition demands of rows; its name is "" for none.
type check struct{ name, expression string }

// tableDDL is what the definition of a table has that no pragma tells: the checks, and the expressions of generated
// columns by their names.
func tableDDL(text string) (checks []check, generated map[string]string) {
	d := readDDL(text)
	generated = map[string]string{}
	open, closing := d.group(0, 0)
	if open < 0 {
		return nil, generated
	}
	for _, item := range d.items(open, closing) {
		name := ""
		for i := item[0]; i <= item[1]; i++ {
			t := d.tokens[i]
			if t.depth != 1 || i == item[0] && t.word == "" {
				continue
			}
			next, end := d.group(i+1, 1)
			called := next == i+1 && end <= item[1]
			switch {
			case t.word == "CONSTRAINT" && i < item[1]:
				name = d.tokens[i+1].name
				i++
			case t.word == "CHECK" && called:
				checks = append(checks, check{name, d.between(next, end)})
				name = ""
			case t.word == "AS" && called && i > item[0]:
				generated[d.tokens[item[0]].name] = d.between(next, end)
			case t.word == "NOT" || t.word == "NULL" || t.word == "UNIQUE" || t.word == "PRIMARY" || t.word == "DEFAULT" || t.word == "COLLATE" || t.word == "REFERENCES":
				name = "" // it was that of this constraint
			}
		}
	}
	return checks, generated
}

// indexDDL is what the definition of an index has that no pragma tells: the expressions among its parts, and the
// condition of its rows.
func indexDDL(text string) (parts []string, where string) {
	d := readDDL(text)
	open, closing := d.group(0, 0)
	if open < 0 {
		return nil, ""
	}
	for _, item := range d.items(open, closing) {
		last := item[1]
		if w := d.tokens[last].word; (w == "ASC" || w == "DESC") && last > item[0] {
			last--
		}
		parts = append(parts, d.text[d.tokens[item[0]].start:d.tokens[last].end])
	}
	if closing+1 < len(d.tokens) && d.tokens[closing+1].word == "WHERE" {
		where = strings.TrimSpace(d.text[d.tokens[closing+1].end:])
	}
	return parts, where
}
