package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArrayArguments: an array that a function takes is one scalar, whose values are the text of
// an array or lists, and for which variables may be declared either way.
func TestArrayArguments(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/calls", Config{})
	const aria = `{"data":{"songs_tagged":[{"id":1}]}}`
	const refused = "$.selectionSet.songs_tagged.args.args.wanted"
	for _, c := range []struct{ query, variables, want string }{
		{
			`{ __type(name: "songs_tagged_args") { inputFields { name type { kind name } } } }`, ``,
			`{"data":{"__type":{"inputFields":[{"name":"ids","type":{"kind":"SCALAR","name":"_int4"}},{"name":"wanted","type":{"kind":"SCALAR","name":"_text"}}]}}}`,
		},
		{
			`{ __type(name: "matches_song_args") { inputFields { name type { kind name } } } }`, ``,
			`{"data":{"__type":{"inputFields":[{"name":"wanted","type":{"kind":"SCALAR","name":"_text"}}]}}}`,
		},
		{`{ songs_tagged(args: {wanted: "{slow}"}) { id } }`, ``, aria},
		{`{ songs_tagged(args: {wanted: ["slow", "x"], ids: [1, 2]}) { id } }`, ``, aria},
		{`{ songs_tagged(args: {wanted: ["slow"], ids: "{1,2}"}) { id } }`, ``, aria},
		{`query ($t: _text) { songs_tagged(args: {wanted: $t}) { id } }`, `{"t": "{slow}"}`, aria},
		{`query ($t: _text!) { songs_tagged(args: {wanted: $t}) { id } }`, `{"t": ["slow"]}`, aria},
		{`query ($t: [String!]) { songs_tagged(args: {wanted: $t}) { id } }`, `{"t": ["slow"]}`, aria},
		{`query ($t: [String]!, $i: [Int!]) { songs_tagged(args: {wanted: $t, ids: $i}) { id } }`, `{"t": ["slow", null], "i": [1]}`, aria},
		{`query ($t: String) { songs_tagged(args: {wanted: ["x", $t]}) { id } }`, `{"t": "slow"}`, aria},
		{`query ($a: songs_tagged_args!) { songs_tagged(args: $a) { id } }`, `{"a": {"wanted": ["slow"], "ids": "{1}"}}`, aria},
		{`query ($t: _text) { song(order_by: {id: asc}) { matches(args: {wanted: $t}) } }`, `{"t": "{slow,fast}"}`, `{"data":{"song":[{"matches":1},{"matches":1},{"matches":0}]}}`},
		{
			`query ($t: [Int!]) { songs_tagged(args: {wanted: $t}) { id } }`, `{"t": [1]}`,
			`{"code":"validation-failed","path":"` + refused + `","error":"variable 't' is declared as '[Int!]', but used where '_text' is expected"}`,
		},
		{
			`query ($t: String) { songs_tagged(args: {wanted: $t}) { id } }`, `{"t": "x"}`,
			`{"code":"validation-failed","path":"` + refused + `","error":"variable 't' is declared as 'String', but used where '_text' is expected"}`,
		},
		{
			`{ songs_tagged(args: {wanted: 1}) { id } }`, ``,
			`{"code":"parse-failed","path":"` + refused + `","error":"A string is expected for type: _text"}`,
		},
		{
			`{ songs_tagged(args: {wanted: [1]}) { id } }`, ``,
			`{"code":"parse-failed","path":"` + refused + `[0]","error":"parsing Text failed, expected String, but encountered Number"}`,
		},
		{
			`{ songs_tagged(args: {wanted: slow}) { id } }`, ``,
			`{"code":"data-exception","path":"$","error":"malformed array literal: \"slow\""}`,
		},
	} {
		got := answer(t, e, &request{session: adminSession(), text: c.query, variables: []byte(c.variables)})
		require.JSONEq(t, c.want, string(got), c.query)
	}
}

// TestScalarsNamedLikeRows: one name stands for one type. A scalar that would be called like the
// rows of a table has another one.
func TestScalarsNamedLikeRows(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/calls", Config{})
	for _, c := range []struct{ query, variables, want string }{
		{
			`{ a: __type(name: "song") { kind } b: __type(name: "song_scalar") { kind } c: __type(name: "is_song_args") { inputFields { name type { kind name } } } }`, ``,
			`{"data":{"a":{"kind":"OBJECT"},"b":{"kind":"SCALAR"},"c":{"inputFields":[` +
				`{"name":"kind","type":{"kind":"SCALAR","name":"song_scalar"}},{"name":"kinds","type":{"kind":"SCALAR","name":"_song"}}]}}}`,
		},
		{
			`query ($k: song_scalar!, $l: [song_scalar!]) { song_by_pk(id: 1) { is(args: {kind: $k, kinds: $l}) } }`, `{"k": "long", "l": ["short", "long"]}`,
			`{"data":{"song_by_pk":{"is":"Aria is long2"}}}`,
		},
	} {
		got := answer(t, e, &request{session: adminSession(), text: c.query, variables: []byte(c.variables)})
		require.JSONEq(t, c.want, string(got), c.query)
	}
}
