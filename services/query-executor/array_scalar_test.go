package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArraysAsScalars(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{ArrayScalars: true})
	const ofTags = `[{"name":"tags","type":{"kind":"SCALAR","name":"_text"}}]`
	for _, tt := range []struct{ query, want string }{
		{`{ __type(name: "_text") { kind } }`, `{"data":{"__type":{"kind":"SCALAR"}}}`},
		{`{ __type(name: "String_array_comparison_exp") { kind } }`, `{"data":{"__type":null}}`},
		{`{ __type(name: "album_set_input") { inputFields { name type { kind name } } } }`, ofTags},
		{`{ __type(name: "album_max_fields") { fields { name type { kind name } } } }`, ofTags},
		{
			`{ __type(name: "album_bool_exp") { inputFields { name type { kind name } } } }`,
			`[{"name":"tags","type":{"kind":"INPUT_OBJECT","name":"_text_comparison_exp"}}]`,
		},
		{`mutation { insert_album_one(object: {id: 900, title: "x", tags: ["a", "b"]}) { tags } }`, `{"data":{"insert_album_one":{"tags":["a","b"]}}}`},
		{`mutation { update_album_by_pk(pk_columns: {id: 900}, _set: {tags: "{c,d}"}) { tags } }`, `{"data":{"update_album_by_pk":{"tags":["c","d"]}}}`},
		{`query ($t: _text = "{c,d}") { album(where: {tags: {_eq: $t}}) { id } }`, `{"data":{"album":[{"id":900}]}}`},
		{`query ($t: _text! = ["c"]) { album(where: {tags: {_contains: $t}}) { id } }`, `{"data":{"album":[{"id":900}]}}`},
		{`{ album(where: {tags: {_in: [["c", "d"], "{e}"]}}) { id } }`, `{"data":{"album":[{"id":900}]}}`},
		{`query ($t: [_text!] = ["{c,d}"]) { album(where: {tags: {_in: $t}}) { id } }`, `{"data":{"album":[{"id":900}]}}`},
	} {
		got := string(answer(t, e, &request{session: adminSession(), text: tt.query}))
		if tt.want[0] == '[' {
			require.Contains(t, got, tt.want[1:len(tt.want)-1], tt.query)
			continue
		}
		require.JSONEq(t, tt.want, got, tt.query)
	}
}
