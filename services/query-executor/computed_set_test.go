package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestComputedSets: a computed field whose function returns a set of scalars has the kind of the
// scalar everywhere. As a field it is one value: no value makes the row null, several are a fault
// of the statement. Where rows are ordered or aggregated by it, a row counts once for each value.
func TestComputedSets(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/calls", Config{})
	for _, c := range []struct{ query, want string }{
		{`{ song(order_by: {id: asc}) { id one } }`, `{"data":{"song":[{"id":1,"one":"Aria"},{"id":2,"one":null},{"id":3,"one":"Coda"}]}}`},
		{`{ song(where: {id: {_gt: 1}}, order_by: {id: asc}) { id each_tag } }`, `{"data":{"song":[{"id":2,"each_tag":"fast"},null]}}`},
		{`{ a: song_by_pk(id: 3) { id each_tag } b: song_by_pk(id: 2) { each_tag } }`, `{"data":{"a":null,"b":{"each_tag":"fast"}}}`},
		{`{ song(where: {id: {_eq: 2}}) { a: each_tag b: each_length one } }`, `{"data":{"song":[{"a":"fast","b":4,"one":null}]}}`},
		{`{ song { each_tag } }`, `{"code":"unexpected","path":"$","error":"database query error"}`},
		{`{ song(where: {each_tag: {_eq: "fast"}}) { id } }`, `{"code":"unexpected","path":"$","error":"database query error"}`},
		{`{ song(order_by: {each_tag: asc}) { id } }`, `{"data":{"song":[{"id":2},{"id":1},{"id":1}]}}`},
		{`{ song(order_by: {each_tag: asc}, limit: 2) { id one } }`, `{"data":{"song":[{"id":2,"one":null},{"id":1,"one":"Aria"}]}}`},
		{
			`{ song_aggregate { aggregate { max { each_tag each_length } sum { each_length } } } }`,
			`{"data":{"song_aggregate":{"aggregate":{"max":{"each_tag":"slow","each_length":4},"sum":{"each_length":11}}}}}`,
		},
		{
			`{ song_aggregate(order_by: {id: desc}, limit: 2) { aggregate { sum { each_length } } nodes { id } } }`,
			`{"data":{"song_aggregate":{"aggregate":{"sum":{"each_length":4}},"nodes":[{"id":3},{"id":2}]}}}`,
		},
		{
			`mutation { update_song(where: {id: {_gt: 1}}, _set: {price: 2}) { affected_rows returning { id each_tag } } }`,
			`{"data":{"update_song":{"affected_rows":2,"returning":[{"id":2,"each_tag":"fast"},null]}}}`,
		},
		{`mutation { update_song_by_pk(pk_columns: {id: 3}, _set: {price: 2}) { each_tag } }`, `{"data":{"update_song_by_pk":null}}`},
		{
			`mutation { insert_song_one(object: {id: 9, title: "Dirge", price: 1, tags: "{}"}) { id each_tag } }`,
			`{"data":{"insert_song_one":null}}`,
		},
		{
			`mutation { delete_song_by_pk(id: 2) { each_tag } }`, `{"data":{"delete_song_by_pk":{"each_tag":"fast"}}}`,
		},
		{
			`{ __type(name: "song_bool_exp") { inputFields { name type { name } } } }`,
			`{"data":{"__type":{"inputFields":[` +
				`{"name":"_and","type":{"name":null}},{"name":"_not","type":{"name":"song_bool_exp"}},{"name":"_or","type":{"name":null}},` +
				`{"name":"each_length","type":{"name":"Int_comparison_exp"}},{"name":"each_tag","type":{"name":"String_comparison_exp"}},` +
				`{"name":"id","type":{"name":"Int_comparison_exp"}},{"name":"one","type":{"name":"String_comparison_exp"}},` +
				`{"name":"price","type":{"name":"numeric_comparison_exp"}},{"name":"tags","type":{"name":"String_array_comparison_exp"}},` +
				`{"name":"title","type":{"name":"String_comparison_exp"}}]}}}`,
		},
	} {
		got := answer(t, e, &request{session: adminSession(), text: c.query})
		require.JSONEq(t, c.want, string(got), c.query)
	}
}
