package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strings"
)

// Key names an answer, and the family of those that differ from it in variables and session
// variables only.
type Key struct {
	Key, Family string
}

// Request is what an answer depends on.
type Request struct {
	Role string
	// Schema distinguishes requests of one role that see different schemas.
	Schema    string
	Query     string
	Operation string
	// Plan stands for what the query does: the texts of its statements.
	Plan []string
	// Variables are the values of the variables, by index; nil for none.
	Variables [][]byte
	// Session are the session variables that the plan uses.
	Session map[string]string
	// Headers are the client's, as far as they may count.
	Headers map[string]string
}

// KeyOf is the key of the answer to a request. Of the text of a query, blanks that mean
// nothing make no difference, nor does the directive: with refresh, it must find the entry of
// the query without.
func KeyOf(r *Request) Key {
	family := digest{sha256.New()}
	family.text(r.Role)
	family.text(r.Schema)
	family.text(normal(r.Query))
	family.text(r.Operation)
	family.number(len(r.Plan))
	for _, s := range r.Plan {
		family.text(s)
	}
	sum := family.sum()
	key := digest{sha256.New()}
	key.text(sum)
	key.number(len(r.Variables))
	for _, v := range r.Variables {
		if v == nil {
			key.number(-1) // unlike any length
			continue
		}
		key.text(string(v))
	}
	key.pairs(r.Session)
	key.pairs(r.Headers)
	return Key{Key: key.sum(), Family: sum}
}

// digest hashes values so that no two lists of values are the same bytes.
type digest struct{ hash.Hash }

func (d digest) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	d.Write(b[:])
}

func (d digest) text(s string) {
	d.number(len(s))
	d.Write([]byte(s))
}

func (d digest) pairs(m map[string]string) {
	d.number(len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		d.text(name)
		d.text(m[name])
	}
}

func (d digest) sum() string { return hex.EncodeToString(d.Sum(nil)) }

// normal is a GraphQL document without @cached, and without the white space that doesn't
// separate anything. Comments stay as they are, with the end of their line.
func normal(query string) string {
	var b strings.Builder
	b.Grow(len(query))
	blank := false
	for i := 0; i < len(query); {
		c := query[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			blank = true
			i++
			continue
		}
		if n := directive(query[i:]); n > 0 {
			blank = true
			i += n
			continue
		}
		n := token(query[i:])
		if blank && b.Len() > 0 && separates(b.String()[b.Len()-1], c) {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteString(query[i : i+n])
		i += n
	}
	return b.String()
}

// separates reports whether blanks between two characters can make a difference: between words
// and numbers, and between strings, of which three quotes would be another kind.
func separates(before, after byte) bool {
	part := func(c byte) bool { return c == '-' || c == '.' || c == '"' || c >= 0x80 || inName(c) }
	return part(before) && part(after)
}

func inName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// directive is the length of @cached with its arguments, 0 when s doesn't begin with it.
func directive(s string) int {
	const name = "@cached"
	if !strings.HasPrefix(s, name) || len(s) > len(name) && inName(s[len(name)]) {
		return 0
	}
	open := len(name)
	for open < len(s) && strings.IndexByte(" \t\r\n", s[open]) >= 0 {
		open++
	}
	if open == len(s) || s[open] != '(' {
		return len(name)
	}
	for i := open; i < len(s); i += token(s[i:]) {
		if s[i] == ')' {
			return i + 1
		}
	}
	return len(name)
}

// token is the length of what s begins with: a string or a comment, else one character.
func token(s string) int {
	switch {
	case strings.HasPrefix(s, `"""`):
		for i := 3; i < len(s); i++ {
			switch {
			case strings.HasPrefix(s[i:], `\"""`):
				i += 3
			case strings.HasPrefix(s[i:], `"""`):
				return i + 3
			}
		}
		return len(s)
	case s[0] == '"':
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(s)
	case s[0] == '#':
		if end := strings.IndexAny(s, "\r\n"); end >= 0 {
			return end + 1
		}
		return len(s)
	}
	return 1
}
