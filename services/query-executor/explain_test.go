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
