package template

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what sort of token it is. Symbols and reserved words are distinguished by their
// text.
type kind uint8

const (
	symbol kind = iota
	reserved
	boolean
	number
	identifier
	text // of a string, its escapes resolved
	literal
)

type token struct {
	kind kind
	text string
	at   Span
}

// is reports whether t is that symbol or reserved word.
func (t token) is(s string) bool { return (t.kind == symbol || t.kind == reserved) && t.text == s }

// written is the token as errors show it.
func (t token) written() string {
	if t.kind == text {
		return `"` + t.text + `"`
	}
	return t.text
}

type mode uint8

const (
	textMode mode = iota
	stringMode
	expressionMode
	literalMode
)

// symbols in the order of their length, so that the longest match is found first.
var symbols = [...]string{
	":=", "??", "==", "!=", ">=", "<=", "&&", "||", "{{", "}}",
	":", ".", ",", "?", ">", "<", "_", "{", "}", "[", "]", "(", ")", `"`, "'",
}

func isReserved(word string) bool {
	switch word {
	case "if", "elif", "else", "end", "range", "in", "not", "null":
		return true
	}
	return false
}

type lexer struct {
	source string
	// offset is in bytes, line and column are those of Span.
	offset, line, column int
	modes                []mode
	tokens               []token
}

// lex cuts source into tokens, all of it: a fault at its end comes before one of the
// grammar at its start.
func lex(source string) ([]token, *Error) {
	l := &lexer{source: source, column: 1, modes: []mode{textMode}}
	for l.offset < len(source) {
		if err := l.next(); err != nil {
			return nil, err
		}
	}
	return l.tokens, nil
}

func (l *lexer) mode() mode { return l.modes[len(l.modes)-1] }

func (l *lexer) push(m mode) { l.modes = append(l.modes, m) }

func (l *lexer) pop() { l.modes = l.modes[:len(l.modes)-1] }

func (l *lexer) next() *Error {
	switch l.mode() {
	case stringMode:
		return l.inString()
	case literalMode:
		return l.inLiteral()
	}
	l.skip()
	if l.offset == len(l.source) {
		return nil
	}
	rest := l.source[l.offset:]
	if n := numberLength(rest); n > 0 {
		l.emit(number, n)
		return nil
	}
	if n := identifierLength(rest); n > 0 {
		l.emit(wordKind(rest[:n]), n)
		return nil
	}
	return l.symbol(rest)
}

func wordKind(word string) kind {
	switch {
	case word == "true" || word == "false":
		return boolean
	case isReserved(word):
		return reserved
	}
	return identifier
}

func (l *lexer) symbol(rest string) *Error {
	for _, s := range symbols {
		if !strings.HasPrefix(rest, s) || s == "}}" && l.mode() == textMode {
			continue
		}
		l.emit(symbol, len(s))
		switch s {
		case "{{":
			l.push(expressionMode)
		case "}}":
			l.pop()
		case `"`:
			l.push(stringMode)
		case "'":
			l.push(literalMode)
		}
		return nil
	}
	return l.fault()
}

// skip passes over white space and comments.
func (l *lexer) skip() {
	comment := false
	for l.offset < len(l.source) {
		r, size := utf8.DecodeRuneInString(l.source[l.offset:])
		switch {
		case r == '#':
			comment = true
		case r == '\n':
			comment = false
		case !comment && !unicode.IsSpace(r):
			return
		}
		l.advance(size)
	}
}

func (l *lexer) inString() *Error {
	rest := l.source[l.offset:]
	switch {
	case rest[0] == '"':
		l.emit(symbol, 1)
		l.pop()
		return nil
	case strings.HasPrefix(rest, "{{"):
		l.emit(symbol, 2)
		l.push(expressionMode)
		return nil
	}
	var value strings.Builder
	start := l.here()
	for l.offset < len(l.source) {
		rest := l.source[l.offset:]
		if rest[0] == '"' || strings.HasPrefix(rest, "{{") {
			break
		}
		if rest[0] == '\\' {
			r, kept, n := escape(rest)
			if n == 0 {
				return l.fault()
			}
			if kept != "" {
				value.WriteString(kept)
			} else {
				value.WriteRune(r)
			}
			l.advance(n)
			continue
		}
		// Byte for byte, so that text that isn't UTF-8 stays what it is.
		_, size := utf8.DecodeRuneInString(rest)
		value.WriteString(rest[:size])
		l.advance(size)
	}
	l.tokens = append(l.tokens, token{text, value.String(), start.to(l.here())})
	return nil
}

// escape reads the escape at the start of s: what it stands for, as a character or as
// kept text, and its length, 0 when there is no such escape.
func escape(s string) (r rune, kept string, n int) {
	if len(s) < 2 {
		return 0, "", 0
	}
	switch s[1] {
	case '"', '\\', '{':
		return rune(s[1]), "", 2
	case 'b':
		return '\b', "", 2
	case 'f':
		return '\f', "", 2
	case 'n':
		return '\n', "", 2
	case 'r':
		return '\r', "", 2
	case 't':
		return '\t', "", 2
	case '/':
		return 0, `\/`, 2
	case 'u':
		return codeUnit(s)
	}
	return 0, "", 0
}

// codeUnit reads \uXXXX. Surrogates aren't joined; alone they are the replacement
// character.
func codeUnit(s string) (r rune, kept string, n int) {
	const length = len(`\uXXXX`)
	if len(s) < length {
		return 0, "", 0
	}
	for _, c := range []byte(s[2:length]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, "", 0
		}
	}
	return r, "", length
}

// inLiteral reads single-quoted text, whose two escapes are kept as written.
func (l *lexer) inLiteral() *Error {
	rest := l.source[l.offset:]
	if rest[0] == '\'' {
		l.emit(symbol, 1)
		l.pop()
		return nil
	}
	n := 0
	for n < len(rest) && rest[n] != '\'' {
		switch {
		case rest[n] == '\\' && n+1 < len(rest) && (rest[n+1] == '\\' || rest[n+1] == '`'):
			n++
		case rest[n] == '\\' || rest[n] == '{':
			l.advance(n)
			return l.fault()
		}
		n++
	}
	l.emit(literal, n)
	return nil
}

func (l *lexer) here() Span { return Span{l.line, l.column, l.line, l.column} }

// emit makes a token of the next n bytes.
func (l *lexer) emit(k kind, n int) {
	start, from := l.here(), l.offset
	l.advance(n)
	l.tokens = append(l.tokens, token{k, l.source[from:l.offset], start.to(l.here())})
}

func (l *lexer) advance(n int) {
	for _, r := range l.source[l.offset : l.offset+n] {
		if r == '\n' {
			l.line, l.column = l.line+1, 1
		} else {
			l.column++
		}
	}
	l.offset += n
}

func (l *lexer) fault() *Error {
	at := l.here()
	at.EndColumn += len(l.source)
	return failure(LexError, at, "Invalid Lexeme: '%s'", l.source)
}

// numberLength is the length of the integer or number at the start of s, 0 for none. Only
// an integer may have leading zeros.
func numberLength(s string) int {
	n := 0
	if strings.HasPrefix(s, "-") {
		n = 1
	}
	digits := digitsLength(s[n:])
	if digits == 0 {
		return 0
	}
	padded := digits > 1 && s[n] == '0'
	if n += digits; padded {
		return n
	}
	if n < len(s) && s[n] == '.' {
		if d := digitsLength(s[n+1:]); d > 0 {
			n += 1 + d
		}
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		sign := 0
		if n+1 < len(s) && (s[n+1] == '+' || s[n+1] == '-') {
			sign = 1
		}
		if d := digitsLength(s[n+1+sign:]); d > 0 {
			n += 1 + sign + d
		}
	}
	return n
}

func digitsLength(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func identifierLength(s string) int {
	n := 0
	if s[0] == '$' {
		n = 1
	}
	if n == len(s) || !isLetter(s[n]) {
		return n
	}
	for n < len(s) && (isLetter(s[n]) || s[n] >= '0' && s[n] <= '9' || s[n] == '_' || s[n] == '$' || s[n] == '-') {
		n++
	}
	return n
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
