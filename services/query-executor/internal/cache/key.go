package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
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
	// Schema tells apart requests of one role that see different schemas.
	Schema    string
	Query     string
	Operation string
	// Plan stands for what the query does: the texts of its statements.
	Plan []string
	// Variables are the values of the variables, by index; nil for none.
	Variables [][]byte
	// Session are the session variables that the plan uses.
	Session map[string]string
}

// KeyOf is the key of the answer to a request. Of the text of a query, blanks that mean
// nothing make no difference.
func KeyOf(r *Request) Key {
	family := digest{sha256.New()}
	family.text(r.Role)
	family.text(r.Schema)
	family.text(withoutBlanks(r.Query))
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
	names := make([]string, 0, len(r.Session))
	for name := range r.Session {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		key.text(name)
		key.text(r.Session[name])
	}
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

func (d digest) sum() string { return hex.EncodeToString(d.Sum(nil)) }

// withoutBlanks is a GraphQL document without the white space that doesn't separate anything.
// Comments stay as they are, with the end of their line.
func withoutBlanks(query string) string {
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

// separates says whether blanks between two characters can make a difference: between words
// and numbers, and between strings, of which three quotes would be another kind.
func separates(before, after byte) bool {
	part := func(c byte) bool {
		return c == '_' || c == '-' || c == '.' || c == '"' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	return part(before) && part(after)
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
