package queryexecutor

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/session"
)

// syntaxError is PostgreSQL's code for text that isn't SQL.
const syntaxError = `"status_code":"42601"`

// FuzzStatements takes any text as an operation. What becomes of it is a refusal in words, or
// statements that PostgreSQL takes for SQL, whatever else it may think of them.
func FuzzStatements(f *testing.F) {
	features := []string{"testdata/cases/shop", "testdata/cases/mutations"}
	executors := make([]*Executor, len(features))
	for i, feature := range features {
		executors[i] = newFixture(f, feature, Config{})
		cases, err := filepath.Glob(filepath.Join(feature, "*", "query.graphql"))
		require.NoError(f, err)
		require.NotEmpty(f, cases)
		for _, name := range cases {
			variables := readFile(f, filepath.Join(filepath.Dir(name), "variables.json"))
			f.Add(string(readFile(f, name)), string(variables), uint8(i)) //nolint:gosec // G115: a small number
		}
	}
	for i, text := range []string{
		`{ album(where: {_or: [], _not: {}, title: {}}, order_by: [{}], distinct_on: [], limit: 0) { __typename } }`,
		`query ($w: album_bool_exp) { album_aggregate(where: $w) { aggregate { count(columns: [id, title], distinct: true) } nodes { id } } }`,
		`{ artist(order_by: {tracks_aggregate: {count: asc}}, where: {tracks: {}}) { whoami tracks(distinct_on: [id]) { id } } }`,
		`{ album { meta(path: "$[\"\\\"]}'\"]") } }`,
		`{ album(where: {meta: {_has_keys_any: ["{", "'", "\\"], _cast: {String: {_similar: "%\\"}}}}) { title } }`,
		`{ album_aggregate { aggregate { __typename } nodes { __typename } } }`,
	} {
		f.Add(text, `{"w":{"_and":[{"_not":{"id":{"_in":[]}}}]}}`, uint8(2*i)) //nolint:gosec // G115: a small number
	}
	roles := []string{session.Admin, "clerk", "manager", "boss"}
	f.Fuzz(func(t *testing.T, text, variables string, choice uint8) {
		e, role := executors[int(choice)%len(executors)], roles[int(choice)/len(executors)%len(roles)]
		q := &request{text: text, session: &session.Session{Role: role, Variables: map[string]string{
			session.UserID: "7", "x-engine-artist-id": "1",
		}}}
		if json.Valid([]byte(variables)) { // the gateway refuses a body that isn't JSON
			q.variables = []byte(variables)
		}
		out := backend.NewAnswer(nil, nil, 0)
		s := e.borrow()
		defer e.giveBack(s)
		err := e.run(t.Context(), q, out, s)
		if err == nil {
			require.True(t, json.Valid(out.Buf), "%s", out.Buf)
			return
		}
		var known *apierror.Error
		require.ErrorAs(t, err, &known)
		require.NotContains(t, string(known.InternalJSON()), syntaxError)
	})
}
