// Package lexer cuts SQL texts into tokens and statements, by the rules of PostgreSQL.
package lexer

import "strings"

// Kind is what its callers have to know of a token.
type Kind int

// The kinds of tokens.
const (
	Space Kind = iota // blanks and comments
	Word              // a keyword or an identifier without quotes
	Open
	Close
	Semicolon
	Other // strings, quoted identifiers, numbers, operators
)

// Scanner cuts SQL text into tokens by the rules of PostgreSQL's own, with standard_conforming_strings
// on. An unterminated token takes all of the rest: the server will report what is wrong with it.
type Scanner struct {
	sql string
	pos int
}

// NewScanner begins at the beginning of a text.
func NewScanner(sql string) *Scanner { return &Scanner{sql: sql} }

// Pos is where the next token begins, in bytes.
func (s *Scanner) Pos() int { return s.pos }

// Next is the next token, or false at the end.
func (s *Scanner) Next() (Kind, string, bool) {
	if s.pos >= len(s.sql) {
		return 0, "", false
	}
	start := s.pos
	kind := s.scan()
	return kind, s.sql[start:s.pos], true
}

func (s *Scanner) scan() Kind {
	c := s.sql[s.pos]
	switch {
	case isSpace(c):
		s.pos++
		return Space
	case strings.HasPrefix(s.sql[s.pos:], "--"):
		s.lineComment()
		return Space
	case strings.HasPrefix(s.sql[s.pos:], "/*"):
		s.blockComment()
		return Space
	case c == '\'':
		s.quoted('\'', false)
		return Other
	case c == '"':
		s.quoted('"', false)
		return Other
	case c == '$':
		s.dollar()
		return Other
	case isWordStart(c):
		return s.word()
	}
	s.pos++
	switch c {
	case '(':
		return Open
	case ')':
		return Close
	case ';':
		return Semicolon
	}
	return Other
}

// lineComment ends before the end of the line; a carriage return ends one, too.
func (s *Scanner) lineComment() {
	if end := strings.IndexAny(s.sql[s.pos:], "\r\n"); end >= 0 {
		s.pos += end
		return
	}
	s.pos = len(s.sql)
}

// blockComment may hold others.
func (s *Scanner) blockComment() {
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
func (s *Scanner) quoted(quote byte, backslash bool) {
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
func (s *Scanner) continued() bool {
	ahead := Scanner{sql: s.sql, pos: s.pos}
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
func (s *Scanner) dollar() {
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
func (s *Scanner) word() Kind {
	start := s.pos
	for s.pos < len(s.sql) && isWordPart(s.sql[s.pos]) {
		s.pos++
	}
	if s.pos-start == 1 && s.pos < len(s.sql) && s.sql[s.pos] == '\'' && (s.sql[start] == 'e' || s.sql[start] == 'E') {
		s.quoted('\'', true)
		return Other
	}
	return Word
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isWordPart(c byte) bool { return isWordStart(c) || c >= '0' && c <= '9' || c == '$' }

// Statements cuts text at the semicolons between statements. Those in quotes, comments,
// parentheses and the bodies of functions between BEGIN ATOMIC and END are not between
// statements. Statements without a token are left out.
func Statements(sql string) []string {
	var statements []string
	s := NewScanner(sql)
	start, empty := 0, true
	var state body
	parens := 0
	for {
		kind, text, ok := s.Next()
		if !ok {
			break
		}
		switch kind {
		case Open:
			parens++
		case Close:
			parens = max(parens-1, 0)
		case Word:
			if parens == 0 {
				state.word(text)
			}
		case Semicolon:
			if parens > 0 || state.depth > 0 {
				continue
			}
			if !empty {
				statements = append(statements, sql[start:s.pos-1])
			}
			start, empty, state = s.pos, true, body{}
			continue
		}
		empty = empty && kind == Space
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

// LeadingWords are the first words of a statement in upper case, at most n, up to the first
// token that isn't a word.
func LeadingWords(statement string, n int) []string {
	var words []string
	s := NewScanner(statement)
	for len(words) < n {
		kind, text, ok := s.Next()
		if !ok || kind != Space && kind != Word {
			break
		}
		if kind == Word {
			words = append(words, strings.ToUpper(text))
		}
	}
	return words
}

// HasWord reports whether a keyword is among the words of a statement.
func HasWord(statement, keyword string) bool {
	s := NewScanner(statement)
	for {
		kind, text, ok := s.Next()
		if !ok {
			return false
		}
		if kind == Word && strings.EqualFold(text, keyword) {
			return true
		}
	}
}
