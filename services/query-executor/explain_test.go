package queryexecutor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
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

// TestExplainedSession: what a source sets for the session of a subscription doesn't stand for the session's own variables.
func TestExplainedSession(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	setSession(t, e, `{"set":{"app.a":"x-engine-user-id","app.b":"text"},"role":{"clerk":"none"}}`)
	s := e.borrow()
	defer e.giveBack(s)
	user := &session.Session{Role: "clerk", Variables: map[string]string{session.RoleHeader: "clerk", session.UserID: "7"}}
	r, err := e.prepare(t.Context(), &request{session: user, text: `subscription { artist { id } }`, live: true}, s)
	require.NoError(t, err)
	body, err := r.plan.ExplainLive(t.Context(), &s.run)
	require.NoError(t, err)
	var explained struct {
		Variables struct{ Session map[string]string }
	}
	require.NoError(t, json.Unmarshal(body, &explained))
	require.Equal(t, user.Variables, explained.Variables.Session)
}

// setSession has the fixture's source set something for each session.
func setSession(t *testing.T, e *Executor, settings string) {
	t.Helper()
	changed := *e.state.Load().snapshot
	doc := *changed.Document
	source := *doc.Sources[0]
	var configuration map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(source.Configuration, &configuration))
	configuration["session"] = []byte(settings)
	var err error
	source.Configuration, err = json.Marshal(configuration)
	require.NoError(t, err)
	doc.Sources = []*metadata.Source{&source}
	changed.Document, changed.Version = &doc, changed.Version+1
	e.apply(&changed)
}
