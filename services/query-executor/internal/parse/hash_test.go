package parse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func hashOf(t *testing.T, text string, values ...string) string {
	t.Helper()
	op, err := Parse(text, "", Limits{})
	require.NoError(t, err)
	var list [][]byte
	for _, v := range values {
		list = append(list, []byte(v))
	}
	return op.Hash(list)
}

func TestHash(t *testing.T) {
	t.Parallel()
	const id = `query ($id: Int) { a(where: {id: {_eq: $id}}) { b c } }`
	want := hashOf(t, `{ a(where: {id: {_eq: 1}}) { b c } }`)
	require.Regexp(t, `^[0-9a-f]{40}$`, want)
	for _, same := range []string{
		`query Named { x: a(where: {id: {_eq: 2}}) { y: b c } }`,
		`{ a(where: {id: {_eq: 3}}) @include(if: true) { ...f c } } fragment f on a { b }`,
		`{ a(where: {id: {_eq: 3}}) { ... { b } c } }`,
		id,
	} {
		require.Equal(t, want, hashOf(t, same), same)
	}
	require.Equal(t, want, hashOf(t, `query ($w: a_bool_exp) { a(where: $w) { b c } }`, `{"id": {"_eq": 7}}`))
	for _, other := range []string{
		`{ a(where: {id: {_neq: 1}}) { b c } }`,
		`{ a(where: {id: {_eq: [1]}}) { b c } }`,
		`{ a { b c } }`,
		`{ a(where: {id: {_eq: 1}}) { c b } }`,
	} {
		require.NotEqual(t, want, hashOf(t, other), other)
	}
	require.NotEqual(t, want, hashOf(t, `query ($w: a_bool_exp) { a(where: $w) { b c } }`, `{"id": {"_in": [7]}}`))
}

func TestHashIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 60 {
		b.WriteString(" fragment f" + strings.Repeat("x", i) + " on a { ...f" + strings.Repeat("x", i+1) + " ...f" + strings.Repeat("x", i+1) + " }")
	}
	b.WriteString(" fragment f" + strings.Repeat("x", 60) + " on a { b }")
	require.Len(t, hashOf(t, `{ ...f @skip(if: true) }`+b.String()), 40)
}
