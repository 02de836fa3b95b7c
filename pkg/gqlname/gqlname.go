// Package gqlname knows how names of GraphQL are made: which texts are names, and which words
// a generated name in camel case has. What the words of a name are is for its callers.
package gqlname

import "strings"

// Valid reports whether s matches [_A-Za-z][_0-9A-Za-z]*.
func Valid(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// Definable reports whether a schema may define something of that name: introspection reserves names with two leading underscores.
func Definable(s string) bool { return Valid(s) && !strings.HasPrefix(s, "__") }

// Words splits a name at underscores; leading ones stay with the first word.
func Words(s string) []string {
	rest := strings.TrimLeft(s, "_")
	lead := s[:len(s)-len(rest)]
	var list []string
	for w := range strings.SplitSeq(rest, "_") {
		if w != "" {
			list = append(list, w)
		}
	}
	if lead == "" {
		return list
	}
	if len(list) == 0 {
		return []string{lead}
	}
	list[0] = lead + list[0]
	return list
}

// Upper raises the first letter of a word, behind leading underscores.
func Upper(word string) string { return mapFirst(word, 'a', 'z', -32) }

// Lower is the opposite of Upper.
func Lower(word string) string { return mapFirst(word, 'A', 'Z', 32) }

// mapFirst shifts the first byte after leading underscores when it lies in from..to.
func mapFirst(s string, from, to byte, by int) string {
	i := len(s) - len(strings.TrimLeft(s, "_"))
	if i == len(s) || s[i] < from || s[i] > to {
		return s
	}
	return s[:i] + string(rune(int(s[i])+by)) + s[i+1:]
}
