package metadata

import (
	"encoding/json"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/gqlname"
)

// GraphQLType is the use of a type as GraphQL spells it: [Order!]!
type GraphQLType struct {
	// Name is the named type, in a list of any depth.
	Name string
	// Item is the type of the elements of a list, nil when this isn't one.
	Item    *GraphQLType
	NonNull bool
}

// ParseGraphQLType reads the text of a type.
func ParseGraphQLType(text string) (*GraphQLType, error) {
	t, ok := parseGraphQLType(text, maxTypeDepth)
	if !ok {
		return nil, apierror.Newf(apierror.ParseFailed, "not a valid GraphQL type: %q", text)
	}
	return t, nil
}

// maxTypeDepth bounds lists of lists.
const maxTypeDepth = 8

func parseGraphQLType(text string, depth int) (*GraphQLType, bool) {
	text = strings.TrimSpace(text)
	inner, nonNull := strings.CutSuffix(text, "!")
	inner = strings.TrimSpace(inner)
	if item, list := strings.CutPrefix(inner, "["); list {
		item, closed := strings.CutSuffix(item, "]")
		if !closed || depth == 0 {
			return nil, false
		}
		t, ok := parseGraphQLType(item, depth-1)
		if !ok {
			return nil, false
		}
		return &GraphQLType{Name: t.Name, Item: t, NonNull: nonNull}, true
	}
	return &GraphQLType{Name: inner, NonNull: nonNull}, gqlname.Valid(inner)
}

// String is the text of the type.
func (t GraphQLType) String() string {
	text := t.Name
	if t.Item != nil {
		text = "[" + t.Item.String() + "]"
	}
	if t.NonNull {
		text += "!"
	}
	return text
}

// MarshalJSON writes the text.
func (t GraphQLType) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// UnmarshalJSON reads the text.
func (t *GraphQLType) UnmarshalJSON(raw []byte) error {
	var text string
	if err := decode(raw, &text); err != nil {
		return err
	}
	parsed, err := ParseGraphQLType(text)
	if err == nil {
		*t = *parsed
	}
	return err
}
