package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAggregatesOfComputedFields: aggregates give the arguments of computed fields.
func TestAggregatesOfComputedFields(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/calls", Config{})
	const sum = "$.selectionSet.song_aggregate.selectionSet.aggregate.selectionSet.sum.selectionSet.needs.args"
	for _, c := range []struct{ query, variables, want string }{
		{
			`{ song_aggregate { aggregate { sum { a: price_in(args: {rate: 2}) b: price_in(args: {rate: 10, off: 1}) price_in } } } }`, ``,
			`{"data":{"song_aggregate":{"aggregate":{"sum":{"a":15.00,"b":72.00,"price_in":7.50}}}}}`,
		},
		{
			`query ($r: numeric) { song_aggregate(where: {id: {_lt: 3}}) { aggregate { avg { needs(args: {rate: $r}) } max { needs(args: {rate: $r}) } } } }`, `{"r": 2}`,
			`{"data":{"song_aggregate":{"aggregate":{"avg":{"needs":3.5},"max":{"needs":4.00}}}}}`,
		},
		{
			`{ song_aggregate { aggregate { sum { needs } } } }`, ``,
			`{"code":"validation-failed","path":"` + sum + `.args","error":"missing required field 'args'"}`,
		},
		{
			`{ song_aggregate { aggregate { sum { needs(args: {rate: true}) } } } }`, ``,
			`{"code":"parse-failed","path":"` + sum + `.args.rate","error":"parsing Scientific failed, expected Number, but encountered Boolean"}`,
		},
		{
			`{ song_aggregate { aggregate { sum { price(args: {rate: 1}) } } } }`, ``,
			`{"code":"validation-failed","path":"$.selectionSet.song_aggregate.selectionSet.aggregate.selectionSet.sum.selectionSet.price","error":"'price' has no argument named 'args'"}`,
		},
		{
			`{ __type(name: "song_sum_fields") { fields { name args { name type { kind ofType { name } name } } } } }`, ``,
			`{"data":{"__type":{"fields":[{"name":"each_length","args":[]},{"name":"id","args":[]},` +
				`{"name":"matches","args":[{"name":"args","type":{"kind":"NON_NULL","ofType":{"name":"matches_song_args"},"name":null}}]},` +
				`{"name":"needs","args":[{"name":"args","type":{"kind":"NON_NULL","ofType":{"name":"needs_song_args"},"name":null}}]},` +
				`{"name":"price","args":[]},{"name":"price_in","args":[{"name":"args","type":{"kind":"INPUT_OBJECT","ofType":null,"name":"price_in_song_args"}}]}]}}}`,
		},
		{
			`{ __type(name: "song_order_by") { inputFields { name } } }`, ``,
			`{"data":{"__type":{"inputFields":[{"name":"each_length"},{"name":"each_tag"},{"name":"id"},{"name":"one"},{"name":"price"},{"name":"tags"},{"name":"title"}]}}}`,
		},
	} {
		got := answer(t, e, &request{session: adminSession(), text: c.query, variables: []byte(c.variables)})
		require.JSONEq(t, c.want, string(got), c.query)
	}
}
