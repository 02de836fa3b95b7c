package queryexecutor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestErrors holds the texts, codes and paths of the wire format, for what a database refuses or is too
// large for faults.json.
func TestErrors(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{MaxTokens: 5000})
	for _, c := range []struct {
		name, query, variables string
		code, path, message    string
	}{
		// Operations.
		{
			"subscription", `subscription { album { id } }`, ``,
			"unexpected-payload", "$", "subscriptions are not supported over HTTP, use websockets instead",
		},
		{
			"too many tokens", `{ album(where: {id: {_in: [` + strings.Repeat("1 ", 5000) + `]}}) { id } }`, ``,
			"validation-failed", "$.query", "the graphql query is too large: exceeded token limit of 5000",
		},
		{
			"too deep document", strings.Repeat("{ a ", 1200) + strings.Repeat("}", 1200), ``,
			"validation-failed", "$.query", "the graphql query is too large: exceeded maximum nesting depth of 1000",
		},
		{
			"too deep", `{ album ` + strings.Repeat(`{ artist { albums `, 60) + `{ id }` + strings.Repeat(`} }`, 60) + ` }`, ``,
			"validation-failed", "$.selectionSet.album" + strings.Repeat(".selectionSet.artist.selectionSet.albums", 49) + ".selectionSet.artist.selectionSet",
			"the selection sets are nested too deeply",
		},
		{
			"too deep input", `query ($w: album_bool_exp) { album(where: $w) { id } }`, `{"w": ` + strings.Repeat(`{"_not": `, 300) + `{}` + strings.Repeat(`}`, 300) + `}`,
			"validation-failed", "$.selectionSet.album.args.where" + strings.Repeat("._not", 200), "the value is nested too deeply",
		},

		// Column values.
		{
			"database judges text", `{ album(where: {id: {_eq: "x"}}) { id } }`, ``,
			"data-exception", "$", `invalid input syntax for type integer: "x"`,
		},

		// limit, offset, distinct_on, path, functions.
		{
			"negative offset", `{ album(offset: -1) { id } }`, ``,
			"data-exception", "$", "OFFSET must not be negative",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := &request{session: adminSession(), text: c.query, variables: []byte(c.variables)}
			var got struct{ Code, Path, Error string }
			require.NoError(t, json.Unmarshal(answer(t, e, q), &got))
			require.Equal(t, []string{c.code, c.path, c.message}, []string{got.Code, got.Path, got.Error})
		})
	}
}

func adminSession() *session.Session {
	return &session.Session{Role: session.Admin, Variables: map[string]string{session.RoleHeader: session.Admin}}
}

// TestErrorsOfKeptPlans holds that a value of the wrong kind gives the same error when the
// plan is there already as when it is made.
func TestErrorsOfKeptPlans(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	const query = `query ($id: Int, $l: [Int!], $n: Int, $m: mood_enum) { album(where: {id: {_eq: $id, _in: $l}, mood: {_neq: $m}}, limit: $n) { id } }`
	ask := func(variables string) []byte {
		return answer(t, e, &request{session: adminSession(), text: query, variables: []byte(variables)})
	}
	require.Equal(t, []byte(`{"data":{"album":[{"id":2}]}}`), ask(`{"id": 2, "l": [1, 2], "n": 5, "m": "calm"}`)) //nolint:testifylint // byte for byte
	_, misses, _ := e.plans.Stats()
	for variables, want := range map[string]string{
		`{"id": null, "l": [1], "n": 5, "m": "calm"}`:      `{"code":"validation-failed","error":"unexpected null value for type 'Int'","path":"$.selectionSet.album.args.where.id._eq"}`,
		`{"l": [1], "n": 5, "m": "calm"}`:                  `{"code":"validation-failed","error":"unexpected null value for type 'Int'","path":"$.selectionSet.album.args.where.id._eq"}`,
		`{"id": 1, "l": [null], "n": 5, "m": "calm"}`:      `{"code":"validation-failed","error":"unexpected null value for type 'Int'","path":"$.selectionSet.album.args.where.id._in[0]"}`,
		`{"id": 1, "l": [1, true], "n": 5, "m": "calm"}`:   `{"code":"parse-failed","error":"parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean","path":"$.selectionSet.album.args.where.id._in[1]"}`,
		`{"id": 1, "l": [1], "n": -5, "m": "calm"}`:        `{"code":"validation-failed","error":"expected a non-negative 32-bit integer for type 'Int', but found a number","path":"$.selectionSet.album.args.limit"}`,
		`{"id": 1, "l": [1], "n": 5, "m": "odd"}`:          `{"code":"validation-failed","error":"expected one of the values ['calm', 'sad', 'wild'] for type 'mood_enum', but found 'odd'","path":"$.selectionSet.album.args.where.mood._neq"}`,
		`{"id": 1, "l": [1], "n": 5, "m": "calm", "x": 1}`: `{"code":"validation-failed","error":"unexpected variables in variableValues: x","path":"$"}`,
		`{"id": "2", "l": ["2"], "n": null, "m": "calm"}`:  `{"data":{"album":[{"id":2}]}}`,
	} {
		require.Equal(t, []byte(want), ask(variables), variables) // byte for byte
	}
	_, after, _ := e.plans.Stats()
	require.Equal(t, misses, after, "a plan was made again")
}
