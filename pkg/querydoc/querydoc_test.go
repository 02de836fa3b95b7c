package querydoc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/querydoc"
)

func normal(t *testing.T, text string) string {
	t.Helper()
	d, err := querydoc.Parse(text)
	require.NoError(t, err)
	return d.Normal()
}

func TestParse(t *testing.T) {
	t.Parallel()
	d, err := querydoc.Parse(`query a($id: uuid!, $names: [String!]! = ["x"], $n: Int) { a } subscription { b }`)
	require.NoError(t, err)
	require.Equal(t, []querydoc.Operation{
		{Kind: querydoc.Query, Name: "a", Variables: []querydoc.Variable{
			{Name: "id", Type: "uuid", NonNull: true},
			{Name: "names", Type: "String", List: true, NonNull: true},
			{Name: "n", Type: "Int"},
		}},
		{Kind: querydoc.Subscription},
	}, d.Operations)
	for _, text := range []string{"", "# nothing", "query {", "a"} {
		_, err := querydoc.Parse(text)
		require.ErrorIs(t, err, querydoc.ErrSyntax, "%q", text)
	}
}

func TestNormal(t *testing.T) {
	t.Parallel()
	const text = `query q($id: Int = 1) { user(where: {id: {_eq: $id}, name: {_eq: "a, b"}}) @include(if: true) { id ...f } } fragment f on user { name }`
	same := []string{
		"query q($id:Int=1){user(where:{id:{_eq:$id}name:{_eq:\"a, b\"}})@include(if:true){id,...f}}\nfragment f on user{name}",
		"# a comment\nquery q($id: Int = 1) { __typename user(where: {id: {_eq: $id}, name: {_eq: \"a, b\"}}) @include(if: true) { t: __typename id ...f } } fragment f on user { name __typename }",
	}
	for _, s := range same {
		require.Equal(t, normal(t, text), normal(t, s))
	}
	for _, s := range []string{
		`query p($id: Int = 1) { user(where: {id: {_eq: $id}, name: {_eq: "a, b"}}) @include(if: true) { id ...f } } fragment f on user { name }`,
		`query q($id: Int = 1) { user(where: {name: {_eq: "a, b"}, id: {_eq: $id}}) @include(if: true) { id ...f } } fragment f on user { name }`,
		`query q($id: Int = 1) { user(where: {id: {_eq: $id}, name: {_eq: "a,b"}}) @include(if: true) { id ...f } } fragment f on user { name }`,
		`query q($id: Int = 1) { user(where: {id: {_eq: $id}, name: {_eq: "a, b"}}) { id ...f } } fragment f on user { name }`,
		`query q($id: Int = 1) { user(where: {id: {_eq: $id}, name: {_eq: "a, b"}}) @include(if: true) { ...f id } } fragment f on user { name }`,
		`query q($id: Int = 1) { user(where: {id: {_eq: $id}, name: {_eq: "a, b"}}) @include(if: true) { i: id ...f } } fragment f on user { name }`,
		`query q($id: Int = 1) { user(where: {id: {_eq: $id}, name: {_eq: "a, b"}}) @include(if: true) { id ...f } } fragment f on user { name id }`,
		`mutation q($id: Int = 1) { user(where: {id: {_eq: $id}, name: {_eq: "a, b"}}) @include(if: true) { id ...f } } fragment f on user { name }`,
	} {
		require.NotEqual(t, normal(t, text), normal(t, s))
	}
}
