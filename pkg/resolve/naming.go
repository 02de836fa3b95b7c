package resolve

import (
	"fmt"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/gqlname"
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
func (h *head) identify(name catalog.Name, custom string) identifier {
	id := identifier{text: custom, custom: true}
	if custom == "" {
		id = identifier{text: h.baseName(name)}
	}
	if !gqlname.Definable(id.text) {
		return identifier{}
	}
	return id
}

// introspectionName is why something can't have a custom name that identify refuses.
func introspectionName(name string) string {
	return fmt.Sprintf("%q can't be its name: GraphQL keeps names that begin with two underscores for introspection", name)
}

// baseName is a name as those of GraphQL have it: without the schema that the kind of source leaves out.
func (h *head) baseName(name catalog.Name) string {
	if name.Schema == h.defaultSchema || name.Schema == "" {
		return name.Name
	}
	return name.Schema + "_" + name.Name
}

// display is the name of something in the source as messages show it.
func (h *head) display(name catalog.Name) string { return name.Display(h.defaultSchema) }

// BaseName is the name of a table or function as those of GraphQL have it, whether it is a GraphQL
// name or not.
func (s *Source) BaseName(name catalog.Name) string { return s.head.baseName(name) }

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
			b.WriteString(gqlname.Upper(word))
		case custom:
			b.WriteString(word)
		default:
			b.WriteString(gqlname.Lower(word))
		}
	}
	for _, w := range gqlname.Words(before) {
		add(w, false)
	}
	if base.custom {
		add(base.text, true)
	} else {
		for _, w := range gqlname.Words(base.text) {
			add(w, false)
		}
	}
	for _, w := range gqlname.Words(after) {
		add(w, false)
	}
	return b.String()
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
