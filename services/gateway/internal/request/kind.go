package request

import "strings"

// IsSubscription reports whether the operation of a document that is requested is a
// subscription.
func IsSubscription(document, operation string) bool {
	return Kind(document, operation) == "subscription"
}

// Kind is "query", "mutation" or "subscription": what the operation of a document that is
// for is. It reads the document only as far as that takes: names, braces, strings and comments.
// Of a document that is not in order it is "".
func Kind(document, operation string) string {
	s := scanner{rest: document}
	for {
		token := s.next()
		switch token {
		case "":
			return ""
		case "query", "mutation", "subscription":
			name := s.next()
			if operation == "" || name == operation {
				return token
			}
			if name != "{" {
				s.skipTo("{")
			}
			s.skipBlock()
		case "{":
			if operation == "" {
				return "query" // without a keyword
			}
			s.skipBlock()
		case "fragment":
			s.skipTo("{")
			s.skipBlock()
		}
	}
}

// scanner splits a document into names and single characters, without strings and comments.
type scanner struct{ rest string }

// next is the next token, "" at the end.
func (s *scanner) next() string {
	for s.rest != "" {
		c := s.rest[0]
		switch {
		case c == '#':
			s.drop(strings.IndexAny(s.rest, "\n\r"))
		case strings.HasPrefix(s.rest, `"""`):
			s.blockString()
		case c == '"':
			s.string()
		case isNameByte(c):
			n := 1
			for n < len(s.rest) && isNameByte(s.rest[n]) {
				n++
			}
			token := s.rest[:n]
			s.rest = s.rest[n:]
			return token
		case c == ' ', c == '\t', c == '\n', c == '\r', c == ',', c >= 0x80:
			s.rest = s.rest[1:]
		default:
			token := s.rest[:1]
			s.rest = s.rest[1:]
			return token
		}
	}
	return ""
}

// drop drops n bytes; a negative n drops all.
func (s *scanner) drop(n int) {
	if n < 0 {
		n = len(s.rest)
	}
	s.rest = s.rest[n:]
}

func (s *scanner) string() {
	for i := 1; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '\\':
			i++
		case '"':
			s.rest = s.rest[i+1:]
			return
		}
	}
	s.rest = ""
}

func (s *scanner) blockString() {
	s.rest = s.rest[3:]
	for {
		i := strings.Index(s.rest, `"""`)
		if i < 0 {
			s.rest = ""
			return
		}
		escaped := i > 0 && s.rest[i-1] == '\\'
		s.rest = s.rest[i+3:]
		if !escaped {
			return
		}
	}
}

// skipTo passes a token; default values of variables may hold braces, in parentheses.
func (s *scanner) skipTo(wanted string) {
	for depth := 0; ; {
		switch token := s.next(); {
		case token == "", token == wanted && depth == 0:
			return
		case token == "(":
			depth++
		case token == ")":
			depth--
		}
	}
}

// skipBlock passes the rest of a block that has been opened.
func (s *scanner) skipBlock() {
	for depth := 1; depth > 0; {
		switch s.next() {
		case "":
			return
		case "{":
			depth++
		case "}":
			depth--
		}
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
