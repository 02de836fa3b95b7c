package extension

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesOfTypes refuses to print types that metadata couldn't tell apart or name.
func TestNamesOfTypes(t *testing.T) {
	t.Parallel()
	text := &Type{Name: "String"}
	item := func(field string) *Type {
		return &Type{Kind: Object, Name: "Item", Fields: []Field{{Name: field, Type: Ref{Type: text}}}}
	}
	action := func(name string, output *Type) Handler {
		return Handler{Name: name, Definition: &Definition{Output: Ref{Type: output}}}
	}
	tree := item("name")
	tree.Fields = append(tree.Fields, Field{Name: "parent", Type: Ref{Type: tree}}, Field{Name: "at", Type: Ref{Type: &Type{Name: "timestamptz", Text: true}}})
	got, err := SDL([]Handler{action("one", tree), action("two", tree)})
	require.NoError(t, err)
	require.Equal(t, "type Mutation {\n  one: Item\n}\n\ntype Mutation {\n  two: Item\n}\n\ntype Item {\n  name: String\n  parent: Item\n  at: timestamptz\n}\n\nscalar timestamptz\n", got)
	_, err = SDL([]Handler{action("one", item("a")), action("two", item("a"))})
	require.NoError(t, err, "the same type of two actions")
	_, err = SDL([]Handler{action("one", item("a")), action("two", item("b"))})
	require.EqualError(t, err, "several Go types are called Item: give one a method GraphQLType")
	_, err = SDL([]Handler{action("one", &Type{Kind: Object, Name: "Page[shop.Item]"})})
	require.EqualError(t, err, `"Page[shop.Item]" is no name of GraphQL: name the Go type, or give it a method GraphQLType`)
	_, err = SDL([]Handler{action("one", &Type{Kind: Object})})
	require.ErrorContains(t, err, `"" is no name`, "a struct without a name")
}
