package resolve

import (
	"strings"

	"queryengine/pkg/catalog"
)

// Convention is how generated names are spelt.
type Convention string

// The conventions.
const (
	// ConventionEngine joins words with underscores: insert_gift_card_one.
	ConventionEngine Convention = "engine-default"
	// ConventionGraphQL writes fields as insertGiftCardOne and types as GiftCardBoolExp.
	ConventionGraphQL Convention = "graphql-default"
)

// identifier is the base name of a table or function. A custom one is a single word,
// whatever it contains.
type identifier struct {
	text   string
	custom bool
}

// identify is the base name of something in the database; the zero identifier when that
// isn't a GraphQL name.
func identify(name catalog.Name, custom string) identifier {
	if custom != "" {
		return identifier{text: custom, custom: true}
	}
	text := name.Name
	if name.Schema != "public" && name.Schema != "" {
		text = name.Schema + "_" + name.Name
	}
	if !isGraphQLName(text) {
		return identifier{}
	}
	return identifier{text: text}
}

// field spells a field name around a base name: insert, T, one.
func (c Convention) field(before string, base identifier, after string) string {
	if c == ConventionGraphQL {
		return camel(before, base, after)
	}
	return join(before, base.text, after)
}

// column is the field name of a column without a custom name.
func (c Convention) column(name string) string {
	if c == ConventionGraphQL {
		return camel("", identifier{text: name}, "")
	}
	return name
}

// camel joins the words with the first letter of each raised and that of the first word
// lowered; a custom name that comes first stays as it is.
func camel(before string, base identifier, after string) string {
	var b strings.Builder
	add := func(word string, custom bool) {
		switch {
		case b.Len() > 0:
			b.WriteString(upperFirst(word))
		case custom:
			b.WriteString(word)
		default:
			b.WriteString(lowerFirst(word))
		}
	}
	for _, w := range words(before) {
		add(w, false)
	}
	if base.custom {
		add(base.text, true)
	} else {
		for _, w := range words(base.text) {
			add(w, false)
		}
	}
	for _, w := range words(after) {
		add(w, false)
	}
	return b.String()
}

// words splits at underscores; leading ones stay with the first word.
func words(s string) []string {
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

func join(before, base, after string) string {
	if before != "" {
		base = before + "_" + base
	}
	if after != "" {
		base += "_" + after
	}
	return base
}

func upperFirst(s string) string { return mapFirst(s, 'a', 'z', -32) }

func lowerFirst(s string) string { return mapFirst(s, 'A', 'Z', 32) }

// mapFirst shifts the first byte after leading underscores when it lies in from..to.
func mapFirst(s string, from, to byte, by int) string {
	i := len(s) - len(strings.TrimLeft(s, "_"))
	if i == len(s) || s[i] < from || s[i] > to {
		return s
	}
	return s[:i] + string(rune(int(s[i])+by)) + s[i+1:]
}

// isGraphQLName reports whether s matches [_A-Za-z][_0-9A-Za-z]*.
func isGraphQLName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
