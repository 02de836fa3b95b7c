package postgres

import "strings"

// tokenKind is what splitting has to know of a token.
type tokenKind int

const (
	tokenSpace tokenKind = iota // blanks and comments
	tokenWord                   // a keyword or an identifier without quotes
	tokenOpen
	tokenClose
	tokenSemicolon
	tokenOther // strings, quoted identifiers, numbers, operators
)

// scanner cuts SQL text into tokens by the rules of PostgreSQL's own, with standard_conforming_strings
// on. An unterminated token takes all of the rest: the server will report what is wrong with it.
type scanner struct {
	sql string
	pos int
}

// next is the next token, or false at the end.
func (s *scanner) next() (tokenKind, string, bool) {
	if s.pos >= len(s.sql) {
		return 0, "", false
	}
	start := s.pos
	kind := s.scan()
	return kind, s.sql[start:s.pos], true
}

func (s *scanner) scan() tokenKind {
	c := s.sql[s.pos]
	switch {
	case isSpace(c):
		s.pos++
		return tokenSpace
	case strings.HasPrefix(s.sql[s.pos:], "--"):
		s.lineComment()
		return tokenSpace
	case strings.HasPrefix(s.sql[s.pos:], "/*"):
		s.blockComment()
		return tokenSpace
	case c == '\'':
		s.quoted('\'', false)
		return tokenOther
	case c == '"':
		s.quoted('"', false)
		return tokenOther
	case c == '$':
		s.dollar()
		return tokenOther
	case isWordStart(c):
		return s.word()
	}
	s.pos++
	switch c {
	case '(':
		return tokenOpen
	case ')':
		return tokenClose
	case ';':
		return tokenSemicolon
	}
	return tokenOther
}

// lineComment ends before the end of the line; a carriage return ends one, too.
func (s *scanner) lineComment() {
	if end := strings.IndexAny(s.sql[s.pos:], "\r\n"); end >= 0 {
		s.pos += end
		return
	}
	s.pos = len(s.sql)
}

// blockComment may hold others.
func (s *scanner) blockComment() {
	depth := 0
	for s.pos < len(s.sql) {
		switch {
		case strings.HasPrefix(s.sql[s.pos:], "/*"):
			depth++
			s.pos += 2
		case strings.HasPrefix(s.sql[s.pos:], "*/"):
			depth--
			s.pos += 2
			if depth == 0 {
				return
			}
		default:
			s.pos++
		}
	}
}

// quoted reads to the closing quote; a doubled quote doesn't close, nor does one behind a
// backslash where backslashes escape.
func (s *scanner) quoted(quote byte, backslash bool) {
	s.pos++
	for s.pos < len(s.sql) {
		c := s.sql[s.pos]
		s.pos++
		switch {
		case c == '\\' && backslash:
			s.pos = min(s.pos+1, len(s.sql))
		case c == quote && s.pos < len(s.sql) && s.sql[s.pos] == quote:
			s.pos++
		case c == quote && backslash && s.continued():
			s.pos++
		case c == quote:
			return
		}
	}
}

// continued looks for the next part of a string: a quote after blanks and comments that
// hold an end of line. It moves there. The next part has the escapes of the first.
func (s *scanner) continued() bool {
	ahead := scanner{sql: s.sql, pos: s.pos}
	line := false
	for ahead.pos < len(ahead.sql) {
		c := ahead.sql[ahead.pos]
		switch {
		case c == '\'' && line:
			s.pos = ahead.pos
			return true
		case isSpace(c):
			line = line || c == '\n' || c == '\r'
			ahead.pos++
		case line && strings.HasPrefix(ahead.sql[ahead.pos:], "--"):
			ahead.lineComment()
		default:
			return false
		}
	}
	return false
}

// dollar reads a string between dollar tags, or a lone dollar.
func (s *scanner) dollar() {
	end := s.pos + 1
	for end < len(s.sql) && isWordPart(s.sql[end]) && s.sql[end] != '$' {
		end++
	}
	tagged := end < len(s.sql) && s.sql[end] == '$' && (end == s.pos+1 || isWordStart(s.sql[s.pos+1]))
	if !tagged {
		s.pos++
		return
	}
	tag := s.sql[s.pos : end+1]
	if closing := strings.Index(s.sql[end+1:], tag); closing >= 0 {
		s.pos = end + 1 + closing + len(tag)
		return
	}
	s.pos = len(s.sql)
}

// word reads an identifier; E before a quote belongs to the string.
func (s *scanner) word() tokenKind {
	start := s.pos
	for s.pos < len(s.sql) && isWordPart(s.sql[s.pos]) {
		s.pos++
	}
	if s.pos-start == 1 && s.pos < len(s.sql) && s.sql[s.pos] == '\'' && (s.sql[start] == 'e' || s.sql[start] == 'E') {
		s.quoted('\'', true)
		return tokenOther
	}
	return tokenWord
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isWordPart(c byte) bool { return isWordStart(c) || c >= '0' && c <= '9' || c == '$' }

// splitStatements cuts text at the semicolons between statements. Those in quotes, comments,
// parentheses and the bodies of functions between BEGIN ATOMIC and END are not between
// statements. Statements without a token are left out.
func splitStatements(sql string) []string {
	var statements []string
	s := scanner{sql: sql}
	start, empty := 0, true
	var state body
	parens := 0
	for {
		kind, text, ok := s.next()
		if !ok {
			break
		}
		switch kind {
		case tokenOpen:
			parens++
		case tokenClose:
			parens = max(parens-1, 0)
		case tokenWord:
			if parens == 0 {
				state.word(text)
			}
		case tokenSemicolon:
			if parens > 0 || state.depth > 0 {
				continue
			}
			if !empty {
				statements = append(statements, sql[start:s.pos-1])
			}
			start, empty, state = s.pos, true, body{}
			continue
		}
		empty = empty && kind == tokenSpace
	}
	if !empty {
		statements = append(statements, sql[start:])
	}
	return statements
}

// body tracks whether the scanner is between BEGIN and END of a function's body.
type body struct {
	words int
	// head are the first letters of the leading words: cf, cp, corf or corp for the
	// creation of a function or procedure.
	head  string
	depth int
}

func (b *body) word(text string) {
	lower := strings.ToLower(text)
	if b.words < 4 {
		switch lower {
		case "create", "or", "replace", "function", "procedure":
			b.head += lower[:1]
		default:
			b.head += " "
		}
	}
	b.words++
	if !b.routine() {
		return
	}
	switch {
	case lower == "begin", lower == "case" && b.depth > 0:
		b.depth++
	case lower == "end" && b.depth > 0:
		b.depth--
	}
}

func (b *body) routine() bool {
	for _, head := range []string{"cf", "cp", "corf", "corp"} {
		if strings.HasPrefix(b.head, head) {
			return true
		}
	}
	return false
}

// leadingWords are the first words of a statement in upper case, at most n, up to the first
// token that isn't a word.
func leadingWords(statement string, n int) []string {
	var words []string
	s := scanner{sql: statement}
	for len(words) < n {
		kind, text, ok := s.next()
		if !ok || kind != tokenSpace && kind != tokenWord {
			break
		}
		if kind == tokenWord {
			words = append(words, strings.ToUpper(text))
		}
	}
	return words
}

// hasWord reports whether a keyword is among the words of a statement.
func hasWord(statement, keyword string) bool {
	s := scanner{sql: statement}
	for {
		kind, text, ok := s.next()
		if !ok {
			return false
		}
		if kind == tokenWord && strings.EqualFold(text, keyword) {
			return true
		}
	}
}
