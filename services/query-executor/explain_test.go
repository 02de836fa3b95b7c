package queryexecutor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// What no statement answers is in the explanation, too, in its place.
func TestExplainedConstants(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/relay", Config{})
	s := e.borrow()
	defer e.giveBack(s)
	for query, want := range map[string][]string{
		`{ __typename }`:                                                                 {"__typename"},
		`{ kind: __typename other: __typename }`:                                         {"kind", "other"},
		`{ first: __typename artist { id } last: __typename }`:                           {"first", "artist", "last"},
		`{ artist { id } type: __type(name: "artist") { name } __typename }`:             {"artist", "type", "__typename"},
		`{ __typename ...F } fragment F on query_root { __typename all: artist { id } }`: {"__typename", "all"},
	} {
		r, err := e.prepare(t.Context(), &request{session: adminSession(), text: query}, s)
		require.NoError(t, err, query)
		body, err := r.plan.Explain(t.Context(), &s.run)
		require.NoError(t, err, query)
		var list []struct {
			Field string
			SQL   *string
			Plan  []string
		}
		require.NoError(t, json.Unmarshal(body, &list))
		var fields []string
		for _, x := range list {
			fields = append(fields, x.Field)
			isTable := x.Field == "artist" || x.Field == "all"
			require.Equal(t, isTable, x.SQL != nil, "%s: %s", query, x.Field)
			require.Equal(t, isTable, x.Plan != nil, "%s: %s", query, x.Field)
		}
		require.Equal(t, want, fields, query)
	}
}

// Of the values of a subscription, those of variables are distinguished by name where a variable is
// a value itself. Lists, limits and parts of variables have no name.
func TestExplainedVariables(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/calls", Config{})
	s := e.borrow()
	defer e.giveBack(s)
	for _, c := range []struct{ query, variables, named, synthetic string }{
		{`subscription ($id: Int) { song(where: {id: {_eq: $id}}) { id } }`, `{"id": 1}`, `{"id":"1"}`, `[]`},
		{`subscription ($n: Int) { song(limit: $n) { id } }`, `{"n": 1}`, `{}`, `["1"]`},
		{`subscription ($n: Int) { song(offset: $n) { id } }`, `{"n": 1}`, `{}`, `["1"]`},
		{`subscription ($ids: [Int!]) { song(where: {id: {_in: $ids}}) { id } }`, `{"ids": [1, 2, 3]}`, `{}`, `["{\"1\",\"2\",\"3\"}"]`},
		{`subscription ($w: song_bool_exp) { song(where: $w) { id } }`, `{"w": {"id": {"_eq": 2}}}`, `{}`, `["2"]`},
		{`subscription ($t: _text!) { songs_tagged(args: {wanted: $t}) { id } }`, `{"t": "{slow}"}`, `{"t":"{slow}"}`, `[]`},
	} {
		r, err := e.prepare(t.Context(), &request{session: adminSession(), text: c.query, variables: []byte(c.variables), live: true}, s)
		require.NoError(t, err, c.query)
		body, err := r.plan.ExplainLive(t.Context(), &s.run)
		require.NoError(t, err, c.query)
		var got struct {
			Variables struct{ Query, Synthetic json.RawMessage }
		}
		require.NoError(t, json.Unmarshal(body, &got))
		require.JSONEq(t, c.named, string(got.Variables.Query), c.query)
		require.JSONEq(t, c.synthetic, string(got.Variables.Synthetic), c.query)
	}
}
