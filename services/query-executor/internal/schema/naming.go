package schema

import (
	"strings"

	"queryengine/pkg/gqlname"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// naming spells the generated names of one source. A generated name is a list of words; the convention
// decides how they are joined.
type naming struct {
	convention resolve.Convention
	affixes    metadata.Affixes
}

func namingOf(s *resolve.Source) naming {
	n := naming{convention: s.Convention}
	if c := s.Meta.Customization; c != nil && c.TypeNames != nil {
		n.affixes = *c.TypeNames
	}
	return n
}

// base is the first part of a table's or function's names. A custom name is one opaque
// word.
type base struct {
	name   string
	custom bool
}

func (b base) words() []string {
	if b.custom {
		return []string{b.name}
	}
	return gqlname.Words(b.name)
}

// typeName is the name of the type that is called suffix for b; without suffix it is the
// object type.
func (n naming) typeName(b base, suffix string) string {
	return n.affixes.Prefix + n.plainTypeName(b, suffix) + n.affixes.Suffix
}

// plainTypeName is typeName for the types that the source's customisation leaves alone.
func (n naming) plainTypeName(b base, suffix string) string {
	if n.convention != resolve.ConventionGraphQL {
		if suffix == "" {
			return b.name
		}
		return b.name + "_" + suffix
	}
	words := b.words()
	for i, w := range words {
		if !b.custom {
			words[i] = gqlname.Upper(w)
		}
	}
	for _, w := range gqlname.Words(suffix) {
		words = append(words, gqlname.Upper(w))
	}
	return strings.Join(words, "")
}

// relayName is the name of a type of the Relay specification: under both conventions its
// suffix follows without a separator.
func (n naming) relayName(b base, suffix string) string {
	return n.affixes.Prefix + n.plainTypeName(b, "") + suffix + n.affixes.Suffix
}

// field is the spelling of a generated field or argument name.
func (n naming) field(name string) string {
	if n.convention != resolve.ConventionGraphQL {
		return name
	}
	words := gqlname.Words(name)
	for i := 1; i < len(words); i++ {
		words[i] = gqlname.Upper(words[i])
	}
	return strings.Join(words, "")
}

// aggregateOf is the field of the aggregate of a relationship or computed field.
func (n naming) aggregateOf(name string) string { return n.field(name + "_aggregate") }

// shared is the spelling of a type that no table owns.
func (n naming) shared(name string) string {
	if n.convention != resolve.ConventionGraphQL {
		return name
	}
	words := gqlname.Words(name)
	for i, w := range words {
		words[i] = gqlname.Upper(w)
	}
	return strings.Join(words, "")
}

// extended is the spelling of a type that is named after another type.
func (n naming) extended(name, suffix string) string {
	if n.convention != resolve.ConventionGraphQL {
		return name + "_" + suffix
	}
	return name + n.shared(suffix)
}

// value is the spelling of a value of a generated enum.
func (n naming) value(name string) string {
	if n.convention != resolve.ConventionGraphQL {
		return name
	}
	return strings.ToUpper(name)
}
